package fairness_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk/fairness"
)

var twentieth = big.NewRat(1, 20)

func rat(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	return r
}

// nudged are the rationals 10⁻⁶⁰ below and above logit(p).
func nudged(p *big.Rat) (below, above *big.Rat) {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(60), nil))
	l := refLogit(p)
	return new(big.Rat).Sub(l, tiny), new(big.Rat).Add(l, tiny)
}

// TestBinBesideEveryEdge puts logits 10⁻⁶⁰ beside each edge of the bins.
func TestBinBesideEveryEdge(t *testing.T) {
	for _, eps := range []*big.Rat{twentieth, big.NewRat(1, 10), big.NewRat(3, 10), big.NewRat(1, 3), big.NewRat(7, 1000)} {
		for j := 1; j < fairness.Bins(eps); j++ {
			edge := new(big.Rat).Mul(big.NewRat(int64(j), 1), eps)
			if edge.Cmp(big.NewRat(1, 2)) == 0 {
				continue // the one edge with a rational logit: see TestHalf
			}
			below, above := nudged(edge)
			if got := fairness.LinkSigmoid.Bin(below, eps); got != j-1 {
				t.Errorf("ε = %s, below edge %d: bin %d, want %d", eps, j, got, j-1)
			}
			if got := fairness.LinkSigmoid.Bin(above, eps); got != j {
				t.Errorf("ε = %s, above edge %d: bin %d, want %d", eps, j, got, j)
			}
		}
	}
}

// TestFloorWouldMisbin shows what the exact comparison is for: the twentieths
// that floor(score/ε) puts a bin too low are binned right.
func TestFloorWouldMisbin(t *testing.T) {
	var wrong []int
	for j := 1; j < 20; j++ {
		score := float64(j) / 20
		if math.Floor(score/0.05) == float64(j) {
			continue
		}
		wrong = append(wrong, j)
		if _, above := nudged(big.NewRat(int64(j), 20)); fairness.LinkSigmoid.Bin(above, twentieth) != j {
			t.Errorf("a score just above %d/20 is not in bin %d", j, j)
		}
	}
	if want := []int{3, 6, 7, 12, 14, 19}; !slices.Equal(wrong, want) {
		t.Errorf("floor misbins %v, want %v", wrong, want)
	}
}

func TestHalf(t *testing.T) {
	zero, half := new(big.Rat), big.NewRat(1, 2)
	tiny := rat(t, "1e-400")
	minusTiny := new(big.Rat).Neg(tiny)
	if fairness.CompareScore(zero, half) != 0 || fairness.CompareScore(tiny, half) != 1 || fairness.CompareScore(minusTiny, half) != -1 {
		t.Error("σ(0) = ½ is the tie, and the only one")
	}
	if got := fairness.LinkSigmoid.Bin(zero, twentieth); got != 10 {
		t.Errorf("score ½ in bin %d, want the upper one, 10", got)
	}
	if got := fairness.LinkSigmoid.Bin(minusTiny, twentieth); got != 9 {
		t.Errorf("score just below ½ in bin %d, want 9", got)
	}
}

func TestBins(t *testing.T) {
	for text, want := range map[string]int{
		"0.05": 20, "1/20": 20, "0.3": 4, "1/3": 3, "0.999": 2, "1/2": 2, "0.0501": 20, "0.0499": 21, "1e-9": 1e9,
	} {
		if got := fairness.Bins(rat(t, text)); got != want {
			t.Errorf("Bins(%s) = %d, want %d", text, got, want)
		}
	}
	if got := fairness.Bins(rat(t, "1e-30")); got != math.MaxInt {
		t.Errorf("Bins(1e-30) = %d", got)
	}
}

// TestHugeLogits must end at once, whatever the size.
func TestHugeLogits(t *testing.T) {
	for _, text := range []string{"50", "800", "1000000", "1e300", "1e5000"} {
		l := rat(t, text)
		minus := new(big.Rat).Neg(l)
		if got := fairness.LinkSigmoid.Bin(l, twentieth); got != 19 {
			t.Errorf("Bin(%s) = %d", text, got)
		}
		if got := fairness.LinkSigmoid.Bin(minus, twentieth); got != 0 {
			t.Errorf("Bin(-%s) = %d", text, got)
		}
		if !fairness.GapExceeds(l, minus, rat(t, "0.999999")) || fairness.GapExceeds(l, minus, big.NewRat(1, 1)) {
			t.Errorf("σ(%s) − σ(−%s) is not just below 1", text, text)
		}
		more := new(big.Rat).Add(l, big.NewRat(1, 1))
		if fairness.GapExceeds(more, l, rat(t, "1e-15")) {
			t.Errorf("σ(%s + 1) − σ(%s) above 1e-15", text, text)
		}
		if lo, hi := fairness.ScoreEnclosure(minus); lo < 0 || hi > 2e-22 || lo > hi {
			t.Errorf("σ(−%s) in [%v, %v]", text, lo, hi)
		}
		if lo, hi := fairness.ScoreEnclosure(l); lo < 1-0x1p-52 || hi > 1 || lo > hi {
			t.Errorf("σ(%s) in [%v, %v]", text, lo, hi)
		}
	}
}

