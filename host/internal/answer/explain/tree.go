package explain

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/sdk/space"
)

// Growth bounds a tree.
type Growth struct {
	// Depth is the largest number of tests from the root to a leaf.
	Depth int `json:"depth"`
	// Leaf is the least number of samples in a leaf; at least 1.
	Leaf int `json:"leaf"`
}

// Node is a node of a classification tree: a leaf, or a test that sends
// samples to one of two children.
type Node struct {
	// Feature is the tested feature. Without Set, values ≤ Threshold go to Low and others
	// to High; with Set (categorical features), categories whose entry is true go to Low.
	Feature   int
	Threshold float64
	Set       []bool
	// Low and High are the children; nil in a leaf.
	Low, High *Node
	// Samples counts the samples that reached the node, and Hits those labelled high.
	Samples, Hits int

	weights weights
}

// weights holds the weight of a sample of each class.
type weights struct{ high, low int }

// balanced gives both classes the same total weight: a sample weighs the number of samples
// of the other class.
func balanced(high []bool) weights {
	w := weights{}
	for _, h := range high {
		if h {
			w.low++
		} else {
			w.high++
		}
	}
	return w
}

// Leaf reports whether the node has no children.
func (n *Node) Leaf() bool { return n.Low == nil }

// IsHigh reports whether high samples outweigh the others, that is, whether their share
// exceeds the root's.
func (n *Node) IsHigh() bool { return n.Hits*n.weights.high > (n.Samples-n.Hits)*n.weights.low }

// Share is the weighted share of high samples: ½ at the root of an unpruned tree.
func (n *Node) Share() float64 {
	high, low := float64(n.Hits*n.weights.high), float64((n.Samples-n.Hits)*n.weights.low)
	return high / (high + low)
}

// impurity is the node's weight times its Gini impurity.
func (n *Node) impurity() float64 { return n.weights.impurity(n.Samples, n.Hits) }

// Leaves counts the leaves below the node, itself included.
func (n *Node) Leaves() int {
	if n.Leaf() {
		return 1
	}
	return n.Low.Leaves() + n.High.Leaves()
}

// Find returns the leaf that contains a point.
func (n *Node) Find(x []float64) *Node {
	for !n.Leaf() {
		if n.low(x[n.Feature]) {
			n = n.Low
		} else {
			n = n.High
		}
	}
	return n
}

func (n *Node) low(v float64) bool {
	if n.Set != nil {
		return n.Set[int(v)]
	}
	return v <= n.Threshold
}

// impurity is the weight of n samples, hits of them high, times the Gini impurity 2·p·(1 −
// p). Weights are integers, so equal splits have equal impurities.
func (w weights) impurity(n, hits int) float64 {
	high, low := float64(hits*w.high), float64((n-hits)*w.low)
	if high == 0 || low == 0 {
		return 0
	}
	return 2 * high * low / (high + low)
}

// samples holds the labelled points to grow a tree from.
type samples struct {
	features []space.Feature
	points   [][]float64
	high     []bool
	weights  weights
}

// Grow grows a classification tree (L. Breiman, J. Friedman, R. Olshen, C. Stone,
// Classification and Regression Trees, 1984). Each node takes the test on a non-protected
// feature with the least Gini impurity, the first of equal ones by feature and threshold. A
// threshold is an integer for integer features, else the shortest decimal between two
// values.
//
// A test on categories may put any set on one side. For two classes it suffices to try the
// prefixes of the categories sorted by their share of high labels, which the book proves for
// leaves of any size. If Leaf excludes the best set, the second best need not be a prefix.
// Categories without a sample in the node go to the side with the smaller share: unseen values
// do not count as high.
//
// Both classes have the same total weight. High samples are often one in twenty; unweighted,
// they might have a majority in no leaf.
//
// Points have one entry for each feature and lie in the domains; at least one point.
func Grow(s *space.Space, points [][]float64, high []bool, g Growth) *Node {
	t := &samples{features: s.Features, points: points, high: high, weights: balanced(high)}
	rows := make([]int, len(points))
	for i := range rows {
		rows[i] = i
	}
	return t.grow(rows, g.Depth, max(1, g.Leaf))
}

