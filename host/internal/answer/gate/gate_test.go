package gate

import (
	"encoding/xml"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestShare(t *testing.T) {
	for bound, want := range map[string]string{"1%": "1/100", "0.1 %": "1/1000", "0.01": "1/100", ".5": "1/2", "0": "0", "100%": "1"} {
		if g, err := Share("x", bound); err != nil || g.most.RatString() != want {
			t.Errorf("%q: %v, %v", bound, g.most, err)
		}
	}
	for _, bound := range []string{"", "%", "1", "2", "101%", "-1%", "1e-9", "1e999999999", "1/3", "NaN", "1%%", strings.Repeat("9", 100) + "%"} {
		if g, err := Share("x", bound); err == nil {
			t.Errorf("%q is taken for %v", bound, g.most)
		}
	}
	for bound, ok := range map[string]bool{"1": true, "999999999": true, "0": false, "-3": false, "3.5": false, "9999999999": false, "x": false} {
		if _, err := Count("x", bound, 1); (err == nil) != ok {
			t.Errorf("%q: %v", bound, err)
		}
	}
}

// A measure on the limit passes; one that is not known well enough does not.
func TestWithin(t *testing.T) {
	g, err := Share("max-unfair", "0.1%")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lo, hi *big.Rat
		want   Outcome
	}{
		{big.NewRat(1, 1000), big.NewRat(1, 1000), Passed},
		{big.NewRat(0, 1), big.NewRat(1, 1000), Passed},
		{big.NewRat(0, 1), big.NewRat(2, 1000), Undecided},
		{big.NewRat(1, 1000), nil, Undecided},
		{nil, nil, Undecided},
		{big.NewRat(1001, 1000000), nil, Failed},
	} {
		if got := g.Within("", c.lo, c.hi, "").Outcome; got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

// The JUnit file counts its test cases, and keeps every name unchanged, whatever its
// characters.
func TestJUnit(t *testing.T) {
	g := Gate{Name: "check", Bound: "fair"}
	hostile := "<a> & \"b\" ]]> \x01\u202e"
	s := Suite{
		Name: hostile, About: "hyfair.certify", Begun: time.Unix(0, 0), Seconds: 1.5, Asked: []Gate{g, {Name: "other", Bound: "1%"}},
		Checks: []Check{g.Is(hostile, Failed, hostile), g.Is("b", Passed, "well"), g.Is("c", Undecided, "time limit")}, Err: errors.New("lost"),
	}
	var text strings.Builder
	if err := s.WriteJUnit(&text); err != nil {
		t.Fatal(err)
	}
	var out junitSuites
	if err := xml.Unmarshal([]byte(text.String()), &out); err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	kept := strings.ReplaceAll(hostile, "\x01", "\uFFFD")
	suite := out.Suite
	if suite.Name != kept || suite.Tests != 5 || suite.Failures != 1 || suite.Errors != 3 || len(suite.Cases) != 5 {
		t.Fatalf("%+v", suite)
	}
	if c := suite.Cases[0]; c.Name != "--check fair ("+kept+")" || c.Failure == nil || c.Failure.Message != kept || c.Error != nil {
		t.Errorf("%+v", c)
	}
	if c := suite.Cases[1]; c.Failure != nil || c.Error != nil || c.Output != "well" {
		t.Errorf("%+v", c)
	}
	for i, name := range []string{"--check fair (c)", "--other 1%", "the command itself"} {
		if c := suite.Cases[2+i]; c.Name != name || c.Error == nil || c.Failure != nil {
			t.Errorf("%+v", c)
		}
	}
}

// A ratio on the limit passes; one that is not known does not.
func TestAtLeast(t *testing.T) {
	for bound, ok := range map[string]bool{"0.8": true, "1": true, "0": true, "1.1": false, "80%": false, "-1": false, "x": false, "": false} {
		if _, err := Ratio("x", bound); (err == nil) != ok {
			t.Errorf("%q: %v", bound, err)
		}
	}
	g, err := Ratio("min-impact-ratio", "0.8")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ratio *big.Rat
		want  Outcome
	}{{big.NewRat(4, 5), Passed}, {big.NewRat(1, 1), Passed}, {big.NewRat(799999, 1000000), Failed}, {nil, Undecided}} {
		if got := g.AtLeast("sex", new(big.Rat), c.ratio, ""); (got.Outcome == Failed) != (c.want == Failed) || got.Outcome == Passed {
			t.Errorf("0 to %v: %s", c.ratio, got.Outcome)
		}
		if got := g.AtLeast("sex", c.ratio, c.ratio, ""); got.Outcome != c.want || got.Of != "sex" {
			t.Errorf("%v: %+v, want %s", c.ratio, got, c.want)
		}
	}
}
