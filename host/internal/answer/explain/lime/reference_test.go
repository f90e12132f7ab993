package lime

import (
	"context"
	_ "embed"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/space"
)

// need is a Python with the package, which only the long tier installs. It skips the test without one, and fails it
// where CI=true promises one.
func need(t *testing.T) string {
	t.Helper()
	tier.NeedLong(t)
	python, err := FindReference(t.Context())
	switch {
	case err == nil:
		return python
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	}
	t.Skipf("SKIPPED %s: %v", t.Name(), err)
	return ""
}

// partsScript computes the package's deterministic parts.
//
//go:embed testdata/parts.py
var partsScript string

type parts struct {
	Columns []struct {
		Places, Shares, Low, High, Mean, SD []float64
		Of                                  []float64
	}
	Kernel []float64
	Fits   []struct {
		Features             int
		Selection            string
		Weights              []float64
		Intercept, R2, Local float64
	}
}

// On the same rows and samples, this LIME and the package agree to the last digits: bins
// and their distributions, the kernel, the selected features, the weights, the intercept
// and R².
func TestPartsAreThePackages(t *testing.T) {
	python := need(t)
	st, err := study.Load("../../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	s, rows := st.Space, data.Points
	e := explainer(t, s, rows)
	var question struct {
		Training    [][]float64 `json:"training"`
		Categorical []int       `json:"categorical"`
		Same        [][]float64 `json:"same"`
		Scores      []float64   `json:"scores"`
	}
	question.Training, question.Categorical = rows, []int{}
	for i := range s.Features {
		if s.Features[i].Kind == space.Categorical {
			question.Categorical = append(question.Categorical, i)
		}
	}
	score := Score(st.Model, s)
	m := newMoments(len(s.Features))
	var kernel []float64
	e.sample(rows[11], 1000, random(2), func(x, same []float64, apart int) {
		question.Same = append(question.Same, append([]float64(nil), same...))
		question.Scores = append(question.Scores, score(x))
		kernel = append(kernel, e.kernel[apart])
		m.add(same, score(x), e.kernel[apart])
	})
	var theirs parts
	if err := runPython(t.Context(), python, partsScript, question, &theirs); err != nil {
		t.Fatal(err)
	}

	exactly := cmpopts.EquateApprox(0, 1e-9)
	if d := cmp.Diff(theirs.Kernel, kernel, exactly); d != "" {
		t.Errorf("kernel:\n%s", d)
	}
	for i, want := range theirs.Columns {
		c, last := &e.columns[i], 0.0
		got := want
		got.Places, got.Shares, got.Low, got.High, got.Mean, got.SD, got.Of = nil, nil, nil, nil, nil, nil, nil
		for _, b := range c.bins {
			got.Places, got.Shares = append(got.Places, b.place), append(got.Shares, b.upTo-last)
			last = b.upTo
			if !c.categorical {
				got.Low, got.High, got.Mean, got.SD = append(got.Low, b.low), append(got.High, b.high), append(got.Mean, b.mean), append(got.SD, b.sd)
			}
		}
		for _, row := range rows {
			if !c.categorical {
				got.Of = append(got.Of, c.place(row[i]))
			}
		}
		if d := cmp.Diff(want, got, exactly); d != "" {
			t.Errorf("%s:\n%s", s.Features[i].Name, d)
		}
	}
	r := m.centred()
	for _, want := range theirs.Fits {
		selected := map[string]func(int) []int{
			"auto": r.selected, "forward_selection": r.forward, "highest_weights": r.highest, "none": func(int) []int { return r.all() },
		}[want.Selection](want.Features)
		got := want
		f, err := r.fit(selected, alpha)
		if err != nil {
			t.Fatal(err)
		}
		got.Weights, got.Intercept, got.R2, got.Local = f.weights, f.intercept, f.r2, f.intercept
		for _, w := range f.weights {
			got.Local += w
		}
		if d := cmp.Diff(want, got, exactly); d != "" {
			t.Errorf("%s of %d features:\n%s", want.Selection, want.Features, d)
		}
	}
}

// compared compares with the package on randomly drawn individuals of a study's data.
// Rankings must agree as well as under another seed, and R² up to sampling noise.
func compared(t *testing.T, python string, st *study.Study, people int, least float64) {
	t.Helper()
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	rng := random(50)
	var points [][]float64
	for range people {
		points = append(points, data.Points[rng.IntN(len(data.Points))])
	}
	c, err := Compare(t.Context(), python, st.Model, st.Space, data.Points, points, DefaultSamples, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", *c)
	if c.Points != people || c.Samples != DefaultSamples || c.Python != python || c.Version == "" {
		t.Errorf("%+v", *c)
	}
	if c.Spearman < least || c.Median < least || c.Spearman < c.Again-0.05 || c.Least > c.Median || c.Top3 < 2.5 {
		t.Errorf("rankings agree by %v, median %v, least %v; with another seed of ours %v; %v in common", c.Spearman, c.Median, c.Least, c.Again, c.Top3)
	}
	if math.Abs(c.R2-c.ReferenceR2) > 0.03 {
		t.Errorf("R² is %v, the package's %v", c.R2, c.ReferenceR2)
	}
}

func TestAgreesWithThePackageOnLoan(t *testing.T) {
	python := need(t)
	st, err := study.Load("../../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared(t, python, st, 10, 0.9)
}

// Fifty people of AC-1.
func TestAgreesWithThePackageOnAdult(t *testing.T) {
	root := tier.NeedData(t, "adult", "models", "AC-1.h5")
	python := need(t)
	st, err := study.Load("../../../../../studies/adult.yaml", study.Options{DataRoot: root, Model: "AC-1"})
	if err != nil {
		t.Fatal(err)
	}
	compared(t, python, st, 50, 0.9)
}

// fake is a Python that is a shell script.
func fake(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for Python")
	}
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_PYTHON", path)
}

func TestNoReference(t *testing.T) {
	fake(t, "exit 1")
	for _, python := range []string{os.Getenv("HYFAIR_PYTHON"), filepath.Join(t.TempDir(), "nothing")} {
		t.Setenv("HYFAIR_PYTHON", python)
		_, err := FindReference(t.Context())
		if !errors.Is(err, ErrNoReference) || !strings.Contains(err.Error(), "HYFAIR_PYTHON") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", python, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindReference(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The script's answer is validated: numbers, lengths, and scores that match the given
// network.
func TestReferenceThatAnswersNonsense(t *testing.T) {
	c := office(t)
	for _, f := range []struct{ script, says string }{
		{"echo no such thing >&2; exit 3", "no such thing"},
		{"echo Traceback", "answer"},
		{`echo '{"weights":[],"r2":[],"scores":[]}'`, "0 points of 1"},
		{`echo '{"weights":[[1,2]],"r2":[1],"scores":[0]}'`, "2 features of 5"},
		{`echo '{"weights":[[1,2,3,4,5]],"r2":[1],"scores":[0.9]}'`, "a score of 0.9"},
	} {
		fake(t, "cat >/dev/null; "+f.script)
		_, err := Compare(t.Context(), os.Getenv("HYFAIR_PYTHON"), c.Model, c.Space, c.Rows, c.Rows[:1], 50, 1)
		if err == nil || !strings.Contains(err.Error(), f.says) {
			t.Errorf("%s: %v", f.script, err)
		}
	}
	if _, err := Compare(t.Context(), "python", c.Model, c.Space, c.Rows, nil, 50, 1); err == nil {
		t.Error("nothing was compared, without an error")
	}
}

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{3, -2, 1}, []float64{-30, 20, 10}, 1},
		{[]float64{3, 2, 1}, []float64{1, 2, 3}, -1},
		{[]float64{1, 2, 3, 4}, []float64{1, 3, 2, 4}, 0.8}, // 1 − 6·2/(4·15)
		{[]float64{1, 1, 2}, []float64{1, 2, 3}, math.Sqrt(0.75)},
		{[]float64{1, 1}, []float64{2, -2}, 1},
		{[]float64{1, 1}, []float64{1, 2}, 0},
	} {
		if got := spearman(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