func (t *samples) grow(rows []int, depth, leaf int) *Node {
	n := &Node{Samples: len(rows), weights: t.weights}
	for _, r := range rows {
		if t.high[r] {
			n.Hits++
		}
	}
	if depth <= 0 || n.Hits == 0 || n.Hits == n.Samples || n.Samples < 2*leaf {
		return n
	}
	best, ok := t.best(rows, n, leaf)
	if !ok {
		return n
	}
	n.Feature, n.Threshold, n.Set = best.feature, best.threshold, best.set
	var low, high []int
	for _, r := range rows {
		if n.low(t.points[r][n.Feature]) {
			low = append(low, r)
		} else {
			high = append(high, r)
		}
	}
	n.Low, n.High = t.grow(low, depth-1, leaf), t.grow(high, depth-1, leaf)
	return n
}

// split is a test and the impurity after it.
type split struct {
	feature   int
	threshold float64
	set       []bool
	impurity  float64
}

// group holds the samples of a node with one value of a feature.
type group struct {
	value   float64
	n, hits int
}

// best finds the test with the least impurity that improves on the node's and leaves no
// side empty.
func (t *samples) best(rows []int, n *Node, leaf int) (split, bool) {
	best := split{impurity: n.impurity()}
	found := false
	for i := range t.features {
		f := &t.features[i]
		if f.IsProtected() {
			continue
		}
		groups := t.groups(rows, i)
		if f.Kind == space.Categorical {
			// By share of hits: compares a.hits/a.n with b.hits/b.n in integers.
			slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a.hits*b.n, b.hits*a.n) })
		}
		var below group
		for k := range len(groups) - 1 {
			below.n, below.hits = below.n+groups[k].n, below.hits+groups[k].hits
			if below.n < leaf || n.Samples-below.n < leaf {
				continue
			}
			left := t.weights.impurity(below.n, below.hits) + t.weights.impurity(n.Samples-below.n, n.Hits-below.hits)
			if left >= best.impurity {
				continue
			}
			best, found = split{feature: i, impurity: left}, true
			if f.Kind == space.Categorical {
				// The first ones have the smaller share; Low takes unseen categories.
				best.set = make([]bool, len(f.Categories))
				for c := range best.set {
					best.set[c] = true
				}
				for _, g := range groups[k+1:] {
					best.set[int(g.value)] = false
				}
			} else {
				best.threshold = between(groups[k].value, groups[k+1].value, f.Kind)
			}
		}
	}
	return best, found
}

// groups groups a node's samples by value of a feature, ascending.
func (t *samples) groups(rows []int, feature int) []group {
	sorted := make([]group, len(rows))
	for k, r := range rows {
		sorted[k] = group{value: t.points[r][feature], n: 1}
		if t.high[r] {
			sorted[k].hits = 1
		}
	}
	slices.SortFunc(sorted, func(a, b group) int { return cmp.Compare(a.value, b.value) })
	out := sorted[:1]
	for _, g := range sorted[1:] {
		if last := &out[len(out)-1]; last.value == g.value {
			last.n, last.hits = last.n+g.n, last.hits+g.hits
		} else {
			out = append(out, g)
		}
	}
	return out
}

// between returns a threshold t with a ≤ t < b near the middle; for real features, the one with
// the fewest digits.
func between(a, b float64, kind space.Kind) float64 {
	middle := a + (b-a)/2
	if kind == space.Integer {
		return math.Floor(middle)
	}
	for digits := 1; digits < 17; digits++ {
		short, err := strconv.ParseFloat(strconv.FormatFloat(middle, 'g', digits, 64), 64)
		if err == nil && a <= short && short < b {
			return short
		}
	}
	return a
}
