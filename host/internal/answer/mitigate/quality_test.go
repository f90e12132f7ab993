package mitigate

import (
	"math"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// shop is a space of one ordinary and two protected features, and a network that decides by
// the ordinary one: positive above 4.
func shop(t testing.TB) (*space.Space, *relu.Network) {
	t.Helper()
	s := &space.Space{
		Inputs: 3,
		Features: []space.Feature{
			{Name: "points", Kind: space.Integer, Lo: 0, Hi: 9, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "sex", Kind: space.Categorical, Lo: 0, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
			{Name: "age", Kind: space.Integer, Lo: 10, Hi: 90, Protected: []float64{20, 40, 60}, Inputs: []space.Input{{Index: 2, Scale: 1}}},
		},
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
		{Name: "output", In: 3, Out: 1, Weights: []float64{1, 0, 0}, Bias: []float64{-4.5}},
	}}
	for _, v := range []interface{ Validate() error }{s, n} {
		if err := v.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	return s, n
}

// crowd is count copies of a row and its label.
type crowd struct {
	row   []float64
	label int
	count int
}

func rowsOf(crowds []crowd) (rows [][]float64, labels []int) {
	for _, c := range crowds {
		for range c.count {
			rows, labels = append(rows, c.row), append(labels, c.label)
		}
	}
	return rows, labels
}

// TestJudge compares every measure with a count by hand.
func TestJudge(t *testing.T) {
	s, n := shop(t)
	rows, labels := rowsOf([]crowd{
		{[]float64{9, 0, 21}, 1, 10}, // f, 20: right yes
		{[]float64{0, 0, 21}, 1, 30}, // f, 20: wrong no
		{[]float64{9, 1, 48}, 1, 20}, // m, 40 (48 is nearer to it): right yes
		{[]float64{9, 1, 50}, 0, 20}, // m, 40, the smaller of two equally near: wrong yes
		{[]float64{0, 1, 62}, 0, 10}, // m, 60: right no
		{[]float64{9, 1, 10}, 1, 1},  // m, 20: right yes
	})
	q := Judge(s, fairness.Rule{}, Subject{Model: n}, rows, labels)
	check := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if q.Rows != 91 || q.Answered != 91 || len(q.Groups) != 2 {
		t.Fatalf("%+v", q)
	}
	check("refused", q.Refused, 0)
	check("accuracy", q.Accuracy, 41.0/91)
	check("accuracy of the answered", q.AccuracyAnswered, 41.0/91)
	check("F1", q.F1, 62.0/(62+20+30))
	// Women: 10 of 40 positive; men: 41 of 51. With positive outcome: 10 of 40 women and 21
	// of 21 men.
	check("parity by sex", q.Groups[0].Parity, 41.0/51-0.25)
	check("opportunity by sex", q.Groups[0].Opportunity, 0.75)
	// 20: 11 of 41; 40: 40 of 40; 60: 0 of 10, without a positive outcome.
	check("parity by age", q.Groups[1].Parity, 1)
	check("opportunity by age", q.Groups[1].Opportunity, 1-11.0/41)
	check("parity", q.Parity, 1)
	check("opportunity", q.Opportunity, 0.75)

	// Where a no is favourable: of the negative outcome, 0 of 20 rows at 40 and 10 of 10 at 60 have a no. Such women there are none.
	q = Judge(s, fairness.Rule{Low: true}, Subject{Model: n}, rows, labels)
	check("parity by sex, low", q.Groups[0].Parity, 41.0/51-0.25)
	check("opportunity by age, low", q.Groups[1].Opportunity, 1)
	if q.Groups[0].Opportunity != nil {
		t.Errorf("opportunity by sex, low: %v of one group", *q.Groups[0].Opportunity)
	}

	guards := []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 4}}}}
	q = Judge(s, fairness.Rule{}, Subject{n, guards}, rows, labels)
	if q.Answered != 51 {
		t.Errorf("%d answered, want 51", q.Answered)
	}
	check("refused", q.Refused, 40.0/91)
	check("accuracy", q.Accuracy, 31.0/91)
	check("accuracy of the answered", q.AccuracyAnswered, 31.0/51)
	check("parity by sex", q.Groups[0].Parity, 0)
	if q.Groups[0].Opportunity == nil || *q.Groups[0].Opportunity != 0 {
		t.Errorf("opportunity by sex %v", q.Groups[0].Opportunity)
	}
}

// TestJudgeOfNobody: if all rows are refused, or there are no rows, shares are nil.
func TestJudgeOfNobody(t *testing.T) {
	s, n := shop(t)
	everybody := []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: 9}}}}
	rows, labels := rowsOf([]crowd{{[]float64{9, 0, 21}, 1, 40}, {[]float64{9, 1, 21}, 0, 40}})
	q := Judge(s, fairness.Rule{}, Subject{n, everybody}, rows, labels)
	if *q.Refused != 1 || *q.Accuracy != 0 || q.AccuracyAnswered != nil || q.F1 != nil || q.Parity != nil || q.Opportunity != nil {
		t.Errorf("of rows that are all refused: %+v", q)
	}
	if q = Judge(s, fairness.Rule{}, Subject{Model: n}, nil, nil); q.Refused != nil || q.Accuracy != nil {
		t.Errorf("of no rows: %+v", q)
	}
}

// TestSmallGroupsAreNotCompared: groups below MinGroup rows have no share.
func TestSmallGroupsAreNotCompared(t *testing.T) {
	s, n := shop(t)
	for _, c := range []struct {
		women int
		want  bool
	}{{MinGroup - 1, false}, {MinGroup, true}} {
		rows, labels := rowsOf([]crowd{{[]float64{9, 0, 21}, 1, c.women}, {[]float64{0, 1, 21}, 1, 50}})
		if q := Judge(s, fairness.Rule{}, Subject{Model: n}, rows, labels); (q.Groups[0].Parity != nil) != c.want {
			t.Errorf("%d women: parity %v", c.women, q.Groups[0].Parity)
		}
	}
}

// TestGroupOf: values of a narrow domain are their own groups, even if copies take values
// beyond it.
func TestGroupOf(t *testing.T) {
	narrow := &space.Feature{Kind: space.Integer, Lo: 0, Hi: 1, Protected: []float64{1, 2, 3}}
	wide := &space.Feature{Kind: space.Integer, Lo: 0, Hi: 90, Protected: []float64{20, 40}}
	for _, c := range []struct {
		f       *space.Feature
		v, want float64
	}{{narrow, 0, 0}, {narrow, 1, 1}, {wide, 0, 20}, {wide, 30, 20}, {wide, 31, 40}, {wide, 90, 40}} {
		if got := groupOf(c.f, c.v); got != c.want {
			t.Errorf("%v of %v stands for %v, want %v", c.v, c.f.Protected, got, c.want)
		}
	}
}
