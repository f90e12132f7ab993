package modelfile

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// treesFile is a file of trees as docs/reference/formats.md defines it, and computes what the page says.
type treesFile struct {
	Format   string      `json:"format"`
	Version  int         `json:"version"`
	Inputs   int         `json:"inputs"`
	Sum      string      `json:"sum"`
	Base     float64     `json:"base"`
	At       string      `json:"at"`
	Rounding string      `json:"rounding"`
	Trees    []treeFile  `json:"trees,omitempty"`
	Steps    []stepsFile `json:"steps,omitempty"`
}

type treeFile struct {
	Weight  float64   `json:"weight"`
	Input   []int     `json:"input"`
	Border  []float64 `json:"border"`
	Left    []int     `json:"left"`
	Right   []int     `json:"right"`
	Value   []float64 `json:"value"`
	Missing []int     `json:"missing,omitempty"`
	Among   [][]int   `json:"among,omitempty"`
}

type stepsFile struct {
	Input   int       `json:"input"`
	Borders []float64 `json:"borders"`
	Values  []float64 `json:"values"`
	Missing float64   `json:"missing"`
}

// rounded is an input as it is compared.
func (f *treesFile) rounded(x float64) float64 {
	if f.Rounding == "float32" {
		return float64(float32(x))
	}
	return x
}

// left reports whether a comparison with a border sends x left.
func (f *treesFile) left(x, border float64) bool {
	x = f.rounded(x)
	return x < border || x == border && f.At == "left"
}

func (f *treesFile) sum(x []float64) float64 {
	sum := f.Base
	for _, t := range f.Trees {
		i := 0
		for t.Input[i] >= 0 {
			at, left := x[t.Input[i]], false
			switch {
			case math.IsNaN(at):
				left = t.Missing != nil && t.Missing[i] == 1
			case t.Among != nil && len(t.Among[i]) > 0:
				left = slices.Contains(t.Among[i], int(math.Floor(f.rounded(at))))
			default:
				left = f.left(at, t.Border[i])
			}
			if i = t.Right[i]; left {
				i = t.Left[slices.Index(t.Right, i)]
			}
		}
		sum += t.Weight * t.Value[i]
	}
	for _, s := range f.Steps {
		at := s.Missing
		if v := x[s.Input]; !math.IsNaN(v) {
			at = s.Values[len(s.Borders)]
			for i, b := range s.Borders {
				if f.left(v, b) {
					at = s.Values[i]
					break
				}
			}
		}
		sum += at
	}
	return sum
}

