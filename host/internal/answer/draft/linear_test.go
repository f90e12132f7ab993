package draft_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Scores from 0 to 1 of a network that ends in a linear unit are probabilities, of which its output is the logit.
// Where they are the output itself, the draft says so.
func TestScoresOfALinearOutput(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadLinear, Layers: []relu.Layer{{Name: "score", In: 3, Out: 1, Weights: []float64{0.01, 0.2, 0}, Bias: []float64{-0.1}}}}
	model := networkFile(t, n)
	var data, logits, probabilities strings.Builder
	data.WriteString("age,sex,y\n")
	for i := range 40 {
		age, sex := 20+i*7%50, i*i%3%2
		y := 0.01*float64(age) + 0.2*float64(1-sex) - 0.1
		fmt.Fprintf(&data, "%d,%c,%v\n", age, "FM"[sex], map[bool]string{true: "yes", false: "no"}[y > 0.4])
		fmt.Fprintln(&logits, y)
		fmt.Fprintln(&probabilities, fairness.Sigmoid(y))
	}
	out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Scores: written(t, "s.csv", probabilities.String())})
	if !out.Solved || len(out.Doubts) > 0 || !strings.Contains(text, "output: logit") {
		t.Errorf("probabilities: %+v\n%s", out, text)
	}
	out, _, text = drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Scores: written(t, "s.csv", logits.String())})
	if out.Solved || !strings.Contains(text, "but they are that output as it is: say output: number") {
		t.Errorf("outputs: %+v\n%s", out, text)
	}
}

// Scores of the other class are named as such, also of a network whose scales could be turned round to meet them.
func TestScoresOfTheOtherClass(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 2, Out: 1, Weights: []float64{0.1, -0.3}, Bias: []float64{-2}}}}
	var data, scores strings.Builder
	data.WriteString("age,kids,y\n")
	for i := range 40 {
		age, kids := float64(20+i*7%50), float64(i%4)
		fmt.Fprintf(&data, "%v,%v,%d\n", age, kids, i%2)
		fmt.Fprintln(&scores, 1-fairness.Sigmoid(0.1*age-0.3*kids-2))
	}
	out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: networkFile(t, n), Scores: written(t, "s.csv", scores.String())})
	if out.Solved || !strings.Contains(text, "they are of the other class") {
		t.Errorf("%+v\n%s", out, text)
	}
}

// What scores are that are not the model's is said where it can be known.
func TestScoresOfOtherKinds(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 2, Out: 1, Weights: []float64{0.1, -0.3}, Bias: []float64{-4}}}}
	model := networkFile(t, n)
	for want, of := range map[string]func(row int, logit float64) float64{
		"0 and 1 alone, as predicted classes are": func(_ int, logit float64) float64 { return math.Round(fairness.Sigmoid(logit)) },
		"they are the logits of the model's":      func(_ int, logit float64) float64 { return logit },
		"a hundredth of each is the model's":      func(_ int, logit float64) float64 { return 100 * fairness.Sigmoid(logit) },
		"to the 2 digits behind the point":        func(_ int, logit float64) float64 { return math.Round(100*fairness.Sigmoid(logit)) / 100 },
		"in another order they are the model's":   nil,
		"the best is off by":                      func(row int, _ float64) float64 { return float64(row*row%97) / 97 },
	} {
		var scores []float64
		data := "age,kids,y\n"
		for i := range 40 {
			age, kids := float64(20+i*7%50), float64(i%4)
			data += fmt.Sprintf("%v,%v,%d\n", age, kids, i%2)
			logit := 0.1*age - 0.3*kids - 4
			if of == nil {
				scores = append(scores, fairness.Sigmoid(logit))
			} else {
				scores = append(scores, of(i, logit))
			}
		}
		if of == nil {
			slices.Sort(scores)
		}
		text := ""
		for _, v := range scores {
			text += fmt.Sprintln(v)
		}
		out, _, _ := drafted(t, draft.Request{Data: written(t, "d.csv", data), Model: model, Scores: written(t, "s.csv", text)})
		if said := strings.Join(out.Doubts, "\n"); out.Solved || !strings.Contains(said, "no arrangement gives the scores") || !strings.Contains(said, want) {
			t.Errorf("%q; want %s", said, want)
		}
	}
}

