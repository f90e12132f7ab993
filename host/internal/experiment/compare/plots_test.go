package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/view"
)

// outcome is a run's result: an individual found after t seconds if t > 0; none, with the
// whole space proved fair after −t seconds, if t < 0; undecided at 0.
func outcome(t float64) *Result {
	r := &Result{Cost: experiment.Cost{Seconds: 100}}
	switch {
	case t > 0:
		r.Individuals = []Individual{{X: []float64{1, 0, 1}, Seconds: t / 2}, {X: []float64{2, 0, 1}, Seconds: t, K: 3, Gap: 0.5, Logit1: 2, Logit2: -2}}
	case t < 0:
		r.Seconds, r.Certified, r.Proofs = -t, 1, []Proof{{Limit: 0.05, Grade: "numerical"}}
	}
	return r
}

// raced is a comparison of arms on two networks, with one seed per time in the lists.
func raced(t *testing.T, times map[string][2][]float64, arms ...string) *Comparison {
	t.Helper()
	p, _ := handmade(len(times[arms[0]][0]))
	p.Arms = nil
	for _, name := range arms {
		p.Arms = append(p.Arms, Arm{Name: name, Solver: "highs", Notion: "score", Epsilon: "0.05"})
	}
	c, err := Tabulate(p, func(e Entry) (*Result, error) {
		of := times[e.Arm.Name][e.Subject.Model[2]-'1']
		if i := int(e.Seed - p.Seed); i < len(of) {
			return outcome(of[i]), nil
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// figures are a comparison's by name.
func figures(c *Comparison) (map[string]*view.Figure, []string) {
	out := map[string]*view.Figure{}
	all, without := c.Figures()
	for _, f := range all {
		out[f.Name] = f
	}
	return out, without
}

func TestFigures(t *testing.T) {
	c := raced(t, map[string][2][]float64{"one": {{1, 4}, {-10, 0}}, "two": {{2, 1}, {0, 0}}, "three": {{0, 0}, {0, -50}}}, "two", "one", "three")
	all, without := figures(c)
	if len(all) != 10 || without != nil || all["critical-difference-certified"] == nil || all["scatter-one-two"] == nil || all["scatter-one-three"] == nil {
		t.Fatalf("%v, %v", all, without)
	}
	for _, w := range []struct {
		figure, series string
		look           int
		want           []view.Point
	}{
		{"cactus", "virtual best", view.Ideal, []view.Point{{X: 0.8}, {X: 1, Y: 1}, {X: 1, Y: 2}, {X: 10, Y: 3}, {X: 50, Y: 4}, {X: 100, Y: 4}}},
		{"cactus", "two", 1, []view.Point{{X: 0.8}, {X: 1, Y: 1}, {X: 2, Y: 2}, {X: 100, Y: 2}}},
		{"cactus", "one", 2, []view.Point{{X: 0.8}, {X: 1, Y: 1}, {X: 4, Y: 2}, {X: 10, Y: 3}, {X: 100, Y: 3}}},
		{"cactus", "three", 3, []view.Point{{X: 0.8}, {X: 50, Y: 1}, {X: 100, Y: 1}}},
		{"profile", "two", 1, []view.Point{{X: 1}, {X: 1, Y: 0.25}, {X: 2, Y: 0.5}, {X: 4.4, Y: 0.5}}},
		{"profile", "one", 2, []view.Point{{X: 1}, {X: 1, Y: 0.25}, {X: 1, Y: 0.5}, {X: 4, Y: 0.75}, {X: 4.4, Y: 0.75}}},
		// From the top two, one, three, virtual best.
		{"contribution", "by this arm alone", 0, []view.Point{{X: 1, Y: 3}, {X: 1, Y: 2}, {X: 2, Y: 1}}},
		{"contribution", "first of several", 0, []view.Point{{X: 1, Y: 4}, {X: 1, Y: 3}, {X: 2, Y: 1}}},
		{"contribution", "after another", 0, []view.Point{{X: 1, Y: 4}, {X: 1, Y: 3}}},
		{"scatter-one-two", "individual found (2)", 1, []view.Point{{X: 1, Y: 2}, {X: 4, Y: 1}}},
		{"scatter-one-two", "proved fair (1)", 2, []view.Point{{X: 10, Y: 150}}},
		{"scatter-one-two", "decided by neither (1)", 9, []view.Point{{X: 150, Y: 150}}},
		{"scatter-one-three", "proved fair (2)", 2, []view.Point{{X: 10, Y: 150}, {X: 150, Y: 50}}},
	} {
		seen := false
		for _, s := range all[w.figure].Series {
			if s.Name != w.series {
				continue
			}
			seen = true
			got := append(append(s.Steps, s.Dots...), s.Bars...)
			if d := cmp.Diff(w.want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })); d != "" || s.Look != w.look {
				t.Errorf("%s, %s: look %d, %s", w.figure, w.series, s.Look, d)
			}
		}
		if !seen {
			t.Errorf("%s has no %s", w.figure, w.series)
		}
	}
	if f := all["contribution"]; strings.Join(f.Y.Names, " ") != "virtual best three one two" {
		t.Errorf("%v", f.Y.Names)
	}
}

// A proof of the whole space that an individual refutes is no decision, and is marked; the
// arm's other proofs count.
func TestFiguresMarkContradictions(t *testing.T) {
	c := raced(t, map[string][2][]float64{"honest": {{9, 0}, {-9, -9}}, "liar": {{-1, -1}, {-5, 0}}}, "liar", "honest")
	all, _ := figures(c)
	var names []string
	for _, s := range all["scatter-honest-liar"].Series {
		if s.Look == view.Alarm {
			if d := cmp.Diff([]view.Point{{X: 9, Y: 1}, {X: 150, Y: 1}}, s.Dots); d != "" || s.Name != "proof refuted (2)" {
				t.Error(s.Name, d)
			}
		}
	}
	for _, s := range all["cactus"].Series {
		names = append(names, fmt.Sprint(s.Name, " ", s.Steps[len(s.Steps)-1].Y))
	}
	if strings.Join(names, ", ") != "virtual best 3, †liar 1, honest 3" || !strings.Contains(all["cactus"].Caption, "†: a proof of this arm was refuted.") {
		t.Errorf("%v: %s", names, all["cactus"].Caption)
	}
	if f := all["profile"]; !strings.Contains(f.Caption, "Decided by at least one arm: 3.") {
		t.Errorf("%s", f.Caption)
	}
}

// Times of a budget in processor time are processor time.
func TestFiguresOfProcessorTime(t *testing.T) {
	p, _ := handmade(1)
	p.Clock, p.Subjects, p.Arms = clock.CPUTime, p.Subjects[:1], p.Arms[:2]
	c, err := Tabulate(p, func(e Entry) (*Result, error) {
		r := outcome(-20)
		r.CPU = 5
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := figures(c)
	if f := all["cactus"]; f.X.Label != "processor time (s)" || f.Series[1].Steps[1].X != 5 {
		t.Errorf("%+v", f)
	}
}

func TestFiguresOfLittle(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      *Comparison
		figures int
		without string
	}{
		{"one arm, one task", raced(t, map[string][2][]float64{"a": {{1}, {}}}, "a"), 1, "one arm: scatter, profile and contribution need at least two"},
		{"one task", raced(t, map[string][2][]float64{"a": {{1}, {}}, "b": {{1}, {}}}, "a", "b"), 4, ""},
		{"nobody decides", raced(t, map[string][2][]float64{"a": {{0}, {0}}, "b": {{0}, {0}}}, "a", "b"), 0, "no plots: no arm decided any task"},
		{"nothing done by both", raced(t, map[string][2][]float64{"a": {{1}, {}}, "b": {{}, {1}}}, "a", "b"), 0, "no plots: no task has been done by every arm"},
		{"at once", raced(t, map[string][2][]float64{"a": {{1e-9}, {1e-9}}, "b": {{1e-9}, {1e9}}}, "a", "b"), 9, ""},
	} {
		all, without := c.of.Figures()
		if len(all) != c.figures || strings.Join(without, "") != c.without {
			t.Errorf("%s: %d figures, %q", c.name, len(all), without)
		}
		if err := c.of.Draw(t.TempDir(), view.SVG, all); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.name == "one task" && !strings.Contains(all[0].Caption, "INCOMPLETE: without 1 task(s) that not every arm has done.") {
			t.Errorf("%s: %s", c.name, all[0].Caption)
		}
	}
}

// The best of eleven arms is held against eight; names that make no file names, and those
// that would make the same one, have their files.
func TestFiguresOfMany(t *testing.T) {
	times, names := map[string][2][]float64{}, []string{"best", "../a:b", "../a b", strings.Repeat("ü", 200)}
	for len(names) < 11 {
		names = append(names, fmt.Sprint("arm ", len(names)))
	}
	for i, name := range names {
		times[name] = [2][]float64{{float64(1 + i)}, {float64(2 + i)}}
	}
	c := raced(t, times, names...)
	all, without := c.Figures()
	if len(all) != 5+maxScatters+5 || strings.Join(without, "") != "scatter: best, which decided most, against the 8 next best of 10 other arms" {
		t.Errorf("%d figures, %q", len(all), without)
	}
	dir := filepath.Join(t.TempDir(), "new")
	if err := c.Draw(dir, view.SVG, all); err != nil {
		t.Fatal(err)
	}
	written, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil || len(written) != len(all) {
		t.Errorf("%v, %v", written, err)
	}
	if d := cmp.Diff(written, c.Plots); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(filepath.Join(dir, "scatter-best-.._a_b-2.svg"))
	if err != nil || !strings.Contains(string(text), ">../a b: time to the first individual (s)<") {
		t.Error(err)
	}
}
