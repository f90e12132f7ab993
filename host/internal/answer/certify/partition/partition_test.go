package partition_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// tiny draws a small network over two integers, a category and two protected
// features.
func tiny(r *rand.Rand) *problem.Query {
	in := func(i int, scale float64) []space.Input { return []space.Input{{Index: i, Scale: scale}} }
	s := &space.Space{Inputs: 5, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Lo: -2, Hi: 3, Inputs: in(0, 0.5)},
		{Name: "c", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{{Index: 1, Table: []float64{0, 1, -1}}}},
		{Name: "m", Kind: space.Integer, Hi: 4, Inputs: in(2, 0.25)},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: in(3, 1)},
		{Name: "age", Kind: space.Integer, Hi: 9, Protected: []float64{1, 4}, Inputs: in(4, 0.25)},
	}}
	if r.IntN(3) == 0 {
		s.Forbidden = []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 1}}, {Feature: 3, Set: []int{r.IntN(2)}}}}
	}
	quarters := func(most int) func() float64 { return func() float64 { return float64(r.IntN(2*most+1)-most) / 4 } }
	n := known.Dense(relu.HeadSigmoid, quarters(8), quarters(4), 5, 3, 3)
	q := &problem.Query{Model: n, Space: s, Region: s.Whole(), Goal: problem.Decide}
	q.Notion = fairness.Notions[r.IntN(len(fairness.Notions))]
	if q.Notion.UsesEpsilon() {
		q.Epsilon = big.NewRat(int64(1+r.IntN(12)), 20)
	}
	if q.Notion == fairness.Logit {
		q.Epsilon.Mul(q.Epsilon, big.NewRat(4, 1))
	}
	return q
}

// shelf is a store that refuses a second result.
type shelf struct {
	mu      sync.Mutex
	results map[string][]byte
	full    int // 0: no end
	stop    context.CancelFunc
}

func (s *shelf) Done(key string) ([]byte, float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.results[key]
	return text, 0, ok
}

func (s *shelf) Complete(key string, result any, _ float64, events ...record.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.results[key]; ok {
		return fmt.Errorf("%q is completed twice", key)
	}
	if len(events) == 0 || events[len(events)-1].Verdict == nil {
		return fmt.Errorf("%q has no verdict among its events", key)
	}
	text, err := json.Marshal(result)
	if s.results == nil {
		s.results = map[string][]byte{}
	}
	s.results[key] = text
	if s.stop != nil && len(s.results) == s.full {
		s.stop()
	}
	return err
}

func (s *shelf) verdict(t *testing.T, key string) string {
	t.Helper()
	var r struct{ Verdict string }
	if text, ok := s.results[key]; ok {
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
	}
	return r.Verdict
}

// violated asks the referee, who tries every point.
func violated(t *testing.T, q problem.Query, part space.Region) bool {
	t.Helper()
	q.Region = part
	r, err := reference.Enumerator{}.Solve(t.Context(), &problem.Problem{Query: &q}, sdk.SolveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != sdk.Feasible && r.Status != sdk.Infeasible && r.Status != sdk.Optimal {
		t.Fatalf("the referee says %s", r.Status)
	}
	return r.Status != sdk.Infeasible
}

func chunks(t *testing.T, q *problem.Query, text string) partition.Chunks {
	t.Helper()
	c, err := partition.ParseChunks(q.Space, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPartsAgainstEnumeration compares every part's verdict with exhaustive
// enumeration, without a solver and with one, relaxed queries included.
func TestPartsAgainstEnumeration(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "highs")
	by, seen := map[engine.Method]int{}, map[string]int{}
	for i := range tier.Count(24, 120) {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		q := tiny(r)
		if i%4 == 3 {
			q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: float64(r.IntN(3))}}
		}
		store := &shelf{}
		o := partition.Options{Chunks: chunks(t, q, "2"), All: true, Seed: int64(i), Store: store}
		if i%2 == 1 {
			o.Solvers, o.SoftTimeout = []engine.Options{{Solver: solver, Description: d, Seed: 1}}, time.Second
		}
		rep, err := partition.Run(t.Context(), q, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rep.Faults {
			t.Errorf("network %d: %s", i, f)
		}
		parts, err := o.Chunks.Split(q.Space, q.RegionOrWhole())
		if err != nil {
			t.Fatal(err)
		}
		unfair := 0
		for _, part := range parts {
			key := partition.Text(q.Space, q.RegionOrWhole(), part)
			want := "fair"
			if violated(t, *q, part) {
				want = "unfair"
				unfair++
			}
			got := store.verdict(t, key)
			seen[got]++
			if got != want && got != "" {
				t.Errorf("network %d (%s, relaxed %v), part %q: %s, the referee says %s", i, q.Notion, q.Relax, key, got, want)
			}
			if got == "" && len(q.Relax) == 0 {
				t.Errorf("network %d, part %q: undecided", i, key)
			}
		}
		if rep.Total != len(parts) || rep.Fair+rep.Unfair+rep.Undecided != rep.Total || len(store.results) != rep.Fair+rep.Unfair {
			t.Errorf("network %d: %+v, %d results of %d parts", i, rep, len(store.results), len(parts))
		}
		if (rep.Verdict == engine.Unfair) != (rep.Unfair > 0) || (rep.Verdict == engine.Fair) != (rep.Fair == rep.Total) {
			t.Errorf("network %d: %s with %+v", i, rep.Verdict, rep)
		}
		for m, n := range rep.By {
			by[m] += n
		}
	}
	t.Logf("decided by %v; %v", by, seen)
	if least := tier.Count(100, 500); seen["fair"] < least || seen["unfair"] < least || by[engine.ByBounds] < least || by[engine.BySampling] < least {
		t.Errorf("decided by %v; %v: the sample does not exercise the methods", by, seen)
	}
}

// TestBlindPartsAreFair: if no active neuron of a part depends on protected features, the
// difference of two copies' logits proves it, also for decisions.
func TestBlindPartsAreFair(t *testing.T) {
	for i := range 20 {
		r := rand.New(rand.NewPCG(uint64(i), 12))
		q := tiny(r)
		q.Notion = []fairness.Notion{fairness.Decision, fairness.DecisionStrict}[i%2]
		for _, f := range []int{0, 2} {
			q.Space.Features[f].Hi = 1e6
		}
		q.Region = q.Space.Whole()
		first := &q.Model.(*relu.Network).Layers[0]
		for j := range first.Out {
			first.Row(j)[3], first.Row(j)[4] = 0, 0
		}
		copy(first.Row(0), []float64{-2, 0, 0, 1, 0}) // active up to n = 1
		rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "250000"), All: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if seen := rep.Total / 5; rep.Fair < rep.Total-seen { // those of the least n
			t.Errorf("network %d, %s: %+v", i, q.Notion, rep)
		}
	}
}

