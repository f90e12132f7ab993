package study_test

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

const peopleStudy = "testdata/people"

func mustLoad(t *testing.T, path string, o study.Options) *study.Study {
	t.Helper()
	s, err := study.Load(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write puts a study file into a folder of its own.
func write(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestLoadSpace(t *testing.T) {
	s := mustLoad(t, peopleStudy, study.Options{})
	oneHot := func(index, k int) space.Input {
		table := make([]float64, 3)
		table[k] = 1
		return space.Input{Index: index, Table: table}
	}
	want := []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 18, Hi: 80, Protected: []float64{20, 40, 60}, Inputs: []space.Input{{Index: 0, Scale: 0.1, Offset: -4}}},
		{Name: "hours", Kind: space.Real, Lo: 0, Hi: 60, Inputs: []space.Input{{Index: 1, Scale: 1.0 / 60}}},
		{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"clerk", "nurse", "smith"}, Inputs: []space.Input{oneHot(2, 0), oneHot(3, 1), oneHot(4, 2)}},
		{Name: "city", Kind: space.Categorical, Hi: 2, Categories: []string{"Bern", "Graz", "Linz"}, Inputs: []space.Input{
			{Index: 5, Table: []float64{0.5, 1, 2}}, {Index: 6, Scale: -1, Offset: 3}}},
		{Name: "senior", Kind: space.Integer, Hi: 1, Inputs: []space.Input{{Index: 7, Scale: 1}}},
		{Name: "income", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Index: 8, Scale: 1}}},
		{Name: "group", Kind: space.Categorical, Hi: 1, Categories: []string{"a", "b"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 9, Scale: 1}}},
	}
	if d := cmp.Diff(want, s.Space.Features); d != "" {
		t.Errorf("features (-want +got):\n%s", d)
	}
	if s.Space.Inputs != 10 || s.Model.Inputs() != 10 {
		t.Errorf("%d inputs, network %d; want 10", s.Space.Inputs, s.Model.Inputs())
	}
	if s.Name != "people" || s.Epsilon.RatString() != "1/10" || fairness.FormatRat(s.Epsilon) != "0.1" || s.Notion != fairness.Score || s.Clustering != fairness.ByBins {
		t.Errorf("name %q, ε %s, %s, %s", s.Name, s.Epsilon, s.Notion, s.Clustering)
	}
	if len(s.SHA256) != 64 || len(s.ModelSHA256) != 64 || s.SHA256 == s.ModelSHA256 {
		t.Errorf("hashes %q and %q", s.SHA256, s.ModelSHA256)
	}
}

