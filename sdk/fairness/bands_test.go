package fairness

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestParseBands(t *testing.T) {
	b, err := ParseBands(" A = 0.8, B=3/5,D=0.0 ")
	if err != nil || b.String() != "A=0.8,B=0.6,D=0" || b[0].Name != "D" {
		t.Fatalf("%s, %v", b, err)
	}
	if up, err := ParseBands("D=0,B=0.6,A=0.8"); err != nil || up.String() != b.String() {
		t.Errorf("%s, %v", up, err)
	}
	for text, want := range map[string]string{
		"":                     "want BAND=LEAST SCORE",
		"A=0":                  "1 bands",
		"A=0.5,B":              "want BAND=LEAST SCORE",
		"A=0.5,A=0":            "appears twice",
		"=0.5,B=0":             "cannot name a band",
		"A=0.5,B=0.2":          "the lowest band, B, begins at 0.2",
		"A=0.4,B=0.6,C=0":      "list the bands by their least scores",
		"A=0.4,B=0.4,C=0":      "list the bands by their least scores",
		"A=1,B=0":              "not between 0 and 1",
		"A=1.5,B=0":            "not between 0 and 1",
		"A=-0.5,B=0":           "not between 0 and 1",
		"A=0.3,B=0,C=0":        "not between 0 and 1",
		"A=x,B=0":              "neither a decimal",
		"A=NaN,B=0":            "neither a decimal",
		"A=1e-100,B=0":         "more than 60 digits",
		"A=0.5,B=,C=0":         "neither a decimal",
		strings.Repeat(",", 9): "want BAND=LEAST SCORE",
	} {
		if b, err := ParseBands(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v; want %q", text, b, err, want)
		}
	}
}

// TestEvenBandsAreBins: bands of one width are the bins of that ε, for scores that are sigmoids.
func TestEvenBandsAreBins(t *testing.T) {
	even, err := ParseBands("d=3/4,c=0.5,b=1/4,a=0")
	if err != nil {
		t.Fatal(err)
	}
	eps := big.NewRat(1, 4)
	b := LinkSigmoid.Binning(nil, even)
	for j := -1; j <= 5; j++ {
		lo, hi := b.Edge(j)
		if wantLo, wantHi := LinkSigmoid.Edge(max(j, 0), eps); lo != wantLo || hi != wantHi {
			t.Errorf("edge %d: %v to %v, want %v to %v", j, lo, hi, wantLo, wantHi)
		}
		for _, l := range []float64{math.Nextafter(lo, -1e9), lo, hi, math.Nextafter(hi, 1e9)} {
			if math.IsInf(l, 0) {
				continue
			}
			logit := new(big.Rat).SetFloat64(l)
			if got, want := b.Of(logit), LinkSigmoid.Bin(logit, eps); got != want {
				t.Errorf("%v is in band %d, bin %d", l, got, want)
			}
		}
	}
	if got := b.K([]*big.Rat{big.NewRat(-9, 1), big.NewRat(-8, 1), new(big.Rat), big.NewRat(9, 1)}); got != 3 {
		t.Errorf("k = %d, want 3", got)
	}
}

// TestBandsOfShares: a share that rounding leaves a little below a border is on it.
func TestBandsOfShares(t *testing.T) {
	two, err := ParseBands("high=0.3,low=0")
	if err != nil {
		t.Fatal(err)
	}
	b := LinkShare.Binning(nil, two)
	lo, hi := b.Edge(1)
	for share, want := range map[float64]int{-0.1: 0, 0.2999: 0, 0.3 - 0x1p-23: 0, 0.3 - 0x1p-25: 1, 0.3: 1, 0.5: 1, 1.1: 1} {
		logit := new(big.Rat).SetFloat64(share)
		logit.Sub(logit, new(big.Rat).SetFloat64(Half))
		if got := b.Of(logit); got != want {
			t.Errorf("the share %v is in band %d", share, got)
		}
		if v, _ := logit.Float64(); v < lo && want == 1 || v > hi && want == 0 {
			t.Errorf("the share %v is in band %d, which begins between %v and %v", share, want, lo, hi)
		}
	}
}
