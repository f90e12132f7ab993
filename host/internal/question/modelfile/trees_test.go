package modelfile_test

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// What a library computes of its own model is what the model read from its file
// does: to the last bit where it is no mean and not weighed, and on borders and just beside them (testdata/trees/make.py).
func TestTreesComputeWhatTheirLibraryDoes(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct {
		Rows    [][]float64
		Margins []float64
		Width   int
	}
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	files := 0
	for name, e := range expected {
		paths, _ := filepath.Glob("testdata/trees/" + name + ".*")
		for _, path := range paths {
			// A score in single precision, a mean whose leaves are divided, trees that are weighed.
			rounded := e.Width == 0 || name == "lgb-forest" || name == "xgb-dart"
			files++
			share := strings.Contains(path, "sklearn-forest.") || strings.Contains(path, "sklearn-extra") || strings.Contains(path, "sklearn-tree")
			m, _, err := modelfile.Read(path, modelfile.Choice{})
			if err != nil {
				t.Error(err)
				continue
			}
			if (m.Link() == fairness.LinkShare) != share {
				t.Errorf("%s ends in a %s", path, m.Link())
			}
			exact := m.Exact()
			for i, row := range e.Rows {
				got := m.Logit(row)
				if e.Width == 32 {
					got = float64(m.(*trees.Ensemble).Logit32(row))
				}
				if rounded && math.Abs(got-e.Margins[i]) < 1e-6 {
					got = e.Margins[i]
				}
				if got != e.Margins[i] {
					t.Fatalf("%s: row %d: %v, the library has %v", path, i, got, e.Margins[i])
				}
				if score := m.Link().Score(got); m.Link() == fairness.LinkShare && math.Abs(score-(e.Margins[i]+0.5)) > 1e-6 {
					t.Fatalf("%s: row %d: a share of %v, the library has %v", path, i, score, e.Margins[i]+0.5)
				}
				inputs := make([]*big.Rat, len(row))
				for k, v := range row {
					inputs[k] = new(big.Rat).SetFloat64(v)
				}
				if v, _ := exact.Logit(inputs).Float64(); v-got > 1e-5 || got-v > 1e-5 {
					t.Fatalf("%s: row %d: exactly %v, in floats %v", path, i, v, got)
				}
			}
		}
	}
	if files < 27 {
		t.Errorf("%d files", files)
	}
}

