package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// StrategyEnv is the environment of a strategy's case.
type StrategyEnv struct {
	Strategy    sdk.Strategy
	Description sdk.Description
	Options     Options
}

// StrategyCases lists every case in the order of execution.
func StrategyCases() []Case[*StrategyEnv] { return strategyCases }

// Strategy runs the suite as subtests of a Go test.
func Strategy[S T[S]](t S, s sdk.Strategy, o Options) {
	t.Helper()
	cases, _ := bindStrategy(context.Background(), s, o)
	runTests(t, cases, o)
}

// CheckStrategy runs the suite and collects the outcomes, as CheckSolver does.
func CheckStrategy(ctx context.Context, s sdk.Strategy, o Options, each func(Outcome)) (*Report, error) {
	cases, d := bindStrategy(ctx, s, o)
	outcomes, err := runAll(ctx, cases, o, each)
	return &Report{Description: d, Outcomes: outcomes}, err
}

func bindStrategy(ctx context.Context, s sdk.Strategy, o Options) ([]runnable, sdk.Description) {
	return bind(ctx, s, strategyCases, func(d sdk.Description) *StrategyEnv { return &StrategyEnv{s, d, o} })
}

// study is a small study that a session can search.
type study struct {
	space  *space.Space
	region space.Region
	rows   [][]float64
}

// mixedStudy has a feature of each kind, a wide one, and two protected ones.
func mixedStudy() study {
	s := &space.Space{Inputs: 6, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 18, Hi: 80, Protected: []float64{20, 40, 60, 95}, Inputs: []space.Input{{Index: 0, Scale: 0.01}}},
		{Name: "hours", Kind: space.Integer, Lo: 1, Hi: 99, Inputs: []space.Input{{Index: 1, Scale: 0.01}}},
		{Name: "job", Kind: space.Categorical, Lo: 0, Hi: 3, Categories: []string{"clerk", "farmer", "nurse", "teacher"}, Inputs: []space.Input{{Index: 2, Table: []float64{3, 1, 0, 2}}}},
		{Name: "rate", Kind: space.Real, Lo: -1.5, Hi: 2.25, Inputs: []space.Input{{Index: 3, Scale: 1}}},
		{Name: "sex", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 4, Scale: 1}}},
		{Name: "gain", Kind: space.Integer, Lo: -5, Hi: 100000, Inputs: []space.Input{{Index: 5, Scale: 0.00001}}},
	}}
	return study{space: s, region: s.Whole(), rows: randomRows(s, 40)}
}

// randomRows draws points of the space, as a data set would hold them.
func randomRows(s *space.Space, n int) [][]float64 {
	rng := rand.New(rand.NewPCG(2, 9))
	rows := make([][]float64, n)
	for k := range rows {
		rows[k] = make([]float64, len(s.Features))
		for i := range s.Features {
			f := &s.Features[i]
			switch {
			case f.IsProtected():
				rows[k][i] = f.Protected[rng.IntN(len(f.Protected))]
			case f.Discrete():
				rows[k][i] = f.Lo + float64(rng.Int64N(int64(f.Hi-f.Lo)+1))
			default:
				rows[k][i] = min(f.Lo+rng.Float64()*(f.Hi-f.Lo), f.Hi)
			}
		}
	}
	return rows
}

// start opens a session on the study. It adds the options that are the same for every
// session.
func (e *StrategyEnv) start(ctx context.Context, st study, o sdk.StartOptions) (sdk.Session, error) {
	o.Epsilon, o.Region, o.Options = big.NewRat(1, 20), st.region.Clone(), merged(e.Options.Set, o.Options)
	if e.Description.NeedsRows {
		o.Rows = st.rows
	}
	if e.Description.NeedsModel && o.Model == nil {
		o.Model = known.Dyadic(rand.New(rand.NewPCG(4, 4)), st.space.Inputs, 5)
	}
	s, err := e.Strategy.Start(ctx, st.space, o)
	if err != nil {
		return nil, fmt.Errorf("in Start: %w", err)
	}
	if s == nil {
		return nil, errors.New("in Start: got neither a session nor an error")
	}
	return s, nil
}

// drive is the host's side of one session: it asks for moves, checks and answers
// them.
type drive struct {
	study  study
	answer func(sdk.Move) sdk.Trial
	want   int
	lag    int

	moves []sdk.Move
	// waiting holds the trials not yet told, oldest call first.
	waiting  [][]sdk.Trial
	finished bool
}

// rounds is how many times a case asks for moves unless it says otherwise.
const rounds = 12

// evaluated answers a move as a host does: points get a k and a gap that vary
// over the space, seeds get a neighbouring point.
func (st study) evaluated(m sdk.Move) sdk.Trial {
	t := sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: slices.Clone(m.Point)}
	if m.Kind == sdk.MoveSeedFrom {
		for i := range st.space.Features {
			if f := &st.space.Features[i]; !f.IsProtected() && f.Contains(t.Point[i]+1) && st.region.Box[i].Contains(t.Point[i]+1) {
				t.Point[i]++
				break
			}
		}
	}
	height := 0.0
	for i := range st.space.Features {
		if f := &st.space.Features[i]; !f.IsProtected() && f.Hi > f.Lo {
			height += math.Abs(math.Sin(float64(3*i+1) + 5*(t.Point[i]-f.Lo)/(f.Hi-f.Lo)))
		}
	}
	t.K = 1 + int(3*height)%12
	t.Gap = 0.05 * (float64(t.K) - 0.5)
	t.Violates = t.Gap > 0.05
	t.Shannon, t.MinEntropy = math.Log2(float64(t.K)), math.Log2(float64(t.K))
	return t
}

