package ensemble_test

import (
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/ensemble"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Bounds of differences of trees that cancel in float64 but not exactly leave room for
// the remainder; trees that are the same for all copies leave none.
func TestCopiesApart(t *testing.T) {
	stump := func(input int32, one, two float64) trees.Tree {
		return trees.Tree{{Input: input, Left: 1, Right: 2, Value: 0.5}, trees.Leaf(one), trees.Leaf(two)}
	}
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	s := &space.Space{Inputs: 2, Features: []space.Feature{
		{Name: "n", Kind: space.Integer, Hi: 99, Inputs: in(0)},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(1)},
	}}
	for _, two := range []float64{1e-19, -1e-19} {
		e := &trees.Ensemble{Columns: 2, Output: fairness.LinkLinear, Trees: []trees.Tree{stump(1, 1, 0), stump(1, -1, two), stump(0, 0.1, 0.7)}}
		if got := apart(t, e, s); !(got >= 1e-19 && got < 1e-12) {
			t.Errorf("second leaf %v: apart by at most %v", two, got)
		}
	}
	if got := apart(t, &trees.Ensemble{Columns: 2, Output: fairness.LinkLinear, Trees: []trees.Tree{stump(0, 0.1, 0.7), stump(0, 1e-19, 1)}}, s); got != 0 {
		t.Errorf("the same for all copies: apart by at most %v", got)
	}
}

func apart(t *testing.T, e *trees.Ensemble, s *space.Space) float64 {
	t.Helper()
	g, err := grid.New(&problem.Query{Model: e, Space: s, Notion: fairness.Logit, Epsilon: big.NewRat(1, 20)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ensemble.New(e, g)
	if err != nil {
		t.Fatal(err)
	}
	b := p.NewBoxes()
	b.Bound(g.Whole())
	return b.Apart(nil)
}
