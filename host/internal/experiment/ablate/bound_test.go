package ablate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

// claims is a solver that claims a bound per network, by its model's name, or fails without
// one. It notes the networks asked about.
type claims struct {
	k     map[string]int
	asked []string
}

func (c *claims) ask(_ context.Context, s *Subject) (*search.Bound, error) {
	c.asked = append(c.asked, s.Model)
	k, ok := c.k[s.Model]
	if !ok {
		return &search.Bound{MaxK: 20, Error: "lost"}, errors.New("the solver exited")
	}
	return &search.Bound{MaxK: k, Grade: "rigorous", Solver: "prover", Seconds: 1.25}, nil
}

// Each network is asked about, once more where that fails; what fails for good or is cut
// short is asked again the next time, and nothing is asked without a time to do so.
func TestProve(t *testing.T) {
	p := smallPlan(1, 1)
	p.Subjects = []Subject{on("a"), on("b"), on("c")}
	c := &claims{k: map[string]int{"a": 9, "c": 4}}
	var told []experiment.Progress
	bench := &experiment.Bench{Kept: newMemory(), Progress: func(s experiment.Progress) { told = append(told, s) }}
	if err := p.prove(t.Context(), bench, c.ask); err != nil || len(c.asked) > 0 {
		t.Fatalf("without a time: %v, asked about %v", err, c.asked)
	}
	p.Bound = time.Second
	err := p.prove(t.Context(), bench, c.ask)
	if err == nil || !strings.Contains(err.Error(), "s/b | bound: the solver exited") || !slices.Equal(c.asked, []string{"a", "b", "b", "c"}) {
		t.Errorf("%v, asked about %v", err, c.asked)
	}
	if last := told[len(told)-1]; last.Done != 2 || last.Failed != 1 || last.Retried != 1 || last.Total != 3 {
		t.Errorf("told %+v", last)
	}

	ctx, cancel := context.WithCancel(t.Context())
	err = p.prove(ctx, bench, func(context.Context, *Subject) (*search.Bound, error) {
		cancel()
		return &search.Bound{MaxK: 20}, nil
	})
	if err != nil {
		t.Errorf("cut short: %v", err)
	}
	c.asked, c.k["b"] = nil, 7
	if err := p.prove(ctx, bench, c.ask); err != nil || len(c.asked) > 0 {
		t.Errorf("after the end: %v, asked about %v", err, c.asked)
	}
	if err := p.prove(t.Context(), bench, c.ask); err != nil || !slices.Equal(c.asked, []string{"b"}) {
		t.Errorf("%v, asked about %v", err, c.asked)
	}
}

// A bound stands beside what each search found: certified where one reached it,
// and none where one went beyond.
func TestBoundsInTheTables(t *testing.T) {
	p, results := handmade(2)
	p.Subjects = append(p.Subjects, on("A_3"), on("A_4"))
	for _, e := range p.Entries() {
		if results[e.Key] == nil {
			results[e.Key] = result(3, 5, 1)
		}
	}
	p.Bound = time.Second
	m := newMemory()
	if err := p.prove(t.Context(), &experiment.Bench{Kept: m}, (&claims{k: map[string]int{"A_1": 9, "A_2": 11, "A_3": 4}}).ask); err == nil {
		t.Error("A_4 was lost without an error")
	}
	a := tabulated(t, p, 0, results)
	if err := a.TakeBounds(p, m); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(a.Disagreements, "\n"); !strings.Contains(all, "s/A_3, bound: a proof was refuted by a replayed witness: solver prover: it claims that no individual reaches more than 4 bins; a search found one that reaches 5") {
		t.Errorf("%v", all)
	}
	if len(a.Bounds) != 3 || !a.Bounds[0].Certified || a.Bounds[0].Found != 9 || a.Bounds[1].Certified || a.Bounds[2].Error == "" {
		t.Errorf("%+v", a.Bounds)
	}
	var table, csv strings.Builder
	if err := errors.Join(a.Document().Write(&table, view.Text, view.Options{}), a.Document().Write(&csv, view.CSV, view.Options{})); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(table.String(), "\n")
	for i := range a.Cells {
		c := &a.Cells[i]
		want := map[string]string{"A_1": " = 9 ", "A_2": " ≤ 11 ", "A_3": " refuted ", "A_4": " – "}[c.Model]
		at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, fmt.Sprintf("%s        %s ", c.Model, c.Arm)) })
		if at < 0 || !strings.Contains(lines[at], want) {
			t.Errorf("%s, %s: no %q in\n%s", c.Model, c.Arm, want, table.String())
		}
	}
	if want := "by prover (rigorous) in at most 1.2 s each"; !strings.Contains(table.String(), want) {
		t.Errorf("no %q in\n%s", want, table.String())
	}
	for _, want := range []string{"bound,bound.certified,bound.grade", ",9,true,rigorous,", ",11,false,rigorous,", ",,,,"} {
		if !strings.Contains(csv.String(), want) {
			t.Errorf("no %q in\n%s", want, csv.String())
		}
	}
}
