package notion

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Two logits whose scores differ by more than v, in exact arithmetic, meet Need's
// demands, for any bounds around them, up to scores near 0 and 1.
func TestNeedIsWhatAValueNeeds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 21))
	told := 0
	for range 20000 {
		j := New(fairness.Notions[r.IntN(len(fairness.Notions))], big.NewRat(1, 20))
		scale := math.Exp(r.Float64()*7 - 3)
		high, low := r.NormFloat64()*scale, r.NormFloat64()*scale
		if high < low {
			high, low = low, high
		}
		s := Spread{Most: high + r.ExpFloat64()*scale*float64(r.IntN(2)), Least: low - r.ExpFloat64()*scale*float64(r.IntN(2))}
		s.Apart = min(up(high-low)+r.ExpFloat64()*scale*float64(r.IntN(2)), up(s.Most-s.Least))
		value, _ := j.Gap([]*big.Rat{new(big.Rat).SetFloat64(high), new(big.Rat).SetFloat64(low)})
		v := value - math.Abs(value)*[]float64{0x1p-50, 1e-9, 0.01, 0.5}[r.IntN(4)]
		n, ok := j.Need(&s, v)
		if !ok {
			continue
		}
		told++
		// Gap rounds to the nearest, and the test's v is below it by an ulp or more.
		if v < value && (high <= n.Above || low >= n.Below || high-low < n.Apart) {
			t.Fatalf("%s: %v and %v, %v apart, are worth %v > %v, but not what is needed: %+v of %+v", j.Notion, high, low, high-low, value, v, n, s)
		}
	}
	if told < 5000 {
		t.Errorf("needs were told of %d times", told)
	}
}

// Logits in more than k bins meet Need's demands, in exact arithmetic, also at the edges
// of bins, for any bounds around them.
func TestNeedIsWhatManyBinsNeed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 22))
	told := 0
	var all []*big.Rat
	var bins []*Bins
	for _, n := range []int64{3, 20, 50} {
		eps := big.NewRat(1, n)
		b, err := NewBins(fairness.LinkSigmoid, eps, nil)
		if err != nil {
			t.Fatal(err)
		}
		all, bins = append(all, eps), append(bins, b)
	}
	for i := range tier.Count(1000, 5000) {
		eps, b := all[i%3], bins[i%3]
		var logits []*big.Rat
		least, most := math.Inf(1), math.Inf(-1)
		scale := math.Exp(r.Float64()*4 - 2)
		for range 2 + r.IntN(8) {
			l := r.NormFloat64() * scale
			if r.IntN(2) == 0 { // just below, at or just above an edge
				l = append(b.below, b.above...)[r.IntN(2*len(b.above))]
				l = []float64{l, up(l), down(l)}[r.IntN(3)]
			}
			logits = append(logits, new(big.Rat).SetFloat64(l))
			least, most = min(least, l), max(most, l)
		}
		s := Spread{Least: least - r.ExpFloat64()*float64(r.IntN(2)), Most: most + r.ExpFloat64()*float64(r.IntN(2))}
		s.Apart = min(up(most-least)+r.ExpFloat64()*float64(r.IntN(2)), up(s.Most-s.Least))
		k := fairness.LinkSigmoid.KBins(logits, eps)
		n, ok := b.Need(&s, k-1)
		if k == 1 {
			if ok {
				t.Fatal("more than 0 bins need nothing")
			}
			continue
		}
		told++
		if !ok || most <= n.Above || least >= n.Below || most-least < n.Apart {
			t.Fatalf("ε = %v: logits from %v to %v are in %d bins, but have not what more than %d need: %v %+v of %+v", eps, least, most, k, k-1, ok, n, s)
		}
	}
	if told < tier.Count(400, 2000) {
		t.Errorf("needs were told of %d times", told)
	}
}
