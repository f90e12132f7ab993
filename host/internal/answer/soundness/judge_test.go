package soundness

import (
	"context"
	"math"
	"math/big"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Claims get the right outcome by the truth.
func TestJudge(t *testing.T) {
	truth := &Truth{People: "1000"}
	witness := &Question{Goal: Witness, Notion: "score", Epsilon: "0.05", Unfair: true, Margin: [2]float64{0.06, 0.06}}
	fair := &Question{Goal: Witness, Notion: "score", Epsilon: "0.05", Margin: [2]float64{0.0499, 0.0499}}
	decision := &Question{Goal: Witness, Notion: "decision", Unfair: true, Margin: [2]float64{0.25, 0.25}}
	gap := &Question{Goal: Gap, Notion: "score", Epsilon: "0.05", Unfair: true, Margin: [2]float64{0.06, 0.06}}
	none := &Question{Goal: Gap, Notion: "score", Epsilon: "0.05"}
	most, share := &Question{Goal: MaxK, Notion: "score", Epsilon: "0.05", K: 4}, &Question{Goal: Share, Notion: "score", Epsilon: "0.05", People: "10"}
	for _, c := range []struct {
		about string
		q     *Question
		claim Claim
		want  Outcome
	}{
		{"a witness", witness, Claim{Verdict: "unfair", Gap: new(0.06)}, Found},
		{"a proof of what is not so", witness, Claim{Verdict: "fair"}, Wrong},
		{"a proof whose tolerance excuses it", witness, Claim{Verdict: "fair", Tolerance: 0.02}, Undecided},
		{"a proof whose tolerance does not", witness, Claim{Verdict: "fair", Tolerance: 0.002}, Wrong},
		{"no answer", witness, Claim{Verdict: "undecided", Reason: "time limit"}, Undecided},
		{"no solver", witness, Claim{Error: "exit status 7"}, Failed},
		{"a question that it does not take", witness, Claim{Declined: "unsupported"}, Declined},
		{"a claim that somebody refutes", witness, Claim{Verdict: "undecided", Refuted: []string{"its witness, replayed, has no margin above 0.05"}}, Wrong},
		{"a witness larger than any", witness, Claim{Verdict: "unfair", Gap: new(0.07)}, Untrue},
		{"a proof", fair, Claim{Verdict: "fair"}, Proved},
		{"a witness where there is none", fair, Claim{Verdict: "unfair", Gap: new(0.0501)}, Untrue},
		{"a proof about decisions", decision, Claim{Verdict: "fair", Tolerance: 1e-6}, Wrong},
		{"the largest gap", gap, Claim{Verdict: "unfair", Gap: new(0.06), Bound: new(0.06), Closed: true}, Proved},
		{"a bound that is near", gap, Claim{Verdict: "unfair", Gap: new(0.06), Bound: new(0.0600005)}, Proved},
		{"a bound that is far", gap, Claim{Verdict: "unfair", Gap: new(0.06), Bound: new(0.1)}, Undecided},
		{"a bound below", gap, Claim{Verdict: "undecided", Bound: new(0.0599)}, Wrong},
		{"a bound below, within its tolerance", gap, Claim{Verdict: "undecided", Bound: new(0.0599), BoundTolerance: 0.0002}, Undecided},
		{"no pair at all", none, Claim{Verdict: "fair", Bound: new(-1.0), Closed: true}, Wrong},
		{"no gap", none, Claim{Verdict: "fair", Bound: new(1e-9)}, Proved},
		{"a gap where there is none", none, Claim{Verdict: "fair", Gap: new(0.01)}, Untrue},
		{"the largest k", most, Claim{K: &[2]int{4, 4}, Closed: true}, Proved},
		{"a larger bound on k", most, Claim{K: &[2]int{3, 5}}, Undecided},
		{"a smaller bound on k", most, Claim{K: &[2]int{3, 3}, Closed: true}, Wrong},
		{"a larger k", most, Claim{K: &[2]int{5, 5}, Closed: true}, Untrue},
		{"the share", share, Claim{Fair: "99/100", Unfair: "1/100", People: "1000", Closed: true}, Proved},
		{"an interval", share, Claim{Fair: "1/2", Unfair: "0"}, Undecided},
		{"too many", share, Claim{Fair: "0", Unfair: "11/1000"}, Wrong},
		{"too few", share, Claim{Fair: "991/1000", Unfair: "0"}, Wrong},
		{"of others", share, Claim{Fair: "99/100", Unfair: "1/100", People: "100", Closed: true}, Wrong},
		{"nothing about shares", share, Claim{Error: "lost"}, Failed},
	} {
		if got, why := truth.Judge(c.q, &c.claim); got != c.want || got == Wrong && why == "" {
			t.Errorf("%s: %s (%s), want %s", c.about, got, why, c.want)
		}
	}
}

// liar answers as lie says, and correctly if lie says nothing.
type liar struct {
	reference.Enumerator
	lie func(*problem.Query) *sdk.Result
}

// Solve implements sdk.Solver.
func (l liar) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if r := l.lie(p.Query); r != nil {
		return r, nil
	}
	return l.Enumerator.Solve(ctx, p, o)
}

