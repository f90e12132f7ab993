package checker

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// hits is the most bins that copies can hit, by enumeration; copy i reaches the bins
// from[i] to to[i].
func hits(from, to []int, used map[int]bool) int {
	if len(from) == 0 {
		return len(used)
	}
	most := 0
	for b := from[0]; b <= to[0]; b++ {
		before := used[b]
		used[b] = true
		most = max(most, hits(from[1:], to[1:], used))
		if !before {
			delete(used, b)
		}
	}
	return most
}

// TestMostBinsAgainstAllChoices compares the matching with every choice of one bin for each
// copy.
func TestMostBinsAgainstAllChoices(t *testing.T) {
	eps := big.NewRat(1, 7)
	logit := func(score *big.Rat) *big.Rat {
		lo, _ := fairness.LogitEnclosure(score)
		return new(big.Rat).SetFloat64(lo)
	}
	bins := fairness.LinkSigmoid.Binning(eps, nil)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "copies")
		var of []enclosure
		var from, to []int
		for range n {
			a := rapid.IntRange(0, 6).Draw(t, "from")
			b := min(6, a+rapid.IntRange(0, 3).Draw(t, "more"))
			from, to = append(from, a), append(to, b)
			middle := func(bin int) *big.Rat { return logit(big.NewRat(int64(2*bin+1), 14)) }
			of = append(of, enclosure{lo: middle(a), hi: middle(b)})
		}
		if got, want := maxBins(&bins, of), hits(from, to, map[int]bool{}); got != want {
			t.Fatalf("bins %v to %v: %d, want %d", from, to, got, want)
		}
	})
}

// TestScoresCloseAgainstAGrid: if scoresClose excludes a larger gap, no pair on a fine grid
// has one; otherwise some pair comes close.
func TestScoresCloseAgainstAGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-4, 3).Draw(t, "lo")
		hi := lo + rapid.Float64Range(0.01, 6).Draw(t, "width")
		d := rapid.Float64Range(0.01, 3).Draw(t, "difference")
		sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
		largest := 0.0
		const steps = 400
		for i := range steps + 1 {
			x := lo + (hi-lo)*float64(i)/steps
			largest = math.Max(largest, sigma(x)-sigma(math.Max(lo, x-d)))
		}
		rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		for _, c := range []struct {
			most float64
			want bool
		}{{largest + 1e-3, true}, {largest - 1e-12, false}} {
			if c.most <= 0 {
				continue
			}
			is := claim{notion: fairness.Score, most: rat(c.most)}
			if got := is.apart(rat(hi), rat(lo)) || is.scoresClose(rat(d), rat(hi), rat(lo)); got != c.want {
				t.Fatalf("x ≤ %v, y ≥ %v, x − y ≤ %v, largest about %v: most %v gives %v", hi, lo, d, largest, c.most, got)
			}
		}
	})
}

// TestBinsOfNearCopies: three copies nearer to each other than any two edges fall into at most two bins. Slightly
// further apart, they may reach three.
func TestBinsOfNearCopies(t *testing.T) {
	st := oneNeuron()
	st.Claim = certificate.Claim{Kind: certificate.MaxK, K: 2}
	c := newClaim(st)
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	edge, _ := fairness.LogitEnclosure(big.NewRat(11, 20)) // from ½, with logit 0
	for d, want := range map[float64]bool{edge - 1e-9: true, edge + 1e-9: false} {
		of := make([]enclosure, 3)
		for i := range of {
			of[i].lo, of[i].hi = rat(-5), rat(5)
		}
		if got := c.follows(func(_, _ *enclosure, _ *tangent) *big.Rat { return rat(d) }, of); got != want {
			t.Errorf("copies up to %v apart: %v", d, got)
		}
	}
}

// TestTangentsTouch: no gap within a tangent exceeds its bound, and some pair on the tangent
// nearly reaches it.
func TestTangentsTouch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Float64Range(0.001, 0.999).Draw(t, "most")
		up, down := rapid.Float64Range(0.01, 1).Draw(t, "up"), rapid.Float64Range(0.01, 1).Draw(t, "down")
		of := newTangent(new(big.Rat).SetFloat64(most), up, down)
		if of == nil {
			t.Fatal("no tangent")
		}
		if ratio, _ := new(big.Rat).SetFrac(of.up, of.down).Float64(); math.Abs(ratio*down/up-1) > 1e-6 {
			t.Fatalf("up is %v times down, where %v was asked for", ratio, up/down)
		}
		sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
		p, _ := new(big.Rat).Quo(of.beyond, new(big.Rat).SetInt(of.up)).Float64() // at q = 0
		ratio, _ := new(big.Rat).SetFrac(of.down, of.up).Float64()
		largest := math.Inf(-1)
		for q := -30.0; q <= 30; q += 0.01 {
			largest = math.Max(largest, sigma(p+ratio*q)-sigma(q))
		}
		if largest > most+1e-9 || largest < most-1e-3*(1-most) {
			t.Fatalf("the largest gap along the tangent is %v, most %v", largest, most)
		}
	})
}

// TestWeightsOfOneLogit: a bound of one logit alone refutes a gap, for any value of the other, and tightly, in any unit of its weight and
// the slopes.
func TestWeightsOfOneLogit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := new(big.Rat).SetFloat64(rapid.Float64Range(0.001, 0.999).Draw(t, "most"))
		weight := rapid.Float64Range(0.01, 100).Draw(t, "weight")
		for side := range 2 {
			r := &refuter{encloser: &encloser{subject: &subject{claim: claim{most: most}}}}
			step := &sdk.CaseStep{Up: weight}
			if side == 1 {
				step = &sdk.CaseStep{Down: weight}
			}
			beyond, ok := r.weigh(step)
			weights := [2]*big.Int{r.f.up, r.f.down}
			if !ok || weights[1-side].Sign() != 0 {
				t.Fatalf("side %d: the weights are %v", side, weights)
			}
			unit := new(big.Rat).SetFrac(weights[side], r.f.times) // also of the slopes
			if unit.Cmp(new(big.Rat).SetFloat64(weight)) != 0 {
				t.Fatalf("side %d: a weight of %v became %v", side, weight, unit)
			}
			at := new(big.Rat).Quo(beyond, new(big.Rat).SetInt(weights[side]))
			near := func(by float64) (p, q *big.Rat) { // one logit beyond its bound, the other 60 away from 0
				p, q = new(big.Rat).Add(at, new(big.Rat).SetFloat64(by)), big.NewRat(-60, 1)
				if side == 1 {
					p, q = new(big.Rat).Neg(q), new(big.Rat).Neg(p)
				}
				return p, q
			}
			if p, q := near(0); fairness.GapExceeds(p, q, most) {
				t.Fatalf("side %d: %v and %v are farther apart than %v", side, p, q, most)
			}
			if p, q := near(1e-9); !fairness.GapExceeds(p, q, most) {
				t.Fatalf("side %d: nothing at %v is farther apart than %v", side, at, most)
			}
		}
	})
}
