package draft_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// stumps returns a LightGBM file whose trees add 2ᵏ/8 if input 1 is above border k, 3ᵏ/16 if
// input 2 is, and, if input 0 is above 60 and input 1 above inner, another 0.3.
func stumps(inner float64, borders []float64) string {
	tree := func(features, thresholds, left, right, values string) string {
		return fmt.Sprintf("num_leaves=%d\nnum_cat=0\nsplit_feature=%s\nthreshold=%s\ndecision_type=%s\nleft_child=%s\nright_child=%s\nleaf_value=%s\nshrinkage=1\n", 1+len(strings.Fields(features)), features, thresholds,
			strings.TrimSpace(strings.Repeat("8 ", len(strings.Fields(features)))), left, right, values) // 8: NaN goes right
	}
	trees := []string{tree("0 1", fmt.Sprint("60 ", inner), "-1 -2", "1 -3", "0 0 0.3")}
	for k, b := range borders {
		trees = append(trees, tree("1", fmt.Sprint(b), "-1", "-2", fmt.Sprint("0 ", math.Pow(2, float64(k))/8)), tree("2", fmt.Sprint(b), "-1", "-2", fmt.Sprint("0 ", math.Pow(3, float64(k))/16)))
	}
	out := "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=2\nobjective=binary sigmoid:1\nfeature_names=age level town\nfeature_infos=[0:99] [0:9] [0:9]\n\n"
	for i, t := range trees {
		out += fmt.Sprintf("Tree=%d\n%s\n", i, t)
	}
	return out + "end of trees\n"
}

// TestScoresOfCodes: the codes of categories are found if the scores determine them, else they
// are marked as a guess. Codes that the model does not distinguish count as equal.
func TestScoresOfCodes(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		borders []float64
		level   []float64 // the codes of a, b, c, d, and of an empty cell
		town    []float64
		found   string
		says    string
	}{
		"reversed":        {[]float64{0.5, 1.5, 2.5}, []float64{3, 2, 1, 0}, []float64{0, 1, 2, 3}, "level: {categories: [d, c, b, a]}", ""},
		"two columns":     {[]float64{0.5, 1.5, 2.5}, []float64{1, 3, 0, 2}, []float64{2, 3, 1, 0}, "town: {categories: [z, v, w, x]}", ""},
		"from 1 on":       {[]float64{1.5, 2.5, 3.5}, []float64{2, 4, 1, 3}, []float64{1, 2, 3, 4}, "level: {categories: [c, a, d, b], inputs: {table: [1, 2, 3, 4]}}", ""},
		"negative":        {[]float64{-0.5, 0.5, 1.5}, []float64{2, -1, 1, 0}, []float64{0, 1, 2, -1}, "level: {categories: [b, d, c, a], inputs: {table: [-1, 0, 1, 2]}}", ""},
		"gaps":            {[]float64{5, 15, 25}, []float64{30, 10, 0, 20}, []float64{0, 10, 20, 30}, "level: {categories: [c, b, d, a], inputs: {table: [0, 6, 16, 26]}}", ""},
		"a code of empty": {[]float64{-0.5, 0.5, 1.5}, []float64{0, 1, 2, 2, -1}, []float64{0, 1, 2, -1}, `encode: {map: {"": "(empty)"}}, inputs: {table: [-1, 0, 1, 2, 3]}`, ""},
		"empty is NaN":    {[]float64{0.5, 1.5, 2.5}, []float64{3, 2, 1, 0, nan}, []float64{0, 1, 2, 3}, "level: {categories: [d, c, b, a], missing: true}", ""},
		"one for two":     {[]float64{0.5, 1.5, 2.5}, []float64{0, 1, 1, 2}, []float64{0, 1, 2, 3}, "inputs: {table: [0, 1, 1, 2]}", ""},
		"not told":        {[]float64{0.5, 1.5, 2.5}, []float64{0, 0, 1, 2}, []float64{0, 1, 2, 3}, "", "do not settle all codes"},
		"none":            {[]float64{0.5, 1.5, 2.5}, []float64{9}, []float64{0, 1, 2, 3}, "", "no arrangement"},
	} {
		t.Run(name, func(t *testing.T) {
			var data, scores strings.Builder
			inner := c.borders[0]
			if name == "not told" {
				inner = -0.5
			}
			data.WriteString("age,level,town,y\n")
			for i := range 240 {
				age, level, town := 20+i*37%61, i%max(4, len(c.level)), i/7%4
				if name == "not told" && level < 2 { // where inner says nothing
					age = 20 + age%40
				}
				own, known := c.level[min(level, len(c.level)-1)], c.town[town]
				logit := 0.0
				above := func(v, b float64) bool { return math.IsNaN(v) || v > b }
				if age > 60 && above(own, inner) {
					logit += 0.3
				}
				for k, b := range c.borders {
					if above(own, b) {
						logit += math.Pow(2, float64(k)) / 8
					}
					if above(known, b) {
						logit += math.Pow(3, float64(k)) / 16
					}
				}
				if name == "none" {
					logit = math.Sin(float64(i))
				}
				fmt.Fprintf(&data, "%d,%s,%c,%d\n", age, []string{"a", "b", "c", "d", ""}[level], "wxvz"[town], i%2)
				fmt.Fprintln(&scores, fairness.Sigmoid(logit))
			}
			out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: written(t, "m.txt", stumps(inner, c.borders)), Label: "y", Scores: written(t, "s.csv", scores.String())})
			if out.Solved != (c.says == "") || out.Solved && *out.Worst > 1e-9 || !strings.Contains(text, c.found) || !strings.Contains(strings.Join(out.Doubts, "\n"), c.says) {
				t.Errorf("%v, %q, want %q\n%s", out.Solved, out.Doubts, c.found, text)
			}
		})
	}
}

// TestNamedInputsOfONNX: without scores a pipeline is certain only if its own encoders take all
// columns as texts. The file does not say how numbers were prepared before it, even if it has a
// scaler.
func TestNamedInputsOfONNX(t *testing.T) {
	const door = "../reconcile/testdata/door/sklearn-logistic"
	for model, open := range map[string]string{"testdata/texts.onnx": "", door + ".onnx": "age, kids"} {
		r := draft.Request{Data: door + ".data.csv", Model: model, Label: "paid", Protected: []string{"sex"}}
		out, _, _ := drafted(t, r)
		sure := map[bool]string{true: "certain: by the names", false: "likely: by the names"}[open == ""]
		if said := strings.Join(out.Doubts, "\n"); out.Solved != (open == "") || !strings.HasPrefix(out.Inputs, sure) || (said != "") != (open != "") || !strings.Contains(said, open) {
			t.Errorf("%s: %v, %s, %q", model, out.Solved, out.Inputs, said)
		}
		if r.Scores = door + ".scores.csv"; open != "" {
			if out, _, _ := drafted(t, r); !out.Solved || len(out.Doubts) > 0 {
				t.Errorf("with scores: %s, %q", out.Inputs, out.Doubts)
			}
		}
	}
}