// TestGapOfExtremeLogits holds the comparison against what the limits say: a huge
// logit has a score less than 10⁻¹⁰⁰⁰⁰ beside 0 or 1, a tiny one's is ½ + l/4 to
// within 10⁻²⁰⁰ of itself, and ε has 40 digits. Every answer must come at once.
func TestGapOfExtremeLogits(t *testing.T) {
	// extreme draws a logit, and the double of the integer that its score is near.
	extreme := func(t *rapid.T, label string) (l *big.Rat, doubled int64) {
		e := rapid.IntRange(100, 300).Draw(t, label+" exponent")
		sign := rapid.IntRange(-1, 1).Draw(t, label+" sign")
		digits := rapid.Int64Range(1, 1<<53).Draw(t, label+" digits")
		if l = big.NewRat(int64(sign)*digits, 1<<53); rapid.Bool().Draw(t, label+" huge") {
			size := rat(t, fmt.Sprintf("1e%d", rapid.SampledFrom([]int{21, e}).Draw(t, label+" size")))
			return l.Mul(l, size), int64(1 + sign)
		}
		return l.Mul(l, rat(t, fmt.Sprintf("1e-%d", e))), 1
	}
	half := big.NewRat(1, 2)
	rapid.Check(t, func(t *rapid.T) {
		a, scoreA := extreme(t, "a")
		b, scoreB := extreme(t, "b")
		eps := new(big.Rat).Set(rapid.SampledFrom([]*big.Rat{rat(t, "1e-9"), half, rat(t, "0.999999999")}).Draw(t, "ε"))
		if rapid.Bool().Draw(t, "beside") {
			eps.Add(eps, rat(t, fmt.Sprintf("%de-40", rapid.Int64Range(-1e18, 1e18).Draw(t, "by"))))
		}
		beyond := big.NewRat(scoreA-scoreB, 2)
		want := beyond.Cmp(eps) > 0
		if scoreA-scoreB == 1 && eps.Cmp(half) == 0 {
			// What is left is of a tiny logit, or below 0.
			want = scoreB == 1 && b.Sign() < 0 || scoreA == 1 && a.Sign() > 0
		}
		if got := fairness.GapExceeds(a, b, eps); got != want {
			t.Fatalf("σ(%s) − σ(%s) > %s: %v", a.FloatString(3), b.FloatString(3), eps.FloatString(40), got)
		}
		if got := fairness.GapExceeds(new(big.Rat).Neg(b), new(big.Rat).Neg(a), eps); got != want {
			t.Fatalf("σ(%s) − σ(%s) > %s, mirrored: %v", a.FloatString(3), b.FloatString(3), eps.FloatString(40), got)
		}
	})
}

// TestPaperClaimFailsForBins is the example 0.0499 and 0.0501: 2-fair at
// ε = 0.05, yet two bins.
func TestPaperClaimFailsForBins(t *testing.T) {
	logits := []*big.Rat{refLogit(rat(t, "0.0499")), refLogit(rat(t, "0.0501"))}
	if fairness.Score.Violates(logits, twentieth) {
		t.Error("a gap of 0.0002 violates ε = 0.05")
	}
	if k := fairness.LinkSigmoid.KBins(logits, twentieth); k != 2 {
		t.Errorf("k = %d, want 2", k)
	}
	if k := fairness.LinkSigmoid.KLinkage(logits, twentieth); k != 1 {
		t.Errorf("linkage: k = %d, want 1", k)
	}
}

func drawLogit(t *rapid.T, label string) *big.Rat {
	size := rapid.SampledFrom([]float64{1e-6, 1, 4, 30, 1e6}).Draw(t, label+" size")
	return new(big.Rat).SetFloat64(rapid.Float64Range(-1, 1).Draw(t, label) * size)
}

func drawEpsilon(t *rapid.T) *big.Rat {
	d := rapid.Int64Range(2, 200).Draw(t, "denominator")
	return big.NewRat(rapid.Int64Range(1, d-1).Draw(t, "numerator"), d)
}

