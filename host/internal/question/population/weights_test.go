package population

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/space"
)

// written writes a file and returns its path.
func written(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// cellsFile writes a table.
func cellsFile(t testing.TB, text string) string { return written(t, "cells.csv", text) }

// boxOf returns the box that a predicate describes; of a set of values, the first.
func boxOf(t testing.TB, s *space.Space, text string) space.Box {
	t.Helper()
	box := s.Whole().Box
	conditions, err := space.ParsePredicate(s, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range conditions {
		if box[c.Feature] = box[c.Feature].Intersect(c.Interval); c.Set != nil {
			box[c.Feature] = space.Interval{Lo: float64(c.Set[0]), Hi: float64(c.Set[0])}
		}
	}
	return box
}

func lender() *space.Space {
	return &space.Space{Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 18, Hi: 117},
		{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"none", "office", "shop"}},
		{Name: "income", Kind: space.Real, Hi: 11, Missing: true},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
	}}
}

// TestWeights: masses and draws of boxes that cells meet in part, and the likelihood of rows.
func TestWeights(t *testing.T) {
	s := lender()
	path := cellsFile(t, "age,weight,job,income\n18..27,1,none,..5\n18..27,2,office|shop,..5\n28..,4.5,office,5..10\n28..,0,none,5..10\n28..,0.5,shop,missing\n")
	source, err := Parse("weights:" + path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := source.Of(t.Context(), s, nil, "", 1)
	if err != nil || p.Held != 0 || p.String() != "5 weighted cells of cells.csv" {
		t.Fatalf("%v, %v", p, err)
	}
	for text, want := range map[string]float64{
		"": 1, "age=18..22": 3.0 / 16, "age=..27,job=office": 1.0 / 8, "income=4..7.5": 3.0/8/5 + 4.5/16, "income=missing": 1.0 / 16, "job=none,age=28..": 0,
	} {
		box := boxOf(t, s, text)
		lo, hi := p.Mass(box)
		if !(lo <= want && want <= hi && hi < lo*(1+1e-12)+1e-200) {
			t.Errorf("%q: a mass of %v to %v, want %v", text, lo, hi, want)
		}
		q := p.Within(box)
		if (q == nil) != (want == 0) {
			t.Errorf("%q: restricted to %v", text, q)
		}
		for range 200 {
			if x := p.Draw(rand.New(rand.NewPCG(1, 1))); x[0] < 28 != (x[2] < 5) {
				t.Fatalf("drew %v", x)
			}
			if q != nil && !box[0].Contains(q.Draw(rand.New(rand.NewPCG(2, 2)))[0]) {
				t.Fatalf("%q: drew an age outside", text)
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	var rows [][]float64
	for k := range 1000 {
		rows = append(rows, []float64{20, float64(k % 5 / 4), 5 * r.Float64(), 0})
	}
	rows[0][0], rows[0][2] = 40, 1 // impossible
	p, err = weighted(t.Context(), path, s, rows, 1)
	if err != nil || p.Rows != 900 || p.Held != 100 || p.Impossible > 1 || math.IsInf(p.Fitted, 0) || !(p.Fitted > p.Even) {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = weighted(t.Context(), cellsFile(t, "job,weight\noffice,1\n"), s, rows, 1)
	if err != nil || p.Impossible == 0 || !strings.Contains(p.Text(), " have probability 0. Of the others, ") || !strings.Contains(p.String(), "other features independent, with the frequencies of 900 rows") {
		t.Errorf("%+v, %v", p, err)
	}
	if of := p.Fitted - p.Alone; math.Abs(of+math.Log(0.2)) > 0.02 { // the same rows, of which all have the job
		t.Errorf("log-likelihoods %v and %v of the same rows", p.Fitted, p.Alone)
	}
	if young, _ := p.Mass(space.Box{{Lo: 20, Hi: 20}, {Hi: 2}, {Hi: 11}, {}}); young < 0.9 {
		t.Errorf("%v of the people are 20", young)
	}
}

func TestWeightsRefused(t *testing.T) {
	s := lender()
	for text, want := range map[string]string{
		"":                                  "want a header",
		"age\n18\n":                         ":1: got no column weight",
		"age,weight\n18,-1\n":               `:2: got the weight "-1"`,
		"age,weight\n18,1\n19,NaN\n":        `:3: got the weight "NaN"`,
		"age,weight\n18,Inf\n":              `:2: got the weight "Inf"`,
		"age,weight\n18,0\n19,0\n":          "add up to 0",
		"age,weight\n":                      "add up to 0",
		"age,weight\n18,1e308\n19,1e308\n":  "add up to +Inf",
		"age,weight\n18..20,1\n19..21,1\n":  ":3: the cell overlaps that of line 2",
		"weight\n1\n1\n":                    ":3: the cell overlaps that of line 2",
		"job,weight\nnone|shop,1\nshop,0\n": ":3: the cell overlaps",
		"job,weight\nofice,1\n":             `:2: job: no category "ofice"`,
		"age,weight\n200,1\n":               ":2: age: 200 never holds",
		"aeg,weight\n18,1\n":                `:1: no feature "aeg"; did you mean "age"?`,
		"sex,weight\nf,1\n":                 ":1: sex is protected",
		"age,age,weight\n18,18,1\n":         ":1: column \"age\" appears twice",
		"income,weight\n5,1\n":              ":2: income: 5 is one real number",
		"income,weight\n5..missing,1\n":     ":2: income: 5..missing has numbers and missing",
		"age,weight\n18,1,1\n":              "line 2",
		"age,weight\n18,1\n" + strings.Repeat("19,1\n", mostWeights): "got more than 4096 cells",
	} {
		if _, err := weighted(t.Context(), cellsFile(t, text), s, nil, 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "cells.csv") {
			t.Errorf("%.40q: error %v, want %q", text, err, want)
		}
	}
	if _, err := weighted(t.Context(), "nothing.csv", s, nil, 1); err == nil {
		t.Error("read a file that does not exist")
	}
}

// TestDrawnWeights: the individuals of drawn tables have masses that add up to 1.
func TestDrawnWeights(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 19))
		s := known.Space(r)
		text := known.Weights(r, s)
		p, err := weighted(t.Context(), cellsFile(t, text), s, nil, 1)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		all := 0.0
		box := s.Whole().Box
		for x := range s.Individuals(s.Whole().Box) {
			for _, i := range s.Free() {
				box[i] = space.Interval{Lo: x[i], Hi: x[i]}
			}
			lo, _ := p.Mass(box)
			all += lo
		}
		if math.Abs(all-1) > 1e-9 {
			t.Errorf("seed %d: masses add up to %v: %s", seed, all, text)
		}
	}
}