func TestAdaptiveSplitsWhatStaysUndecided(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "highs")
	for i := range 30 {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 12)))
		rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, partition.Adaptive), Adaptive: true, All: true,
			Solvers: []engine.Options{{Solver: solver, Description: d}}})
		if err != nil {
			t.Fatal(err)
		}
		if want := violated(t, *q, q.RegionOrWhole()); (rep.Verdict == engine.Unfair) != want || rep.Verdict == engine.Undecided {
			t.Errorf("network %d: %s, the referee says unfair: %v", i, rep.Verdict, want)
		}
	}
}

// TestResumeCountsNothingTwice interrupts a run after each number of results and resumes it.
func TestResumeCountsNothingTwice(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(5, 11)))
	o := partition.Options{Chunks: chunks(t, q, "1"), All: true, Seed: 3}
	whole, err := partition.Run(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{1, 7, 40, 60} {
		ctx, cancel := context.WithCancel(t.Context())
		store := &shelf{full: after, stop: cancel}
		o.Store = store
		first, err := partition.Run(ctx, q, o)
		if err != nil {
			t.Fatal(err)
		}
		if first.Undecided == 0 || first.Fair+first.Unfair < after {
			t.Errorf("broken off after %d: %+v", after, first)
		}
		kept := len(store.results)
		second, err := partition.Run(t.Context(), q, o)
		if err != nil {
			t.Fatal(err)
		}
		if second.Resumed != kept || second.Fair != whole.Fair || second.Unfair != whole.Unfair || second.Undecided != 0 {
			t.Errorf("resumed after %d: %+v, at once: %+v", kept, second, whole)
		}
		if diff := cmp.Diff(whole.By, second.By); diff != "" {
			t.Errorf("resumed, other methods (-at once +resumed):\n%s", diff)
		}
		if whole.Witness != nil && second.Witness.Margin != whole.Witness.Margin {
			t.Errorf("resumed, the witness has %v, at once %v", second.Witness.Margin, whole.Witness.Margin)
		}
	}
	// What a store holds is not believed where it does not replay.
	o.Store = &shelf{results: map[string][]byte{
		partition.Text(q.Space, q.RegionOrWhole(), firstPart(t, q, o)): []byte(`{"verdict":"unfair","by":"sampling","x":[0,0,0,0,1],"y":[0,0,0,0,1]}`)}}
	if again, err := partition.Run(t.Context(), q, o); err == nil || again.Resumed != 0 {
		t.Errorf("a witness of one and the same point was taken: %+v, %v", again, err)
	}
}

func firstPart(t *testing.T, q *problem.Query, o partition.Options) space.Region {
	t.Helper()
	parts, err := o.Chunks.Split(q.Space, q.RegionOrWhole())
	if err != nil {
		t.Fatal(err)
	}
	return parts[0]
}

