package fairness

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/internal/named"
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
