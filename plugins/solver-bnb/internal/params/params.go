// Package params holds the costs of the search's ideas, when they are tried, and which of them are switched off.
package params

import (
	"fmt"
	"slices"
	"strings"
)

// Idea is a bounder, tightener, prover, counter or heuristic that can be switched off.
type Idea uint8

// Ideas, with the package that has them.
const (
	Aligned     Idea = iota // relax: logits as a form that all copies share plus a part per copy
	Differences             // relax: bounds of neurons' differences between copies
	Joint                   // relax: score gaps of two copies by tangents of both logits
	Pairs                   // relax, ensemble: bounds of single pairs of copies
	Clipping                // tighten: removes cells without a value above the cutoff
	Copies                  // tighten: removes copies without such a value
	ReLU                    // relu: branching on ReLUs, by linear programs
	Dives                   // ensemble: depth-first proofs for one pair of copies
	Tables                  // count: counts individuals on either side of 0 by tables
	Tails                   // count: bounds except for a small counted mass
	Moments                 // ensemble: counts individuals of open nodes by main effects and variances
	Twice                   // bnb: halves are branched on again before they are counted
	Probes                  // bnb: proves bounds between the incumbent and the dual bound by separate searches
	Sampling                // primal: random individuals, and climbs from the best of them
	Midpoints               // primal: the individual in the middle of each open node
	Climbing                // primal: iterated local search
	TwoSteps                // primal: local search in two features at once
	Annealing               // primal: simulated annealing
	Rounding                // primal: individuals near the optima of linear programs
	ideas
)

var names = [ideas]string{"aligned", "differences", "joint", "pairs", "clipping", "copies", "relu", "dives", "tables", "tails", "moments", "twice", "probes",
	"sampling", "midpoints", "climbing", "twosteps", "annealing", "rounding"}

// Names returns the names of all ideas.
func Names() []string { return slices.Clone(names[:]) }

// String returns the idea's name.
func (i Idea) String() string { return names[i] }

// Off is a set of ideas that are switched off.
type Off uint32

// Has reports whether an idea is switched off.
func (o Off) Has(i Idea) bool { return o>>i&1 != 0 }

// ParseOff reads names separated by commas; empty text means none.
func ParseOff(text string) (o Off, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := slices.Index(names[:], name)
		if i < 0 {
			return 0, fmt.Errorf("unknown idea %q; known: %s", name, strings.Join(names[:], ", "))
		}
		o |= 1 << i
	}
	return o, nil
}

// Params says when ideas are tried and what they may cost. Work is counted in coefficients of simplex tableaus.
type Params struct {
	Off Off
	// RestartAfter is the number of nodes after which the search restarts with ReLU branching; 0 means from the start,
	// negative after about a second's nodes.
	RestartAfter int64
	// KeepPaths makes open nodes keep their path from the root, which takes memory.
	KeepPaths bool
	// Enumerate is the largest number of individuals of a node that is enumerated: evaluating them costs about as much as
	// bounding its subtree.
	Enumerate float64
	// ShortSearch is the number of nodes before which ideas that pay off only later are not tried; at most three quarters
	// of a second's nodes.
	ShortSearch int64
	// EscalateAfter is the work in ReLU branching after which annealing and probes begin: easier gaps close sooner without
	// them.
	EscalateAfter int64
	Probe         Probe
	Local         Local
	Anneal        Anneal
	Count         Count
}

// Probe holds the parameters of bound probes.
type Probe struct {
	// Share of the work beyond EscalateAfter that probes may take.
	Share float64
	// Part is where a probe aims on the way from the incumbent (0) to the dual bound (1). Its cost grows little until the
	// aim is near the incumbent.
	Part float64
	// Nearest is the least distance of an aim from the incumbent: nearer probes cost as much as the
	// search itself.
	Nearest float64
}

// Local holds the parameters of the start heuristics and iterated local search.
type Local struct {
	// Samples is the number of individuals drawn at the start, Starts the number of them
	// from which climbs start.
	Samples, Starts int
	// Values is the largest number of a feature's values that a climb tries.
	Values int
	// Perturbations is the number of perturbations without success before a climb
	// restarts.
	Perturbations int
	// PerNode is the number of individuals that may be evaluated per bounded node; PerNodeBins is the same if bins are
	// counted, because those bounds fall later. Beyond ManyBins individuals it is one per node.
	PerNode, PerNodeBins, ManyBins float64
}

// Anneal holds the parameters of simulated annealing (Kirkpatrick, Gelatt and Vecchi,
// 1983).
type Anneal struct {
	// Chains is the number of chains per round. One in Cold starts at a random individual, at temperature Hot; the others
	// start at the incumbent, at Warm; all end at Cool. Temperatures are in logits of the gap.
	Chains, Cold    int
	Hot, Warm, Cool float64
	// Steps is the number of steps of a chain in the first round; it doubles each round,
	// up to MostSteps.
	Steps, MostSteps int
	// More is the probability that a step moves another feature, Any that a feature moves to a
	// random value.
	More, Any float64
	// Share of the work beyond EscalateAfter that annealing may take; a step counts as
	// WorkOfStep.
	Share      float64
	WorkOfStep int64
	// Again is how often chains with a random start must end at the incumbent before it counts as
	// the largest.
	Again int
}

// Count holds the parameters of counting the individuals of open nodes.
type Count struct {
	// TableMass is the least number of individuals of a node for which tables are made: smaller nodes are
	// branched on sooner.
	TableMass float64
	// MomentsAfter is the number of nodes times the trees' nodes after which individuals of trees are counted.
	MomentsAfter int64
	// Points is the largest number of points of a group of features in a table.
	Points int
	// Tail, if not 0, replaces the τ computed for each node.
	Tail float64
	// LostPart: a trimmed bound may exclude at most 1/LostPart of a node's undecided individuals.
	LostPart float64
}

// Default returns the parameters that a search uses unless options change them.
func Default() Params {
	return Params{
		RestartAfter: -1, Enumerate: 32, ShortSearch: 1 << 14, EscalateAfter: 1 << 35,
		Probe: Probe{Share: 0.75, Part: 1.0 / 6, Nearest: 0x1p-9},
		Local: Local{Samples: 256, Starts: 8, Values: 128, Perturbations: 30, PerNode: 0.5, PerNodeBins: 4, ManyBins: 1 << 19},
		Anneal: Anneal{
			Chains: 16, Cold: 2, Hot: 3, Warm: 0.25, Cool: 0.1, Steps: 1 << 13, MostSteps: 1 << 17, More: 0.7, Any: 0.3, Share: 1,
			WorkOfStep: 1 << 12, Again: 3,
		},
		Count: Count{TableMass: 2048, MomentsAfter: 1 << 26, Points: 384, LostPart: 300},
	}
}
