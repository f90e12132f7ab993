package notion

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
)

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// Beyond farthest, two logits' scores differ by at most ε; slightly nearer, by more.
func TestFarthest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 3000 {
		d, eps := math.Exp(r.NormFloat64()*2), []float64{0.05, 0.5, 1e-6, 0.99, 0.01}[r.IntN(5)]
		m := farthest(d, eps)
		exceeds := func(m float64) bool { return fairness.GapExceeds(rat(m+d/2), rat(m-d/2), rat(eps)) }
		if math.IsInf(m, -1) {
			if exceeds(0) {
				t.Fatalf("d = %v, ε = %v: exceeded at 0", d, eps)
			}
			continue
		}
		if exceeds(m + margin) {
			t.Fatalf("d = %v, ε = %v: exceeded beyond %v", d, eps, m)
		}
		if m > 0.01 && !exceeds(m-margin) {
			t.Fatalf("d = %v, ε = %v: not exceeded within %v", d, eps, m)
		}
	}
}

// Thresholds, bounds and bins hold exactly for every choice of logits within the
// intervals.
func TestPromises(t *testing.T) {
	notions := []fairness.Notion{fairness.Score, fairness.Logit, fairness.Decision, fairness.DecisionStrict}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		eps := big.NewRat(1, []int64{20, 3, 7, 2}[r.IntN(4)])
		j := New(notions[r.IntN(len(notions))], eps)
		k := 1 + r.IntN(5)
		lo, hi := make([]float64, k), make([]float64, k)
		possible, sure := make([]bool, k), make([]bool, k)
		scale, width := math.Exp(r.NormFloat64()), math.Exp(2*r.NormFloat64()-3)
		for z := range lo {
			lo[z] = r.NormFloat64() * scale
			hi[z] = lo[z] + r.Float64()*width
			possible[z] = r.IntN(5) > 0
			sure[z] = possible[z] && r.IntN(4) > 0
		}
		if r.IntN(6) == 0 { // one logit for all
			for z := range lo {
				lo[z], hi[z] = lo[0], lo[0]
			}
		}
		s := Gather(lo, hi, possible, sure)
		th := j.Thresholds(&s)
		bins, err := NewBins(fairness.LinkSigmoid, eps, nil)
		if err != nil {
			t.Fatal(err)
		}
		var room Room
		at := r.NormFloat64() * scale
		if r.IntN(2) == 0 { // at a threshold
			at = []float64{math.Nextafter(th.Above, 100), th.Below, math.Nextafter(th.From, 100), th.To}[r.IntN(4)]
		}
		if math.IsInf(at, 0) || math.IsNaN(at) {
			at = 0
		}
		shiftedLo, shiftedHi := make([]float64, k), make([]float64, k)
		for z := range lo {
			shiftedLo[z], shiftedHi[z] = down(at+lo[z]), up(at+hi[z])
		}
		whole := Gather(shiftedLo, shiftedHi, possible, sure)
		s.From, s.To = at-r.Float64()*width, at+r.Float64()*width
		upper, lower := j.Upper(&whole, &s), j.Lower(&whole, &s)
		most, least := bins.Most(&room, shiftedLo, shiftedHi, possible), bins.Least(&room, shiftedLo, shiftedHi, sure)
		for range 4 {
			var logits []*big.Rat
			for z := range lo {
				if !possible[z] || !sure[z] && r.IntN(2) == 0 {
					continue
				}
				v := []float64{lo[z], hi[z], lo[z] + r.Float64()*(hi[z]-lo[z])}[r.IntN(3)]
				l := rat(at)
				logits = append(logits, l.Add(l, rat(min(v, hi[z]))))
			}
			violates := j.Notion.Violates(logits, eps)
			if (at > th.Above || at <= th.Below) && violates {
				t.Fatalf("%s: violates at %v, beyond %+v", j.Notion, at, th)
			}
			if at > th.From && at <= th.To && !violates {
				t.Fatalf("%s: fair at %v, within %+v", j.Notion, at, th)
			}
			gapLo, gapHi := j.Notion.Gap(logits)
			if len(logits) > 1 && gapLo > upper || j.Notion.UsesEpsilon() && gapHi < lower {
				t.Fatalf("%s: %v to %v is outside %v to %v", j.Notion, gapLo, gapHi, lower, upper)
			}
			n := fairness.LinkSigmoid.KBins(logits, eps)
			if across := bins.Across(s.Apart, whole.Least, whole.Most); len(logits) > 1 && n > across {
				t.Fatalf("%d bins across %v, bounded by %d", n, s.Apart, across)
			}
			if n > most || len(logits) > 0 && n < least {
				t.Fatalf("%d bins, bounded by %d and %d", n, least, most)
			}
		}
	})
}
