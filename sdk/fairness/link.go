package fairness

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/named"
)

// Link is the function from a model's logit to its score in [0, 1]. Scores and bins are
// computed through it only.
type Link uint8

const (
	// LinkSigmoid means that the score is σ(logit).
	LinkSigmoid Link = iota + 1
	// LinkLinear means that the model's output is its logit. A study must declare this;
	// the score is σ(logit).
	LinkLinear
	// LinkShare means that the model's output is itself the score, a share in [0, 1], such as
	// a forest's. The logit is the share minus Half, so that decisions compare with 0
	// as for other links.
	LinkShare
)

// Links lists every link in order.
var Links = []Link{LinkSigmoid, LinkLinear, LinkShare}

// Half is the score of LinkShare at the logit 0. Single-precision leaves whose exact share is
// ½ may add up to slightly more, by less than 2⁻²⁴, which must not become a yes. Likewise
// the edges of bins are 2⁻²⁴ above multiples of ε: a share on an edge is in the lower bin,
// however its leaves were rounded.
const Half = 0.5 + 0x1p-24

// String names, for messages, the function that a model ends in.
func (l Link) String() string { return named.Of(l, "sigmoid", "linear", "share") }

// Notion returns the notion that replaces n for models of this link: Share instead of Score
// for LinkShare, otherwise n.
func (l Link) Notion(n Notion) Notion {
	if l == LinkShare && n == Score {
		return Share
	}
	return n
}

// Check returns an error if models of this link do not support the notion.
func (l Link) Check(n Notion) error {
	if own := l.Notion(Score); n.Binned() && n != own {
		return fmt.Errorf("the notion %s is not for a model that ends in a %s: use the notion %s", n, l, own)
	}
	return nil
}

// Score is the score of a logit, to float64 accuracy. A share may lie outside [0, 1] by
// the rounding of its leaves.
func (l Link) Score(logit float64) float64 {
	if l == LinkShare {
		return logit + Half
	}
	return Sigmoid(logit)
}

// Bin is the index j of the bin that the score of a logit falls into, decided exactly. Bin
// j is [jε, (j+1)ε), and 2⁻²⁴ higher for shares (see Half); the last bin is closed at 1. A
// share below 0 is in the first bin, and a share above 1 in the last.
func (l Link) Bin(logit, eps *big.Rat) int {
	last := Bins(eps) - 1
	of := func(score *big.Rat) int {
		j := new(big.Rat).Quo(score, eps)
		floor := new(big.Int).Quo(j.Num(), j.Denom())
		if !floor.IsInt64() {
			return last
		}
		return int(min(floor.Int64(), int64(last)))
	}
	switch {
	case l == LinkShare:
		at := new(big.Rat).Add(logit, big.NewRat(1, 2))
		if at.Sign() <= 0 {
			return 0
		}
		return of(at)
	case logit.Sign() == 0:
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

// KBins is the number of different bins that the scores of logits fall into.
func (l Link) KBins(logits []*big.Rat, eps *big.Rat) int {
	seen := map[int]bool{}
	for _, logit := range logits {
		seen[l.Bin(logit, eps)] = true
	}
	return len(seen)
}

// KLinkage sorts the scores and counts the groups left after cutting where
// neighbours differ by more than ε.
func (l Link) KLinkage(logits []*big.Rat, eps *big.Rat) int {
	if len(logits) == 0 {
		return 0
	}
	// Scores increase with the logits, so that their order is the same.
	sorted := slices.SortedFunc(slices.Values(logits), (*big.Rat).Cmp)
	k := 1
	for i := 1; i < len(sorted); i++ {
		if l.Notion(Score).Exceeds(sorted[i], sorted[i-1], eps) {
			k++
		}
	}
	return k
}

// K counts the clusters of the scores with these logits: 0 for no logits, else
// at least 1. The zero Clustering counts as ByBins. ε must be positive.
func (l Link) K(c Clustering, logits []*big.Rat, eps *big.Rat) int {
	if c == ByLinkage {
		return l.KLinkage(logits, eps)
	}
	return l.KBins(logits, eps)
}

// Edge encloses the logit at which bin j of ε begins: the logits of scores in
// bin j are at least that and below Edge(j+1, ε). It is −Inf at j = 0, and +Inf
// past the last bin. If the score is a sigmoid, only the edge at ½, the logit 0, is a
// rational number; if it is a share, all edges are.
func (l Link) Edge(j int, eps *big.Rat) (lo, hi float64) {
	p := new(big.Rat).SetInt64(int64(j))
	p.Mul(p, eps)
	switch {
	case j >= Bins(eps):
		return math.Inf(1), math.Inf(1)
	case j == 0:
		return math.Inf(-1), math.Inf(-1)
	case l == LinkShare:
		return Enclosure(p.Sub(p, big.NewRat(1, 2)))
	}
	return LogitEnclosure(p)
}
