package draft_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// What a model puts in place of a missing number, the study does, too: the rows stay in, and the scores are the model's.
func TestFilledByTheModel(t *testing.T) {
	const model = "../../question/modelfile/testdata/models/logistic-imputed.onnx"
	_, info, err := modelfile.Read(model, modelfile.Choice{})
	if err != nil || len(info.Fills) != 6 {
		t.Fatal(err, info.Fills)
	}
	var text strings.Builder
	text.WriteString("a,b,c,d,e,f,y\n")
	for i := range 60 {
		cells := []string{"0.1", "1", "-2", fmt.Sprint(i), "0.5", "5", fmt.Sprint(i / 30)}
		if i%10 == 0 {
			cells[0] = ""
		}
		if i%15 == 1 {
			cells[5] = "?"
		}
		text.WriteString(strings.Join(cells, ",") + "\n")
	}
	out, st, study := drafted(t, draft.Request{Data: written(t, "d.csv", text.String()), Model: model})
	if out.Rows != 60 || !strings.Contains(study, "certain: the model puts ") || !strings.Contains(study, `encode: {map: {"": `) || strings.Contains(study, "missing:") {
		t.Errorf("%+v\n%s", out, study)
	}
	d, err := st.Data()
	if err != nil || len(d.Points) != 60 || d.Points[0][0] != info.Fills[0] || d.Points[1][5] != info.Fills[5] {
		t.Errorf("%v, %v", err, info.Fills)
	}
	if _, outside, _ := d.Outside(st.Space); outside > 0 {
		t.Errorf("%d rows outside\n%s", outside, study)
	}
}

// Where trees send missing values the study asks about people with them: their rows stay in, but for numbers that are
// not whole.
func TestSentByTrees(t *testing.T) {
	node := func(input, kind string, border, left, right string) string {
		return `{"default_left":[` + left + `,0,0],"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_conditions":[` + border + `,-1,1],"split_indices":[` + input + `,0,0],"split_type":[` + kind + `,0,0],` +
			`"categories":[` + right + `],"categories_nodes":[` + map[string]string{"0": "", "1": "0"}[kind] + `],"categories_segments":[` + map[string]string{"0": "", "1": "0"}[kind] + `],"categories_sizes":[` + map[string]string{"0": "", "1": "1"}[kind] + `]}`
	}
	model := `{"learner":{"gradient_booster":{"model":{"trees":[` + node("0", "0", "40", "1", "") + "," + node("1", "1", "0", "0", "1") + "," + node("2", "0", "0.5", "0", "") +
		`]},"name":"gbtree"},"feature_names":["age","work","rate"],"learner_model_param":{"base_score":"5E-1","num_class":"0","num_feature":"3","num_target":"1"},"objective":{"name":"binary:logistic"}},"version":[3,1,0]}`
	var text, inputs, filled strings.Builder
	text.WriteString("age,work,rate,y\n")
	for i := range 120 {
		age, work, rate := i*7%60+10, i%2, float64(i%5)/4
		cells := []string{fmt.Sprint(age), "ab"[work : work+1], fmt.Sprint(rate)}
		right := []bool{age >= 40, work == 1, rate >= 0.5}
		for k, every := range []int{7, 11, 13} {
			if i%every == 0 {
				cells[k], right[k] = "", k > 0
			}
		}
		yes := 0
		for _, r := range right {
			if r {
				yes++
			}
		}
		text.WriteString(strings.Join(cells, ",") + "," + fmt.Sprint(yes/2) + "\n")
		cells[1] = map[string]string{"a": "0", "b": "1"}[cells[1]]
		inputs.WriteString(strings.Join(cells, ",") + "\n")
		for k := range cells {
			if cells[k] == "" {
				cells[k] = "7"
			}
		}
		filled.WriteString(strings.Join(cells, ",") + "\n")
	}
	r := draft.Request{Data: written(t, "d.csv", text.String()), Model: written(t, "m.json", model), Protected: []string{"work"}}
	for _, own := range []string{"", "age,work,rate\n" + inputs.String()} {
		if own != "" {
			r.Inputs = written(t, "i.csv", own)
		}
		out, st, study := drafted(t, r)
		d, err := st.Data()
		if err != nil || d.Dropped != 10 || out.Rows != 110 || out.Accuracy == nil || *out.Accuracy != 100 {
			t.Errorf("%v, %+v\n%s", err, out, study)
		}
		for _, says := range []string{"age: {integer: 10..69, missing: true}", "work: {categories: [a, b], missing: true}", "rate: {real: 0..1}", `missing: [""]`, "110 of 120 rows"} {
			if !strings.Contains(study, says) {
				t.Errorf("no %q in\n%s", says, study)
			}
		}
	}
	r.Inputs = written(t, "i.csv", "age,work,rate\n"+filled.String())
	if out, _, study := drafted(t, r); strings.Contains(study, "missing: true") || out.Rows != 85 || strings.Contains(study, "does not take") {
		t.Errorf("filled before the model: %+v\n%s", out, study)
	}
}

