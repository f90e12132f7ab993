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
// Problems have been validated. Solve must return soon after ctx ends, with what
// it holds and the reason Interrupted. Unless Description.Concurrent is set, the
// host makes one call at a time to a process.
type Solver interface {
	Describe(ctx context.Context) (Description, error)
	Solve(ctx context.Context, p *problem.Problem, o SolveOptions) (*Result, error)
}

// Incremental is implemented by a solver that benefits from keeping a problem loaded
// while parts of it change. For other solvers, sdk/serve applies the deltas.
type Incremental interface {
	Solver
	Load(ctx context.Context, p *problem.Problem) (Loaded, error)
}

// Loaded is a problem kept by an Incremental solver. The host does not use it
// concurrently.
type Loaded interface {
	// Solve applies the delta permanently (problem.Delta says how to undo it) and
	// answers the changed problem.
	Solve(ctx context.Context, d problem.Delta, o SolveOptions) (*Result, error)
	Close() error
}

// Description describes a plugin.
type Description struct {
	// Name is what --solver, --strategy or a study's model: {plugin: …} selects, without the file prefix.
	Name string
	// Version is the plugin's semantic version.
	Version string
	// Summary is one line for listings.
	Summary string
	// Options lists the plugin's options (--set key=value); others are refused.
	Options []Option
	// Libraries lists the native libraries that the plugin needs, found or not.
	Libraries []Library
	// Interpreter runs a Python plugin, whose SDK sets this field; nil if the plugin
	// is a native program.
	Interpreter *Interpreter

	// Serves lists the pairs of form and goal that a solver answers. The MILP and SMT
	// forms have only the goals Decide (feasible?) and Maximise (optimise the
	// objective in its direction); the host builds every goal on them.
	Serves []Service
	// Exactness is the best grade that a solver's claims can have.
	Exactness Grade
	// Families lists the families of models that the plugin supports: in the query of
	// a solver of the network form, or in the Start of a strategy. Empty: networks of
	// ReLU layers, relu.Family.
	Families []string
	// SOS1: a solver of the MILP form supports special ordered sets (problem.MILP.SOS1).
	SOS1 bool
	// Bands: a solver of the network form takes queries for bands (problem.Query.Bands).
	Bands bool
	// Within: a solver of the network form takes queries for individuals near rows (problem.Query.Within).
	Within bool
	// Concurrent allows several calls at once in one process.
	Concurrent bool

	// Presets names option settings of a strategy ("sa", "sa+knn"); each is
	// selectable by its name. Strategies only.
	Presets []Preset
	// NeedsModel requests the model in a strategy's Start.
	NeedsModel bool
	// NeedsRows requests the data set's rows in a strategy's Start.
	NeedsRows bool
	// NeedsScores, NeedsBins and NeedsPair request Scores, Bins, and Highest and Lowest
	// in evaluated Trials. Each costs the host time.
	NeedsScores, NeedsBins, NeedsPair bool
	// Lag is the largest number of calls of Next between a move and its trial, if
	// StartOptions.Chains is at least Lag + 1 times the number of moves wanted per call.
	// 0: Next gets the trials of all moves of the call before.
	Lag int

	// Features names the features that a row of a model has, in this order; empty: all features of the
	// study, in its order. Models only, as the three fields below.
	Features []string
	// Scale says what the scores are.
	Scale Scale
	// Identity names everything that affects the scores, such as a digest of the fitted model: the host
	// keeps scores under it, beyond the run. Empty: they are not kept beyond the run.
	Identity string
	// Batch is the most rows of one call; 0: DefaultBatch.
	Batch int
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

// Refuses returns nil if the described plugin supports models of m's family, and
// otherwise an error that names the family.
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

// RefusesQuery is nil if the solver described takes the query's model, bands and rows, and otherwise an error
// that names what it does not take.
func (d *Description) RefusesQuery(q *problem.Query) error {
	if q.Bands != nil && !d.Bands {
		return fmt.Errorf("%w: %s takes no bands, which the query counts: use solver bnb", ErrUnsupported, d.Name)
	}
	if q.Within != nil && !d.Within {
		return fmt.Errorf("%w: %s takes no query for individuals near rows of data (--near): use solver bnb", ErrUnsupported, d.Name)
	}
	return d.Refuses(q.Model)
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

// Interpreter runs a plugin that is not a native program.
type Interpreter struct {
	// Version is the interpreter's version, Path its file.
	Version, Path string
	// Folders lists the folders that it searches for packages, in this order.
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

// SolveOptions are the limits and options of one Solve. The zero value sets no limit.
type SolveOptions struct {
	// Progress, if not nil, is called at intervals from one goroutine with the state
	// of the search. It must not block.
	Progress func(Progress)
	// Seed drives every random choice: the same problem, options and seed give the
	// same result unless a time limit is reached.
	Seed int64
	// Threads is the number of threads to use; 0: one.
	Threads int
	// Memory is the memory limit in bytes; 0: none.
	Memory int64
	// TimeLimit is the time limit of this Solve; 0: none. The solver hands over the
	// remaining pieces after it: the host waits while they keep arriving
	// (docs/reference/limits.md).
	TimeLimit time.Duration
	// WorkLimit is a limit in the solver's deterministic unit, which Result.Nodes counts
	// (branch-and-bound nodes, boxes); 0: none. The solver stops at the same point every
	// time, whatever the number of threads: at the limit, or at most one step beyond it
	// (docs/reference/limits.md).
	WorkLimit int64
	// Gap is the relative optimality gap at which an optimising solver may
	// stop; 0: the solver's tightest sensible setting.
	Gap float64
	// Target stops the search as soon as a point's objective reaches it (at least
	// Target when maximising, at most when minimising), or when Quantify has decided
	// that share. nil: none.
	Target *float64
	// Options are the plugin's options (--set key=value).
	Options map[string]string
	// Pieces, if not nil, is called from one goroutine with pieces of the region as
	// they are decided, and before the end with the undecided ones: together they
	// cover the region without overlap. (Pieces with a real feature may share a side.)
	// It may block. When it returns, the solver may reuse the list, but not the boxes
	// and proofs in it. For solvers of the network form.
	Pieces func([]Piece)
	// Proofs requests a Proof with each fair piece.
	Proofs bool
}

// Progress is a report on a running Solve.
type Progress struct {
	// Values is an incumbent in the problem's column or symbol order; nil if there
	// is no new one since the last report.
	Values []problem.Number
	// Objective belongs to Values. Bound is valid if HasBound is set.
	Objective float64
	Bound     float64
	HasBound  bool
	Nodes     int64
	Elapsed   time.Duration
	// Shares holds what is proved so far for the goal Quantify; nil if there is
	// nothing new.
	Shares *Shares
	// Settled is the share of the region that is decided, from 0 to 1; 0 also if it is
	// unknown. It is shown to the user and proves nothing.
	Settled float64
}

// Result is a solver's claim about one problem.
type Result struct {
	Status Status
	Reason Reason
	// Native is the solver's native status, Detail a sentence for the user.
	Native, Detail string
	// Values is the point held, in the problem's column or symbol order (MILP and
	// SMT forms); nil for none.
	Values []problem.Number
	// Witness is the point held for a problem in the network form; nil for none.
	Witness *Witness
	// Objective is the objective of the point held, if there is a point and the
	// problem has an objective.
	Objective float64
	// Bound is a dual bound: no point has a better objective. Valid if HasBound is set.
	Bound    float64
	HasBound bool
	// Tolerance is the absolute error that the arithmetic may leave in a row,
	// an integer value, or the bound; 0 for exact arithmetic.
	Tolerance float64
	// Nodes counts branch-and-bound nodes, or the solver's own unit of work.
	Nodes int64
	// Elapsed is the time that the solver measured.
	Elapsed time.Duration
	// Shares answers a problem with the goal Quantify; nil for others.
	Shares *Shares
}

// HasPoint reports whether the claim holds a point.
func (r *Result) HasPoint() bool { return r.Values != nil || r.Witness != nil }

// Witness is two copies of a person in feature values: the individual x1 with
// protected values filled in (Copy1), and the other copy (Copy2), which differs in
// protected features, and otherwise in relaxed features only.
type Witness struct {
	Copy1, Copy2 []float64
}