// TestInputsOfDecimals: the numbers of an input are float64 first, as a training
// script holds them, and each operation on them is rounded once. For the
// decimals here that gives other float64 than the decimals themselves would.
func TestInputsOfDecimals(t *testing.T) {
	folder := write(t, map[string]string{"study.yaml": "model: net.json\nfeatures:\n" +
		"  a: {integer: 0..9, inputs: {mean: 0.11, deviation: 16.83}}\n" +
		"  b: {integer: 0..9, inputs: {min: -7.6, max: -3.7}}\n",
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 2, "units": 1, "activation": "linear", "weights": [[1, 1]], "bias": [0]}]}`,
	})
	s := mustLoad(t, folder, study.Options{})
	nearest := func(r *big.Rat) *big.Rat {
		v, _ := r.Float64()
		return new(big.Rat).SetFloat64(v)
	}
	as := func(number func(*big.Rat) *big.Rat) (inputs []space.Input) {
		read := func(text string) *big.Rat {
			r, _ := new(big.Rat).SetString(text)
			return number(r)
		}
		for k, from := range []*big.Rat{read("0.11"), read("-7.6")} {
			width := []*big.Rat{read("16.83"), number(new(big.Rat).Sub(read("-3.7"), read("-7.6")))}[k]
			scale, _ := new(big.Rat).Inv(width).Float64()
			offset, _ := new(big.Rat).Quo(new(big.Rat).Neg(from), width).Float64()
			inputs = append(inputs, space.Input{Index: k, Scale: scale, Offset: offset})
		}
		return inputs
	}
	want, other := as(nearest), as(func(r *big.Rat) *big.Rat { return r })
	for k := range want {
		got := s.Space.Features[k].Inputs[0]
		if d := cmp.Diff(want[k], got); d != "" {
			t.Errorf("input %d (-want +got):\n%s", k, d)
		}
		if got.Scale == other[k].Scale || got.Offset == other[k].Offset {
			t.Errorf("input %d: these decimals do not tell", k)
		}
	}
}

func TestData(t *testing.T) {
	s := mustLoad(t, peopleStudy, study.Options{})
	d, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	// age, hours, job, city, senior, income in quarters of 1000…5000, group
	want := [][]float64{
		{44, 40, 0, 0, 0, 2, 0},
		{31, 38.5, 2, 1, 0, 1, 1},
		{67, 0, 0, 0, 1, 0, 0},
		{58, 20, 1, 2, 0, 3, 1},
		{29, 45, 2, 1, 0, 1, 0},
		{17, 12, 1, 0, 0, 0, 1},
		{50, 40, 0, 1, 0, 3, 0},
		{70, 5, 0, 0, 1, 0, 1},
	}
	if diff := cmp.Diff(want, d.Points); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 0, 0, 1, 1, 0, 1, 0}, d.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if d.Read != 10 || d.Dropped != 2 || len(d.Test) != 2 || len(d.Train()) != 6 {
		t.Errorf("%d read, %d dropped, test %v, train %v", d.Read, d.Dropped, d.Test, d.Train())
	}
	again, err := s.Data()
	if err != nil || again != d {
		t.Error("the data set was read twice")
	}

	features, outside, forbidden := d.Outside(s.Space)
	if outside != 1 || forbidden != 0 || len(features) != 1 || features[0].First != 5 || features[0].Feature != 0 {
		t.Errorf("outside %v, %d rows, %d forbidden; want the age 17 of row 5", features, outside, forbidden)
	}

	if path, line := d.Where(4); line != 7 || filepath.Base(path) != "people.csv" {
		t.Errorf("row 4 is at %s:%d", path, line)
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules []string
		on    []string
		k     int
	}{
		{nil, []string{"smiths-are-young"}, 6},
		{[]string{"none"}, nil, 6},
		{[]string{"all"}, []string{"smiths-are-young", "no-nurses"}, 4}, // as a smith; a clerk is of group a: 3
		{[]string{"no-nurses"}, []string{"no-nurses"}, 6},
		{[]string{"no-nurses, smiths-are-young"}, []string{"smiths-are-young", "no-nurses"}, 4},
	} {
		s := mustLoad(t, peopleStudy, study.Options{Rules: c.rules})
		var on []string
		forbidden := 0
		for _, r := range s.Rules {
			if r.On {
				on = append(on, r.Name)
				forbidden += len(r.Forbid)
			}
		}
		if !slices.Equal(on, c.on) || len(s.Space.Forbidden) != forbidden {
			t.Errorf("rules %v: on are %v with %d predicates, want %v", c.rules, on, len(s.Space.Forbidden), c.on)
		}
		if k, exact := s.Space.MaxCounterfactuals(s.Space.Whole()); k != c.k || !exact {
			t.Errorf("rules %v: K = %d (exact %v), want %d", c.rules, k, exact, c.k)
		}
	}
	_, err := study.Load(peopleStudy, study.Options{Rules: []string{"smiths-are-yung"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "smiths-are-young"?`) {
		t.Errorf("unknown rule: %v", err)
	}
}

