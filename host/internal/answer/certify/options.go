package certify

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Options steer a Run. Solver and Description are required, or a Portfolio.
type Options struct {
	// Portfolio are several solvers, all of which are asked at once, in place of Solver;
	// of each only Solver, Description, Encoding, Bounds and Set count. See OptionsFor.
	Portfolio   []Options
	Solver      sdk.Incremental
	Description sdk.Description
	// Encoding names the lowering, or is Direct; empty: the default of the first
	// form that the solver answers, see DefaultEncoding.
	Encoding string
	// Bounds names the method that bounds the network for the lowering; empty:
	// DefaultBounds. BoundsNames lists them.
	Bounds string
	// Climb looks for a violation by local search before a solver is asked, and
	// hands the solver the best individual as a start. A solver that is asked about
	// the network itself looks around for itself.
	Climb bool
	// SolverOnly counts only the points that the solver reports: what the host
	// comes across while checking a claim or climbing is no witness, and no
	// region is enumerated. For comparing solvers.
	SolverOnly bool
	// Heuristic takes neurons that do not change their phase among sampled
	// individuals to be stable. The question is then about another network: a
	// witness is replayed as ever, and nothing else is concluded.
	Heuristic bool
	// Maximise asks, after the verdict, for the largest gap or margin.
	Maximise bool
	// Gap is the relative optimality gap at which maximising may stop; 0: as
	// close as the solver's tolerance allows.
	Gap     float64
	Threads int
	Memory  int64
	Seed    int64
	// Set are the plugin's own options.
	Set map[string]string
	// Enumerate: a region of at most this many individuals is decided by
	// evaluating each exactly; 0 asks for the default of 16, negative for 1.
	Enumerate int
	// Doubt bounds the copies that are evaluated to refute a proof that rests on the
	// solver's word alone; 0 asks for DoubtCopies.
	Doubt int
	// Progress, where not nil, is called from one goroutine at a time.
	Progress func(Progress)
	// Witnessed, where not nil, is called with each witness the moment its replay
	// is done: also with an incumbent that the solver shows on its way, from
	// another goroutine then, with a portfolio from several at once. It must not block.
	Witnessed func(*individual.Witness)

	// team is what members of a portfolio share; nil for a solver alone.
	team *team
}

// Solving are the solver's own options, with what is left of ctx as the time limit.
func (o *Options) Solving(ctx context.Context) sdk.SolveOptions {
	out := sdk.SolveOptions{Seed: o.Seed, Threads: o.Threads, Memory: o.Memory, Gap: o.Gap, Options: o.Set}
	if deadline, ok := ctx.Deadline(); ok {
		out.TimeLimit = max(time.Until(deadline), time.Millisecond)
	}
	return out
}

// DefaultBounds is the method of a question that names none.
const DefaultBounds = "interval"

// BoundsFor is the method for one question in an encoding: the tighter one for scripts,
// whose solvers gain most from every neuron that is stable.
func BoundsFor(encoding string) string {
	if e, err := LookupEncoding(encoding); err == nil && e.Form == problem.FormSMT {
		return "linear"
	}
	return DefaultBounds
}

// DefaultEncoding is the lowering for a solver where a question names none: none
// where the solver takes networks, rows and columns where it takes those, else a
// script; empty for a solver of neither.
func DefaultEncoding(d *sdk.Description) string {
	switch {
	case d.Answers(problem.FormNetwork, problem.Decide):
		return Direct
	case d.Answers(problem.FormMILP, problem.Decide):
		return "bigm"
	case d.Answers(problem.FormSMT, problem.Decide):
		return "smt"
	}
	return ""
}

// Direct reports that the solver, or one of a portfolio, is asked about the network itself.
func (o *Options) Direct() bool {
	return slices.ContainsFunc(o.Portfolio, func(m Options) bool { return m.Direct() }) || o.Encoding == Direct || o.Encoding == "" && DefaultEncoding(&o.Description) == Direct
}

// Progress is a glimpse of a running question.
type Progress struct {
	// Open and Decided count regions.
	Open, Decided int
	// Best is the largest margin replayed so far, valid where Witness is not nil.
	Witness *individual.Witness
	// Bound on the margin, or while Max.K is asked for on the number of bins; valid
	// where HasBound is set.
	Bound    float64
	HasBound bool
	// Settled is the share of the region asked about that needs no more looking at, 0 to 1;
	// 0 also where the solver does not tell.
	Settled float64
	Nodes   int64
	Elapsed time.Duration
	// Limit is how long it may all take; 0: as long as it does.
	Limit time.Duration
}

// String is one line about a running question.
func (p Progress) String() string {
	var words []string
	if all := p.Decided + p.Open; all > 1 {
		words = append(words, fmt.Sprintf("%d of %d regions decided", p.Decided, all))
	}
	if p.Settled > 0 {
		words = append(words, view.Share(p.Settled)+" settled")
	}
	if p.Witness != nil {
		words = append(words, fmt.Sprintf("best margin %.4g", p.Witness.Margin))
	} else {
		words = append(words, "no witness yet")
	}
	if p.HasBound && !math.IsInf(p.Bound, 0) {
		words = append(words, fmt.Sprintf("bound %.4g", p.Bound))
	}
	words = append(words, session.Clock(p.Elapsed, p.Limit), fmt.Sprintf("%s nodes%s", view.Count(p.Nodes), session.Rate(p.Nodes, p.Elapsed)))
	return strings.Join(words, " · ")
}
