package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/experiment/recompute"
	"github.com/hyfair/hyfair/internal/tier"
)

// drawn is a comparison of a grid of 2 × 2 arms and one beside it on three networks: runs find
// individuals, prove the whole space, or neither.
func drawn(t *testing.T, control string) *Comparison {
	t.Helper()
	p, _ := handmade(5)
	p.Control, p.Subjects, p.Arms = control, append(p.Subjects, p.Subjects[0]), []Arm{{Name: "z3", Solver: "z3"}}
	p.Subjects[2].Subject = asked("A_3")
	for _, solver := range []string{"z3", "highs"} {
		for _, cuts := range []string{"on", "off"} {
			p.Arms = append(p.Arms, Arm{
				Name: "grid solver=" + solver + " set.cuts=" + cuts, Solver: solver, Set: map[string]string{"cuts": cuts},
				Point: gridfile.Point{{Key: "solver", Text: solver}, {Key: "set.cuts", Text: cuts}},
			})
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	results := map[string]*Result{}
	for _, e := range p.Entries() {
		r := &Result{Cost: experiment.Cost{Seconds: 100, CPU: 90}, Certified: float64(rng.IntN(4)) / 8}
		switch rng.IntN(4) {
		case 0:
			r.Seconds, r.Certified, r.Fair = float64(1+rng.IntN(50)), 1, 1
		case 1, 2:
			for i := range 1 + rng.IntN(5) {
				r.Individuals = append(r.Individuals, Individual{X: []float64{float64(i), 0, 0}, Seconds: float64(1 + rng.IntN(30) + i), K: 2 + rng.IntN(3), Gap: 0.5, Logit1: 2, Logit2: -2})
			}
		}
		results[e.Key] = r
	}
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// PAR-2, tests against a control, and the effects of a grid's keys are what
// pandas and scipy make of the tidy rows.
func TestRecomputed(t *testing.T) {
	tier.NeedLong(t)
	if n := recompute.Check(t, drawn(t, "z3")); n < 300 {
		t.Errorf("only %d numbers were compared", n)
	}
}

// Each run that decides nothing has a reason.
func TestReasons(t *testing.T) {
	p, _ := handmade(1)
	for want, r := range map[string]*Result{
		experiment.ByMemory:   {Cost: experiment.Cost{MemoryKilled: 1}, Error: "used more than its 64 MiB of memory"},
		experiment.ByTime:     {Cost: experiment.Cost{Seconds: 99.9}},
		experiment.ByFault:    {Error: "the solver was lost 3 times in a row: solver z3: plugin exited"},
		experiment.ByRefusal:  {Error: "the solver was lost 3 times in a row: unsupported: no rows"},
		experiment.ByNumerics: {Cost: experiment.Cost{Seconds: 3}, Undecided: 3, Open: experiment.Unsolved{experiment.ByNumerics: 2, experiment.ByRefusal: 1}},
		belowEpsilon:          {Cost: experiment.Cost{Seconds: 3}, Unfair: 1, Individuals: []Individual{{}}},
		"":                    {Cost: experiment.Cost{Seconds: 3}, Certified: 1},
	} {
		run := p.run(r, 5)
		if run.answer = p.answerOf(r, false, false); p.reason(&run) != want {
			t.Errorf("%q, want %q: %+v", p.reason(&run), want, r)
		}
	}
	for text, want := range map[string]string{
		"numerical": experiment.ByNumerics, "within the solver's tolerance": experiment.ByNumerics, "incomplete": experiment.ByRefusal, "time limit": experiment.ByTime, "memory limit": experiment.ByMemory,
		"the solver failed: solver z3: plugin exited": experiment.ByFault, "the solver contradicted itself: NaN": experiment.ByFault, "the solver's bound stays above its best point": experiment.ByNumerics,
	} {
		if got := experiment.Reason(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	refutedProof := p.run(&Result{Certified: 1}, 5)
	if refutedProof.answer = p.answerOf(refutedProof.Result, false, true); p.reason(&refutedProof) != experiment.ByFault || *refutedProof.par2() != 200 || refutedProof.provedAt() != nil {
		t.Errorf("%+v", refutedProof)
	}
}