func TestModelReplaced(t *testing.T) {
	s := mustLoad(t, peopleStudy, study.Options{Model: peopleStudy + "/models/small.json"})
	if s.ModelPath != peopleStudy+"/models/small.json" {
		t.Errorf("model by path: %s", s.ModelPath)
	}
	if s = mustLoad(t, peopleStudy, study.Options{Model: "small"}); filepath.Base(s.ModelPath) != "small.json" {
		t.Errorf("model by bare name: %s", s.ModelPath)
	}
	if s = mustLoad(t, peopleStudy, study.Options{Model: "small.json"}); s.ModelPath != peopleStudy+"/models/small.json" {
		t.Errorf("model in the study's folder of models: %s", s.ModelPath)
	}
	if s = mustLoad(t, peopleStudy, study.Options{Model: "models/small.json"}); s.ModelPath != peopleStudy+"/models/small.json" {
		t.Errorf("model beside the study: %s", s.ModelPath)
	}
	if _, err := study.Load(peopleStudy+"/models/small.json", study.Options{}); err == nil ||
		!strings.Contains(err.Error(), "small.json is a network, not a study: a study is a YAML file that describes the network's inputs") {
		t.Errorf("a network in place of a study: %v", err)
	}
	for model, want := range map[string]string{
		"small.onnx":           "small.onnx: file does not exist, neither here nor as testdata/people/small.onnx or testdata/people/models/small.onnx",
		"smal":                 `did you mean "small"?`,
		"linear":               "say output: logit",
		"narrow":               "feed 10 network inputs, testdata/people/models/narrow.json takes 2",
		"nowhere/network.json": "nowhere/network.json",
	} {
		if _, err := study.Load(peopleStudy, study.Options{Model: model}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--model %s: %v; want %q", model, err, want)
		}
	}
	if s := mustLoad(t, peopleStudy, study.Options{NoModel: true}); s.Model != nil || s.ModelPath != "" {
		t.Error("NoModel still loads a model")
	}
}

func TestLinearOutput(t *testing.T) {
	abs, err := filepath.Abs(peopleStudy)
	if err != nil {
		t.Fatal(err)
	}
	folder := write(t, map[string]string{"logit.yaml": "extends: " + abs + "\nmodel: " + abs + "/models/linear.json\noutput: logit\n"})
	if s := mustLoad(t, folder, study.Options{}); s.Name != "logit" || s.Model.Link() != fairness.LinkLinear {
		t.Errorf("%s: head %s", s.Name, s.Model.Link())
	}
	_, err = study.Load(folder, study.Options{Model: peopleStudy + "/models/small.json"})
	if err == nil || !strings.Contains(err.Error(), "logit.yaml:3:9: output: logit is for a model that ends in a linear unit") {
		t.Errorf("logit of a sigmoid: %v", err)
	}
}

// TestShares: a regression by trees is a share where the study says so and its sums are from 0 to
// 1; a forest's classifier is one in any case.
func TestShares(t *testing.T) {
	files, err := filepath.Abs("../modelfile/testdata/trees")
	if err != nil {
		t.Fatal(err)
	}
	features := "features: {a: {integer: -3..3}, b: {integer: -3..3}, c: {integer: -3..3}, d: {integer: -3..3}, e: {integer: 0..1}}\nprotected: {e: all}\n"
	for _, c := range []struct{ model, more, want string }{
		{"sklearn-forest.onnx", "", "share"},
		{"sklearn-forest.onnx", "output: share\n", "share"},
		{"sklearn-forest.onnx", "output: logit\nnotion: logit\n", "logit"},
		{"sklearn-forest-regression.onnx", "output: share\n", "share"},
		{"sklearn-forest-regression.onnx", "output: logit\n", "score"},
		{"sklearn-forest-regression.onnx", "", "say output: logit"},
		{"lgb-regression.txt", "output: share\n", "share"},
		{"{file: FILES/sklearn-classes.onnx, class: 1}", "", "share"},
		{"{file: FILES/sklearn-classes.onnx, class: 2}", "notion: logit\n", "logit"},
		{"{file: FILES/sklearn-classes.onnx, class: 1}", "notion: decision\n", "from which it does not follow whether the class wins: ask about gaps of the share with the notion score"},
		{"{file: FILES/sklearn-classes.onnx, class: any}", "", "about which hyfair audit answers"},
		{"sklearn-classes.onnx", "", "has 3 classes (high, low, middle)"},
		{"../../../study/testdata/price.txt", "output: share\n", "study.yaml:2:9: output: "},
		{"../../../study/testdata/price.txt", "output: share\n", "leaves add up to between -1 and 2.5; want a share from 0 to 1"},
		{"sklearn-boosting.onnx", "output: share\n", "share is for trees whose sum is a score"},
	} {
		model := files + "/" + c.model
		if strings.HasPrefix(c.model, "{") {
			model = strings.ReplaceAll(c.model, "FILES", files)
		}
		folder := write(t, map[string]string{"study.yaml": "model: " + model + "\n" + c.more + features})
		s, err := study.Load(folder, study.Options{})
		if got := fmt.Sprint(err); err != nil && !strings.Contains(got, c.want) || err == nil && s.Notion.String() != c.want {
			t.Errorf("%s with %q: %s, want %s", c.model, c.more, got, c.want)
		}
	}
}

