package reference

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/option"
	"github.com/hyfair/hyfair/sdk/space"
)

// Wanderer is a strategy that proposes uniformly random individuals of the region, every
// fifth as a seed for the solver. It requests the values of each counterfactual, and
// fails if a trial's values contradict each other. Trials do not change what it
// proposes, except that it proposes no more seeds once the host reports that it has no
// solver. The zero value is ready, and safe for concurrent use.
type Wanderer struct{}

var _ sdk.Strategy = Wanderer{}

// Describe implements sdk.Strategy.
func (Wanderer) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{
		Name: "wander", Version: "1.0.0", Summary: "random individuals",
		Options: []sdk.Option{{Name: "rounds", Default: "0", Help: "rounds until the search ends; 0: no limit"}},
		Presets: []sdk.Preset{
			{Name: "wander", Summary: "without end"},
			{Name: "wander+short", Summary: "three rounds", Options: map[string]string{"rounds": "3"}},
		},
		NeedsScores: true, NeedsBins: true, NeedsPair: true,
	}, nil
}

// Start implements sdk.Strategy.
func (w Wanderer) Start(ctx context.Context, s *space.Space, o sdk.StartOptions) (sdk.Session, error) {
	d, err := w.Describe(ctx)
	if err != nil {
		return nil, err
	}
	options := option.Read(d.Options, o.Options)
	rounds := int64(options.Int("rounds", 0, math.MaxInt))
	if err := options.Err(); err != nil {
		return nil, err
	}
	out := &wander{space: s, region: o.Region, random: rand.New(rand.NewPCG(uint64(o.Seed), 0)), rounds: rounds, solver: true}
	if out.region.Box == nil {
		out.region = s.Whole()
	}
	return out, nil
}

type wander struct {
	space  *space.Space
	region space.Region
	random *rand.Rand
	rounds int64
	solver bool

	id, round int64
}

// attempts bounds the random draws per point; constraints may forbid what is drawn.
const attempts = 1000

// Next implements sdk.Session.
func (w *wander) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, t := range told {
		w.solver = w.solver && t.Status != sdk.TrialNoSolver
		if t.Status != sdk.TrialEvaluated {
			continue
		}
		if err := w.check(&t); err != nil {
			return nil, err
		}
	}
	if w.rounds > 0 && w.round >= w.rounds {
		return nil, io.EOF
	}
	var moves []sdk.Move
	for range want {
		x := w.point()
		if x == nil {
			break
		}
		w.id++
		m := sdk.Move{ID: w.id, Round: w.round, Kind: sdk.MovePoint, Point: x}
		if w.solver && w.id%5 == 0 {
			m.Kind = sdk.MoveSeedFrom
		}
		moves = append(moves, m)
	}
	if len(moves) == 0 {
		return nil, io.EOF
	}
	w.round++
	return moves, nil
}

// check checks that a trial's values of the counterfactuals agree with each other.
func (w *wander) check(t *sdk.Trial) error {
	copies := w.space.Counterfactuals(w.region, t.Point)
	at := func(x []float64) int {
		return slices.IndexFunc(copies, func(z []float64) bool { return slices.Equal(x, z) })
	}
	if len(copies) != len(t.Scores) || len(copies) != len(t.Bins) {
		return fmt.Errorf("%w: trial %d has %d scores and %d bins for %d counterfactuals", sdk.ErrInvalidProblem, t.ID, len(t.Scores), len(t.Bins), len(copies))
	}
	bins := map[int]bool{}
	for _, b := range t.Bins {
		bins[b] = true
	}
	if len(bins) != t.K {
		return fmt.Errorf("%w: trial %d has k = %d and %d bins", sdk.ErrInvalidProblem, t.ID, t.K, len(bins))
	}
	high, low := at(t.Highest), at(t.Lowest)
	const rounding = 1e-9
	if high < 0 || low < 0 || t.Scores[high] < slices.Max(t.Scores)-rounding || t.Scores[low] > slices.Min(t.Scores)+rounding {
		return fmt.Errorf("%w: trial %d: %v and %v do not have the highest and the lowest of the scores %v", sdk.ErrInvalidProblem, t.ID, t.Highest, t.Lowest, t.Scores)
	}
	return nil
}

// point draws an individual of the region that has counterfactuals; it returns nil if it
// finds none.
func (w *wander) point() []float64 {
	x := make([]float64, len(w.space.Features))
	for range attempts {
		for i := range x {
			f := &w.space.Features[i]
			b := w.region.Box[i]
			switch {
			case f.IsProtected():
			case f.Discrete():
				x[i] = b.Lo + float64(w.random.Int64N(int64(b.Hi-b.Lo)+1))
			default:
				x[i] = min(b.Lo+w.random.Float64()*(b.Hi-b.Lo), b.Hi)
			}
		}
		if len(w.space.Counterfactuals(w.region, x)) > 0 {
			return slices.Clone(x)
		}
	}
	return nil
}

// Close implements sdk.Session.
func (w *wander) Close() error { return nil }
