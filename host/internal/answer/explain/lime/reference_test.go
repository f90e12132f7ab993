package lime

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// need is a Python with the package, which only the long tier installs. It skips the test without one, and fails it
// where CI=true promises one.
func need(t *testing.T) string {
	t.Helper()
	tier.NeedLong(t)
	const python, missing = "../../../../../.deps/python/bin/python", "no Python with lime in .deps/python: make setup-lime installs it"
	out, err := exec.Command(python, "-c", "import lime").CombinedOutput()
	switch {
	case err == nil:
		return python
	case os.Getenv("CI") == "true":
		t.Fatalf("%s\n%s", missing, out)
	}
	t.Skip("SKIPPED, " + missing)
	return ""
}

// ask runs a script with a question as JSON on its standard input, and decodes its answer.
func ask(t *testing.T, python, script string, question, answer any) {
	t.Helper()
	asked, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "-c", script)
	command.Stdin, command.Stderr = bytes.NewReader(asked), os.Stderr
	text, err := command.Output()
	if err == nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		t.Fatal(err)
	}
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
	ask(t, python, partsScript, question, &theirs)

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

// referenceScript explains points by the package.
//
//go:embed testdata/reference.py
var referenceScript string

// reference has the package's explanations, one for each point; weights have one for each feature.
type reference struct {
	Weights    [][]float64
	R2, Scores []float64
}

// compared explains rows of a study's data, drawn at random, by this LIME and by the package. Rankings of features by
// absolute weight must agree as well as with those under another seed, and R² up to sampling noise.
func compared(t *testing.T, python string, st *study.Study, people int) {
	t.Helper()
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	n, err := relu.Of(st.Model, "the package lime")
	if err != nil {
		t.Fatal(err)
	}
	rng := random(50)
	var points [][]float64
	for range people {
		points = append(points, data.Points[rng.IntN(len(data.Points))])
	}
	var theirs reference
	ask(t, python, referenceScript, map[string]any{
		"training": data.Points, "points": points, "samples": DefaultSamples, "seed": 1,
		"inputs": st.Space.Inputs, "features": st.Space.Features, "layers": n.Layers,
	}, &theirs)
	e, score := explainer(t, st.Space, data.Points), Score(st.Model, st.Space)
	var agree, again []float64
	var both, r2 float64
	for i, point := range points {
		if got := theirs.Scores[i]; math.Abs(got-score(point)) > 1e-6 {
			t.Fatalf("point %d: the package explains a score of %v, the model's is %v", i, got, score(point))
		}
		var ours [2]*Explanation
		for seed := range ours {
			if ours[seed], err = e.Explain(point, score, Options{Samples: DefaultSamples, Features: len(point)}, random(uint64(2*i+seed))); err != nil {
				t.Fatal(err)
			}
		}
		its := Explanation{Weights: theirs.Weights[i]}
		agree, again = append(agree, spearman(ours[0].Weights, its.Weights)), append(again, spearman(ours[0].Weights, ours[1].Weights))
		r2 += ours[0].R2 - theirs.R2[i]
		for _, f := range ours[0].Top(top) {
			if slices.Contains(its.Top(top), f) {
				both++
			}
		}
	}
	slices.Sort(agree)
	mean, median, noise, common := statistics.Mean(agree), statistics.Quantile(agree, 0.5), statistics.Mean(again), both/float64(people)
	t.Logf("Spearman's correlation: mean %.3f, median %.3f, least %.3f; with another seed of ours %.3f; of the strongest three %.2f in common", mean, median, agree[0], noise, common)
	if min(mean, median) < 0.9 || mean < noise-0.05 || common < 2.5 {
		t.Error("the rankings differ")
	}
	if off := r2 / float64(people); math.Abs(off) > 0.03 {
		t.Errorf("R² is %v above the package's", off)
	}
}

// spearman is the rank correlation of two lists of weights by absolute value.
func spearman(a, b []float64) float64 {
	ranks := func(weights []float64) []float64 {
		sizes := make([]float64, len(weights))
		for i, w := range weights {
			sizes[i] = math.Abs(w)
		}
		return statistics.Ranks(sizes)
	}
	return stat.Correlation(ranks(a), ranks(b), nil)
}

func TestAgreesWithThePackageOnLoan(t *testing.T) {
	python := need(t)
	st, err := study.Load("../../../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compared(t, python, st, 10)
}

// Fifty people of AC-1.
func TestAgreesWithThePackageOnAdult(t *testing.T) {
	root := tier.NeedData(t, "adult", "models", "AC-1.h5")
	python := need(t)
	st, err := study.Load("../../../../../studies/adult.yaml", study.Options{DataRoot: root, Model: "AC-1"})
	if err != nil {
		t.Fatal(err)
	}
	compared(t, python, st, 50)
}
