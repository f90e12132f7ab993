package study_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/space"
)

// lacking is a study of a model whose first comparison (age < 40) sends a missing value left, and whose second
// (work is b or c) right.
func lacking(t *testing.T, features, more string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"model.json": `{"learner":{"gradient_booster":{"model":{"trees":[` +
			`{"default_left":[1,0,0,0,0],"left_children":[1,-1,3,-1,-1],"right_children":[2,-1,4,-1,-1],"split_conditions":[40,1,0,2,3],"split_indices":[0,0,1,0,0],"split_type":[0,0,1,0,0],` +
			`"categories":[1,2],"categories_nodes":[2],"categories_segments":[0],"categories_sizes":[2]}]},"name":"gbtree"},` +
			`"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"2","num_target":"1"},"objective":{"name":"binary:logistic"}},"version":[3,1,0]}`,
		"network.json": `{"format": "hyfair-network", "version": 1, "precision": 32, "head": "sigmoid", "layers": [{"name": "o", "inputs": 2, "units": 1, "activation": "linear", "weights": [[1, 1]], "bias": [0]}]}`,
		"people.csv":   "age,work,note\n39,a,x\n40,b,\n,c,x\n80,,x\n,,x\n41,a,x\n50,?,\n",
		"study.yaml":   "model: model.json\ndata: {files: [people.csv], missing: [\"\", \"?\"], drop: [note]}\nfeatures:\n" + features + more,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

const mayLack = "  age: {integer: 18..80, missing: true}\n  work: {categories: [a, b, c], missing: true, encode: {map: {\"?\": a}}}\n"

// A row with an empty cell is a person of whom that is missing, whom the trees send where their file says.
func TestMissingValuesArePeople(t *testing.T) {
	st, err := study.Load(lacking(t, mayLack, "protected: {age: [missing, 20]}\n"), study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := st.Data()
	if err != nil || d.Dropped != 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	var logits []float64
	text := "age,work\n"
	for _, p := range d.Points {
		logits = append(logits, st.Model.Logit(st.Space.NetworkInputs(nil, p)))
		text += st.Space.Features[0].Label(p[0]) + "," + st.Space.Features[1].Label(p[1]) + "\n"
	}
	if want := []float64{1, 3, 1, 3, 1, 2, 2}; !slices.Equal(logits, want) {
		t.Errorf("%v, want %v", logits, want)
	}
	if !strings.Contains(text, "80,missing\nmissing,missing\n") {
		t.Error(text)
	}
	encoded, err := st.Rows(rowsFile(t, text), true)
	if err != nil || !cmp.Equal(encoded.Points, d.Points) {
		t.Errorf("feature values: %v, %v", encoded, err)
	}
	if got := st.Space.Features[0].Protected; !slices.Equal(got, []float64{20, 81}) {
		t.Errorf("protected values %v", got)
	}
	if features, outside, _ := d.Outside(st.Space); features != nil || outside != 0 {
		t.Errorf("%d rows outside the domain: %v", outside, features)
	}
}

// A value that the model's training took for missing goes where that goes, whatever a file of trees says of it; the
// label and the domains keep it.
func TestValuesThatTheModelTakesForMissing(t *testing.T) {
	folder := lacking(t, "  age: {integer: 0..80}\n  work: {categories: [a, b, c]}\n", "")
	plain, err := study.Load(folder, study.Options{})
	if err == nil {
		err = plain.KeepInputCheck(study.InputCheck{Checked: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	if again, err := study.Load(folder, study.Options{}); err != nil || !again.InputCheck().Checked {
		t.Fatal(err)
	}
	for more, want := range map[string][2]float64{
		"model: {file: model.json}\n":                {1, 2}, // of age 18 and 60, with work a
		"model: {file: model.json, missing: 60}\n":   {1, 1},
		"model: {file: model.json, missing: 0}\n":    {1, 3}, // code 0 of work, too
		"model: {file: model.json, missing: -1e9}\n": {1, 2},
	} {
		path := filepath.Join(folder, "more.yaml")
		if err := os.WriteFile(path, []byte("extends: study.yaml\n"+more), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := study.Load(path, study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if st.InputCheck().Checked == strings.Contains(more, "missing") {
			t.Errorf("%s: what was checked is another study", more)
		}
		for i, age := range []float64{18, 60} {
			if got := st.Model.Logit(st.Space.NetworkInputs(nil, []float64{age, 0})); got != want[i] {
				t.Errorf("%s: age %v has %v, want %v", more, age, got, want[i])
			}
		}
	}
}

// What marks a missing value in one column may be a value in another.
func TestMarksOfOneColumn(t *testing.T) {
	path := filepath.Join(lacking(t, mayLack, ""), "more.yaml")
	for data, dropped := range map[string]int{
		`{missing: ["", "?"], drop: [note]}`:                            0,
		`{missing: {"*": ["", "?"], note: x}, drop: null}`:              7,
		`{missing: {age: "", work: ["", "?"], note: [""]}, drop: null}`: 2,
		`{missing: {age: ["", "40"], work: ["", a, "?"]}}`:              0,
	} {
		if err := os.WriteFile(path, []byte("extends: study.yaml\ndata: "+data+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := study.Load(path, study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := st.Data()
		if err != nil || d.Dropped != dropped {
			t.Errorf("%s: %d rows left out, %v; want %d", data, d.Dropped, err, dropped)
		}
		if err == nil && strings.Contains(data, `"40"`) && (d.Points[1][0] != 81 || d.Points[0][1] != 3) {
			t.Errorf("%v: 40 and a are missing", d.Points)
		}
	}
}

// A condition is about numbers up to the end that it names, and about missing ones where it names them.
func TestConditionsOnMissingValues(t *testing.T) {
	st, err := study.Load(lacking(t, mayLack, ""), study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]space.Interval{
		"65..": {Lo: 65, Hi: 80}, "65..99": {Lo: 65, Hi: 80}, "..30": {Lo: math.Inf(-1), Hi: 30}, "missing": {Lo: 81, Hi: 81},
		"65..missing": {Lo: 65, Hi: 81}, "81": {}, "81..90": {}, "missing..": {}, "..missing": {Lo: math.Inf(-1), Hi: 81},
	} {
		p, err := space.ParsePredicate(st.Space, "age="+text)
		if (err != nil) != (want == space.Interval{}) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil {
			continue
		}
		again, err := space.ParsePredicate(st.Space, p.Format(st.Space))
		if p[0].Interval != want || err != nil || again[0].Interval != want {
			t.Errorf("%s: %v, want %v; as %s %v, %v", text, p[0].Interval, want, p.Format(st.Space), again, err)
		}
	}
	whole := space.Predicate{{Feature: 0, Interval: space.Interval{Lo: 65, Hi: math.Inf(1)}}}
	if got := whole.Format(st.Space); got != "age=65..missing" || !whole.Holds([]float64{81, 0}) {
		t.Errorf("what has no end is %s", got)
	}
}

// What a missing value could be mistaken for, and what no model sends anywhere, is refused.
func TestMissingValuesAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ features, more, want string }{
		"real":         {"  age: {real: 0..1, missing: true}\n  work: {categories: [a, b, c]}\n", "", "age has a real domain, but only integers and categories may be missing"},
		"one-hot":      {"  age: {integer: 18..80}\n  work: {categories: [a, b, c], missing: true, inputs: one-hot}\n", "", "must feed one input, with its value or a table"},
		"scaled":       {"  age: {integer: 18..80, missing: true, inputs: {scale: 2}}\n  work: {categories: [a, b, c]}\n", "", "must feed one input, with its value or a table"},
		"name":         {"  age: {integer: 18..80}\n  work: {categories: [a, b, missing], missing: true}\n", "", `work has a category "missing"`},
		"no mark":      {mayLack, "data: {missing: null}\n", "the data has no missing-value marks"},
		"protected":    {mayLack, "protected: {age: {values: [81], extrapolate: true}}\n", "81 is above 80, the largest value of a feature that may be missing"},
		"no trees":     {"  age: {integer: 18..80}\n  work: {categories: [a, b, c]}\n", "model: {file: network.json, missing: 0}\n", "this file has no trees"},
		"too large":    {"  age: {integer: 18..80}\n  work: {categories: [a, b, c]}\n", "model: {file: model.json, missing: 1e99}\n", "1e99 exceeds the range of single precision"},
		"network":      {mayLack, "model: network.json\n", "only trees handle missing values"},
		"above domain": {"  age: {integer: 18..60, missing: true}\n  work: {categories: [a, b, c], missing: true}\n", "", "80 is above 60, the largest value of a feature that may be missing: widen the domain"},
	} {
		path := filepath.Join(lacking(t, c.features, ""), "more.yaml")
		if err := os.WriteFile(path, []byte("extends: study.yaml\n"+c.more), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := study.Load(path, study.Options{})
		if err == nil {
			_, err = st.Data()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestCategoriesOfKeptRows: categories from the data are those of the rows that are kept: a feature read later may replace
// the mark of a missing value, or not.
func TestCategoriesOfKeptRows(t *testing.T) {
	folder := write(t, map[string]string{"rows.csv": "job,grade\nbaker,1\ncook,?\n?,2\nnone,3\n", "study.yaml": `
data: {files: rows.csv, missing: ["?"]}
features:
  job: {categories: from-data}
  again: {column: job, encode: {map: {"?": none}}, categories: from-data}
  grade: {integer: 0..3, encode: {map: {"?": "0"}}}
`})
	s := mustLoad(t, folder, study.Options{NoModel: true})
	d, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"baker", "cook", "none"}
	if !slices.Equal(s.Space.Features[0].Categories, want) || !slices.Equal(s.Space.Features[1].Categories, want) || len(d.Points) != 3 {
		t.Errorf("categories %v and %v, rows %v", s.Space.Features[0].Categories, s.Space.Features[1].Categories, d.Points)
	}
	lone := write(t, map[string]string{"rows.csv": "job,grade\nbaker,1\n?,2\n", "study.yaml": `
data: {files: rows.csv, missing: ["?"]}
features:
  again: {column: job, encode: {map: {"?": none}}, categories: from-data}
  job: {categories: [baker]}
  grade: {integer: 0..3}
`})
	if s := mustLoad(t, lone, study.Options{NoModel: true}); !slices.Equal(s.Space.Features[0].Categories, []string{"baker"}) {
		t.Errorf("categories %v, which include that of a row left out", s.Space.Features[0].Categories)
	}
}
