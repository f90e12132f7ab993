package cli

import (
	"fmt"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

// sharesJSON is the part of the JSON objects of hyfair quantify and of reports on
// its runs that says how many are discriminated against.
type sharesJSON struct {
	// Fair, Unfair and Undecided add up to exactly 1; see quantify.Report.Floats. They,
	// Exact and Interval are nil where there are no individuals.
	Fair      *float64        `json:"fair"`
	Unfair    *float64        `json:"unfair"`
	Undecided *float64        `json:"undecided"`
	Exact     *sharesExact    `json:"exact"`
	Interval  *sharesInterval `json:"interval"`
	// Grade is of the proof behind fair and unfair.
	Grade string `json:"grade,omitempty"`
	// Individuals of the region in decimal digits, of any number.
	Individuals string         `json:"individuals,omitempty"`
	Sampled     *sharesSampled `json:"sampled,omitempty"`
	Rows        *sharesRows    `json:"rows,omitempty"`
	Boxes       int64          `json:"boxes"`
	Complete    bool           `json:"complete"`
	Reason      string         `json:"reason,omitempty"`
	Faults      []string       `json:"faults,omitempty"`
}

// sharesExact has the shares as fractions.
type sharesExact struct {
	Fair      string `json:"fair"`
	Unfair    string `json:"unfair"`
	Undecided string `json:"undecided"`
}

// sharesInterval holds the share of discriminated individuals.
type sharesInterval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

type sharesSampled struct {
	Share float64 `json:"share"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	N     int     `json:"n"`
	// All: these are all individuals, and Lo and Hi the share itself.
	All bool `json:"all"`
	// Method names how Lo and Hi are computed, and Confidence what they promise.
	Method     string  `json:"method"`
	Confidence float64 `json:"confidence"`
}

type sharesRows struct {
	Share  float64 `json:"share"`
	Unfair int     `json:"unfair"`
	N      int     `json:"n"`
	// Outside are rows that are no individuals of the region.
	Outside int `json:"outside"`
}

// sharesOf is what an event tells. In one that makes no sense, which only a
// damaged journal has, nothing is proved.
func sharesOf(s *record.Shares, faults []string) sharesJSON {
	rep := quantify.Report{Fair: new(big.Rat), Unfair: new(big.Rat), Undecided: big.NewRat(1, 1)}
	out := sharesJSON{Boxes: s.Boxes, Complete: s.Complete, Reason: s.Reason, Faults: faults}
	fair, ok1 := fraction(s.Fair)
	unfair, ok2 := fraction(s.Unfair)
	if ok1 && ok2 {
		if left := new(big.Rat).Sub(rep.Undecided, new(big.Rat).Add(fair, unfair)); left.Sign() >= 0 {
			rep.Fair, rep.Unfair, rep.Undecided, out.Grade = fair, unfair, left, s.Grade
		}
	}
	if n, ok := fraction(s.Individuals); ok && n.IsInt() {
		out.Individuals = n.Num().String()
	}
	if !out.nobody() {
		fair, unfair, undecided := rep.Floats()
		out.Fair, out.Unfair, out.Undecided = &fair, &unfair, &undecided
		out.Exact = &sharesExact{rep.Fair.RatString(), rep.Unfair.RatString(), rep.Undecided.RatString()}
		out.Interval = &sharesInterval{Lo: unfair, Hi: 1 - fair}
	}
	if c := s.Sampled; sane(c) && !out.nobody() {
		share := shareOf(c)
		out.Sampled = &sharesSampled{Share: share, Lo: share, Hi: share, N: c.N, All: c.All, Method: "enumeration", Confidence: 1}
		if !c.All {
			out.Sampled.Method, out.Sampled.Confidence = quantify.Method, quantify.Confidence
			out.Sampled.Lo, out.Sampled.Hi = quantify.ClopperPearson(c.Unfair, c.N, quantify.Confidence)
		}
	}
	if c := s.Rows; sane(c) {
		out.Rows = &sharesRows{shareOf(c), c.Unfair, c.N, c.Outside}
	}
	return out
}

// nobody reports that there are no individuals, so that there are no shares.
func (s *sharesJSON) nobody() bool { return s.Individuals == "0" }

// mostDigits bounds the numbers that are read; those of a space have some tens.
const mostDigits = 1 << 12

// fraction reads a share such as "3/8": digits, and digits.
func fraction(text string) (*big.Rat, bool) {
	if len(text) > mostDigits {
		return nil, false
	}
	for _, c := range text {
		if c != '/' && (c < '0' || c > '9') {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

func sane(c *record.Counted) bool { return c != nil && 0 <= c.Unfair && c.Unfair <= c.N }

// shareOf is 0 of nobody.
func shareOf(c *record.Counted) float64 {
	if c.N == 0 {
		return 0
	}
	return float64(c.Unfair) / float64(c.N)
}

// measures are the shares by name, as hyfair runs lists them.
func (s *sharesJSON) measures() map[string]*float64 {
	m := map[string]*float64{"fair": s.Fair, "unfair": s.Unfair, "undecided": s.Undecided}
	if s.Sampled != nil && s.Sampled.N > 0 {
		m["sampled"] = &s.Sampled.Share
	}
	if s.Rows != nil && s.Rows.N > 0 {
		m["rows"] = &s.Rows.Share
	}
	return m
}

// between says in words where the share of discriminated individuals lies.
func (s *sharesJSON) between() string {
	if s.nobody() {
		return "nobody is in the space asked about: 0 of 0 individuals are discriminated against"
	}
	of := "all individuals"
	if n, ok := new(big.Int).SetString(s.Individuals, 10); ok {
		of = fmt.Sprintf("%s individuals", view.BigCount(n))
	}
	if *s.Undecided == 0 {
		return fmt.Sprintf("%s of %s are discriminated against", view.Share(*s.Unfair), of)
	}
	return fmt.Sprintf("between %s and %s of %s are discriminated against", view.Share(s.Interval.Lo), view.Share(s.Interval.Hi), of)
}
