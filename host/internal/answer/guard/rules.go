// Package guard implements guardrails: rules over unprotected features, in a small
// self-contained file, for people about whom a model must not answer. docs/user/mitigate.md
// describes the file; Python and Go write the same rules as plain functions.
package guard

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Version is the version of rules files that this package reads and writes.
const Version = 1

// Rules are guardrails. A model guarded by them refuses to answer for an individual if all
// conditions of at least one rule hold; without rules it always answers. The zero value is
// not valid: see New.
type Rules struct {
	// Version is the version of the file format.
	Version int
	// Study names the study that the rules were made for, as a note to readers.
	Study string
	// Features describes the features in the conditions, so that the file is
	// self-contained.
	Features []Feature
	// Rules are tried in order; the first that holds is the one named.
	Rules []Rule
}

// Feature describes one feature in the conditions.
type Feature struct {
	Name string
	Kind space.Kind
	// Categories names the values of a categorical feature.
	Categories []string
	// Missing: a number may be missing.
	Missing bool
}

// Rule is a conjunction of conditions.
type Rule struct {
	// Name is unique among the rules; it is what a refusal names.
	Name string `json:"name"`
	// Why is the reason for refusing, in a sentence; it may be empty.
	Why string `json:"why,omitempty"`
	// Conditions has at least one element.
	Conditions []Condition `json:"conditions"`
}

// Condition restricts one feature. A categorical feature has In and nothing
// else; a number at least one of the bounds, at most one at each end, or Missing.
type Condition struct {
	// The feature.
	Feature string `json:"feature"`
	// The value is at least this.
	Least *float64 `json:"least,omitempty"`
	// The value is above this.
	Above *float64 `json:"above,omitempty"`
	// The value is at most this.
	Most *float64 `json:"most,omitempty"`
	// The value is below this.
	Below *float64 `json:"below,omitempty"`
	// The value is one of these categories.
	In []string `json:"in,omitempty"`
	// The value may be missing: with a lower bound, it may be missing as well; alone, it must be missing.
	Missing bool `json:"missing,omitempty"`
}

// bounded reports whether the condition has a bound.
func (c *Condition) bounded() bool {
	return c.Least != nil || c.Above != nil || c.Most != nil || c.Below != nil
}

// New converts predicates over the unprotected features of s to rules: rule 1,
// rule 2, … in their order, each with its conditions in words as the reason.
// Bounds take the shorter of two forms that are equivalent for float64. A
// condition on a protected feature, or one that no value satisfies, is an
// error.
func New(s *space.Space, study string, predicates []space.Predicate) (*Rules, error) {
	r := &Rules{Version: Version, Study: study}
	for i, p := range predicates {
		rule := Rule{Name: fmt.Sprintf("rule %d", i+1)}
		var err error
		if rule.Conditions, err = Conditions(s, p); err != nil {
			return nil, fmt.Errorf("%s: %w", rule.Name, err)
		}
		rule.Why = "treatment depends on protected attributes where " + rule.Text(s)
		r.Rules = append(r.Rules, rule)
	}
	r.describe(s)
	return r, nil
}

// describe sets Features: the features in the conditions, in the order of s.
func (r *Rules) describe(s *space.Space) {
	used := map[string]bool{}
	for _, rule := range r.Rules {
		for _, c := range rule.Conditions {
			used[c.Feature] = true
		}
	}
	r.Features = nil
	for i := range s.Features {
		if f := &s.Features[i]; used[f.Name] {
			r.Features = append(r.Features, Feature{Name: f.Name, Kind: f.Kind, Categories: slices.Clone(f.Categories), Missing: f.Missing && f.Kind != space.Categorical})
		}
	}
}

