// Package params holds what the ideas of the search cost and when they are tried, and which of them are switched off.
package params

import (
	"fmt"
	"slices"
	"strings"
)

// Idea is a bounder, tightener, prover, counter or heuristic that can be switched off.
type Idea uint8

// Ideas, by the room that holds them.
const (
	Aligned     Idea = iota // relax: logits as one form that all copies share, and what each adds
	Differences             // relax: bounds of neurons' differences between copies
	Joint                   // relax: score gaps of two copies by tangents of both logits
	Pairs                   // relax, ensemble: bounds of single pairs of copies
	Clipping                // tighten: cells without a value above the cutoff
	Copies                  // tighten: copies without one
	ReLU                    // relu: branching on ReLUs, by linear programs
	Dives                   // ensemble: depth-first proofs for one pair of copies
	Tables                  // count: individuals on either side of 0, by tables
	Tails                   // count: bounds for all individuals but a counted few
	Twice                   // bnb: halves are branched on again before they are counted
	Probes                  // bnb: bounds between the incumbent and the dual bound, by a search of their own
	Sampling                // primal: random individuals, and climbs from the best of them
	Midpoints               // primal: the individual in the middle of each open node
	Climbing                // primal: iterated local search
	TwoSteps                // primal: local search in two features at once
	Annealing               // primal: simulated annealing
	Rounding                // primal: individuals near the optima of linear programs
	ideas
)

var names = [ideas]string{"aligned", "differences", "joint", "pairs", "clipping", "copies", "relu", "dives", "tables", "tails", "twice", "probes",
	"sampling", "midpoints", "climbing", "twosteps", "annealing", "rounding"}

// Names returns the names of all ideas.
func Names() []string { return slices.Clone(names[:]) }

// String is the idea's name.
func (i Idea) String() string { return names[i] }

// Off is a set of ideas that are switched off.
type Off uint32

// Has reports whether an idea is switched off.
func (o Off) Has(i Idea) bool { return o>>i&1 != 0 }

// ParseOff reads names separated by commas; the empty text names none.
func ParseOff(text string) (o Off, err error) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		i := slices.Index(names[:], name)
		if i < 0 {
			return 0, fmt.Errorf("no idea is called %q; known are %s", name, strings.Join(names[:], ", "))
		}
		o |= 1 << i
	}
	return o, nil
}

// Params says when ideas are tried and what they may cost. Work is counted in coefficients of simplex tableaus.
type Params struct {
	Off Off
	// RestartAfter nodes the search restarts with ReLU branching; 0: it begins with it; negative: after about a second's.
	RestartAfter int64
	// KeepPaths has open nodes know their path from the root, which takes memory.
	KeepPaths bool
	// Enumerate is the number of individuals up to which a node is enumerated: evaluating them costs about what bounding its subtree would.
	Enumerate float64
	// ShortSearch is the number of nodes, and three quarters of a second's, before which ideas that pay later are not tried.
	ShortSearch int64
	// EscalateAfter is the work in ReLU branching after which annealing and probes begin: easier gaps close sooner without.
	EscalateAfter int64
	Probe         Probe
	Local         Local
	Anneal        Anneal
	Count         Count
}

// Probe is about bound probes.
type Probe struct {
	// Share of the work beyond EscalateAfter that probes may take.
	Share float64
	// Part of the way from the incumbent to the dual bound at which a probe aims. Its cost grows little until the incumbent is near.
	Part float64
	// Nearest is the least distance from the incumbent: nearer probes cost what the search itself does.
	Nearest float64
}

// Local is about the start heuristics and iterated local search.
type Local struct {
	// Samples are drawn at the start, and Starts of them climbed from.
	Samples, Starts int
	// Values of a feature that a climb tries at most.
	Values int
	// Perturbations without success before a climb starts elsewhere.
	Perturbations int
	// PerNode individuals may be looked at a node bounded, PerNodeBins where bins are counted, whose bounds fall later: beyond
	// ManyBins individuals one a node.
	PerNode, PerNodeBins, ManyBins float64
}

// Anneal is about simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983).
type Anneal struct {
	// Chains a round, of which one in Cold starts anywhere, at temperature Hot, and the others at the incumbent, at Warm; all end at Cool.
	// Temperatures are of the logit of the gap.
	Chains, Cold    int
	Hot, Warm, Cool float64
	// Steps of a chain in the first round; they double up to MostSteps.
	Steps, MostSteps int
	// More is the chance that a step moves one more feature, Any that it moves one to any value.
	More, Any float64
	// Share of the work beyond EscalateAfter that annealing may take, at WorkOfStep a step.
	Share      float64
	WorkOfStep int64
	// Again is how often chains from anywhere end at the incumbent before it counts as the largest.
	Again int
}

// Count is about counting the individuals of open nodes.
type Count struct {
	// TableMass is the number of individuals from which tables are made: smaller nodes are sooner branched on.
	TableMass float64
	// Points of a group of features in a table at most.
	Points int
	// Tail, where not 0, replaces the τ that is worked out for each node.
	Tail float64
	// LostPart: a trimmed bound may exclude at most 1/LostPart of a node's undecided individuals.
	LostPart float64
}

// Default is what a search uses where no option sets another value.
func Default() Params {
	return Params{
		RestartAfter: -1, Enumerate: 32, ShortSearch: 1 << 14, EscalateAfter: 1 << 35,
		Probe: Probe{Share: 0.75, Part: 1.0 / 6, Nearest: 0x1p-9},
		Local: Local{Samples: 256, Starts: 8, Values: 128, Perturbations: 30, PerNode: 0.5, PerNodeBins: 4, ManyBins: 1 << 19},
		Anneal: Anneal{
			Chains: 16, Cold: 2, Hot: 3, Warm: 0.25, Cool: 0.1, Steps: 1 << 13, MostSteps: 1 << 17, More: 0.7, Any: 0.3, Share: 1,
			WorkOfStep: 1 << 12, Again: 3,
		},
		Count: Count{TableMass: 2048, Points: 384, LostPart: 300},
	}
}