// TestTreesJSON: any file computes what the page says of it, to the last bit, on borders and beside them.
func TestTreesJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const inputs = 3
		number := rapid.OneOf(rapid.Map(rapid.IntRange(-3, 5), func(v int) float64 { return float64(v) }), rapid.Float64Range(-4, 4),
			rapid.Map(rapid.Float32Range(-4, 4), func(v float32) float64 { return float64(v) }), rapid.Just(1e300), rapid.Just(-1e300))
		value := rapid.Float64Range(-2, 2)
		f := &treesFile{Format: "hyfair-trees", Version: 1, Inputs: inputs, Sum: rapid.SampledFrom([]string{"logit", "number"}).Draw(t, "sum"), Base: value.Draw(t, "base"),
			At: rapid.SampledFrom([]string{"left", "right"}).Draw(t, "at"), Rounding: rapid.SampledFrom([]string{"none", "float32"}).Draw(t, "rounding")}
		borders := []float64{0}
		for range rapid.IntRange(0, 3).Draw(t, "trees") {
			one := treeFile{Weight: value.Draw(t, "weight")}
			missing, among := rapid.Bool().Draw(t, "has missing"), rapid.Bool().Draw(t, "has among")
			comparisons := rapid.IntRange(0, 4).Draw(t, "comparisons") // each is the right child of the one before
			for i := range 2*comparisons + 1 {
				node := struct {
					input, left, right int
					border, value      float64
				}{-1, -1, -1, 0, value.Draw(t, "value")}
				if i%2 == 0 && i < 2*comparisons {
					node.input, node.left, node.right = rapid.IntRange(0, inputs-1).Draw(t, "input"), i+1, i+2
					node.border = number.Draw(t, "border")
					borders = append(borders, node.border)
				}
				one.Input, one.Left, one.Right = append(one.Input, node.input), append(one.Left, node.left), append(one.Right, node.right)
				one.Border, one.Value = append(one.Border, node.border), append(one.Value, node.value)
				if missing {
					one.Missing = append(one.Missing, rapid.IntRange(0, 1).Draw(t, "missing"))
				}
				if among {
					one.Among = append(one.Among, rapid.SliceOfN(rapid.IntRange(0, 5), 0, 3).Draw(t, "among"))
				}
			}
			f.Trees = append(f.Trees, one)
		}
		for range rapid.IntRange(0, 2).Draw(t, "steps") {
			s := stepsFile{Input: rapid.IntRange(0, inputs-1).Draw(t, "input"), Borders: rapid.SliceOfNDistinct(number, 0, 6, rapid.ID[float64]).Draw(t, "borders"), Missing: value.Draw(t, "missing")}
			slices.Sort(s.Borders)
			borders = append(borders, s.Borders...)
			s.Values = rapid.SliceOfN(value, len(s.Borders)+1, len(s.Borders)+1).Draw(t, "values")
			f.Steps = append(f.Steps, s)
		}
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		m, info, err := readFrom(text, "memory", Choice{})
		if err != nil || info.Format != "hyfair-trees" || m.Inputs() != inputs || info.Linear != (f.Sum == "number") {
			t.Fatalf("%v, %+v", err, info)
		}
		at := rapid.OneOf(number, rapid.Just(math.NaN()), rapid.Map(rapid.SampledFrom(borders), func(b float64) float64 { return math.Nextafter(b, 9) }),
			rapid.SampledFrom(borders), rapid.Map(rapid.SampledFrom(borders), func(b float64) float64 { return math.Nextafter(b, -9) }),
			rapid.Map(rapid.SampledFrom(borders), func(b float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, float64(float32(b)))) }))
		for range 20 {
			x := rapid.SliceOfN(at, inputs, inputs).Draw(t, "x")
			if got, want := m.Logit(x), f.sum(x); got != want {
				t.Fatalf("%v: %v, want %v, of\n%s", x, got, want, text)
			}
		}
	})
}

const smallTrees = `{
  "format": "hyfair-trees",
  "version": 1,
  "inputs": 2,
  "sum": "share",
  "base": 0.25,
  "at": "left",
  "rounding": "none",
  "trees": [
    {
      "weight": 0.5,
      "input": [0, -1, 1, -1, -1],
      "border": [0.5, 0, 0, 0, 0],
      "left": [1, -1, 3, -1, -1],
      "right": [2, -1, 4, -1, -1],
      "value": [0, 1, 0, 0.25, 0.5],
      "missing": [1, 0, 0, 0, 0],
      "among": [[], [], [1, 3.0], [], []]
    }
  ],
  "steps": [
    {
      "input": 1,
      "borders": [18, 30],
      "values": [0, 0.125, 0.25],
      "missing": 0.05
    }
  ]
}
`

// TestTreesJSONShare: scores are the sums themselves, whether the base less a half is a float64 or not.
func TestTreesJSONShare(t *testing.T) {
	for _, base := range []float64{0, 0.125, 0.25, 0.1} {
		m, err := readAny([]byte(strings.Replace(smallTrees, `"base": 0.25`, fmt.Sprintf(`"base": %v`, base), 1)))
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := m.(*trees.Ensemble); !ok || m.Link() != fairness.LinkShare || len(e.Trees) != map[bool]int{true: 3, false: 2}[base == 0.1] {
			t.Fatalf("%T with a %s: %v", m, m.Link(), m)
		}
		for at, want := range map[[2]float64]float64{{0.5, 30}: 0.625, {0.75, 3.5}: 0.125, {math.NaN(), 31}: 0.75, {1, math.NaN()}: 0.3} {
			if got := m.Link().Score(m.Logit(at[:])); math.Abs(got-want-base) > 1e-15 {
				t.Errorf("%v: %v, want %v", at, got, want+base)
			}
		}
	}
}