// Missing values go where their library sends them, and so does what stands for them in a study. Whatever the
// library compares, all other values go where they went.
func TestMissingValuesGoWhereTheirLibrarySendsThem(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/missing.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct {
		Rows    [][]*float64
		Margins []float64
		Width   int
	}
	if err := json.Unmarshal(text, &expected); err != nil || len(expected) != 8 {
		t.Fatalf("%d files, %v", len(expected), err)
	}
	s := &space.Space{Inputs: 5}
	for i := range s.Inputs {
		s.Features = append(s.Features, space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Lo: -10, Hi: 100, Missing: true, Inputs: []space.Input{{Index: i, Scale: 1}}})
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, e := range expected {
		paths, _ := filepath.Glob("testdata/trees/" + name + ".*")
		m, _, err := modelfile.Read(paths[0], modelfile.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		own := m.(*trees.Ensemble)
		coded := own.Coded(s)
		for i, row := range e.Rows {
			lacks, point := make([]float64, len(row)), make([]float64, len(row))
			for k, v := range row {
				if lacks[k], point[k] = math.NaN(), s.Features[k].Hi; v != nil {
					lacks[k], point[k] = *v, *v
				}
			}
			for _, got := range []float64{own.Logit(lacks), coded.Logit(point)} {
				if e.Width == 0 && math.Abs(got-e.Margins[i]) < 1e-6 { // of scores in single precision
					got = e.Margins[i]
				}
				if e.Width == 32 {
					got = float64(coded.Logit32(point))
				}
				if got != e.Margins[i] {
					t.Fatalf("%s: row %d: %v, the library has %v", name, i, got, e.Margins[i])
				}
			}
		}
	}
}

// TestCatBoost: raw values are CatBoost's, on borders and beside them and of missing values, and inputs have its names.
func TestCatBoost(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/catboost.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct {
		Rows [][]*float64
		Raw  []float64
	}
	if err := json.Unmarshal(text, &expected); err != nil || len(expected) != 6 {
		t.Fatalf("%d files, %v", len(expected), err)
	}
	for name, e := range expected {
		m, info, err := modelfile.Read("testdata/trees/"+name+".json", modelfile.Choice{})
		if err != nil {
			t.Error(err)
			continue
		}
		want := []string{"age", "same", "kids", "income"}
		if name == "cat-words" {
			want = []string{"job_c e", "job_ä", "age", "town_y", "level_2", "income"}
		}
		if info.Format != "catboost-json" || info.Producer != "CatBoost 1.2.10" || !slices.Equal(info.InputNames, want) || info.Linear != (name == "cat-regression") {
			t.Errorf("%s: %+v", name, info)
		}
		for i, row := range e.Rows {
			inputs := make([]float64, len(row))
			for k, v := range row {
				if inputs[k] = math.NaN(); v != nil {
					inputs[k] = *v
				}
			}
			got := m.Logit(inputs)
			if name == "cat-regression" && math.Abs(got-e.Raw[i]) < 1e-15 { // its leaves are scaled
				got = e.Raw[i]
			}
			if got != e.Raw[i] {
				t.Fatalf("%s: row %d, %v: %v, CatBoost has %v", name, i, inputs, got, e.Raw[i])
			}
		}
	}
}

// Of a forest of several classes the share of each is read exactly. Of any class, and of sums that are logits, the class wins
// that the library predicts.
func TestSharesOfClasses(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/classes.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]struct{ Rows, Shares [][]float64 }
	if err := json.Unmarshal(text, &expected); err != nil || len(expected) != 3 {
		t.Fatalf("%d files, %v", len(expected), err)
	}
	for name, e := range expected {
		path := "testdata/trees/" + name + ".onnx"
		for class := -1; class < 7; class++ {
			class, any := class, class > 3
			if any {
				class -= 4
			}
			choice := modelfile.Choice{Class: &class, Any: any}
			want := ""
			switch {
			case class == -1 && name == "sklearn-classes-boosting":
				choice.Class, want = nil, "the model has 3 classes: name one in the study"
			case class == -1:
				choice.Class, want = nil, "has 3 classes (high, low, middle): name one"
			case class == 3:
				want = "got 3, want one of the model's 3 classes, counted from 0"
			}
			m, info, err := modelfile.Read(path, choice)
			if want != "" {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, class %d: %v, want %q", name, class, err, want)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s, class %d: %v", name, class, err)
			}
			if choice.Any || name == "sklearn-classes-boosting" {
				if m.Family() != trees.ClassesFamily || !info.OneOfMany || info.Classes != 3 || info.ShareOfMany {
					t.Errorf("%s, class %d: a model of the family %s, %+v", name, class, m.Family(), info)
				}
				for i, row := range e.Rows {
					shares := e.Shares[i]
					others := slices.Max(slices.Delete(slices.Clone(shares), class, class+1))
					if margin := m.Logit(row); math.Abs(shares[class]-others) > 1e-6 && margin > 0 != (shares[class] > others) {
						t.Fatalf("%s, class %d, row %d: a margin of %v, the library has the shares %v", name, class, i, margin, shares)
					}
				}
				continue
			}
			if m.Link() != fairness.LinkShare || !info.ShareOfMany || info.OneOfMany {
				t.Errorf("%s, class %d: a %s, %+v", name, class, m.Link(), info)
			}
			for i, row := range e.Rows {
				if got := m.Link().Score(m.Logit(row)); math.Abs(got-e.Shares[i][class]) > 1e-6 {
					t.Fatalf("%s, class %d, row %d: a share of %v, the library has %v", name, class, i, got, e.Shares[i][class])
				}
			}
		}
	}
}

// TestCategoriesInFiles: the lists of real files, texts and numbers, in the order of their codes.
func TestCategoriesInFiles(t *testing.T) {
	towns := []string{"Évry", `Aix, "old"`, "b=c"}
	for file, want := range map[string]map[int][]string{
		"lightgbm.txt": {2: {"3", "1", "2"}, 3: towns, 4: {"woman", "man"}},
		"xgboost.json": {1: {"low", "medium", "high"}, 2: {"3", "1", "2"}, 3: nil, 4: {"woman", "man"}},
		"xgboost.ubj":  {1: {"low", "medium", "high"}, 2: {"3", "1", "2"}, 3: nil, 4: {"woman", "man"}},
	} {
		_, info, err := modelfile.Read("testdata/categories/"+file, modelfile.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		for i, list := range want {
			c, ok := info.Codes[i]
			if !ok || c.Number || len(c.Lists) != min(1, len(list)) || list != nil && !slices.Equal(c.Lists[0], list) {
				t.Errorf("%s: input %d: %+v, want %q", file, i, c, list)
			}
		}
		if file == "lightgbm.txt" { // kids and level are both 0, 1 or 2
			for i := range 2 {
				if c := info.Codes[i]; !c.Number || len(c.Lists) != 1 || c.Lists[0][0] != "low" {
					t.Errorf("input %d: %+v", i, c)
				}
			}
		}
	}
}
