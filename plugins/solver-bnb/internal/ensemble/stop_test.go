package ensemble

import (
	"math/big"
	"sync/atomic"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// comb returns a tree that for one copy has a leaf for each value of one feature, and for the
// other copy one for each value of another feature. So there is a pair of leaves for each pair
// of values.
func comb(t *testing.T, values int) *Plan {
	t.Helper()
	in := func(i int) []space.Input { return []space.Input{{Index: i, Scale: 1}} }
	hi := float64(values - 1)
	s := &space.Space{Inputs: 3, Features: []space.Feature{
		{Name: "a", Kind: space.Integer, Hi: hi, Inputs: in(0)},
		{Name: "b", Kind: space.Integer, Hi: hi, Inputs: in(1)},
		{Name: "p", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: in(2)},
	}}
	tree := trees.Tree{{Input: 2, Value: 0.5}}
	var grow func(input int32, from, to int) int32
	grow = func(input int32, from, to int) int32 {
		at := int32(len(tree))
		if from == to {
			tree = append(tree, trees.Leaf(float64(from*(1+int(input)))))
			return at
		}
		mid := (from + to) / 2
		tree = append(tree, trees.Node{Input: input, Value: float64(mid) + 0.5})
		left := grow(input, from, mid)
		right := grow(input, mid+1, to)
		tree[at].Left, tree[at].Right = left, right
		return at
	}
	left := grow(0, 0, values-1)
	right := grow(1, 0, values-1)
	tree[0].Left, tree[0].Right = left, right
	e := &trees.Ensemble{Columns: 3, Output: fairness.LinkLinear, Trees: []trees.Tree{tree}}
	g, err := grid.New(&problem.Query{Model: e, Space: s, Notion: fairness.Logit, Epsilon: big.NewRat(1, 20)})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(e, g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A walk through pairs of leaves ends within lookEvery leaves after stop is set, in dives and
// in bounds of boxes, and the interrupted result says so.
func TestWalksStop(t *testing.T) {
	const values = 200
	p := comb(t, values)
	for _, stopped := range []bool{false, true} {
		var stop atomic.Bool
		b, d := p.NewBoxes(), p.NewDive(&stop)
		b.Bound(p.grid.Whole())
		part := b.Part(0, 1)
		stop.Store(stopped)
		b.Stop = &stop
		b.Bound(p.grid.Whole())
		if long := b.seen > values*values; b.Broken != stopped || long == stopped || stopped && b.seen > lookEvery+4*values {
			t.Errorf("told to stop: %v; a bound walked through %d nodes and was broken off: %v", stopped, b.seen, b.Broken)
		}
		left, settled := d.Settles(&part, 1, func(Pair) (Pair, bool) { return Pair{0, Anything, Anything}, true }, func([]int32) {})
		if long := d.Leaves >= values*values; settled || len(left) == 0 || long == stopped || stopped && d.Leaves > lookEvery {
			t.Errorf("told to stop: %v; a dive walked through %d leaves, settled its part: %v, and left %d", stopped, d.Leaves, settled, len(left))
		}
	}
}