func TestTreesJSONFaults(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"unknown field":       {`"version": 1`, `"version": 1, "link": 1`, `line 3: model: unknown field "link"`},
		"unknown tree field":  {`"weight": 0.5`, `"weight": 0.5, "gain": []`, `line 11: trees[0]: unknown field "gain", want one of among, border`},
		"missing field":       {`"at": "left",`, ``, "line 29: at: the field is missing"},
		"missing tree field":  {`"weight": 0.5,`, ``, "line 19: trees[0].weight: the field is missing"},
		"missing steps field": {`,` + "\n" + `      "missing": 0.05`, ``, "line 26: steps[0].missing: the field is missing"},
		"version":             {`"version": 1`, `"version": 2`, "line 3: version: got version 2, want 1"},
		"inputs":              {`"inputs": 2`, `"inputs": 0`, "line 4: inputs: got the number 0, want a whole number from 1 to 65536"},
		"sum":                 {`"share"`, `"score"`, `line 5: sum: got "score", want one of logit, number, share`},
		"base":                {`0.25`, `null`, "line 6: base: got null, want a number"},
		"at":                  {`"left",`, `"below",`, `line 7: at: got "below", want one of left, right`},
		"rounding":            {`"none"`, `"float16"`, `line 8: rounding: got "float16", want one of float32, none`},
		"no list":             {`[0.5, 0, 0, 0, 0]`, `0.5`, "line 13: trees[0].border: got the number 0.5, want an array of numbers"},
		"text":                {`[0.5, 0, 0, 0, 0]`, `[0.5, "0", 0, 0, 0]`, `line 13: trees[0].border[1]: got the text "0", want a number`},
		"text on a line":      {`[0.5, 0, 0, 0, 0]`, "[0.5,\n\n{}, 0, 0, 0]", `line 15: trees[0].border[1]: got {, want a number`},
		"NaN":                 {`[0.5, 0, 0, 0, 0]`, `[NaN, 0, 0, 0, 0]`, "line 13: trees[0].border: invalid character 'N'"},
		"too large":           {`[0.5, 0, 0, 0, 0]`, `[1e999, 0, 0, 0, 0]`, "line 13: trees[0].border[0]: got the number 1e999, want one that is not too large for a float of 64 bits"},
		"short list":          {`[0.5, 0, 0, 0, 0]`, `[0.5, 0, 0, 0]`, "line 19: trees[0].border: got 4 entries, want 5: one per node"},
		"short missing":       {`[1, 0, 0, 0, 0]`, `[1]`, "trees[0].missing: got 1 entries, want 5"},
		"short among":         {`[[], [], [1, 3.0], [], []]`, `[[]]`, "trees[0].among: got 1 entries, want 5"},
		"missing of 2":        {`[1, 0, 0, 0, 0]`, `[2, 0, 0, 0, 0]`, "trees[0].missing[0]: got the number 2, want a whole number from 0 to 1"},
		"no category":         {`3.0`, `3.5`, "line 18: trees[0].among[2][1]: got the number 3.5, want a whole number from 0 to 16777215"},
		"input":               {`[0, -1, 1, -1, -1]`, `[0.5, -1, 1, -1, -1]`, "line 12: trees[0].input[0]: got the number 0.5, want a whole number from -1 to 65535"},
		"input beyond":        {`[0, -1, 1, -1, -1]`, `[0, -1, 2, -1, -1]`, "tree 0: node 2 compares input 2, want 0 to 1"},
		"circle":              {`[1, -1, 3, -1, -1]`, `[1, -1, 2, -1, -1]`, "line 19: trees[0].left[2]: got 2, want a node after it, 4 at most"},
		"no such node":        {`[2, -1, 4, -1, -1]`, `[2, -1, 5, -1, -1]`, "line 19: trees[0].right[2]: got 5, want a node after it, 4 at most"},
		"two parents":         {`[2, -1, 4, -1, -1]`, `[2, -1, 3, -1, -1]`, "tree 0: node 3 has two parents"},
		"no parent":           {`[0, -1, 1, -1, -1]`, `[0, -1, -1, -1, -1]`, "tree 0: node 3 has no parent before it"},
		"no nodes":            {`"trees": [`, `"trees": [{"weight": 1, "input": [], "border": [], "left": [], "right": [], "value": []},`, "tree 0: no nodes"},
		"overflow":            {`"weight": 0.5`, `"weight": 1.7e308`, "tree 0: sums of leaves overflow"},
		"no share":            {`"weight": 0.5`, `"weight": 0.6`, "want a share from 0 to 1"},
		"values":              {`[18, 30]`, `[18]`, "line 27: steps[0].values: got 3 values, want 2: one more than borders"},
		"borders":             {`[18, 30]`, `[18, 18]`, "line 27: steps[0].borders[1]: got 18 after 18, want ascending borders"},
		"trailing text":       {"  ]\n}\n", "  ]\n}\n{}", "after its end"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(smallTrees, c.old) {
				t.Fatalf("nothing to replace: %q", c.old)
			}
			if _, err := readAny([]byte(strings.Replace(smallTrees, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\nwant %q", err, c.want)
			}
		})
	}
	for n := range len(smallTrees) - 2 {
		if _, err := readAny([]byte(smallTrees[:n])); err == nil {
			t.Errorf("the first %d bytes were read without error", n)
		}
	}
	two := 2
	if _, _, err := readFrom([]byte(smallTrees), "memory", Choice{Class: &two}); err == nil || !strings.Contains(err.Error(), "leave out the key class") {
		t.Errorf("class 2: %v", err)
	}
}

