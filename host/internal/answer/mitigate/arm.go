// Package mitigate compares remedies for a network that treats copies of the same person
// differently: guardrails, which refuse to answer there, and further training. Each remedy
// is an arm. Each arm's network, behind its guardrails, is searched again with the same
// budget, and its quality is measured on the data. docs/user/mitigate.md explains arms, measures
// and results.
package mitigate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Subject is the target of a search: a model and the guardrails in front of it, predicates
// over non-protected features.
type Subject struct {
	Model  model.Model
	Guards []space.Predicate
}

// The ways to make a network.
const (
	// Original is the unchanged network.
	Original = "original"
	// Retrained is trained further on the data and all copies of the individuals found: the
	// paper's way.
	Retrained = "retrained"
	// Consistent is trained further with a penalty on the spread of the logits
	// over the copies of an individual.
	Consistent = "consistent"
	// Iterated alternates Consistent and a search while the searches find less.
	Iterated = "iterated"
	// Blind has its weights from protected attributes set to zero and is trained further
	// without them: all copies get the same score.
	Blind = "blind"
)

// Ways lists the ways in the order in which they are tried.
func Ways() []string { return []string{Original, Retrained, Consistent, Iterated, Blind} }

// guards is the suffix of a way's name in a guarded arm.
const guards = "+guards"

// Arm is a way to make a network, with or without guardrails.
type Arm struct {
	Way     string
	Guarded bool
}

// String returns the arm in the form that ParseArms reads.
func (a Arm) String() string {
	if a.Guarded {
		return a.Way + guards
	}
	return a.Way
}

// DefaultArms returns the paper's four arms and the two that need only one more training each.
func DefaultArms() []string {
	return []string{Original, Original + guards, Retrained, Retrained + guards, Consistent, Blind}
}

// ParseArms reads arms such as "retrained+guards". The result is ordered by way (see Ways),
// the unguarded arm first, without duplicates.
func ParseArms(names []string) ([]Arm, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("no arm is given; the arms are %s, each also with %s", strings.Join(Ways(), ", "), guards)
	}
	var out []Arm
	for _, name := range names {
		way, guarded := strings.CutSuffix(strings.TrimSpace(name), guards)
		if !slices.Contains(Ways(), way) {
			return nil, fmt.Errorf("no arm %q; the arms are %s, each also with %s", name, strings.Join(Ways(), ", "), guards)
		}
		out = append(out, Arm{way, guarded})
	}
	slices.SortFunc(out, func(a, b Arm) int { return 2*order(a) - 2*order(b) + rank(a.Guarded) - rank(b.Guarded) })
	return slices.Compact(out), nil
}

func order(a Arm) int { return slices.Index(Ways(), a.Way) }

func rank(guarded bool) int {
	if guarded {
		return 1
	}
	return 0
}