// A search for scales keeps the order of categories that the model's file names, so that what it finds is no
// contradiction of it.
func TestScoresThatNothingMeets(t *testing.T) {
	var data, scores strings.Builder
	data.WriteString("age,hours,work,sex,y\n")
	for i := range 120 {
		fmt.Fprintf(&data, "%d,%d,%s,%c,%d\n", 20+i%50, 10+i%40, []string{"none", "private", "public"}[i%3], "FM"[i%2], i%2)
		fmt.Fprintln(&scores, float64(i*i%97)/97)
	}
	out, st, text := drafted(t, draft.Request{
		Data: written(t, "d.csv", data.String()), Model: "../../question/modelfile/testdata/models/columns-one-hot-mlp.onnx", Scores: written(t, "s.csv", scores.String()),
	})
	if i, _ := st.Space.Index("work"); out.Solved || !strings.Contains(text, "no arrangement gives the scores") || strings.Join(st.Space.Features[i].Categories, " ") != "none private public" || !strings.Contains(text, "inputs: one-hot") {
		t.Errorf("%+v\n%s", out, text)
	}
}

// What the model takes and no column gives is named, with what is wrong with the column.
func TestInputsThatNoColumnMakes(t *testing.T) {
	model := written(t, "m.json", treesOf([]string{"age", "income"}, "40", "2000"))
	for name, c := range map[string]struct {
		income func(i int) string
		column string
		want   string
	}{
		"none":       {func(int) string { return "Main St." }, "street", `the model takes "income", and no column of `},
		"money":      {func(i int) string { return fmt.Sprintf("\"$%d,%03d.50\"", 1+i%3, i) }, "income", `income (numbers with a sign, such as "$1,000.50": write them as plain numbers)`},
		"euros":      {func(i int) string { return fmt.Sprintf("%d EUR", 1000+i) }, "income", `such as "1000 EUR"`},
		"negative":   {func(i int) string { return fmt.Sprintf("(%d)", 1000+i%4) }, "income", `such as "(1000)"`},
		"SAP":        {func(i int) string { return fmt.Sprintf("%d%s", 100+i, map[bool]string{true: "-"}[i%5 == 3]) }, "income", `such as "103-"`},
		"per cent":   {func(i int) string { return fmt.Sprintf("%d.5%%", i%4) }, "income", `such as "0.5%"`},
		"dates":      {func(i int) string { return fmt.Sprintf("%02d.03.2019", 1+i%28) }, "income", `income (dates such as "01.03.2019": write them in the form 2024-02-29)`},
		"other days": {func(i int) string { return fmt.Sprintf("3/%d/19 10:05 PM", 1+i%28) }, "income", `dates such as "3/1/19 10:05 PM"`},
	} {
		text := "age," + c.column + ",y\n"
		for i := range 60 {
			text += fmt.Sprintf("%d,%s,%d\n", 20+i, c.income(i), i%2)
		}
		r := draft.Request{Data: written(t, "d.csv", text), Model: model, Out: t.TempDir() + "/study.yaml"}
		if name == "none" {
			r.Data = written(t, "d.csv", strings.ReplaceAll(text, "Main St.", ""))
		}
		if _, err := draft.Answer(t.Context(), &session.Session{}, r); err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "the model takes") != 1 {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Texts that only look like numbers with a sign or dates stay categories.
func TestTextsBesideNumbers(t *testing.T) {
	for _, texts := range [][]string{{"A1", "B2"}, {"<50k", ">50k"}, {"18-25", "26-35"}, {"1st", "2nd"}, {"$", "$$"}, {"3 kids", "4 kids"}, {"1.2.3", "yes"}} {
		text := "age,kind,y\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%s,%d\n", 20+i, texts[i%2], i/3%2)
		}
		out, err := draft.Guess(draft.Request{Data: written(t, "d.csv", text), Out: t.TempDir() + "/study.yaml"})
		if err != nil || len(out.Left) > 0 {
			t.Errorf("%q: %v, %v", texts, err, out)
		}
	}
}

// That the file may not say where missing values go is no doubt where the scores of such rows are the model's.
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