// evaluated answers moves as study.evaluated does, with the per-copy values that the
// description requests: copies take the lowest bins in turn.
func (e *StrategyEnv) evaluated(st study) func(sdk.Move) sdk.Trial {
	d := &e.Description
	return func(m sdk.Move) sdk.Trial {
		t := st.evaluated(m)
		copies := st.space.Counterfactuals(st.region, t.Point)
		if !d.NeedsScores && !d.NeedsBins && !d.NeedsPair || len(copies) == 0 {
			return t
		}
		t.K = min(t.K, len(copies))
		for i := range copies {
			if d.NeedsBins {
				t.Bins = append(t.Bins, i%t.K)
			}
			if d.NeedsScores {
				t.Scores = append(t.Scores, 0.05*(float64(i%t.K)+0.5))
			}
		}
		if d.NeedsPair {
			t.Highest, t.Lowest = copies[t.K-1], copies[0]
		}
		return t
	}
}

// next asks once, checks the moves and prepares their trials.
func (d *drive) next(ctx context.Context, s sdk.Session) error {
	var told []sdk.Trial
	for len(d.waiting) > d.lag {
		told = append(told, d.waiting[0]...)
		d.waiting = d.waiting[1:]
	}
	moves, err := s.Next(ctx, told, d.want)
	if errors.Is(err, io.EOF) {
		d.finished = true
		if len(moves) > 0 {
			return fmt.Errorf("%d moves along with io.EOF; want none", len(moves))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("in Next: %w", err)
	}
	if len(moves) == 0 {
		return errors.New("a call of Next returned no moves and no error; want io.EOF from a finished session")
	}
	if len(moves) > d.want {
		return fmt.Errorf("a call of Next returned %d moves; want at most %d", len(moves), d.want)
	}
	var trials []sdk.Trial
	for _, m := range moves {
		if err := d.check(m); err != nil {
			return fmt.Errorf("move %+v: %w", m, err)
		}
		d.moves = append(d.moves, m)
		trials = append(trials, d.answer(m))
	}
	d.waiting = append(d.waiting, trials)
	return nil
}

// check checks one move against the contract and the study.
func (d *drive) check(m sdk.Move) error {
	st := d.study
	if n := len(d.moves); n > 0 && m.ID <= d.moves[n-1].ID {
		return fmt.Errorf("its ID is not above %d, the last one's", d.moves[n-1].ID)
	}
	if m.Kind != sdk.MovePoint && m.Kind != sdk.MoveSeedFrom {
		return errors.New("its kind is unknown")
	}
	if m.Round < 0 || m.Chain < 0 {
		return errors.New("its round or chain is negative")
	}
	for i := len(d.moves) - 1; i >= 0; i-- {
		if before := d.moves[i]; before.Chain == m.Chain {
			if m.Round < before.Round {
				return fmt.Errorf("its round is below %d, the round of an earlier move of the chain", before.Round)
			}
			break
		}
	}
	if len(m.Point) != len(st.space.Features) {
		return fmt.Errorf("its point has %d entries for %d features", len(m.Point), len(st.space.Features))
	}
	for i := range st.space.Features {
		if f := &st.space.Features[i]; !f.IsProtected() && !f.Contains(m.Point[i]) {
			return fmt.Errorf("%v is not a value of feature %q", m.Point[i], f.Name)
		}
	}
	if m.Kind == sdk.MoveSeedFrom {
		return nil // it may lie outside the region: the solver searches near it, inside
	}
	if !st.space.RegionContains(st.region, m.Point) {
		return errors.New("it lies outside the region")
	}
	if len(st.space.Counterfactuals(st.region, m.Point)) == 0 {
		return errors.New("the constraints leave it no counterfactuals: it is not in the space")
	}
	return nil
}

// run drives a session for the given number of rounds, or to its end, and closes it.
func (d *drive) run(ctx context.Context, s sdk.Session, rounds int) error {
	var err error
	for i := 0; i < rounds && !d.finished && err == nil; i++ {
		if err = d.next(ctx, s); err != nil {
			err = fmt.Errorf("round %d: %w", i, err)
		}
	}
	if closed := s.Close(); closed != nil && err == nil {
		err = fmt.Errorf("in Close: %w", closed)
	}
	return err
}

// search opens a session on the study, with seed 1, and drives it. If answer is nil, moves
// are evaluated. With enough chains, trials lag behind by as much as the description allows.
func (e *StrategyEnv) search(ctx context.Context, st study, want int, answer func(sdk.Move) sdk.Trial, o sdk.StartOptions) (*drive, error) {
	o.Seed = 1
	s, err := e.start(ctx, st, o)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		answer = e.evaluated(st)
	}
	d := &drive{study: st, answer: answer, want: want}
	if lag := e.Description.Lag; lag > 0 && o.Chains >= (lag+1)*want {
		d.lag = lag
	}
	return d, d.run(ctx, s, rounds+d.lag)
}
