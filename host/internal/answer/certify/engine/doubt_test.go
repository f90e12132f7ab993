package engine_test

import (
	"context"
	"math"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// denier claims that there is nothing, whatever it is asked, and of bins, that there are
// no more than two.
type denier struct{ reference.Enumerator }

func (denier) Solve(_ context.Context, p *problem.Problem, _ sdk.SolveOptions) (*sdk.Result, error) {
	if p.Query.Goal == problem.MaxK {
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Incomplete, Bound: 2, HasBound: true}, nil
	}
	return &sdk.Result{Status: sdk.Infeasible}, nil
}

func (denier) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { return denied{}, nil }

type denied struct{}

func (denied) Solve(context.Context, problem.Delta, sdk.SolveOptions) (*sdk.Result, error) {
	return &sdk.Result{Status: sdk.Infeasible}, nil
}

func (denied) Close() error { return nil }

// seldom is tenure with one violating individual in ten thousand, or one that reaches three
// bins: too few for random sampling.
func seldom(k int) *problem.Query {
	q := tenure(fairness.Score, 1<<20)
	if k == 0 {
		q.Epsilon = new(big.Rat).SetFloat64(fairness.Sigmoid(4) - fairness.Sigmoid(-5.999))
		return q
	}
	q.K, q.Epsilon = k, big.NewRat(3, 10)
	years, group := &q.Space.Features[0], &q.Space.Features[1]
	years.Inputs[0].Scale = 1.803 / (1 << 20)
	group.Hi, group.Categories, group.Protected = 2, []string{"a", "b", "c"}, []float64{0, 1, 2}
	q.Region = q.Space.Whole()
	return q
}

// A proof that rests on a solver's word alone is doubted: a witness found by a climb replaces
// it, and the solver is reported as refuted.
func TestALonelyLiarIsNotBelieved(t *testing.T) {
	s := denier{}
	for _, encoding := range []string{"bigm", "smt", engine.Direct} {
		for _, k := range []int{0, 3} {
			t.Run(encoding, func(t *testing.T) {
				q := seldom(k)
				o := engine.Options{Solver: s, Description: described(t, s), Encoding: encoding, Seed: 1}
				rep, err := engine.Run(t.Context(), q, o)
				if err != nil || rep.Verdict != engine.Unfair || rep.Witness == nil || k > 0 && rep.Witness.K < k {
					t.Fatalf("k = %d: error %v, verdict %s, witness %+v", k, err, rep.Verdict, rep.Witness)
				}
				if k == 0 && (!rep.HasBound || rep.Bound < largest(fairness.Score) || rep.BoundGrade != sdk.GradeRigorous) {
					t.Errorf("bound %v (%s)", rep.Bound, rep.BoundGrade)
				}
				if !holdsFault(rep, "it claims that no") || rep.Grade != 0 || rep.Regions[engine.BySolver] != 0 {
					t.Errorf("k = %d: faults %q, grade %s, by %v", k, rep.Faults, rep.Grade, rep.Regions)
				}
				again, err := engine.Run(t.Context(), q, o)
				if err != nil || again.Witness == nil || again.Witness.Copy1[0] != rep.Witness.Copy1[0] {
					t.Errorf("k = %d: the same seed gives %+v, then %+v", k, rep.Witness, again.Witness)
				}
				o.SolverOnly = true
				if rep, err := engine.Run(t.Context(), q, o); err != nil || rep.Verdict != engine.Fair {
					t.Errorf("k = %d, where only its points count: error %v, verdict %s", k, err, rep.Verdict)
				}
			})
		}
	}
}

// So is the bound that closes a search for the largest gap, or for the most bins.
func TestALonelyLiarsBoundIsNotBelieved(t *testing.T) {
	for _, encoding := range []string{"bigm", "smt", engine.Direct} {
		q := tenure(fairness.Score, 1<<20)
		q.Epsilon = big.NewRat(999, 1000) // no gap exceeds it
		s := denier{}
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: encoding, Maximise: true, Seed: 1})
		if err != nil || rep.Verdict != engine.Fair || rep.Closed || len(rep.Faults) == 0 || rep.Witness == nil {
			t.Errorf("%s: error %v, %+v", encoding, err, rep)
		}
		if top := largest(fairness.Score); rep.HasBound && rep.Bound+rep.BoundTolerance < top {
			t.Errorf("%s: the bound %v + %v, somebody has %v", encoding, rep.Bound, rep.BoundTolerance, top)
		}

		q = seldom(3)
		q.K, q.Goal = 0, problem.MaxK
		e, err := engine.Enclose(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: encoding, Seed: 1}, nil)
		if err != nil || e.Found != 3 || e.Bound < 3 || e.Nobody || len(e.Faults) == 0 {
			t.Errorf("%s: error %v, %+v", encoding, err, e)
		}
	}
}

// An honest proof stands, and doubting it ends with the time that the user gives.
func TestAnHonestProofIsDoubtedInVain(t *testing.T) {
	q := seldom(0)
	q.Epsilon = new(big.Rat).SetFloat64(math.Nextafter(largest(fairness.Score), 1))
	s := denier{}
	rep, err := engine.Run(t.Context(), q, engine.Options{Solver: s, Description: described(t, s), Encoding: "bigm", Seed: 1})
	if err != nil || rep.Verdict != engine.Fair || len(rep.Faults) > 0 || rep.Regions[engine.BySolver] != 1 {
		t.Errorf("error %v, %+v", err, rep)
	}
	if w := engine.NewDoubt(q, 1).Refute(t.Context(), q.Region, engine.DoubtCopies, q.Epsilon); w != nil {
		t.Errorf("%+v", w)
	}
	few := tenure(fairness.Score, 1000) // all of them are looked at
	few.Epsilon = new(big.Rat).SetFloat64(fairness.Sigmoid(4) - fairness.Sigmoid(-5.995))
	if w := engine.NewDoubt(few, 1).Refute(t.Context(), few.Region, engine.DoubtCopies, few.Epsilon); w == nil || w.Copy1[0] != 1000 {
		t.Errorf("%+v; want the longest tenure", w)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w := engine.NewDoubt(few, 1).Refute(ctx, few.Region, engine.DoubtCopies, new(big.Rat)); w != nil {
		t.Errorf("after the end: %+v", w)
	}
}
