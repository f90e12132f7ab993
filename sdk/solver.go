package sdk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Solver answers one problem at a time.
//
// Problems arrive validated. Solve must return soon after ctx ends, with what
// it holds and the reason Interrupted. Unless Description.Concurrent is set,
// the host makes one call at a time in a process.
type Solver interface {
	Describe(ctx context.Context) (Description, error)
	Solve(ctx context.Context, p *problem.Problem, o SolveOptions) (*Result, error)
}

// Incremental is implemented by a solver that gains from keeping a problem
// loaded while parts of it change. For others, sdk/serve applies deltas itself.
type Incremental interface {
	Solver
	Load(ctx context.Context, p *problem.Problem) (Loaded, error)
}

// Loaded is a problem kept by an Incremental solver. Not used concurrently.
type Loaded interface {
	// Solve applies the delta for good (see problem.Delta for taking it back)
	// and answers the problem as it then stands.
	Solve(ctx context.Context, d problem.Delta, o SolveOptions) (*Result, error)
	Close() error
}

// Description is what a plugin says of itself.
type Description struct {
	// Name is what --solver or --strategy selects, without the file prefix.
	Name string
	// Version is the plugin's own, semantic.
	Version string
	// Summary is one line for people.
	Summary string
	// Options the plugin takes (--set key=value); others are refused.
	Options []Option
	// Libraries are native libraries the plugin needs, found or not.
	Libraries []Library
	// Interpreter runs a plugin in Python, whose SDK sets it; nil: the plugin is a
	// program.
	Interpreter *Interpreter

	// Serves lists the pairs of form and goal a solver answers. MILP and SMT
	// know only Decide (feasible?) and Maximise (optimise the objective in its
	// own direction); the host builds every goal on them.
	Serves []Service
	// Exactness is the grade a solver's claims can have at best.
	Exactness Grade
	// Families are those of the models that it takes: in the query of a solver of
	// the network form, or in the Start of a strategy. Empty: networks of ReLU
	// layers, relu.Family.
	Families []string
	// SOS1: a solver of the MILP form takes special ordered sets (problem.MILP.SOS1).
	SOS1 bool
	// Concurrent allows several calls at once in one process.
	Concurrent bool

	// Presets names option settings of a strategy ("sa", "sa+knn"); each is
	// selectable by its name. Strategies only.
	Presets []Preset
	// NeedsModel asks that a strategy's Start carry the model.
	NeedsModel bool
	// NeedsRows asks that a strategy's Start carry the data set's rows.
	NeedsRows bool
	// NeedsScores, NeedsBins and NeedsPair ask that a Trial that was evaluated carry
	// Scores, Bins, and Highest and Lowest. The host spends time on what is asked for.
	NeedsScores, NeedsBins, NeedsPair bool
	// Lag is the largest number of calls of Next between a move and its trial, if
	// StartOptions.Chains is at least Lag + 1 times what each call wants; 0: Next gets the
	// trials of all moves of the call before.
	Lag int
}

// Service is a form and a goal that a solver answers.
type Service struct {
	Form problem.Form
	Goal problem.Goal
}

// Answers reports whether the solver described serves the form and goal.
func (d *Description) Answers(f problem.Form, g problem.Goal) bool {
	return slices.Contains(d.Serves, Service{f, g})
}

// Refuses is nil where the plugin described takes models of m's family, and
// otherwise an error that names it.
func (d *Description) Refuses(m model.Model) error {
	families := d.Families
	if len(families) == 0 {
		families = []string{"relu"}
	}
	if slices.Contains(families, m.Family()) {
		return nil
	}
	return fmt.Errorf("%w: %s takes models of the family %s, not of the family %s",
		ErrUnsupported, d.Name, strings.Join(families, ", "), m.Family())
}

// Option describes one plugin option.
type Option struct {
	// The option's name.
	Name string `json:"name"`
	// The default value.
	Default string `json:"default"`
	// The option's meaning.
	Help string `json:"help"`
}

// Library is a native library a plugin binds at run time.
type Library struct {
	// The library's name.
	Name string `json:"name"`
	// The library was found.
	Found bool `json:"found"`
	// The version found.
	Version string `json:"version,omitempty"`
	// The file found.
	Path string `json:"path,omitempty"`
	// The command that installs the library.
	Hint string `json:"hint,omitempty"`
	// The problem with the library that is there.
	Problem string `json:"problem,omitempty"`
}

