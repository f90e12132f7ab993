package sdk

import (
	"context"
	"math/big"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Strategy proposes where to look; the host evaluates and counts.
type Strategy interface {
	Describe(ctx context.Context) (Description, error)
	// Start opens a session. The strategy does not own the arguments and must not
	// modify them.
	Start(ctx context.Context, s *space.Space, o StartOptions) (Session, error)
}

// StartOptions holds what a session may know about the study.
type StartOptions struct {
	// Seed drives every random choice: same seed, same moves, on any machine.
	Seed int64
	// Epsilon is ε as an exact number.
	Epsilon *big.Rat
	// Bands, if any, are the bins that Trial.K and Trial.Bins count, in place of those of width ε. Names do
	// not cross the wire.
	Bands fairness.Bands
	// Region bounds the search (--where); moves outside it come back as
	// TrialOutside.
	Region space.Region
	// Rows are the data set's rows as points, if Describe requests them.
	Rows [][]float64
	// Model is the model, if Describe requests it.
	Model model.Model
	// Options are the strategy's options, with a preset's values filled in.
	Options map[string]string
	// Chains is the number of searches to advance side by side; 0 and 1 mean a single
	// search, as in the paper. The moves depend on it, so it is the user's choice and
	// never the machine's. A strategy may interpret it differently (as the size of a
	// population, for example) or ignore it.
	Chains int
}

// Session is one search. Calls come one at a time.
type Session interface {
	// Next passes the trials of earlier moves and asks for up to want new moves. It
	// returns at least one move until the search is finished, then io.EOF.
	Next(ctx context.Context, told []Trial, want int) ([]Move, error)
	Close() error
}

// Evaluating is implemented by a Session that evaluates individuals by itself, with
// the model that it requested. The host adds its count to the run's evaluations, so
// that budgets in evaluations mean the same for all strategies.
type Evaluating interface {
	Session
	// Evaluations returns how many individuals the session has evaluated since it
	// began. The host calls it between calls of Next.
	Evaluations() int64
}

// MoveKind says what the host must do with a move.
type MoveKind uint8

const (
	// MovePoint evaluates k and the gap at Point.
	MovePoint MoveKind = iota + 1
	// MoveSeedFrom asks the solver for a 2-discriminant individual near Point
	// and evaluates that.
	MoveSeedFrom
)

// Move is a proposal. Its trial has the same ID.
type Move struct {
	// ID is unique within the session and strictly increasing.
	ID int64
	// Round is the iteration of the search loop that the move belongs to, from 0. The
	// measure Iter counts completed rounds (docs/reference/semantics.md).
	Round int64
	// Chain numbers parallel chains; 0 for a single one.
	Chain int
	Kind  MoveKind
	// Point is an individual; its protected entries are ignored.
	Point []float64
}

// TrialStatus is the outcome of a move.
type TrialStatus uint8

const (
	// TrialEvaluated means that Point, K and Gap are set.
	TrialEvaluated TrialStatus = iota + 1
	// TrialRefused means that a guardrail refuses the individual.
	TrialRefused
	// TrialOutside means that the point is not in the space or the region.
	TrialOutside
	// TrialNoSeed means that the solver found no individual near the point.
	TrialNoSeed
	// TrialNoSolver means that the run has no solver.
	TrialNoSolver
)

// TrialStatuses lists every trial status in order.
var TrialStatuses = []TrialStatus{TrialEvaluated, TrialRefused, TrialOutside, TrialNoSeed, TrialNoSolver}

// String gives the name used in messages and events.
func (s TrialStatus) String() string {
	return named.Of(s, "evaluated", "refused", "outside", "no-seed", "no-solver")
}

// Trial is the result of a move.
type Trial struct {
	// ID is the ID of the move.
	ID     int64
	Status TrialStatus
	// Point is the individual evaluated: the move's point, or the solver's.
	Point []float64
	// K is k(Point); at least 1 if Point has counterfactuals.
	K int
	// Gap is gap(Point), a score difference.
	Gap float64
	// Violates reports, exactly, whether Point violates what the search looks for: gap > ε or,
	// if the user asks for them, copies in different bands or with different decisions.
	Violates bool
	// Shannon and MinEntropy are the entropies, in bits, of the distribution of
	// Point's counterfactuals over the bins, all equally likely: −Σ pⱼ·log₂ pⱼ and
	// −log₂ max pⱼ. They come from counts, so unlike Gap they are the same on every
	// machine, and distinguish individuals with the same K.
	Shannon, MinEntropy float64
	// Scores and Bins are the scores and bins of Point's counterfactuals, in the order
	// of space.Counterfactuals, if Describe requests them. Bins count from 0 and are the
	// same on every machine; like the gap, scores may differ in the last digits.
	Scores []float64
	Bins   []int
	// Highest and Lowest are the counterfactuals with the highest and the lowest
	// score, with protected values filled in, if Describe requests the pair.
	Highest, Lowest []float64
}