// TestRelations checks what semantics.md states between gap and k.
func TestRelations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := drawEpsilon(t)
		logits := make([]*big.Rat, rapid.IntRange(1, 8).Draw(t, "copies"))
		for i := range logits {
			logits[i] = drawLogit(t, "logit")
		}
		violates := fairness.Score.Violates(logits, eps)
		bins, linkage := fairness.LinkSigmoid.KBins(logits, eps), fairness.LinkSigmoid.KLinkage(logits, eps)
		if bins < 1 || bins > fairness.Bins(eps) || bins > len(logits) {
			t.Fatalf("k = %d of %d bins and %d copies", bins, fairness.Bins(eps), len(logits))
		}
		if !violates && bins > 2 {
			t.Fatalf("gap ≤ ε but %d bins", bins)
		}
		if violates && bins < 2 {
			t.Fatal("gap > ε but one bin")
		}
		if linkage > bins {
			t.Fatalf("linkage %d > bins %d", linkage, bins)
		}
		if linkage >= 2 && !violates {
			t.Fatalf("linkage %d but gap ≤ ε", linkage)
		}
	})
}

// TestRelationsOfShares checks what semantics.md states between gap and k of shares, whose
// first bin is wider than ε by 2⁻²⁴.
func TestRelationsOfShares(t *testing.T) {
	wider := big.NewRat(1, 1<<24)
	half := new(big.Rat).SetFloat64(fairness.Half)
	measure := func(eps *big.Rat, shares []*big.Rat) (bins, linkage int, violates, more bool) {
		var logits []*big.Rat
		for _, s := range shares {
			logits = append(logits, new(big.Rat).Sub(s, half))
		}
		l := fairness.LinkShare
		return l.KBins(logits, eps), l.KLinkage(logits, eps), fairness.Share.Violates(logits, eps), fairness.Share.Violates(logits, new(big.Rat).Add(eps, wider))
	}
	rapid.Check(t, func(t *rapid.T) {
		eps := drawEpsilon(t)
		shares := make([]*big.Rat, rapid.IntRange(1, 8).Draw(t, "copies"))
		for i := range shares {
			s := new(big.Rat).Mul(eps, big.NewRat(rapid.Int64Range(0, 12).Draw(t, "times ε"), 1))
			switch rapid.IntRange(0, 2).Draw(t, "where") {
			case 0:
				s.Add(s, new(big.Rat).Mul(wider, big.NewRat(rapid.Int64Range(-8, 8).Draw(t, "quarters beside"), 4)))
			case 1:
				s.SetFloat64(rapid.Float64Range(0, 1).Draw(t, "share"))
			}
			if s.Sign() < 0 || s.Cmp(big.NewRat(1, 1)) > 0 {
				s.SetInt64(0)
			}
			shares[i] = s
		}
		switch bins, linkage, violates, more := measure(eps, shares); {
		case bins < 1 || bins > fairness.Bins(eps) || bins > len(shares):
			t.Fatalf("k = %d of %d bins and %d copies", bins, fairness.Bins(eps), len(shares))
		case !violates && bins > 2:
			t.Fatalf("gap ≤ ε but %d bins", bins)
		case more && bins < 2:
			t.Fatal("gap > ε + 2⁻²⁴ but one bin")
		case linkage > bins+1:
			t.Fatalf("linkage %d > bins %d + 1", linkage, bins)
		case linkage >= 2 && !violates:
			t.Fatalf("linkage %d but gap ≤ ε", linkage)
		}
	})
	// What does not hold of shares.
	if bins, linkage, violates, _ := measure(twentieth, []*big.Rat{new(big.Rat), new(big.Rat).SetFloat64(float64(float32(0.05)))}); bins != 1 || linkage != 2 || !violates {
		t.Errorf("0 and float32(0.05): %d bins, linkage %d, violates: %v", bins, linkage, violates)
	}
}

// TestCompareScoreAgainstLogarithms compares logits with the edge's logarithm
// instead of scores with the edge.
func TestCompareScoreAgainstLogarithms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawEpsilon(t)
		edge := refLogit(p)
		away := rapid.Float64Range(-1, 1).Filter(func(v float64) bool { return v != 0 }).Draw(t, "away")
		away *= rapid.SampledFrom([]float64{1e-50, 1e-20, 1e-9, 1, 100}).Draw(t, "scale")
		if math.Abs(away) < 1e-70 {
			t.Skip("within the reference's own error")
		}
		d := new(big.Rat).SetFloat64(away)
		if got := fairness.CompareScore(d.Add(d, edge), p); got != int(math.Copysign(1, away)) {
			t.Fatalf("logit(%s) %+g compares %d", p, away, got)
		}
	})
}

func TestLogitEnclosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawEpsilon(t)
		lo, hi := fairness.LogitEnclosure(p)
		within(t, "logit", refLogit(p), lo, hi, 1e-75)
		if hi-lo > 1e-15*math.Max(math.Abs(lo), 1e-2) {
			t.Fatalf("logit(%s) in [%v, %v] is wide", p, lo, hi)
		}
	})
	for text, want := range map[string]float64{"1/2": 0, "0": math.Inf(-1), "-3": math.Inf(-1), "1": math.Inf(1), "2": math.Inf(1)} {
		if lo, hi := fairness.LogitEnclosure(rat(t, text)); lo != want || hi != want {
			t.Errorf("logit(%s) in [%v, %v], want %v", text, lo, hi, want)
		}
	}
	// Far beyond the range of float64: ln(10^-3000) = −6907.755…
	if lo, hi := fairness.LogitEnclosure(rat(t, "1e-3000")); lo > -6907.7552789821 || hi < -6907.7552789822 || hi-lo > 1e-10 {
		t.Errorf("logit(1e-3000) in [%v, %v]", lo, hi)
	}
}

// within checks lo ≤ v ≤ hi up to the reference's own error.
func within(t interface{ Fatalf(string, ...any) }, what string, v *big.Rat, lo, hi, slack float64) {
	s := new(big.Rat).SetFloat64(slack)
	l, h := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
	if v.Cmp(l.Sub(l, s)) < 0 || v.Cmp(h.Add(h, s)) > 0 {
		f, _ := v.Float64()
		t.Fatalf("%s %v lies outside [%v, %v]", what, f, lo, hi)
	}
}

// TestScoreEnclosure goes round: the score of logit(p) must enclose p.
func TestScoreEnclosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawEpsilon(t)
		lo, hi := fairness.ScoreEnclosure(refLogit(p))
		within(t, "score", p, lo, hi, 1e-75)
		if hi-lo > 4e-16*hi {
			t.Fatalf("σ in [%v, %v] is wide", lo, hi)
		}
	})
}

// TestGapBounds takes pairs whose exact gap is known: logits of two rationals.
func TestGapBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawEpsilon(t), drawEpsilon(t)
		a, b := refLogit(p), refLogit(q)
		gap := new(big.Rat).Sub(p, q)
		prec := rapid.UintRange(10, 200).Draw(t, "prec")
		lo, hi := fairness.GapBounds(a, b, prec)
		slack := rat2(1, 240)
		if gap.Cmp(new(big.Rat).Sub(lo, slack)) < 0 || gap.Cmp(new(big.Rat).Add(hi, slack)) > 0 {
			t.Fatalf("gap %s outside [%s, %s]", gap.FloatString(70), lo.FloatString(70), hi.FloatString(70))
		}
		if new(big.Rat).Sub(hi, lo).Cmp(rat2(1, prec)) > 0 {
			t.Fatalf("bounds wider than 2^-%d", prec)
		}
		// ε beside the gap, up to 10⁻⁷⁰ near.
		for _, e := range []uint{3, 60, 230} {
			below, above := new(big.Rat).Sub(gap, rat2(1, e)), new(big.Rat).Add(gap, rat2(1, e))
			if !fairness.GapExceeds(a, b, below) || fairness.GapExceeds(a, b, above) {
				t.Fatalf("GapExceeds is wrong 2^-%d beside the gap", e)
			}
		}
	})
}

// rat2 is n·2^(−e).
func rat2(n int64, e uint) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(n), new(big.Int).Lsh(big.NewInt(1), e))
}

func TestGapExceedsZeroEpsilon(t *testing.T) {
	zero, a, b := new(big.Rat), big.NewRat(1, 3), big.NewRat(1, 4)
	if !fairness.GapExceeds(a, b, zero) || fairness.GapExceeds(b, a, zero) || fairness.GapExceeds(a, a, zero) {
		t.Error("with ε = 0 the order of the logits decides")
	}
}