// Conditions converts a predicate over unprotected features to the form of a rules file.
// It omits conditions that always hold for the feature's kind, such as an interval without
// ends. If no condition is left, the rule would refuse all individuals, which is an error.
func Conditions(s *space.Space, p space.Predicate) ([]Condition, error) {
	if err := p.Validate(s); err != nil {
		return nil, err
	}
	var out []Condition
	for i := range p {
		f := &s.Features[p[i].Feature]
		if f.IsProtected() {
			return nil, fmt.Errorf("feature %q is protected, and a guardrail must not look at it", f.Name)
		}
		c := Condition{Feature: f.Name}
		if f.Kind == space.Categorical {
			for v, name := range f.Categories {
				if p[i].Holds(float64(v)) {
					c.In = append(c.In, name)
				}
			}
			if len(c.In) == 0 {
				return nil, fmt.Errorf("feature %q: no category satisfies the condition", f.Name)
			}
			if len(c.In) < len(f.Categories) {
				out = append(out, c)
			}
			continue
		}
		iv, err := within(p[i].Interval, f.Kind)
		if err != nil {
			return nil, fmt.Errorf("feature %q: %w", f.Name, err)
		}
		if f.Missing && iv.Hi >= f.Hi {
			if c.Missing, iv.Hi = true, math.Inf(1); iv.Lo > f.Numbers().Hi { // missing only
				out = append(out, c)
				continue
			}
		}
		c.Least, c.Above = shortest(iv.Lo, f.Kind, -1)
		c.Most, c.Below = shortest(iv.Hi, f.Kind, 1)
		if c.bounded() {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, errEverybody
	}
	return out, nil
}

var errEverybody = errors.New("a rule without conditions would refuse everybody")

// shortest writes an end of an interval: closed, or open at the neighbouring float64 if that
// has fewer digits. outward is −1 for the lower end, +1 for the upper one; an infinite end
// is nil.
func shortest(end float64, kind space.Kind, outward int) (closed, open *float64) {
	if math.IsInf(end, outward) {
		return nil, nil
	}
	if next := math.Nextafter(end, math.Inf(outward)); kind == space.Real && !math.IsInf(next, 0) &&
		len(digits(next)) < len(digits(end)) {
		return nil, &next
	}
	return &end, nil
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Predicates converts the rules to predicates of s, one per rule. s must have the
// features in the conditions, unprotected, of the same kinds and with the same
// categories; an error names rule and feature.
func (r *Rules) Predicates(s *space.Space) ([]space.Predicate, error) {
	out := make([]space.Predicate, len(r.Rules))
	for i := range r.Rules {
		p, err := r.Rules[i].predicate(s)
		if err != nil {
			return nil, fmt.Errorf("rules[%d] (%s): %w", i, r.Rules[i].Name, err)
		}
		out[i] = p
	}
	return out, nil
}

func (r *Rule) predicate(s *space.Space) (space.Predicate, error) {
	if len(r.Conditions) == 0 {
		return nil, errEverybody
	}
	var p space.Predicate
	for k := range r.Conditions {
		c, err := r.Conditions[k].bind(s)
		if err != nil {
			return nil, fmt.Errorf("conditions[%d]: %w", k, err)
		}
		p = append(p, c)
	}
	return p, nil
}

// bind converts a condition of the file to one of the space.
func (c *Condition) bind(s *space.Space) (space.Condition, error) {
	i, ok := s.Index(c.Feature)
	if !ok {
		return space.Condition{}, fmt.Errorf("no feature %q; the features are %s", c.Feature, strings.Join(s.Names(), ", "))
	}
	f := &s.Features[i]
	out := space.Condition{Feature: i}
	switch {
	case f.IsProtected():
		return out, fmt.Errorf("feature %q is protected, and a guardrail must not look at it", c.Feature)
	case f.Kind != space.Categorical && c.In != nil:
		return out, fmt.Errorf(`feature %q is a number (%s) and cannot be "in" categories`, c.Feature, f.Kind)
	case f.Kind == space.Categorical && c.In == nil:
		return out, fmt.Errorf(`feature %q is categorical and needs "in"`, c.Feature)
	case f.Kind == space.Categorical:
		out.Set = []int{}
		for _, name := range c.In {
			v := slices.Index(f.Categories, name)
			if v < 0 {
				return out, fmt.Errorf("feature %q: no category %q; the categories are %s", c.Feature, name, strings.Join(f.Categories, ", "))
			}
			out.Set = append(out.Set, v)
		}
		slices.Sort(out.Set)
		out.Set = slices.Compact(out.Set)
		return out, nil
	}
	if c.Missing && !f.Missing {
		return out, fmt.Errorf("feature %q cannot be missing in the study", c.Feature)
	}
	iv, err := c.values(f.Kind)
	switch numbers := f.Numbers(); {
	case c.Missing && !c.bounded():
		iv.Lo = f.Hi
	case !c.Missing && f.Missing:
		iv.Hi = min(iv.Hi, numbers.Hi)
	}
	out.Interval = iv
	return out, err
}

// values returns the closed interval with the same float64 numbers of the kind
// as the bounds.
func (c *Condition) values(kind space.Kind) (space.Interval, error) {
	iv := space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	switch {
	case c.Least != nil:
		iv.Lo = *c.Least
	case c.Above != nil:
		iv.Lo = math.Nextafter(*c.Above, math.Inf(1))
	}
	switch {
	case c.Most != nil:
		iv.Hi = *c.Most
	case c.Below != nil:
		iv.Hi = math.Nextafter(*c.Below, math.Inf(-1))
	}
	iv, err := within(iv, kind)
	if err != nil {
		err = fmt.Errorf("feature %q: %w", c.Feature, err)
	}
	return iv, err
}

// within restricts an interval to numbers of a kind. An empty result is an error.
func within(iv space.Interval, kind space.Kind) (space.Interval, error) {
	if kind == space.Integer {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	if iv.Empty() || math.IsInf(iv.Lo, 1) || math.IsInf(iv.Hi, -1) {
		return iv, fmt.Errorf("no %s satisfies the condition", kind)
	}
	return iv, nil
}

// Refuses returns the index of the first guard that holds at x; ok is false if none does.
func Refuses(guards []space.Predicate, x []float64) (rule int, ok bool) {
	for i, g := range guards {
		if g.Holds(x) {
			return i, true
		}
	}
	return 0, false
}