func TestMissingDataRoot(t *testing.T) {
	folder := write(t, map[string]string{"study.yaml": `
model: data:x/net.h5
data: {files: ["data:x/rows.csv"]}
features: {a: {integer: 0..1}}
`})
	_, err := study.Load(folder, study.Options{})
	if !errors.Is(err, study.ErrNoDataRoot) || !strings.Contains(err.Error(), "study.yaml:2:8: model: data:x/net.h5") {
		t.Errorf("model without a data root: %v", err)
	}
	_, err = study.Load(folder, study.Options{DataRoot: "/nowhere"})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "--data or $HYFAIR_DATA") {
		t.Errorf("model not under the data root: %v", err)
	}
	s := mustLoad(t, folder, study.Options{NoModel: true})
	if _, err := s.Data(); !errors.Is(err, study.ErrNoDataRoot) || !strings.Contains(err.Error(), "data:x/rows.csv") {
		t.Errorf("data without a data root: %v", err)
	}
	s = mustLoad(t, folder, study.Options{NoModel: true, DataRoot: "/nowhere"})
	if _, err := s.Data(); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "/nowhere/x/rows.csv") {
		t.Errorf("data not under the data root: %v", err)
	}
}

func TestNoData(t *testing.T) {
	folder := write(t, map[string]string{"study.yaml": "features: {a: {integer: 0..1}}\n"})
	s := mustLoad(t, folder, study.Options{NoModel: true})
	if _, err := s.Data(); !errors.Is(err, study.ErrNoData) || s.HasData() {
		t.Errorf("no data: %v", err)
	}
	if _, err := study.Load(folder, study.Options{}); err == nil || !strings.Contains(err.Error(), "names no model") {
		t.Errorf("no model: %v", err)
	}
}