// Every kind of lie about the network itself is detected.
func TestLies(t *testing.T) {
	dir := folder(t, 1, 1)
	truths, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]*Truth{}
	for _, truth := range truths {
		named[truth.Kind] = truth
	}
	anyone := func(q *problem.Query) *sdk.Witness {
		for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
			if copies := q.Space.Counterfactuals(q.RegionOrWhole(), x); len(copies) > 1 {
				return &sdk.Witness{Copy1: copies[0], Copy2: copies[1]}
			}
		}
		return nil
	}
	for _, c := range []struct {
		about, kind, question string
		lie                   func(*problem.Query) *sdk.Result
	}{
		{"nobody", onePerson, "witness (score)", func(*problem.Query) *sdk.Result { return &sdk.Result{Status: sdk.Infeasible} }},
		{"nobody", onePerson, "max-k", func(*problem.Query) *sdk.Result { return &sdk.Result{Status: sdk.Infeasible} }},
		{"a false alarm", justBelow, "witness (score)", func(q *problem.Query) *sdk.Result {
			return &sdk.Result{Status: sdk.Feasible, Witness: anyone(q)}
		}},
		{"a false alarm beside the lattice", between, "witness (score)", func(q *problem.Query) *sdk.Result {
			w := anyone(q)
			w.Copy1[q.Space.Free()[0]] += 0.5
			w.Copy2[q.Space.Free()[0]] += 0.5
			return &sdk.Result{Status: sdk.Feasible, Witness: w}
		}},
		{"everybody is fair", tenPeople, "share", func(*problem.Query) *sdk.Result {
			return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat), Individuals: big.NewInt(1000)}}
		}},
		{"one is not", guarded, "share", func(*problem.Query) *sdk.Result {
			return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(998, 999), Unfair: big.NewRat(1, 999), Individuals: big.NewInt(999)}}
		}},
		{"a rule is overlooked", guarded, "share", func(*problem.Query) *sdk.Result {
			return &sdk.Result{Status: sdk.Optimal, Shares: &sdk.Shares{Fair: big.NewRat(1, 1), Unfair: new(big.Rat), Individuals: big.NewInt(1000)}}
		}},
	} {
		truth := named[c.kind]
		for i := range truth.Questions {
			q := &truth.Questions[i]
			if q.Called() != c.question {
				continue
			}
			asked, err := question.Open(truth.Spec(dir, q))
			if err != nil {
				t.Fatal(err)
			}
			query, err := asked.Query(GoalOf(q.Goal))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := reference.Enumerator{}.Describe(t.Context())
			claim, err := Put(t.Context(), query, q.Goal, engine.Options{Solver: liar{lie: c.lie}, Description: d, Threads: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if outcome, why := truth.Judge(q, claim); outcome != Wrong {
				t.Errorf("%s: %s (%s), %+v", c.about, outcome, why, claim)
			}
			right := func(*problem.Query) *sdk.Result { return nil }
			claim, err = Put(t.Context(), query, q.Goal, engine.Options{Solver: liar{lie: right}, Description: d, Threads: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if outcome, why := truth.Judge(q, claim); outcome != Found && outcome != Proved {
				t.Errorf("%s, told truly: %s (%s)", filepath.Join(truth.Name, q.Called()), outcome, why)
			}
		}
	}
}

// Individuals that a claim shows are evaluated again on arrival; refuted claims are rejected.
func TestReplay(t *testing.T) {
	tier.NeedUsual(t)
	dir := folder(t, 1, 1)
	truths, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]int{}
	for _, truth := range truths {
		for i := range truth.Questions {
			q := &truth.Questions[i]
			spec := truth.Spec(dir, q)
			asked, err := question.Open(spec)
			if err != nil {
				t.Fatal(err)
			}
			query, err := asked.Query(GoalOf(q.Goal))
			if err != nil {
				t.Fatal(err)
			}
			d, _ := reference.Enumerator{}.Describe(t.Context())
			claim, err := Put(t.Context(), query, q.Goal, engine.Options{Solver: reference.Enumerator{}, Description: d, Threads: 1, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if err := claim.Replay(spec, q.Goal); err != nil {
				t.Errorf("%s, %s: %v", truth.Name, q.Called(), err)
			}
			if claim.Copies == nil {
				continue
			}
			shown[q.Goal]++
			one, two := claim.Copies[0], claim.Copies[1]
			other := slices.Clone(two)
			free := asked.Space.Free()[0]
			other[free] = asked.Space.Features[free].Lo
			if other[free] == two[free] {
				other[free] = asked.Space.Features[free].Hi
			}
			for about, lie := range map[string]func(*Claim){
				"nobody":           func(c *Claim) { c.Copies = nil },
				"one twice":        func(c *Claim) { c.Copies = &[2][]float64{one, one} },
				"two people":       func(c *Claim) { c.Copies = &[2][]float64{one, other} },
				"half a person":    func(c *Claim) { c.Copies = &[2][]float64{one[:1], two} },
				"nothing":          func(c *Claim) { c.Copies = &[2][]float64{} },
				"beside the space": func(c *Claim) { c.Copies = &[2][]float64{append(slices.Clone(one), 1), append(slices.Clone(two), 1)} },
				"no numbers at all": func(c *Claim) {
					c.Copies = &[2][]float64{make([]float64, len(one)), slices.Repeat([]float64{math.NaN()}, len(two))}
				},
				"more": func(c *Claim) {
					if c.K != nil {
						c.K = &[2]int{c.K[0] + 1, c.K[1] + 1}
					} else {
						c.Gap = new(*c.Gap + 0.01)
					}
				},
			} {
				if c := *claim; about != "one twice" || c.K == nil { // who reaches k is one person
					lie(&c)
					if c.Replay(spec, q.Goal) == nil {
						t.Errorf("%s, %s: %s: %+v holds", truth.Name, q.Called(), about, c)
					}
				}
			}
		}
	}
	for _, goal := range []string{Witness, Gap, MaxK} {
		if shown[goal] == 0 {
			t.Errorf("nobody was shown for %s", goal)
		}
	}
}
