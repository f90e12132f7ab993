package evaluate

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// maxEdges is the largest number of bins whose edges are stored.
const maxEdges = 1 << 12

// edges are the logits between the bins: bin j lies between edge j and edge j+1.
// It stores float64 numbers below and above each edge, unless there are more than
// maxEdges bins. The outermost edges are infinite.
type edges struct {
	bins         int
	link         fairness.Link
	below, above []float64
	// A logit computed within the margin lies above edge j if it is at least
	// thresholds[2j−1], and below it if it is less than thresholds[2j−2].
	thresholds []float64
	perScore   float64 // 1/ε, rounded
}

func newEdges(link fairness.Link, eps *big.Rat, of fairness.Binning) edges {
	bins := of.Count()
	g := edges{bins: bins, link: link, perScore: float64(bins)}
	if of.Bands() == nil {
		g.perScore, _ = new(big.Rat).Inv(eps).Float64()
	}
	if bins > maxEdges {
		return g
	}
	g.below, g.above = make([]float64, bins+1), make([]float64, bins+1)
	for j := range g.below {
		g.below[j], g.above[j] = of.Edge(j)
	}
	return g
}

// tabled reports whether the edges are stored.
func (g *edges) tabled() bool { return g.above != nil }

// margin computes the thresholds for logits with an error up to err.
func (g *edges) margin(err float64) {
	err *= 1 + 0x1p-50 // outweighs the rounding below, as does the step to the next number
	for j := 1; j < g.bins && g.tabled(); j++ {
		g.thresholds = append(g.thresholds, math.Nextafter(g.below[j]-err, math.Inf(-1)), math.Nextafter(g.above[j]+err, math.Inf(1)))
	}
}

// between returns the first and the last edge that columns may lie on both sides of:
// all columns are above edge first−1 and below edge last+1. The search begins at p
// and q, the scores of the least and the greatest computed logit.
func (g *edges) between(logits span, p, q float64) (first, last int) {
	bins := g.bins
	first = min(max(1, int(p*g.perScore)), bins-1)
	for first > 1 && g.thresholds[2*first-3] > logits.least {
		first--
	}
	for first < bins && g.thresholds[2*first-1] <= logits.least {
		first++
	}
	last = min(int(q*g.perScore), bins-1)
	for last+1 < bins && g.thresholds[2*last] <= logits.most {
		last++
	}
	for last > 0 && g.thresholds[2*last-2] > logits.most {
		last--
	}
	return first, last
}

// bin finds the bin of every logit within err of l. ok is false if an edge is too
// near. guess is the bin to try first.
func (g *edges) bin(l, err float64, guess int) (j int, ok bool) {
	if !g.tabled() {
		return g.binOfScore(l, err)
	}
	if !(g.above[guess] <= l && l < g.below[guess+1]) {
		at, found := slices.BinarySearch(g.above[1:len(g.above)-1], l)
		if guess = at; found {
			guess++
		}
	}
	// Each difference is rounded once, which the factor on err outweighs.
	err *= 1 + 0x1p-50
	return guess, l-g.above[guess] >= err && g.below[guess+1]-l > err
}

// binOfScore is bin without stored edges, from the score. The score's error is at
// most sigmoidError plus err times the steepest slope of the link (a quarter for a
// sigmoid), and bins of shares begin a little higher. The last factor covers the
// rounding of perScore and of the products.
func (g *edges) binOfScore(l, err float64) (j int, ok bool) {
	p := g.link.Score(l)
	off := err*g.link.Notion(fairness.Score).Slope() + sigmoidError + (g.link.Score(0) - 0.5)
	lo, hi := (p-off)*g.perScore*(1-0x1p-50), (p+off)*g.perScore*(1+0x1p-50)
	if !(hi-lo < 1) {
		return 0, false
	}
	j = min(int(hi), g.bins-1)
	return j, min(int(max(lo, 0)), g.bins-1) == j
}
