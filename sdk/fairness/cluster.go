package fairness

import (
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/internal/named"
)

// Clustering says which scores count as treated alike when k is counted.
type Clustering uint8

const (
	// ByBins counts the bins of width ε that the scores fall into: the paper's
	// k, and the default.
	ByBins Clustering = iota + 1
	// ByLinkage sorts the scores and cuts where neighbours differ by more than ε.
	ByLinkage
)

// Clusterings lists every clustering in order.
var Clusterings = []Clustering{ByBins, ByLinkage}

// String gives the name used on the command line, in study files and in JSON.
func (c Clustering) String() string { return named.Of(c, "bins", "linkage") }

// ParseClustering is the inverse of String.
func ParseClustering(name string) (Clustering, error) {
	return named.Find(Clusterings, Clustering.String, "clustering", name)
}

// K counts the clusters of the scores with these logits: 0 for no logits, else
// at least 1. The zero Clustering counts as ByBins. ε must be positive.
func (c Clustering) K(logits []*big.Rat, eps *big.Rat) int {
	if c == ByLinkage {
		return KLinkage(logits, eps)
	}
	return KBins(logits, eps)
}

// Bins is the number of bins, ⌈1/ε⌉, for an ε that CheckEpsilon accepts. For a smaller
// ε > 0 it stops at the largest int.
func Bins(eps *big.Rat) int {
	q, rest := new(big.Int).QuoRem(eps.Denom(), eps.Num(), new(big.Int))
	if rest.Sign() > 0 {
		q.Add(q, big.NewInt(1))
	}
	if !q.IsInt64() || q.Int64() > math.MaxInt {
		return math.MaxInt
	}
	return int(q.Int64())
}

// Bin is the index j of the bin that σ(logit) falls into, decided exactly. Bin
// j is [jε, (j+1)ε), and the last one is closed at 1.
func Bin(logit, eps *big.Rat) int {
	last := Bins(eps) - 1
	of := func(score *big.Rat) int {
		j := new(big.Rat).Quo(score, eps)
		return int(min(new(big.Int).Quo(j.Num(), j.Denom()).Int64(), int64(last)))
	}
	if logit.Sign() == 0 {
		return of(big.NewRat(1, 2))
	}
	// No other score is an edge (see firstPrecision), so that an enclosure decides.
	for prec := uint(firstPrecision + eps.Denom().BitLen()); ; prec *= 2 {
		lo, hi := score(logit, prec)
		if j := of(rational(lo)); j == of(rational(hi)) {
			return j
		}
	}
}

// KBins is the number of different bins that the scores fall into.
func KBins(logits []*big.Rat, eps *big.Rat) int {
	seen := map[int]bool{}
	for _, l := range logits {
		seen[Bin(l, eps)] = true
	}
	return len(seen)
}

// KLinkage sorts the scores and counts the groups left after cutting where
// neighbours differ by more than ε.
func KLinkage(logits []*big.Rat, eps *big.Rat) int {
	if len(logits) == 0 {
		return 0
	}
	// σ increases, so the logits' order is the scores'.
	sorted := slices.SortedFunc(slices.Values(logits), (*big.Rat).Cmp)
	k := 1
	for i := 1; i < len(sorted); i++ {
		if GapExceeds(sorted[i], sorted[i-1], eps) {
			k++
		}
	}
	return k
}

// Edge encloses the logit at which bin j of ε begins: the logits of scores in
// bin j are at least that and below Edge(j+1, ε). It is −Inf at j = 0, and +Inf
// past the last bin. Only the edge at ½, the logit 0, is a rational number.
func Edge(j int, eps *big.Rat) (lo, hi float64) {
	if j >= Bins(eps) {
		return math.Inf(1), math.Inf(1)
	}
	return LogitEnclosure(new(big.Rat).Mul(new(big.Rat).SetInt64(int64(j)), eps))
}
