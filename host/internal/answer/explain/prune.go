package explain

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/space"
)

// Prune returns the smallest subtree that minimises impurity + α·leaves (cost-complexity
// pruning, chapter 3 of the book cited at Grow). Impurity is the mean Gini impurity of the
// leaves, weighted by the root's samples. The book's cost, misclassification, cannot see that a
// rare class is less rare in a leaf. The input is unchanged.
func Prune(root *Node, alpha float64) *Node {
	kept, _, _ := prune(root, alpha*root.weight())
	return kept
}

func (n *Node) weight() float64 {
	return float64(n.Hits*n.weights.high + (n.Samples-n.Hits)*n.weights.low)
}

// prune returns the kept subtree, its summed impurity and its number of leaves.
func prune(n *Node, price float64) (kept *Node, cost float64, leaves int) {
	out := *n
	single := n.impurity()
	if !n.Leaf() {
		var low, high float64
		var lowLeaves, highLeaves int
		out.Low, low, lowLeaves = prune(n.Low, price)
		out.High, high, highLeaves = prune(n.High, price)
		cost, leaves = low+high, lowLeaves+highLeaves
		// Ties go to the smaller tree, with a margin for rounding.
		if cost+float64(price*float64(leaves-1)) < single*(1-1e-12) {
			return &out, cost, leaves
		}
	}
	return &Node{Samples: n.Samples, Hits: n.Hits, weights: n.weights}, single, 1
}

// Alphas returns the costs at which Prune's result changes, ascending from 0.
func Alphas(root *Node) []float64 {
	out := []float64{0}
	for n := Prune(root, 0); !n.Leaf(); {
		price := weakest(n)
		alpha := price / root.weight()
		out = append(out, alpha)
		n = cut(n, price*(1+1e-9))
	}
	return out
}

// weakest returns the least rise in impurity, per leaf saved, of collapsing one subtree.
func weakest(root *Node) float64 {
	least := math.Inf(1)
	var walk func(*Node) (cost float64, leaves int)
	walk = func(n *Node) (float64, int) {
		single := n.impurity()
		if n.Leaf() {
			return single, 1
		}
		low, l := walk(n.Low)
		high, h := walk(n.High)
		least = min(least, (single-low-high)/float64(l+h-1))
		return low + high, l + h
	}
	walk(root)
	return least
}

// cut is Prune with α already multiplied by the root's weight.
func cut(n *Node, price float64) *Node {
	kept, _, _ := prune(n, price)
	return kept
}

// folds is the number of folds of the cross-validation.
const folds = 5

// ChooseAlpha picks the cost per leaf by cross-validation: the one with the least weighted mean
// squared error of the predicted share on held-out samples; of equal ones, the largest. The
// book's one-SE rule leaves too little of a tree for useful paths; their claims are tested on
// fresh samples anyway. Equal seeds give equal costs.
func ChooseAlpha(s *space.Space, points [][]float64, high []bool, g Growth, root *Node, seed uint64) float64 {
	alphas := Alphas(root)
	if len(points) < 2*folds || len(alphas) == 1 {
		return 0
	}
	// The geometric mean represents the interval between two changes.
	tried := make([]float64, len(alphas))
	for i := range alphas {
		tried[i] = alphas[i]
		if i+1 < len(alphas) {
			tried[i] = math.Sqrt(alphas[i] * alphas[i+1])
		}
	}
	order := stratified(high, rand.New(rand.NewPCG(seed, 0x666f6c6473)))
	errors := make([][]float64, len(tried)) // one list per cost, with one entry per sample
	w := balanced(high)
	for fold := range folds {
		var grow, held []int
		for place, row := range order {
			if place%folds == fold {
				held = append(held, row)
			} else {
				grow = append(grow, row)
			}
		}
		p, h := pick(points, high, grow)
		tree := Grow(s, p, h, g)
		for i, alpha := range tried {
			pruned := Prune(tree, alpha)
			for _, row := range held {
				miss, weight := pruned.Find(points[row]).Share(), w.low
				if high[row] {
					miss, weight = 1-miss, w.high
				}
				errors[i] = append(errors[i], miss*miss*float64(weight))
			}
		}
	}
	chosen, least := 0, math.Inf(1)
	for i := range tried {
		if mean := statistics.Mean(errors[i]); mean <= least {
			chosen, least = i, mean
		}
	}
	return tried[chosen]
}

// stratified returns a random order of the samples, high ones first: taking every fifth sample
// gives a fold with its share of both classes.
func stratified(high []bool, rng *rand.Rand) []int {
	order := rng.Perm(len(high))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case high[a] == high[b]:
			return 0
		case high[a]:
			return -1
		}
		return 1
	})
	return order
}

func pick(points [][]float64, high []bool, rows []int) ([][]float64, []bool) {
	p, h := make([][]float64, len(rows)), make([]bool, len(rows))
	for i, r := range rows {
		p[i], h[i] = points[r], high[r]
	}
	return p, h
}
