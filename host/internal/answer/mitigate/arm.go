// Package mitigate compares what can be done about a network that treats
// copies of the same person differently: refusing to answer where it does
// (guardrails), and training it further. Every way is an arm; each arm's
// network, behind its guardrails, is searched again under the same budget, and
// its worth on the data is measured beside. docs/mitigate.md explains arms,
// measures and what came out.
package mitigate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Subject is what a search looks at: a model and the guardrails in front of
// it, predicates over features that are not protected.
type Subject struct {
	Model  model.Model
	Guards []space.Predicate
}

// The ways of making a network.
const (
	// Original is the network as it is.
	Original = "original"
	// Retrained is trained further on the data and the individuals found, with
	// all their copies: the paper's way.
	Retrained = "retrained"
	// Consistent is trained further with a penalty on the spread of the logits
	// over the copies of an individual.
	Consistent = "consistent"
	// Iterated is Consistent, searched and trained further in turns while the
	// largest k falls.
	Iterated = "iterated"
	// Blind has its weights from protected attributes set to zero and is trained
	// further without them: all copies get one score, by construction.
	Blind = "blind"
)

// Ways lists the ways of making a network, in the order in which they are
// tried.
func Ways() []string { return []string{Original, Retrained, Consistent, Iterated, Blind} }

// guards is what follows a way's name in an arm with guardrails.
const guards = "+guards"

// Arm is a way of making a network, with guardrails or without.
type Arm struct {
	Way     string
	Guarded bool
}

// String is what ParseArms reads.
func (a Arm) String() string {
	if a.Guarded {
		return a.Way + guards
	}
	return a.Way
}

// DefaultArms are the paper's four and the two that cost one training each.
func DefaultArms() []string {
	return []string{Original, Original + guards, Retrained, Retrained + guards, Consistent, Blind}
}

// ParseArms reads arms such as "retrained+guards". They come out ordered by way
// (see Ways), each with guardrails after the one without, once each.
func ParseArms(names []string) ([]Arm, error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("there is none; the arms are %s, each also with %s", strings.Join(Ways(), ", "), guards)
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
