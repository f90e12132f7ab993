package space

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Compare equals exact arithmetic on borders and beside them, and where products underflow or sums overflow.
func TestCompareIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 47))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	any := func() float64 {
		switch v := r.NormFloat64(); r.IntN(8) {
		case 0:
			return math.Round(4 * v)
		case 1:
			return float64(float32(v))
		case 2:
			return math.Ldexp(v, r.IntN(2000)-1000)
		case 3:
			return math.Ldexp(math.Round(4*v), -1074)
		default:
			return v
		}
	}
	signs := map[int]int{}
	for range 100000 {
		in := Input{Scale: any(), Offset: any()}
		v, border := any(), any()
		if at := math.FMA(in.Scale, v, in.Offset); r.IntN(2) == 0 && !math.IsInf(at, 0) {
			if border = at; r.IntN(2) == 0 {
				border = math.Nextafter(at, math.MaxFloat64*any())
			}
		}
		x := new(big.Rat).Mul(rat(in.Scale), rat(v))
		want := x.Add(x, rat(in.Offset)).Cmp(rat(border))
		if got := in.Compare(v, border); got != want {
			t.Fatalf("%v·%v + %v beside %v: got %d, want %d", in.Scale, v, in.Offset, border, got, want)
		}
		signs[want]++
	}
	if len(signs) < 3 {
		t.Errorf("signs seen: %v, want all three", signs)
	}
}