// A file of many small pieces must not cost many times its size.
func TestTreesJSONMemory(t *testing.T) {
	const size = 2 << 20
	head := `{"format":"hyfair-trees","version":1,"inputs":1,"sum":"logit","base":0,"at":"left","rounding":"none",`
	for name, text := range map[string]string{
		"empty trees": head + `"trees":[` + strings.Repeat("{},", size/3),
		"empty steps": head + `"steps":[` + strings.Repeat("{},", size/3),
		"empty sets":  head + `"trees":[{"among":[` + strings.Repeat("[],", size/3),
		"numbers":     head + `"trees":[{"value":[` + strings.Repeat("0,", size/2),
		"one set":     head + `"trees":[{"among":[[` + strings.Repeat("0,", size/2) + `0]]}]}`,
		"deep":        head + `"trees":` + strings.Repeat("[", size),
		"deep value":  head + `"trees":[{"value":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}]}",
	} {
		t.Run(name, func(t *testing.T) {
			refusedWithin(t, 256, len(text), func() error { _, err := readAny([]byte(text)); return err })
		})
	}
}

// TestTreesJSONNodes: more nodes, or nodes and numbers of sets, than the limit are refused while they are read.
func TestTreesJSONNodes(t *testing.T) {
	zeros := strings.Repeat("0,", trees.MaxNodes-1) + "0"
	for field, tree := range map[string]string{
		"trees[0].input": `{"input":[0,` + zeros + `]}`,
		"trees[0]":       `{"weight":1,"input":[-1],"border":[0],"left":[-1],"right":[-1],"value":[0],"among":[[` + zeros + `]]}`,
	} {
		text := `{"format":"hyfair-trees","version":1,"inputs":1,"sum":"logit","base":0,"at":"left","rounding":"none","trees":[` + tree + `]}`
		if _, err := readAny([]byte(text)); err == nil || !strings.Contains(err.Error(), "line 1: "+field+": the trees have more than 4194304 nodes together, the maximum") {
			t.Error(err)
		}
	}
}

// The example of trees in docs/reference/formats.md is a model.
func TestDocumentedTrees(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "reference", "formats.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "{\n  \"format\": \"hyfair-trees\"")
	example, _, found := strings.Cut(after, "```")
	m, err := readAny([]byte("{\"format\": \"hyfair-trees\"" + example))
	if !found || err != nil {
		t.Fatal(found, err)
	}
	for at, want := range map[[2]float64]float64{{25, 0}: -0.25, {25.5, 3}: 0.75, {26, 1}: 1, {math.NaN(), 2}: -0.75} {
		if got := m.Logit(at[:]); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
}