func TestNotions(t *testing.T) {
	inf := math.Inf(-1)
	score := func(x, y string) float64 {
		a, _ := rat(t, x).Float64()
		b, _ := rat(t, y).Float64()
		return 1/(1+math.Exp(-a)) - 1/(1+math.Exp(-b))
	}
	tests := []struct {
		notion   fairness.Notion
		logits   []string
		eps      string
		gap      float64
		violates bool
		pair     [2]int
		ok       bool
	}{
		{fairness.Score, nil, "0.05", 0, false, [2]int{}, false},
		{fairness.Score, []string{"3"}, "0.05", 0, false, [2]int{}, false},
		{fairness.Score, []string{"1", "1"}, "0.05", 0, false, [2]int{0, 1}, true},
		{fairness.Score, []string{"0", "2", "-1"}, "0.6", score("2", "-1"), true, [2]int{1, 2}, true},
		{fairness.Score, []string{"0", "2", "-1"}, "0.7", score("2", "-1"), false, [2]int{1, 2}, true},
		{fairness.Logit, []string{"0", "2", "-1"}, "2.999", 3, true, [2]int{1, 2}, true},
		{fairness.Logit, []string{"0", "2", "-1"}, "3", 3, false, [2]int{1, 2}, true},
		{fairness.Logit, []string{"0.5", "0.25"}, "0", 0.25, true, [2]int{0, 1}, true},
		{fairness.Decision, []string{"2", "-1"}, "", 2, true, [2]int{0, 1}, true},
		{fairness.Decision, []string{"0", "2"}, "", 2, true, [2]int{1, 0}, true},
		{fairness.Decision, []string{"1", "2"}, "", inf, false, [2]int{1, 0}, false},
		{fairness.Decision, []string{"-1", "-2"}, "", -1, false, [2]int{0, 1}, true},
		{fairness.Decision, []string{"2"}, "", inf, false, [2]int{}, false},
		{fairness.DecisionStrict, []string{"2", "-1"}, "", 1, true, [2]int{0, 1}, true},
		{fairness.DecisionStrict, []string{"0", "2"}, "", 0, false, [2]int{1, 0}, true},
		{fairness.DecisionStrict, []string{"3", "2"}, "", -2, false, [2]int{0, 1}, true},
		{fairness.DecisionStrict, []string{"2"}, "", inf, false, [2]int{}, false},
	}
	for _, c := range tests {
		var eps *big.Rat
		if c.eps != "" {
			eps = rat(t, c.eps)
		}
		logits := make([]*big.Rat, len(c.logits))
		for i, l := range c.logits {
			logits[i] = rat(t, l)
		}
		if got := c.notion.Violates(logits, eps); got != c.violates {
			t.Errorf("%s %v ε = %s: violates %v", c.notion, c.logits, c.eps, got)
		}
		lo, hi := c.notion.Gap(logits)
		if !(lo <= c.gap+1e-15 && c.gap-1e-15 <= hi) || hi-lo > 1e-15 {
			t.Errorf("%s %v: gap in [%v, %v], want %v", c.notion, c.logits, lo, hi, c.gap)
		}
		first, second, ok := c.notion.Pair(logits)
		if ok != c.ok || ok && [2]int{first, second} != c.pair {
			t.Errorf("%s %v: pair %d, %d, %v; want %v, %v", c.notion, c.logits, first, second, ok, c.pair, c.ok)
		}
	}
}

func TestGapEnclosesExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := []*big.Rat{drawLogit(t, "a"), drawLogit(t, "b"), drawLogit(t, "c")}
		for i := range logits {
			logits[i].Mul(logits[i], big.NewRat(1, 3)) // no float64
		}
		spread := new(big.Rat).Sub(slices.MaxFunc(logits, (*big.Rat).Cmp), slices.MinFunc(logits, (*big.Rat).Cmp))
		lo, hi := fairness.Logit.Gap(logits)
		within(t, "logit gap", spread, lo, hi, 0)
		lo, hi = fairness.Score.Gap(logits)
		if lo < 0 || hi > 1 || hi-lo > 1e-15 {
			t.Fatalf("score gap in [%v, %v]", lo, hi)
		}
		eps := new(big.Rat).SetFloat64(hi)
		if hi > 0 && fairness.Score.Violates(logits, eps) {
			t.Fatal("gap above its own upper bound")
		}
		if lo > 0 && !fairness.Score.Violates(logits, eps.SetFloat64(lo)) {
			t.Fatal("gap below its own lower bound")
		}
	})
}

func TestSigmoid(t *testing.T) {
	for _, c := range [][2]float64{
		{0, 0.5}, {1, 0.7310585786300049}, {-1, 0.2689414213699951}, {-40, 4.248354255291589e-18},
		{1e9, 1}, {-1e9, 0}, {math.Inf(1), 1}, {math.Inf(-1), 0}, {-745, math.Exp(-745)},
	} {
		if got := fairness.Sigmoid(c[0]); math.Abs(got-c[1]) > 1e-15*c[1] {
			t.Errorf("Sigmoid(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}
