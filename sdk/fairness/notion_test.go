package fairness_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// What a notion says of two logits by float64 arithmetic, and of logits between two
// others, holds exactly.
func TestNotionsAnswerForThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(append(slices.Clone(fairness.Notions), fairness.Share)).Draw(t, "notion")
		size := rapid.SampledFrom([]float64{1e-9, 1, 30}).Draw(t, "size")
		draw := func(label string) float64 { return size * rapid.Float64Range(-1, 1).Draw(t, label) }
		low, high := draw("low"), draw("high")
		low, high = min(low, high), max(low, high)
		if rapid.Bool().Draw(t, "at 0") {
			low = math.Min(high, 0)
		}
		a, b := new(big.Rat).SetFloat64(high), new(big.Rat).SetFloat64(low)
		eps := n.Threshold(drawEpsilon(t))
		about, _ := eps.Float64()
		above, below := math.Nextafter(about, math.Inf(1)), math.Nextafter(about, math.Inf(-1))
		exceeds, violates := n.Exceeds(a, b, eps), n.Violates([]*big.Rat{b, a}, eps)
		if exceeds != violates {
			t.Fatalf("%s of %v and %v exceeds %s: %v, and violates: %v", n, high, low, eps, exceeds, violates)
		}
		if n.Sure(high, low, above) && !violates {
			t.Fatalf("%s: %v and %v surely violate, and do not", n, high, low)
		}
		apart := rapid.SampledFrom([]float64{math.Inf(1), math.Nextafter(high-low, math.Inf(1))}).Draw(t, "apart")
		if violates && !n.Possible(high, low, apart, below) {
			t.Fatalf("%s: %v and %v cannot violate, and do", n, high, low)
		}
		first, second, ok := n.Pair([]*big.Rat{a, b})
		if !ok || first != 0 || second != 1 {
			if m := n.Between(high, low); ok || !math.IsInf(m, -1) || n.Most(high, low, apart) != m {
				t.Fatalf("%s of %v and %v is %v, which it does not compare", n, high, low, m)
			}
			return
		}
		lo, hi := n.Margin(a, b)
		least, most := n.Gap([]*big.Rat{a, b})
		l, _ := lo.Float64()
		h, _ := hi.Float64()
		if m := n.Between(high, low); lo.Cmp(hi) > 0 || l < least-1e-15 || h > most+1e-15 || math.Abs(m-l) > 1e-15*(1+math.Abs(l)) || n.Most(high, low, apart) < l {
			t.Fatalf("%s of %v and %v: %v, between %v and %v, at most %v", n, high, low, m, l, h, n.Most(high, low, apart))
		}
		// No logits in between exceed what these two do not, and neither logit moves
		// the margin by more than the slope.
		d := (high - low) * rapid.Float64Range(0, 0.5).Draw(t, "moved")
		inner, _ := n.Gap([]*big.Rat{new(big.Rat).SetFloat64(high - d), b})
		if inner > most || most-inner > n.Slope()*d+1e-15*(1+math.Abs(most)) {
			t.Fatalf("%s of %v and %v: at most %v, and %v of a logit %v less", n, high, low, most, inner, d)
		}
		if n.Promise(high, low) < n.Promise(high-d, low) {
			t.Fatalf("%s promises less of %v and %v than of a logit %v less", n, high, low, d)
		}
	})
}

// A search that climbs by Promise arrives where a notion without ε is violated, and
// nowhere else: a logit of 0 is a "no" for Decision, and no decision for DecisionStrict.
func TestPromiseOfDecisions(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, n := range []fairness.Notion{fairness.Decision, fairness.DecisionStrict} {
		for _, high := range []float64{-1, -tiny, 0, tiny, 1} {
			for _, low := range []float64{-1, -tiny, 0, tiny, 1} {
				if low > high {
					continue
				}
				logits := []*big.Rat{new(big.Rat).SetFloat64(high), new(big.Rat).SetFloat64(low)}
				if promises, violates := n.Promise(high, low) > 0, n.Violates(logits, nil); promises != violates {
					t.Errorf("%s of %v and %v: promise %v, violates %v", n, high, low, n.Promise(high, low), violates)
				}
			}
		}
	}
}

func TestNotionsSayWhatTheyAre(t *testing.T) {
	for _, c := range []struct {
		n              fairness.Notion
		unit, quantity string
		linear, binned bool
	}{
		{fairness.Score, "score", "score gap", false, true},
		{fairness.Logit, "logit", "logit gap", true, false},
		{fairness.Decision, "", "margin", true, false},
		{fairness.DecisionStrict, "", "margin", true, false},
		{fairness.Share, "score", "score gap", true, true},
		{fairness.Notion(200), "", "margin", false, false},
	} {
		if c.n.Unit() != c.unit || c.n.Quantity() != c.quantity || c.n.Linear() != c.linear || c.n.Binned() != c.binned {
			t.Errorf("%s: %q, %q, linear %v, binned %v", c.n, c.n.Unit(), c.n.Quantity(), c.n.Linear(), c.n.Binned())
		}
		if err := c.n.Validate(twentieth); (err == nil) != (c.n <= fairness.Share) {
			t.Errorf("%s with ε = %s: %v", c.n, twentieth, err)
		}
		if err := c.n.Validate(nil); (err == nil) != (c.n == fairness.Decision || c.n == fairness.DecisionStrict) {
			t.Errorf("%s without ε: %v", c.n, err)
		}
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		n               fairness.Notion
		high, low, want float64
	}{
		{fairness.Score, 2, -2, 0.7615941559557649},
		{fairness.Logit, 3, 1, 2},
		{fairness.Decision, 3, 0, 3},
		{fairness.Decision, 3, 0.5, math.Inf(-1)},
		{fairness.DecisionStrict, 3, -0.5, 0.5},
		{fairness.DecisionStrict, 3, 1, -1},
	} {
		if got := c.n.Between(c.high, c.low); got != c.want && !(math.Abs(got-c.want) < 1e-14) {
			t.Errorf("%s of %v and %v: %v, want %v", c.n, c.high, c.low, got, c.want)
		}
	}
}
