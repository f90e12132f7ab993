package explain

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/space"
)

// The root's test is the best over all thresholds and all subsets of categories; with a
// minimum leaf size, over all thresholds.
func TestRootTestIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, _, high := somePoints(t, s, 2)
		leaf := rapid.IntRange(1, 4).Draw(t, "leaf")
		root := Grow(s, points, high, Growth{Depth: 1, Leaf: leaf})
		cost := root.impurity()
		if !root.Leaf() {
			cost = root.Low.impurity() + root.High.impurity()
		}
		best := root.impurity()
		for i := range s.Features {
			f := &s.Features[i]
			if f.IsProtected() {
				continue
			}
			var tests []func(v float64) bool
			if f.Kind == space.Categorical && leaf > 1 {
				continue
			}
			if f.Kind == space.Categorical {
				for set := range 1 << len(f.Categories) {
					tests = append(tests, func(v float64) bool { return set>>int(v)&1 == 1 })
				}
			} else {
				for cut := f.Lo; cut < f.Hi; cut++ {
					tests = append(tests, func(v float64) bool { return v <= cut })
				}
			}
			for _, test := range tests {
				var n, hits [2]int
				for k, x := range points {
					side := 0
					if test(x[i]) {
						side = 1
					}
					if n[side]++; high[k] {
						hits[side]++
					}
				}
				if min(n[0], n[1]) >= leaf {
					best = min(best, root.weights.impurity(n[0], hits[0])+root.weights.impurity(n[1], hits[1]))
				}
			}
		}
		if best < cost*(1-1e-12) {
			t.Fatalf("impurity %v after the test, %v is possible", cost, best)
		}
	})
}

// A tree respects depth and leaf size, counts the samples of its nodes, and tests no
// protected feature. Its paths to high leaves agree with Find.
func TestTreeAndItsPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, _, high := somePoints(t, s, 1)
		g := Growth{Depth: rapid.IntRange(1, 5).Draw(t, "depth"), Leaf: rapid.IntRange(1, 6).Draw(t, "leaf")}
		root := Grow(s, points, high, g)
		type tally struct{ n, hits int }
		reached := map[*Node]*tally{}
		var walk func(n *Node, depth int)
		walk = func(n *Node, depth int) {
			reached[n] = &tally{}
			if depth > g.Depth || n != root && n.Samples < g.Leaf {
				t.Fatalf("a node of %d samples at depth %d, allowed %+v", n.Samples, depth, g)
			}
			if !n.Leaf() {
				if s.Features[n.Feature].IsProtected() {
					t.Fatal("tests a protected feature")
				}
				walk(n.Low, depth+1)
				walk(n.High, depth+1)
			}
		}
		walk(root, 0)
		for i, x := range points {
			r := reached[root.Find(x)]
			if r.n++; high[i] {
				r.hits++
			}
		}
		for n, r := range reached {
			if n.Leaf() && (r.n != n.Samples || r.hits != n.Hits) {
				t.Fatalf("leaf says %d of %d, found %d of %d", n.Hits, n.Samples, r.hits, r.n)
			}
		}
		found := paths(root, s)
		all, _ := lattice(s)
		for _, x := range all {
			holds := slices.ContainsFunc(found, func(p space.Predicate) bool { return p.Holds(x) })
			if holds != root.Find(x).IsHigh() {
				t.Fatalf("%v: high %v, but some path holds: %v", x, root.Find(x).IsHigh(), holds)
			}
		}
	})
}

// Prune finds the cheapest of all subtrees, and changes its result exactly at Alphas.
func TestPruneIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := smallSpace(t)
		points, _, high := somePoints(t, s, 4)
		root := Grow(s, points, high, Growth{Depth: 4, Leaf: 1})
		alpha := rapid.Float64Range(0, 0.6).Draw(t, "alpha")
		price := alpha * root.weight()
		cost := func(n *Node) float64 {
			sum := 0.0
			var walk func(*Node)
			walk = func(n *Node) {
				if n.Leaf() {
					sum += n.impurity() + price
					return
				}
				walk(n.Low)
				walk(n.High)
			}
			walk(n)
			return sum
		}
		// The least over all subtrees: the node as a leaf, or its children at their best.
		var least func(n *Node) float64
		least = func(n *Node) float64 {
			if n.Leaf() {
				return n.impurity() + price
			}
			return min(n.impurity()+price, least(n.Low)+least(n.High))
		}
		kept := Prune(root, alpha)
		if want := least(root); math.Abs(cost(kept)-want) > 1e-9*(1+want) {
			t.Fatalf("cost %v, the least is %v", cost(kept), want)
		}
		alphas := Alphas(root)
		if !slices.IsSorted(alphas) {
			t.Fatalf("prices %v", alphas)
		}
		leaves := math.MaxInt
		for i, a := range alphas {
			n := Prune(root, a*(1+1e-6)).Leaves()
			if n >= leaves {
				t.Fatalf("%d leaves at price %d of %v, %d before", n, i, alphas, leaves)
			}
			leaves = n
			if i+1 < len(alphas) {
				if middle := Prune(root, (a+alphas[i+1])/2).Leaves(); alphas[i+1] > a*(1+1e-5) && middle != n {
					t.Fatalf("%d leaves between prices %d and %d of %v, %d at the first", middle, i, i+1, alphas, n)
				}
			}
		}
		if leaves != 1 {
			t.Fatalf("%d leaves at the last price", leaves)
		}
	})
}

// Real features are split at short decimals.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		kind space.Kind
		want float64
	}{
		{3, 4, space.Integer, 3}, {3, 6, space.Integer, 4}, {-4, -3, space.Integer, -4},
		{0.1, 0.3, space.Real, 0.2}, {1.23456, 1.23467, space.Real, 1.2346}, {0, 1, space.Real, 0.5},
		{1, math.Nextafter(1, 2), space.Real, 1},
	} {
		if got := between(c.a, c.b, c.kind); got != c.want || got < c.a || got >= c.b {
			t.Errorf("between %v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
