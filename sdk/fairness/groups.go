package fairness

import (
	"math/big"
	"slices"
	"strings"
)

// Group is a group of people with a threshold of its own. Read-only.
type Group struct {
	// Name is how a user writes the group: "sex = woman".
	Name string
	// In lists the conditions that all people of the group satisfy.
	In        []Having
	Threshold *big.Rat
}

// Having is a condition on the value of one feature.
type Having struct {
	Feature string
	Holds   func(value float64) bool
}

// Each returns rules with one threshold each: one for each group, or the rule itself.
func (r Rule) Each() []Rule {
	if r.Groups == nil {
		return []Rule{r}
	}
	out := make([]Rule, len(r.Groups))
	for i, g := range r.Groups {
		out[i] = Rule{Threshold: g.Threshold, At: r.At, Low: r.Low}
	}
	return out
}

// Of returns the index in Each of the rule for a person with the given values of features; −1 if no group has them.
func (r Rule) Of(value func(feature string) float64) int {
	if r.Groups == nil {
		return 0
	}
	return slices.IndexFunc(r.Groups, func(g Group) bool {
		return !slices.ContainsFunc(g.In, func(h Having) bool { return !h.Holds(value(h.Feature)) })
	})
}

// byGroup lists the scores of a yes: "above 0.5 for sex = man, above 0.45 for sex = woman".
func (r Rule) byGroup() string {
	var out []string
	for i, rule := range r.Each() {
		out = append(out, rule.String()+" for "+r.Groups[i].Name)
	}
	return strings.Join(out, ", ")
}
