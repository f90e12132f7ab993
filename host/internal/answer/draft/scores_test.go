package draft_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// Numbers that were scaled on a part of the rows, and categories in an order of their own: they are solved from the scores.
func TestScores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := madeUp(r, 5, 8, 1)
	var data, scores strings.Builder
	data.WriteString("age,group,income,paid\n")
	for range 600 {
		age, income, group := float64(18+r.IntN(60)), r.Float64()*5000, r.IntN(3)
		x := []float64{(age - 46.3) / 16.9, 0, 0, 0, income/1250 - 2}
		x[1+group] = 1
		p := fairness.Sigmoid(n.Logit(x))
		fmt.Fprintf(&data, "%v,%c,%v,%t\n", age, "cab"[group], income, r.Float64() < p)
		fmt.Fprintln(&scores, p)
	}
	model := networkFile(t, n)
	out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model, Scores: written(t, "s.csv", scores.String())})
	if !out.Solved || *out.Worst > 1e-9 {
		t.Fatalf("%+v\n%s", out, text)
	}
	for feature, want := range map[string][2]float64{"age": {1 / 16.9, -46.3 / 16.9}, "income": {1. / 1250, -2}} {
		i, _ := st.Space.Index(feature)
		in := st.Space.Features[i].Inputs[0]
		if math.Abs(in.Scale/want[0]-1) > 1e-6 || math.Abs(in.Offset/want[1]-1) > 1e-6 {
			t.Errorf("%s: %+v, want %v\n%s", feature, in, want, text)
		}
	}
	if got := st.Space.Features[1].Categories; !slices.Equal(got, []string{"c", "a", "b"}) || !strings.Contains(text, "certain: the order, since") {
		t.Errorf("%v\n%s", got, text)
	}
	// Scores of another network fit nothing.
	n.Layers[0].Weights[0]++
	if out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: networkFile(t, n), Scores: written(t, "s.csv", scores.String())}); out.Solved || len(out.Doubts) != 1 || !strings.Contains(text, "DOUBT: no arrangement gives the scores") {
		t.Errorf("%+v\n%s", out, text)
	}
	// Without the scores it is a guess, and says so.
	if out, _, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: model}); out.Solved || strings.Contains(out.Inputs, "certain") {
		t.Errorf("%+v\n%s", out, text)
	}
}

// Scores that two categories give alike do not tell their order, which the draft calls a guess.
func TestScoresOfAlikeCategories(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 4, Out: 1, Weights: []float64{0.1, 1, 0, 0}, Bias: []float64{-4}}}}
	var data, scores strings.Builder
	data.WriteString("age,group,y\n")
	for i := range 60 {
		age, group := 20+i*7%50, i*i%7%3
		fmt.Fprintf(&data, "%d,%c,%d\n", age, 'a'+group, i%2)
		fmt.Fprintln(&scores, fairness.Sigmoid(n.Logit([]float64{float64(age), float64(group & 1), 0, 0})))
	}
	out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: networkFile(t, n), Scores: written(t, "s.csv", scores.String())})
	if f := st.Space.Features[1]; !out.Solved || f.Categories[0] != "b" || !strings.Contains(text, "guess: whether ") {
		t.Errorf("%+v\n%s", out, text)
	}
}

// madeUp is a network of layers of such widths.
func madeUp(r *rand.Rand, widths ...int) *relu.Network {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid}
	for i, out := range widths[1:] {
		l := relu.Layer{Name: fmt.Sprint("layer ", i), In: widths[i], Out: out, ReLU: i < len(widths)-2}
		for range l.In * l.Out {
			l.Weights = append(l.Weights, r.NormFloat64()/math.Sqrt(float64(l.In)))
		}
		for range l.Out {
			l.Bias = append(l.Bias, r.NormFloat64()/2)
		}
		n.Layers = append(n.Layers, l)
	}
	return n
}

// More orders of categories than can be tried, a column that the model does not take, and numbers after the words.
func TestScoresOfManyOrders(t *testing.T) {
	tier.NeedLong(t)
	r := rand.New(rand.NewPCG(3, 4))
	n := madeUp(r, 15, 16, 8, 1)
	n.Layers[2].Bias[0] = 0
	jobs, towns := r.Perm(8), r.Perm(5)
	var data, scores strings.Builder
	data.WriteString("age,shoe,job,hours,town,paid\n")
	for i := range 1500 {
		age, hours, job, town := float64(18+r.IntN(60)), float64(5+r.IntN(60)), r.IntN(8), r.IntN(5)
		x := make([]float64, 15)
		x[jobs[job]], x[8+towns[town]], x[13], x[14] = 1, 1, (age-46.3)/16.9, hours/20-1.5
		p := fairness.Sigmoid(n.Logit(x))
		fmt.Fprintf(&data, "%v,%d,%c,%v,%c,%d\n", age, 36+r.IntN(10), 'a'+job, hours, 's'+town, i%2)
		fmt.Fprintln(&scores, p)
	}
	out, st, text := drafted(t, draft.Request{Data: written(t, "d.csv", data.String()), Model: networkFile(t, n), Scores: written(t, "s.csv", scores.String())})
	if !out.Solved || *out.Worst > 1e-9 || strings.Join(st.Space.Names(), " ") != "job town age hours" {
		t.Fatalf("%+v\n%s", out, text)
	}
	for i, places := range [][]int{jobs, towns} {
		for category, place := range places {
			if f := st.Space.Features[i]; f.Categories[place] != string("as"[i]+byte(category)) {
				t.Errorf("%s: %s, want the places %v", f.Name, f.Categories, places)
			}
		}
	}
}

// A column of scores with a cell that is not a number is refused, and the message gives its
// place; other columns of names do not matter.
func TestScoresWithAGap(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a text":           {"id,no,yes\n1,0.5,0.5\n2,0.4,oops\n", `:3: column "yes", the last one with numbers, has no number here`},
		"an empty cell":    {"no,yes\n0.5,\n0.4,0.6\n", `:2: column "yes"`},
		"a date":           {"yes\n2020-01-01\n0.5\n", `:2: column "yes"`},
		"a label after it": {"yes,label\n0.5,M\n0.4,F\n", ""},
		"nothing":          {"a\nx\ny\n", "no column of numbers"},
	} {
		got, err := draft.ReadScores(written(t, "s.csv", c.text))
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || c.want == "" && (err != nil || !slices.Equal(got, []float64{0.5, 0.4})) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

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
	if out.Solved || !strings.Contains(text, "but they are that output as it is: write output: number") {
		t.Errorf("outputs: %+v\n%s", out, text)
	}
}

// Scores of the other class are recognised, even if a network with negated scales would give
// them.
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

// Scores that are not the model's are described, if their origin can be recognised.
func TestScoresOfOtherKinds(t *testing.T) {
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{{Name: "score", In: 2, Out: 1, Weights: []float64{0.1, -0.3}, Bias: []float64{-4}}}}
	model := networkFile(t, n)
	for want, of := range map[string]func(row int, logit float64) float64{
		"only 0 and 1, like predicted classes":  func(_ int, logit float64) float64 { return math.Round(fairness.Sigmoid(logit)) },
		"they are the model's logits":           func(_ int, logit float64) float64 { return logit },
		"a hundredth of each is the model's":    func(_ int, logit float64) float64 { return 100 * fairness.Sigmoid(logit) },
		"rounded to their 2 decimals":           func(_ int, logit float64) float64 { return math.Round(100*fairness.Sigmoid(logit)) / 100 },
		"in another order they are the model's": nil,
		"the best is off by":                    func(row int, _ float64) float64 { return float64(row*row%97) / 97 },
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
