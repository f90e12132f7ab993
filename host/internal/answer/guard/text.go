package guard

import (
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Text returns the rule as part of a sentence: "hours > 39 and purpose != car". If
// s is not nil, a set that lacks a single category is written with !=, and a bound
// that excludes nothing but missing values with "is not".
func (r *Rule) Text(s *space.Space) string {
	parts := make([]string, len(r.Conditions))
	for i := range r.Conditions {
		parts[i] = r.Conditions[i].Text(s)
	}
	return strings.Join(parts, " and ")
}

// Text returns the condition in words; see Rule.Text.
func (c *Condition) Text(s *space.Space) string {
	if c.In != nil {
		return c.Feature + c.choice(s)
	}
	if c.Missing && !c.bounded() {
		return c.Feature + " is " + space.MissingName
	}
	if c.anyNumber(s) {
		return c.Feature + " is not " + space.MissingName
	}
	if c.Least != nil && c.Most != nil && *c.Least == *c.Most {
		return c.Feature + " = " + digits(*c.Least)
	}
	var parts []string
	for _, end := range []struct {
		sign  string
		bound *float64
	}{{" >= ", c.Least}, {" > ", c.Above}, {" <= ", c.Most}, {" < ", c.Below}} {
		if end.bound != nil {
			parts = append(parts, c.Feature+end.sign+digits(*end.bound))
		}
	}
	if c.Missing {
		return "(" + parts[0] + " or " + space.MissingName + ")"
	}
	return strings.Join(parts, " and ")
}

// anyNumber reports whether the bound is the end of the domain, beyond which a value is missing.
func (c *Condition) anyNumber(s *space.Space) bool {
	if s == nil || c.Most == nil || c.Least != nil || c.Above != nil {
		return false
	}
	i, ok := s.Index(c.Feature)
	return ok && s.Features[i].Missing && *c.Most == s.Features[i].Numbers().Hi
}

func (c *Condition) choice(s *space.Space) string {
	if len(c.In) == 1 {
		return " = " + c.In[0]
	}
	if s != nil {
		if i, ok := s.Index(c.Feature); ok {
			var others []string
			for _, name := range s.Features[i].Categories {
				if !slices.Contains(c.In, name) {
					others = append(others, name)
				}
			}
			if len(others) == 1 {
				return " != " + others[0]
			}
		}
	}
	return " in {" + strings.Join(c.In, ", ") + "}"
}
