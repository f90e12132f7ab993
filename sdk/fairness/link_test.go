package fairness_test

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// TestSharesByDefinition holds scores, bins and their edges against divisions of the share,
// of which the logit is all that is known.
func TestSharesByDefinition(t *testing.T) {
	const link = fairness.LinkShare
	rapid.Check(t, func(t *rapid.T) {
		eps := drawEpsilon(t)
		share := rapid.Float64Range(-1e-6, 1+1e-6).Draw(t, "share")
		if rapid.Bool().Draw(t, "on a border") {
			j := big.NewInt(rapid.Int64Range(0, 40).Draw(t, "j"))
			share, _ = new(big.Rat).Mul(new(big.Rat).SetInt(j), eps).Float64()
			share = float64(float32(share))
		}
		logit := new(big.Rat).Sub(new(big.Rat).SetFloat64(share), new(big.Rat).SetFloat64(fairness.Half))
		l, _ := logit.Float64()
		if got := link.Score(l); math.Abs(got-share) > 0x1p-52 {
			t.Fatalf("the score of %v is %v", share, got)
		}
		// What is 2⁻²⁴ above a multiple of ε begins a bin.
		at := new(big.Rat).Quo(new(big.Rat).Add(logit, big.NewRat(1, 2)), eps)
		want, _ := at.Float64()
		bin := link.Bin(logit, eps)
		if last := fairness.Bins(eps) - 1; at.Sign() < 0 && bin != 0 || want >= float64(last) && bin != last {
			t.Fatalf("a share of %v is in bin %d of %d", share, bin, last+1)
		}
		below, _ := link.Edge(bin, eps)
		_, above := link.Edge(bin+1, eps)
		if l < below || l > above {
			t.Fatalf("a share of %v is in bin %d, from %v to %v", share, bin, below+fairness.Half, above+fairness.Half)
		}
		if k := link.KBins([]*big.Rat{logit, logit}, eps); k != 1 {
			t.Fatalf("one share is in %d bins", k)
		}
	})
}

func TestShares(t *testing.T) {
	logit := func(share float64) *big.Rat {
		return new(big.Rat).Sub(new(big.Rat).SetFloat64(share), new(big.Rat).SetFloat64(fairness.Half))
	}
	// Three tenths in single precision are a little more than 3/10, and a tenth from 4.
	tenth := float64(float32(0.1))
	for share, want := range map[float64]int{-1e-9: 0, 0: 0, 0.04: 0, 0.051: 1, 3 * tenth: 5, 0.31: 6, 0.5: 9, math.Nextafter(fairness.Half, 1): 10, 0.9999: 19, 1: 19, 1 + 1e-7: 19} {
		if got := fairness.LinkShare.Bin(logit(share), twentieth); got != want {
			t.Errorf("a share of %v is in bin %d, want %d", share, got, want)
		}
	}
	if lo, hi := fairness.LinkShare.Edge(10, twentieth); lo != 0 || hi != 0 {
		t.Errorf("bins 9 and 10 meet between %v and %v: not where decisions change", lo, hi)
	}
	for _, l := range fairness.Links {
		own := map[bool]fairness.Notion{true: fairness.Share, false: fairness.Score}[l == fairness.LinkShare]
		if got := l.Notion(fairness.Score); got != own {
			t.Errorf("scores of %s are asked about by %s", l, got)
		}
		for _, n := range append(fairness.Notions, fairness.Share) {
			if err := l.Check(n); (err == nil) != (!n.Binned() || n == own) {
				t.Errorf("%s of %s: %v", n, l, err)
			}
		}
	}
}
