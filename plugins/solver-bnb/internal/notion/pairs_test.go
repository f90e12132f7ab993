package notion

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// No pair has a larger value than Widest, for any logits within their enclosures; if
// these are points, some pair has that value.
func TestWidest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		j := New(fairness.Notions[r.IntN(len(fairness.Notions))], big.NewRat(1, 20))
		p := Pairs{Combinations: 1 + r.IntN(4), OneWay: r.IntN(3) == 0}
		lanes := p.Combinations * (1 + r.IntN(2))
		var whole, relative Interval
		scale, width := math.Exp(r.NormFloat64()), float64(r.IntN(2))*math.Exp(2*r.NormFloat64()-3)
		from := r.NormFloat64() * scale
		for range lanes {
			p.One, p.Two = append(p.One, r.IntN(4) > 0), append(p.Two, r.IntN(4) > 0)
			at := math.Round(r.NormFloat64()*scale*8) / 8 // ties happen
			lo, hi := at-r.Float64()*width, at+r.Float64()*width
			whole.Lo, whole.Hi = append(whole.Lo, lo), append(whole.Hi, hi)
			relative.Lo, relative.Hi = append(relative.Lo, at-r.Float64()*width-from), append(relative.Hi, at+r.Float64()*width-from)
		}
		bound := j.Widest(&p, whole, []Interval{relative})
		for range 4 {
			logits := make([]float64, lanes)
			for v := range logits {
				lo, hi := max(whole.Lo[v], relative.Lo[v]+from), min(whole.Hi[v], relative.Hi[v]+from)
				logits[v] = []float64{lo, hi, lo + r.Float64()*(hi-lo)}[r.IntN(3)]
			}
			most := math.Inf(-1) // by looking at every pair
			for one := range logits {
				for two := range logits {
					if !p.One[one] || !p.Two[two] || one%p.Combinations == two%p.Combinations {
						continue
					}
					most = max(most, j.Between(logits[one], logits[two]))
					if !p.OneWay {
						most = max(most, j.Between(logits[two], logits[one]))
					}
				}
			}
			if most > bound+1e-12*(1+math.Abs(bound)) {
				t.Fatalf("%s: the value %v, beyond %v", j.Notion, most, bound)
			}
			if j.Notion == fairness.Score { // all pairs in reverse order
				most = max(most, min(0, bound))
			}
			if width == 0 && !(most == bound || math.Abs(most-bound) < 1e-9*(1+math.Abs(bound))) {
				t.Fatalf("%s: the value %v, said to be %v", j.Notion, most, bound)
			}
			visited := math.Inf(-1)
			p.Each(logits, func(one, two int, up bool) {
				if !p.One[one] || !p.Two[two] || one%p.Combinations == two%p.Combinations {
					t.Fatalf("lanes %d and %d are no pair", one, two)
				}
				if !up {
					one, two = two, one
				}
				visited = max(visited, j.Between(logits[one], logits[two]))
			})
			if j.Notion != fairness.Score && visited != most {
				t.Fatalf("%s: visits show %v of %v", j.Notion, visited, most)
			}
		}
	})
}

// Two logits that surely differ enough violate the notion anywhere in their intervals; intervals that are points are judged
// by their values.
func TestSurelyApart(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 9))
	surely, points := 0, 0
	for range 4000 {
		eps := big.NewRat(1, []int64{20, 3, 7}[r.IntN(3)])
		j := New(fairness.Notions[r.IntN(len(fairness.Notions))], eps)
		width := float64(r.IntN(2)) * math.Exp(2*r.NormFloat64())
		a := 3 * r.NormFloat64()
		b := a - math.Abs(2*r.NormFloat64())
		if r.IntN(4) == 0 {
			b = a - j.below // next to the threshold
		}
		high := space.Interval{Lo: a - r.Float64()*width, Hi: a + r.Float64()*width}
		low := space.Interval{Lo: b - r.Float64()*width, Hi: b + r.Float64()*width}
		apart := down(a-b) - float64(r.IntN(2))*r.Float64()*width
		sure := j.SurelyApart(high, low, apart)
		if width == 0 && j.Notion == fairness.Score {
			points++
			if gap := scores(a, b); sure != (gap > j.above) && math.Abs(gap-j.above) > 1e-3 {
				t.Fatalf("scores of %v and %v, %v apart, are surely far enough apart: %v", a, b, gap, sure)
			}
		}
		if !sure {
			continue
		}
		surely++
		for range 5 {
			pick := func(i space.Interval) float64 {
				return []float64{i.Lo, i.Hi, i.Lo + r.Float64()*(i.Hi-i.Lo)}[r.IntN(3)]
			}
			x, y := pick(high), pick(low)
			switch r.IntN(3) { // just as far apart as is known
			case 0:
				y = min(y, x-apart)
			case 1:
				x = max(x, y+apart)
			}
			if x < high.Lo || x > high.Hi || y < low.Lo || y > low.Hi || x-y < up(apart) {
				continue
			}
			if !j.Notion.Violates([]*big.Rat{rat(x), rat(y)}, eps) {
				t.Fatalf("%s: %v and %v, of %v and %v, %v apart, do not violate ε = %s", j.Notion, x, y, high, low, apart, eps)
			}
		}
	}
	if surely < 300 || points < 100 {
		t.Errorf("only %d pairs violate surely, and %d of scores are points", surely, points)
	}
}

// What surely violates does so exactly, and no violation is below what is tolerated.
func TestSurely(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for range 3000 {
		eps := big.NewRat(1, []int64{20, 3, 7}[r.IntN(3)])
		j := New(fairness.Notions[r.IntN(len(fairness.Notions))], eps)
		high := r.NormFloat64()
		low := high - math.Abs(r.NormFloat64())
		switch r.IntN(4) {
		case 0:
			high, low = 0.25, 0.25-j.below // next to the threshold
		case 1:
			high, low = math.Abs(high), 0
		}
		violates := j.Notion.Violates([]*big.Rat{rat(high), rat(low)}, eps)
		if j.Surely(high, low) && !violates {
			t.Fatalf("%s: %v and %v surely violate, and do not", j.Notion, high, low)
		}
		if violates && j.Most(high, low, up(high-low)) <= j.Tolerated() {
			t.Fatalf("%s: %v and %v are tolerated, and violate", j.Notion, high, low)
		}
	}
}