// Rows in which only a column has no value that the model does not take stay in the study, unless they hold a
// category that no other row has.
func TestGapsInColumnsThatAreLeftOut(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 3, Out: 1, Weights: []float64{0.1, 1, 0}, Bias: []float64{-4}}}}
	model := networkFile(t, n)
	for sex, rows := range map[string]int{"F": 41, "X": 40} {
		var data, inputs strings.Builder
		data.WriteString("age,sex,noted,y\n90," + sex + ",,1\n")
		for i := range 40 {
			age, sex := 20+i*7%50, i*i%3%2
			fmt.Fprintf(&data, "%d,%c,%d,%d\n", age, "FM"[sex], i*i%7, i%2)
			fmt.Fprintf(&inputs, "%d,%d,%d\n", age, 1-sex, sex)
		}
		out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Inputs: written(t, "i.csv", "age,sex_F,sex_M\n"+inputs.String())})
		d, err := st.Data()
		if err != nil || out.Rows != rows || len(d.Points) != rows || len(st.Space.Features) != 2 || st.Space.Features[0].Hi != map[int]float64{41: 90, 40: 69}[rows] {
			t.Errorf("%s: %v, %d rows\n%s", sex, err, out.Rows, text)
		}
	}
}

// Rows that have all values decide whether missing values are a category: rows with gaps may be
// the easier ones, and count only if both arrangements have them.
func TestGapsTellNothing(t *testing.T) {
	for name, model := range map[string]relu.Layer{
		// Trained without the rows with a gap: a is 0 and b is 1.
		"left out": {Weights: []float64{0, 4}, Bias: []float64{-2}},
		// Trained with gaps as a category, the first one.
		"a category": {Weights: []float64{0, 4}, Bias: []float64{-6}},
	} {
		model.Name, model.In, model.Out = "score", 2, 1
		var data strings.Builder
		data.WriteString("age,group,y\n")
		r := rand.New(rand.NewPCG(1, 2))
		for i := range 400 {
			group := []string{"a", "b", "?"}[min(2, r.IntN(8)/2)]
			fmt.Fprintf(&data, "%d,%s,%t\n", i%50, group, group == "b" != (r.IntN(5) == 0 && group != "?"))
		}
		n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{model}}
		_, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: networkFile(t, n)})
		if got := len(st.Space.Features[1].Categories); got != map[string]int{"left out": 2, "a category": 3}[name] {
			t.Errorf("%s: %d categories\n%s", name, got, text)
		}
	}
}

// The doubt about where missing values go is dropped if the model gives the scores of rows that
// have them.
func TestScoresSettleWhereGapsGo(t *testing.T) {
	r := draft.Request{Data: "../reconcile/testdata/door/sklearn-forest-gaps.data.csv", Model: "../reconcile/testdata/door/sklearn-forest-gaps.onnx", Label: "paid"}
	for _, scored := range []bool{false, true} {
		out, st, _ := drafted(t, r)
		if doubted := strings.Contains(strings.Join(out.Doubts, "\n"), "the file sends missing values the same way"); doubted == scored || out.Solved != scored {
			t.Errorf("%v: %+v", scored, out)
		}
		d, err := st.Data()
		if err != nil {
			t.Fatal(err)
		}
		var scores strings.Builder
		for _, p := range d.Points {
			fmt.Fprintln(&scores, st.Model.Link().Score(st.Model.Logit(st.Space.NetworkInputs(make([]float64, st.Space.Inputs), p))))
		}
		r.Scores = written(t, "s.csv", scores.String())
	}
}
