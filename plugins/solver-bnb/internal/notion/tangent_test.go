package notion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// If two logits' scores differ by more than v, in exact arithmetic, the larger one and the negative of the other exceed
// Alone; Alone is nearly the largest such number.
func TestAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 21))
	for range 500 {
		v := []float64{r.Float64(), math.Exp(-15 * r.Float64()), 1 - math.Exp(-15*r.Float64())}[r.IntN(3)]
		p := Alone(v)
		if q := -50.0; fairness.GapExceeds(rat(p), rat(q), rat(v)) || fairness.GapExceeds(rat(-q), rat(-p), rat(v)) {
			t.Fatalf("v = %v: %v and %v are farther apart", v, p, q)
		}
		if q := -50.0; !fairness.GapExceeds(rat(p+1e-6), rat(q), rat(v)) || !fairness.GapExceeds(rat(-q), rat(-p-1e-6), rat(v)) {
			t.Fatalf("v = %v: of %v there is nobody farther apart", v, p+1e-6)
		}
	}
}

// Two logits whose scores differ by more than v, in exact arithmetic, are beyond every tangent,
// some only just; and Most is an upper bound for every line.
func TestTangents(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 21))
	for range 500 {
		v := []float64{r.Float64(), math.Exp(-15 * r.Float64()), 1 - math.Exp(-15*r.Float64())}[r.IntN(3)]
		for i, tg := range Tangents(v, nil) {
			s := (1 - v) * min(max(touched[i]*math.Exp(r.NormFloat64()*[]float64{0, 0.01, 1}[r.IntN(3)]), 1e-6), 1-1e-6)
			p, q := math.Log((v+s)/(1-v-s)), math.Log(s/(1-s))
			for !fairness.GapExceeds(rat(p), rat(q), rat(v)) {
				p += 1e-12 * (1 + math.Abs(p))
			}
			at := tg.Up*p - tg.Down*q
			if at <= tg.Beyond {
				t.Fatalf("v = %v: %v and %v are farther apart, and not beyond %+v", v, p, q, tg)
			}
			if s == (1-v)*touched[i] && at > tg.Beyond+1e-6 {
				t.Fatalf("v = %v: %+v does not touch at %v and %v", v, tg, p, q)
			}
			most := tg.Most(at)
			if most < 1 && fairness.GapExceeds(rat(p), rat(q), rat(most)) {
				t.Fatalf("%+v: %v and %v are more than %v apart", tg, p, q, most)
			}
			if s == (1-v)*touched[i] && most > v+0x1p-10 {
				t.Fatalf("%+v leaves %v, not about %v", tg, most, v)
			}
		}
	}
}
