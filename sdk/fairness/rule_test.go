package fairness

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func threshold(t *testing.T, text string) *big.Rat {
	t.Helper()
	v, err := ParseThreshold(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestThresholdsAreBetween0And1(t *testing.T) {
	for _, text := range []string{"0", "1", "-0.1", "1.5", "NaN", "", "0.3x", "1/0"} {
		if v, err := ParseThreshold(text); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
	for text, want := range map[string]string{" 0.30 ": "above 0.3", "1/3": "above 1/3", "1e-6": "above 0.000001"} {
		if got := (Rule{Threshold: threshold(t, text)}).String(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := (Rule{At: true}).String(); got != "0.5 or more" {
		t.Error(got)
	}
}

// The zero rule is the decision that notions are about.
func TestZeroRuleIsTheSignOfTheLogit(t *testing.T) {
	for _, l := range Links {
		for _, v := range []float64{-1, -0x1p-30, 0, 0x1p-1000, 2} {
			if got := (Rule{}).Yes(l, new(big.Rat).SetFloat64(v)); got != (v > 0) {
				t.Errorf("%v: a logit of %v is a yes: %v", l, v, got)
			}
		}
		if lo, hi := (Rule{}).Border(l); lo != 0 || hi != 0 {
			t.Errorf("%v: border %v to %v", l, lo, hi)
		}
	}
	if (Rule{}).LargestNo(LinkSigmoid, 100).Sign() != 0 || !(Rule{Threshold: big.NewRat(1, 2)}).IsDefault() || (Rule{At: true}).IsDefault() {
		t.Error("½ is not the default")
	}
	if !(Rule{At: true}).Yes(LinkSigmoid, new(big.Rat)) || (Rule{At: true}).Yes(LinkSigmoid, big.NewRat(-1, 1<<40)) {
		t.Error("a score of exactly ½, or below it")
	}
}

// LargestNo is a no, and its next multiple a yes; the float enclosure of the border and the
// test of computed scores agree with it.
func TestLargestNo(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	texts := []string{"0.3", "0.000001", "0.999999", "1/3", "0.5000000000000000000000000000000000000001", "0.1234567890123456789012345678901234567890", "0.5", "0.73105857863000487925115924182183627"}
	for range 40 {
		texts = append(texts, FormatRat(big.NewRat(1+r.Int64N(1e9-2), 1e9)))
	}
	for _, text := range texts {
		for _, l := range Links {
			rule := Rule{Threshold: threshold(t, text), At: r.IntN(2) == 0}
			bits := []int{0, 1, 24, 53, 60, 200, 700}[r.IntN(7)]
			no := rule.LargestNo(l, bits)
			step := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(bits)))
			if !new(big.Rat).Quo(no, step).IsInt() {
				t.Errorf("%s: %v is no multiple of 2^-%d", text, no, bits)
			}
			next := new(big.Rat).Add(no, step)
			if rule.Yes(l, no) || !rule.Yes(l, next) {
				t.Errorf("%v, %v, %d bits: %v and the next multiple are not on both sides", rule, l, bits, no)
			}
			lo, hi := rule.Border(l)
			if rule.Yes(l, new(big.Rat).SetFloat64(math.Nextafter(lo, math.Inf(-1)))) || !rule.Yes(l, new(big.Rat).SetFloat64(math.Nextafter(hi, math.Inf(1)))) {
				t.Errorf("%v, %v: the border is not from %v to %v", rule, l, lo, hi)
			}
			for range 20 {
				v := lo + r.NormFloat64()*[]float64{1e-9, 0.01, 1}[r.IntN(3)]
				if s := l.Score(v); !rule.Near(s) && rule.Says(s) != rule.Yes(l, new(big.Rat).SetFloat64(v)) {
					t.Errorf("%v, %v: a score of %v is told wrongly", rule, l, s)
				}
			}
		}
	}
}

// The favourable decision changes no other answer of a rule.
func TestLowDecidesAlike(t *testing.T) {
	high, low := Rule{Threshold: threshold(t, "0.3")}, Rule{Threshold: threshold(t, "0.3"), Low: true}
	for _, positive := range []bool{true, false} {
		if !high.Favours(positive) != low.Favours(positive) || high.Favours(positive) != positive {
			t.Errorf("positive %v: favourable %v where low, %v where high", positive, low.Favours(positive), high.Favours(positive))
		}
	}
	if good, bad := low.Favourable(); good != "negative" || bad != "positive" {
		t.Errorf("low: favourable %s, other %s", good, bad)
	}
	if low.String() != high.String() || low.LargestNo(LinkSigmoid, 60).Cmp(high.LargestNo(LinkSigmoid, 60)) != 0 || !(Rule{Low: true}).IsDefault() {
		t.Error("low moves the border")
	}
}
