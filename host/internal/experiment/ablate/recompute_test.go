package ablate

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/experiment/recompute"
	"github.com/hyfair/hyfair/internal/tier"
)

// drawn is an ablation of a grid of 2 × 3 arms and one beside it on four networks, with ties,
// runs that miss the target and runs that find no individual.
func drawn(t *testing.T, budget, control string) *Ablation {
	t.Helper()
	p := &Plan{Name: "drawn", Terms: experiment.Terms{Budget: budget, Runs: 5, Seed: 1, Threads: 1, Jobs: 1}, Plugins: map[string]experiment.Plugin{}, Control: control}
	for _, model := range []string{"A_1", "A_2", "A_3", "A_4"} {
		p.Subjects = append(p.Subjects, on(model))
	}
	p.Arms = []Arm{{Name: "rw", Strategy: "rw", Mode: ModePaper, Solver: NoSolver}}
	for _, solver := range []string{"highs", NoSolver} {
		for _, prob := range []string{"0.5", "0.7", "0.9"} {
			p.Arms = append(p.Arms, Arm{
				Name: "sa solver=" + solver + " p=" + prob, Strategy: "sa", Mode: ModePaper, Solver: solver, Set: map[string]string{"p": prob},
				Point: gridfile.Point{{Key: "solver", Text: solver}, {Key: "p", Text: prob}},
			})
		}
	}
	rng := rand.New(rand.NewPCG(5, 6))
	results := map[string]*Result{}
	for i, e := range p.Entries() {
		n, k := 2+rng.IntN(6), 3+rng.IntN(4)
		if e.Arm.Solver == NoSolver {
			k++
		}
		if rng.IntN(8) == 0 {
			n = 0
		}
		r := result(n, k, float64(1+rng.IntN(16))/2)
		r.Measures.Iter = new(float64(50 + rng.IntN(20)))
		for s := range r.Steps {
			r.Steps[s].Evals, r.Steps[s].Iter = int64(rng.IntN(100)+100*(s+1)), int64(rng.IntN(10)+10*(s+1))
		}
		if results[e.Key] = r; i%50 == 7 {
			results[e.Key] = &Result{Error: "strategy sa exited"}
		}
	}
	return tabulated(t, p, 0, results)
}

// Expected running times, tests against a control, and the effects of a grid's
// keys are what pandas and scipy make of the tidy rows.
func TestRecomputed(t *testing.T) {
	tier.NeedLong(t)
	for _, budget := range []string{"10s", "1000ev", "1000it"} {
		if n := recompute.Check(t, drawn(t, budget, "rw")); n < 500 {
			t.Errorf("%s: only %d numbers were compared", budget, n)
		}
	}
}

// Of two keys, one that adds and one that multiplies, each share of the variance is known: arms'
// means of 0, 2, 0 and 6.
func TestEffects(t *testing.T) {
	p, _ := handmade(1)
	p.Subjects, p.Arms = p.Subjects[:1], nil
	results := map[string]*Result{}
	for i, found := range []int{0, 2, 0, 6} {
		x, y := []string{"a", "b"}[i/2], []string{"0", "1"}[i%2]
		p.Arms = append(p.Arms, Arm{Name: "sa x=" + x + " y=" + y, Strategy: "sa", Mode: ModePaper, Solver: NoSolver, Point: gridfile.Point{{Key: "x", Text: x}, {Key: "y", Text: y}}})
		results["s/A_1 | sa x="+x+" y="+y+" | seed 5"] = result(found, 4, 1)
	}
	a := tabulated(t, p, 0, results)
	e := a.Effects[len(a.Effects)-1]
	// Σ (m − 2)² = 4 + 0 + 4 + 16 = 24: of x 4 · 1², of y 4 · 2², of both 4 · 1².
	for i, want := range []float64{4.0 / 24, 16.0 / 24, 4.0 / 24} {
		if got := e.Factors[i].Share; got < want-1e-12 || got > want+1e-12 {
			t.Errorf("%v: %v, want %v", e.Factors[i].Keys, got, want)
		}
	}
	if l := e.Factors[1].Levels; e.Measure != measureID || e.Grid != "sa" || l[0].Mean != 0 || l[1].Mean != 4 || l[0].CI != nil {
		t.Errorf("%+v", e)
	}
	// A grid without one of its combinations has no effects.
	p.Arms = p.Arms[:3]
	if a := tabulated(t, p, 0, results); a.Effects != nil {
		t.Errorf("%+v", a.Effects)
	}
}