// Without All, the first witness ends the run, and it is the same one however
// many processors look for it.
func TestTheFirstWitnessIsTheSameOnEveryMachine(t *testing.T) {
	for i := range 20 {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 13)))
		o := partition.Options{Chunks: chunks(t, q, "1"), Seed: 9}
		var found []*partition.Report
		for _, n := range []int{1, 2, 4} {
			before := runtime.GOMAXPROCS(n)
			rep, err := partition.Run(t.Context(), q, o)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, rep)
		}
		for _, rep := range found[1:] {
			if rep.Verdict != found[0].Verdict {
				t.Fatalf("network %d: %s and %s", i, rep.Verdict, found[0].Verdict)
			}
			if w := found[0].Witness; w != nil {
				if diff := cmp.Diff(w.Copy1, rep.Witness.Copy1); diff != "" {
					t.Errorf("network %d: other witness:\n%s", i, diff)
				}
			}
		}
	}
}

// brokenSolver answers nothing.
type brokenSolver struct{ reference.Enumerator }

var errGone = errors.New("the solver is gone")

func (brokenSolver) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { return nil, errGone }

func TestALostSolverCostsOnlyItsAnswers(t *testing.T) {
	d, err := reference.Enumerator{}.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, rep := needy(t, d); rep.Fair+rep.Unfair == 0 || len(rep.Faults) != 1 || rep.Faults[0] != errGone.Error() {
		t.Errorf("%+v", rep)
	}
}

// needy is a question with parts that need a solver, and its report if the solver is lost.
func needy(t *testing.T, d sdk.Description) (*problem.Query, *partition.Report) {
	t.Helper()
	for i := range 40 {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 14)))
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
		rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "2"), All: true,
			Solvers: []engine.Options{{Solver: brokenSolver{}, Description: d, Encoding: "bigm"}}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Undecided > 0 {
			return q, rep
		}
	}
	t.Fatal("no network needed its solver")
	return nil, nil
}

// fragileSolver is lost at every question but each third.
type fragileSolver struct {
	sdk.Incremental
	asked *int
}

func (s fragileSolver) Load(ctx context.Context, p *problem.Problem) (sdk.Loaded, error) {
	if *s.asked++; *s.asked%3 != 0 {
		return nil, errGone
	}
	return s.Incremental.Load(ctx, p)
}

// A solver that is lost now and then is asked on.
func TestAFragileSolverIsAskedOn(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "highs")
	answered := 0
	for i := range 40 {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 14)))
		q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}}
		asked := 0
		rep, err := partition.Run(t.Context(), q, partition.Options{Chunks: chunks(t, q, "1"), All: true,
			Solvers: []engine.Options{{Solver: fragileSolver{solver, &asked}, Description: d, Encoding: "bigm"}}})
		if err != nil {
			t.Fatal(err)
		}
		if answered = max(answered, rep.By[engine.BySolver]); answered > 1 {
			return
		}
	}
	t.Errorf("%d parts were answered by the solver at most", answered)
}

// A heuristically pruned network gives witnesses and no proofs.
func TestHeuristicPruningProvesNothing(t *testing.T) {
	tier.NeedUsual(t)
	solver, d := plugintest.Solver(t, "highs")
	found, fair := 0, 0
	for i := range tier.Count(15, 60) {
		q := tiny(rand.New(rand.NewPCG(uint64(i), 15)))
		rep, err := engine.Run(t.Context(), q, engine.Options{Solver: solver, Description: d, Heuristic: true, Enumerate: -1})
		if err != nil {
			t.Fatal(err)
		}
		want := violated(t, *q, q.RegionOrWhole())
		switch rep.Verdict {
		case engine.Unfair:
			if found++; !want {
				t.Errorf("network %d: unfair, the referee says fair", i)
			}
		case engine.Fair:
			if rep.Solves > 0 {
				t.Errorf("network %d: fair by a pruned network", i)
			}
		}
		if !want {
			fair++
		}
		if len(rep.Faults) > 0 {
			t.Errorf("network %d: %v", i, rep.Faults)
		}
	}
	if least := tier.Count(2, 10); found < least || fair < least {
		t.Errorf("%d found, %d fair: the sample does not exercise both", found, fair)
	}
}

// endless ignores its context and never answers.
type endless struct{ reference.Enumerator }

func (endless) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { select {} }

// TestTimeHoldsAgainstWhatHearsNothing: the parts that were decided are kept, and
// those in work when the time ended are undecided.
func TestTimeHoldsAgainstWhatHearsNothing(t *testing.T) {
	tier.NeedUsual(t)
	d, err := reference.Enumerator{}.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q, want := needy(t, d)
	for _, soft := range []time.Duration{time.Minute, 50 * time.Millisecond} {
		t.Run(soft.String(), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			ended := make(chan *partition.Report, 1)
			go func() {
				rep, err := partition.Run(ctx, q, partition.Options{
					Chunks: chunks(t, q, "2"), All: true, SoftTimeout: soft,
					Solvers: []engine.Options{{Solver: endless{}, Description: d, Encoding: "bigm"}},
				})
				if err != nil {
					t.Error(err)
				}
				ended <- rep
			}()
			select {
			case rep := <-ended:
				if rep == nil || rep.Fair+rep.Unfair == 0 || rep.Fair > want.Fair || rep.Unfair > want.Unfair || rep.Undecided < want.Undecided {
					t.Errorf("%+v", rep)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("the time limit did not hold")
			}
		})
	}
}
