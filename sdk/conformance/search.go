package conformance

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/option"
)

// Search runs a strategy without a host, for its author's tests. The study is small, with a
// feature of each kind and eight counterfactuals per individual; the network discriminates.
// There is no solver.
type Search struct {
	// Moves is the least number of moves, unless the strategy finishes earlier.
	Moves int
	Seed  int64
	// Chains is StartOptions.Chains; Want is the number of moves per call, 0 for one.
	// With enough chains, trials lag behind by as much as the description allows.
	Chains, Want int
	Options      map[string]string
	// Answer, if not nil, changes each trial before the strategy gets it, for example into
	// a refusal.
	Answer func(sdk.Trial) sdk.Trial
}

// Run plays the host and returns all trials, with the network's real k, gap and
// entropies. The error says which rule a move breaks.
func (r Search) Run(ctx context.Context, s sdk.Strategy) ([]sdk.Trial, error) {
	d, err := s.Describe(ctx)
	if err != nil {
		return nil, err
	}
	if err := option.Check(d.Name, d.Options, r.Options); err != nil {
		return nil, err
	}
	st := mixedStudy()
	n := known.Dyadic(rand.New(rand.NewPCG(15, 4)), st.space.Inputs, 5)
	host, err := evaluate.New(n, st.space, st.region, big.NewRat(1, 20))
	if err != nil {
		return nil, err
	}
	e := &StrategyEnv{Strategy: s, Description: d}
	start := sdk.StartOptions{Seed: r.Seed, Options: r.Options, Chains: r.Chains}
	if d.NeedsModel {
		start.Model = n
	}
	session, err := e.start(ctx, st, start)
	if err != nil {
		return nil, err
	}
	var trials []sdk.Trial
	drive := &drive{study: st, want: max(r.Want, 1), answer: func(m sdk.Move) sdk.Trial {
		t := sdk.Trial{ID: m.ID, Status: sdk.TrialNoSolver}
		if m.Kind == sdk.MovePoint {
			t = evaluated(host, &d, st.space.Canonical(m.Point))
			t.ID = m.ID
		}
		if r.Answer != nil {
			t = r.Answer(t)
		}
		trials = append(trials, t)
		return t
	}}
	if r.Chains >= (d.Lag+1)*drive.want {
		drive.lag = d.Lag
	}
	for err == nil && !drive.finished && len(trials) < r.Moves {
		err = drive.next(ctx, session)
	}
	return trials, errors.Join(err, session.Close())
}

// evaluated returns the trial of an individual, with the details that the description
// asks for.
func evaluated(host *evaluate.Evaluator, d *sdk.Description, x []float64) sdk.Trial {
	var out [1]evaluate.Outcome
	copies := host.EvaluateCopies([][]float64{x}, out[:], evaluate.Detail{Scores: d.NeedsScores, Bins: d.NeedsBins})
	o := &out[0]
	t := sdk.Trial{
		Status: sdk.TrialEvaluated, Point: x, K: o.K, Gap: o.Gap, Violates: o.Violates, Shannon: o.Shannon, MinEntropy: o.MinEntropy,
	}
	if copies != nil {
		t.Scores, t.Bins = copies[0].Scores, copies[0].Bins
	}
	if d.NeedsPair {
		t.Highest, t.Lowest = host.Point(x, o.ArgMax), host.Point(x, o.ArgMin)
	}
	return t
}
