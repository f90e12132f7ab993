package engine

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

// Options are the settings of a Run. Solver and Description are required, or a Portfolio.
type Options struct {
	// Portfolio lists solvers to ask at once, in place of Solver; only their Solver,
	// Description, Encoding, Bounds and Set are used. See OptionsFor.
	Portfolio   []Options
	Solver      sdk.Incremental
	Description sdk.Description
	// Encoding names the lowering, or is Direct; empty: the default of the first
	// form that the solver answers, see DefaultEncoding.
	Encoding string
	// Bounds names the method that bounds the network for the lowering; empty:
	// DefaultBounds. BoundsNames lists them.
	Bounds string
	// Climb searches for a violation before a solver is asked, and passes the best individual to
	// the solver as a start. A solver that gets the model itself has heuristics of its own.
	Climb bool
	// SolverOnly counts only points that the solver reports: individuals that the host finds do
	// not count as witnesses, and no region is enumerated. For comparing solvers.
	SolverOnly bool
	// Heuristic treats neurons that have one sign in a sample as stable. The question is then
	// about another network: a witness is replayed as always, and nothing is proved.
	Heuristic bool
	// Maximise computes the largest gap or margin after the verdict.
	Maximise bool
	// Gap is the relative optimality gap at which maximising may stop; 0: as
	// close as the solver's tolerance allows.
	Gap     float64
	Threads int
	Memory  int64
	Seed    int64
	// Set holds the plugin's options.
	Set map[string]string
	// Enumerate: a region of at most this many individuals is decided by evaluating each
	// exactly; 0: the default of 16; negative: 1.
	Enumerate int
	// Doubt bounds the copies that are evaluated to refute a proof that rests on the solver's
	// word alone; 0: DoubtCopies.
	Doubt int
	// Progress, if not nil, is called by one goroutine at a time.
	Progress func(Progress)
	// Witnessed, if not nil, is called with each replayed witness: with an incumbent from
	// another goroutine, and with a portfolio from several at once. It must not block.
	Witnessed func(*individual.Witness)

	// team is shared by a portfolio's members; nil for a single solver.
	team *team
}

// Solving returns the solver's options, with the remaining time of ctx as the limit.
func (o *Options) Solving(ctx context.Context) sdk.SolveOptions {
	out := sdk.SolveOptions{Seed: o.Seed, Threads: o.Threads, Memory: o.Memory, Gap: o.Gap, Options: o.Set}
	if deadline, ok := ctx.Deadline(); ok {
		out.TimeLimit = max(time.Until(deadline), time.Millisecond)
	}
	return out
}

// DefaultBounds is the default bounding method.
const DefaultBounds = "interval"

// BoundsFor is the default bounding method of an encoding: the tighter one for scripts, whose
// solvers gain most from stable neurons.
func BoundsFor(encoding string) string {
	if e, err := LookupEncoding(encoding); err == nil && e.Form == problem.FormSMT {
		return "linear"
	}
	return DefaultBounds
}

// DefaultEncoding is the default lowering for a solver: Direct if it takes models, else one to
// rows and columns, else one to a script; empty if it takes none of these.
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

// Direct reports whether the solver, or one of a portfolio, gets the model itself.
func (o *Options) Direct() bool {
	return slices.ContainsFunc(o.Portfolio, func(m Options) bool { return m.Direct() }) || o.Encoding == Direct || o.Encoding == "" && DefaultEncoding(&o.Description) == Direct
}

// Progress is the state of a running question.
type Progress struct {
	// Open and Decided count regions.
	Open, Decided int
	// Witness has the largest margin replayed so far; nil if there is none.
	Witness *individual.Witness
	// Bound on the margin, or for MaxK on the number of bins; valid if HasBound is set.
	Bound    float64
	HasBound bool
	// Settled is the decided share of the region, 0 to 1; 0 also if the solver reports none.
	Settled float64
	Nodes   int64
	Elapsed time.Duration
	// Limit is the time limit; 0: none.
	Limit time.Duration
}

// String formats the progress as one line.
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
