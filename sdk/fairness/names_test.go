package fairness_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
)

func TestClusteringNames(t *testing.T) {
	for _, c := range fairness.Clusterings {
		if got, err := fairness.ParseClustering(c.String()); err != nil || got != c {
			t.Errorf("%s comes back as %v, %v", c, got, err)
		}
	}
	if _, err := fairness.ParseClustering("kmeans"); err == nil {
		t.Error("an unknown clustering is accepted")
	}
	logits := []*big.Rat{refLogit(rat(t, "0.0499")), refLogit(rat(t, "0.0501"))}
	if fairness.LinkSigmoid.K(fairness.ByBins, logits, twentieth) != 2 || fairness.LinkSigmoid.K(fairness.ByLinkage, logits, twentieth) != 1 {
		t.Error("K does not follow the clustering")
	}
	if fairness.LinkSigmoid.K(fairness.ByBins, nil, twentieth) != 0 || fairness.LinkSigmoid.K(fairness.ByLinkage, nil, twentieth) != 0 {
		t.Error("no scores, yet clusters")
	}
}

func TestEpsilonAndNotionNames(t *testing.T) {
	for _, n := range fairness.Notions {
		if got, err := fairness.ParseNotion(n.String()); err != nil || got != n {
			t.Errorf("%s comes back as %v, %v", n, got, err)
		}
	}
	if _, err := fairness.ParseNotion("disparate-impact"); err == nil {
		t.Error("an unknown notion is accepted")
	}
	for _, c := range []struct {
		text   string
		notion fairness.Notion
		ok     bool
	}{
		{"0.05", fairness.Score, true}, {" 1/20 ", fairness.Score, true}, {"0", fairness.Score, false},
		{"1", fairness.Score, false}, {"-0.1", fairness.Score, false}, {"five", fairness.Score, false}, {"", fairness.Score, false},
		{"5e-2", fairness.Score, true}, {"0." + strings.Repeat("3", 60), fairness.Score, true}, {"1/20000000000", fairness.Score, true},
		{"0x1p-4", fairness.Score, false}, {"0_1.0", fairness.Logit, false}, {"1e-9999", fairness.Score, false}, {"1/0", fairness.Score, false},
		{"0", fairness.Logit, true}, {"12.5", fairness.Logit, true}, {"-1", fairness.Logit, false},
	} {
		if _, err := fairness.ParseEpsilon(c.text, c.notion); (err == nil) != c.ok {
			t.Errorf("ε %q for %s: %v", c.text, c.notion, err)
		}
	}
}

// An ε comes back as it was asked about, to the last digit.
func TestExact(t *testing.T) {
	for text, want := range map[string]string{
		"1/20": "0.05", "2/6": "1/3", "2": "2", "1e-12": "0.000000000001", "4e-13": "0.0000000000004", "0.12345678901234567": "0.12345678901234567",
		"0." + strings.Repeat("37", 30): "0." + strings.Repeat("37", 30), "1e-61": "1/1" + strings.Repeat("0", 61),
	} {
		eps, err := fairness.ParseEpsilon(text, fairness.Logit)
		if err != nil {
			t.Fatal(err)
		}
		got := fairness.FormatRat(eps)
		if again, err := fairness.ParseEpsilon(got, fairness.Logit); got != want || err != nil || again.Cmp(eps) != 0 {
			t.Errorf("%s is written %s, want %s, and read as %v, %v", text, got, want, again, err)
		}
	}
}

func BenchmarkLogitEnclosure(b *testing.B) {
	p := big.NewRat(123, 1000)
	for b.Loop() {
		fairness.LogitEnclosure(p)
	}
}

func BenchmarkGapExceeds(b *testing.B) {
	x, y := big.NewRat(12345, 54321), big.NewRat(-999, 7777)
	for b.Loop() {
		fairness.GapExceeds(x, y, twentieth)
	}
}