// Interpreter runs a plugin that is not a program of the machine's own.
type Interpreter struct {
	// Version is what it says of itself, Path its file.
	Version, Path string
	// Folders are those in which it looks for packages, in this order.
	Folders []string
}

// Preset is a named setting of a strategy's options.
type Preset struct {
	// The preset's name.
	Name string `json:"name"`
	// One sentence about the preset.
	Summary string `json:"summary"`
	// The values of options that the preset sets.
	Options map[string]string `json:"options"`
}

// SolveOptions bound and steer one Solve. The zero value sets no limit.
type SolveOptions struct {
	// Progress, where not nil, is called now and then from one goroutine with
	// what is known so far. It must not block.
	Progress func(Progress)
	// Seed drives every random choice; same problem, options and seed, same
	// result, as far as no time limit is hit.
	Seed int64
	// Threads is the number of threads to use; 0: one.
	Threads int
	// Memory in bytes; 0: no limit.
	Memory int64
	// TimeLimit of this Solve; 0: none. Pieces that are left are handed over after
	// it: the host waits for as long as they keep coming, and else for a moment
	// only (docs/reference/limits.md).
	TimeLimit time.Duration
	// WorkLimit in the solver's own deterministic unit, which Result.Nodes counts
	// (branch-and-bound nodes, boxes); 0: none. Where a solver stops for it is the
	// same every time, however many threads there are: at the limit, or beyond it by what
	// the solver does in one step (docs/reference/limits.md).
	WorkLimit int64
	// Gap is the relative optimality gap at which an optimising solver may
	// stop; 0: the solver's tightest sensible setting.
	Gap float64
	// Target: stop as soon as a point's objective reaches it (at least Target
	// when maximising, at most when minimising), or when Quantify has settled that
	// share. nil: none.
	Target *float64
	// Options are the plugin's own (--set key=value).
	Options map[string]string
	// Pieces, where not nil, is called from one goroutine with parts of the region
	// as they are settled, and before the end with those that are not: together
	// they are the region, none of it twice. (Pieces with a real feature may share
	// a side.) It may block; the list is the solver's again when it returns, the
	// boxes and proofs in it are not. Solvers of the network form.
	Pieces func([]Piece)
	// Proofs asks that pieces carry a Proof.
	Proofs bool
}

// Progress is a glimpse of a running Solve.
type Progress struct {
	// Values is an incumbent in the problem's column or symbol order; nil for
	// none new since the last report.
	Values []problem.Number
	// Objective belongs to Values. Bound is valid where HasBound is set.
	Objective float64
	Bound     float64
	HasBound  bool
	Nodes     int64
	Elapsed   time.Duration
	// Shares is what is known so far of a problem with the goal Quantify; nil for
	// nothing new.
	Shares *Shares
	// Settled is the share of the region that is decided, from 0 to 1; 0 also if unknown. It is
	// shown to the user and proves nothing.
	Settled float64
}

// Result is a solver's claim about one problem.
type Result struct {
	Status Status
	Reason Reason
	// Native is the solver's own status text, Detail a sentence for people.
	Native, Detail string
	// Values is the point held, in the problem's column or symbol order (MILP,
	// SMT); nil for none.
	Values []problem.Number
	// Witness is the point held of a problem in network form; nil for none.
	Witness *Witness
	// Objective of the point held; meaningful where a point is held and the
	// problem has an objective.
	Objective float64
	// Bound: no point has a better objective. Valid where HasBound is set.
	Bound    float64
	HasBound bool
	// Tolerance is the absolute error that the arithmetic may leave in a row,
	// an integer value, or the bound; 0 for exact arithmetic.
	Tolerance float64
	// Nodes counts branch-and-bound nodes or the solver's like unit.
	Nodes int64
	// Elapsed is the solver's own time.
	Elapsed time.Duration
	// Shares answers a problem with the goal Quantify; nil for others.
	Shares *Shares
}

// HasPoint reports whether the claim holds a point.
func (r *Result) HasPoint() bool { return r.Values != nil || r.Witness != nil }

// Witness is two copies of a person in feature values: the individual x1 with
// protected values filled in (Copy1), and the other copy (Copy2), which
// differs in protected attributes, and in relaxed features only otherwise.
type Witness struct {
	Copy1, Copy2 []float64
}