func TestStudyFolder(t *testing.T) {
	const one = "features: {a: {integer: 0..1}}\n"
	o := study.Options{NoModel: true}
	if s := mustLoad(t, write(t, map[string]string{"mine.yaml": one, "notes.txt": ""}), o); s.Name != "mine" {
		t.Errorf("the only file: %s", s.Path)
	}
	if s := mustLoad(t, write(t, map[string]string{"other.yaml": one, "study.yaml": one}), o); filepath.Base(s.Path) != "study.yaml" {
		t.Errorf("study.yaml beside others: %s", s.Path)
	}
	for want, folder := range map[string]string{
		"several study files; name one: a.yaml, b.yaml": write(t, map[string]string{"a.yaml": one, "b.yaml": one}),
		"has no study file":                             write(t, nil),
		"no such file":                                  filepath.Join(t.TempDir(), "gone.yaml"),
	} {
		if _, err := study.Load(folder, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestExtends(t *testing.T) {
	folder := write(t, map[string]string{
		"base.yaml": `
name: base
summary: The first
features:
  a: {integer: 0..9, about: kept}
  b: {categories: [p, q, r]}
protected: {a: [1, 2], b: all}
constraints:
  r1: {forbid: "a=1,b=p", on: false}
epsilon: 0.2
`,
		"middle.yaml": `
extends: base.yaml
features:
  b: {categories: null, integer: 0..4}
  c: {integer: 0..1}
protected: {a: null, b: [4]}
constraints:
  r1: {forbid: "b=1"}
`,
		"top.yaml":  "extends: middle.yaml\nname: top\nconstraints: {r1: {on: true}}\n",
		"loop.yaml": "extends: pool.yaml\n",
		"pool.yaml": "extends: loop.yaml\n",
		"far.yaml":  "extends: far-away.yaml\n",
		"wrong.yaml": `extends: base.yaml
features:
  b:
    categories: [q]
`,
	})
	o := study.Options{NoModel: true}
	s := mustLoad(t, folder+"/top.yaml", o)
	if got := s.Space.Names(); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("features %v", got)
	}
	a, b := &s.Space.Features[0], &s.Space.Features[1]
	if a.IsProtected() || b.Kind != space.Integer || b.Hi != 4 || !slices.Equal(b.Protected, []float64{4}) {
		t.Errorf("a %+v, b %+v", a, b)
	}
	if s.Name != "top" || s.Summary != "" || s.Epsilon.RatString() != "1/5" {
		t.Errorf("name %q, summary %q, ε %s", s.Name, s.Summary, s.Epsilon)
	}
	if len(s.Space.Forbidden) != 1 || s.Space.Forbidden[0].Format(s.Space) != "b=1" {
		t.Errorf("constraints %v", s.Space.Forbidden)
	}
	if m := mustLoad(t, folder+"/middle.yaml", o); m.Name != "middle" || m.SHA256 == s.SHA256 {
		t.Errorf("name %q, hash %s", m.Name, m.SHA256)
	}
	for file, want := range map[string]string{
		"loop.yaml": "pool.yaml:1:10: extends: " + folder + "/loop.yaml extends itself",
		"far.yaml":  "far.yaml:1:10: extends: " + folder + "/far-away.yaml: no such file",
		// Written in the one file, at fault because of the other.
		"wrong.yaml": `base.yaml:9:16: constraints.r1.forbid: feature "b": no category "p"`,
	} {
		_, err := study.Load(folder+"/"+file, o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", file, err, want)
		}
	}
}

// TestDocumentedExample loads the study that docs/reference/studies.md begins with, and
// provokes the mistake it shows.
func TestDocumentedExample(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reference/studies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, rest, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/reference/studies.md has no example")
	}
	s := mustLoad(t, write(t, map[string]string{"study.yaml": example}), study.Options{NoModel: true})
	if k, _ := s.Space.MaxCounterfactuals(s.Space.Whole()); k != 2 || !s.HasData() {
		t.Errorf("K = %d", k)
	}
	_, rest, _ = strings.Cut(rest, "```\n")
	message, _, _ := strings.Cut(rest, ", integer, …")
	_, err = study.Load(write(t, map[string]string{"study.yaml": strings.Replace(example, "categories", "categorys", 1)}), study.Options{NoModel: true})
	if err == nil || message == "" || !strings.Contains(err.Error(), message) {
		t.Errorf("the documented message is %q, the real one %v", message, err)
	}
}

// TestLongTables: a study whose tables are longer than 256 KiB of text is read.
func TestLongTables(t *testing.T) {
	text, weights := "model: net.json\nfeatures:\n", ""
	for i := range 40 {
		table := ""
		for v := range 1000 {
			table += fmt.Sprintf("%v, ", float64((v*37+i)%101)/7)
		}
		text += fmt.Sprintf("  f%d: {integer: 0..999, inputs: [{table: [%s]}]}\n", i, strings.TrimSuffix(table, ", "))
		weights += ", 0.5"
	}
	if len(text) < 256<<10 {
		t.Fatalf("%d bytes", len(text))
	}
	folder := write(t, map[string]string{
		"study.yaml": text,
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid",
			"layers": [{"name": "out", "inputs": 40, "units": 1, "activation": "linear", "weights": [[` + weights[2:] + `]], "bias": [0]}]}`,
	})
	if s := mustLoad(t, folder, study.Options{}); len(s.Space.Features) != 40 || len(s.Space.Features[39].Inputs[0].Table) != 1000 {
		t.Errorf("%d features", len(s.Space.Features))
	}
}
