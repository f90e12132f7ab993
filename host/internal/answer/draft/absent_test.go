package draft_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
)

// An XGBoost file does not hold the number that stands for a missing value. Scores and inputs
// determine it, in all columns or in some; labels make it likely at best, with a doubt.
func TestAbsentValues(t *testing.T) {
	model := treesOf([]string{"kids", "sex", "rate"}, "3", "0.5", "0.5")
	for name, c := range map[string]struct {
		kids    func(i int) int
		missing map[string]float64 // by column, that the owner takes for missing; "*": in all
		says    []string
		shift   float64 // of the rates
	}{
		"zero": {kids: func(i int) int { return i % 6 }, missing: map[string]float64{"*": 0}, says: []string{"model: {file: M, missing: 0}", "kids: {integer: 0..5}"}},
		"nowhere": {
			kids: func(i int) int { return i % 6 }, missing: map[string]float64{"*": 0}, shift: 0.55,
			says: []string{"model: {file: M, missing: 0}", "DOUBT: no row has 0, which stands for a missing value, in rate:"},
		},
		"minus one": {kids: func(i int) int { return i%6 - 1 }, missing: map[string]float64{"*": -1}, says: []string{"model: {file: M, missing: -1}", "kids: {integer: -1..4}"}},
		"a column":  {kids: func(i int) int { return i % 7 * (i % 7) }, missing: map[string]float64{"kids": 0}, says: []string{"model: M", `missing: {kids: ["0"]}`, "kids: {integer: 1..36, missing: true}", "sex: {integer: 0..1}"}},
		"nothing":   {kids: func(i int) int { return i % 6 }, says: []string{"model: M", "kids: {integer: 0..5}"}},
	} {
		t.Run(name, func(t *testing.T) {
			data, scores, inputs := "kids,sex,rate,y\n", "p\n", "kids,sex,rate\n"
			for i := range 300 {
				row := []float64{float64(c.kids(i)), float64(i / 7 % 2), float64(i%11)/10 - c.shift}
				logit, cells := 0.0, make([]string, 3)
				for k, v := range row {
					at, all := c.missing["*"]
					if own, ok := c.missing[[]string{"kids", "sex", "rate"}[k]]; ok {
						at, all = own, true
					}
					if cells[k] = fmt.Sprint(v); all && v == at {
						cells[k], v = "", math.NaN()
					}
					if v < []float64{3, 0.5, 0.5}[k] {
						logit--
					} else {
						logit++ // and so what is missing
					}
				}
				yes := 0
				if logit > 0 {
					yes = 1
				}
				data += fmt.Sprintf("%v,%v,%v,%d\n", row[0], row[1], row[2], yes)
				scores += fmt.Sprintln(1 / (1 + math.Exp(-logit)))
				inputs += strings.Join(cells, ",") + "\n"
			}
			r := draft.Request{Data: written(t, "d.csv", data), Model: written(t, "m.json", model), Protected: []string{"sex"}}
			r.Out = strings.TrimSuffix(r.Model, "m.json") + "study.yaml"
			for _, own := range []string{"scores", "inputs", "both", "labels"} {
				r.Scores, r.Inputs, r.Force = "", "", true
				if own == "scores" || own == "both" {
					r.Scores = written(t, "s.csv", scores)
				}
				if own == "inputs" || own == "both" {
					r.Inputs = written(t, "i.csv", inputs)
				}
				out, st, study := drafted(t, r)
				certain := r.Scores != "" || r.Inputs != "" && c.missing != nil
				if out.Solved != certain || certain != strings.HasPrefix(out.Inputs, "certain: ") || (out.ScoresBy == "") != (r.Scores != "") {
					t.Errorf("%s: solved %v, %s, %q", own, out.Solved, out.Inputs, out.ScoresBy)
				}
				if told := strings.Contains(strings.Join(out.Doubts, ""), "the file does not say which value stood for a missing one"); told == certain {
					t.Errorf("%s: %v", own, out.Doubts)
				}
				if own == "labels" && name == "a column" { // of which 0 is no value of all
					continue
				}
				for _, says := range c.says {
					if !strings.Contains(study, strings.ReplaceAll(says, "M", "m.json")) {
						t.Errorf("%s: no %q in\n%s", own, says, study)
					}
				}
				if d, err := st.Data(); err != nil || d.Dropped != 0 || *out.Accuracy != 100 {
					t.Errorf("%s: %v, accuracy %v\n%s", own, err, *out.Accuracy, study)
				}
			}
		})
	}
}

// Missing inputs that come from a table or a scale cause a doubt.
func TestAbsentOfOneHot(t *testing.T) {
	data, inputs, other := "w,n,y\n", "w_a,w_b,n\n", "w_a,w_b,n\n"
	for i := range 40 {
		w := i % 2
		hot := []string{"1,,", ",1,"}[w]
		data += fmt.Sprintf("%s,%d,%d\n", "ab"[w:w+1], i%5, w)
		inputs += hot + strings.TrimSuffix(fmt.Sprint(i%5), "0") + "\n"
		other += hot + fmt.Sprint(i%5) + "\n"
	}
	r := draft.Request{Data: written(t, "d.csv", data), Model: written(t, "m.json", treesOf([]string{"w_a", "w_b", "n"}, "0.5", "0.5", "2")), Inputs: written(t, "i.csv", inputs)}
	if out, _, study := drafted(t, r); !out.Solved || !strings.Contains(study, "missing: 0}") || !strings.Contains(study, "w: {categories: [a, b], inputs: one-hot}") {
		t.Errorf("%+v\n%s", out, study)
	}
	r.Inputs, r.Out = written(t, "i.csv", other), "study.yaml"
	if _, err := draft.Guess(r); err == nil || !strings.Contains(err.Error(), `input 1 is missing in rows with w = "b"`) {
		t.Error(err)
	}
}
