package certificate_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestPiecesBecomeLeaves: in the order of the format, whatever the order of the solver's
// copies and slopes.
func TestPiecesBecomeLeaves(t *testing.T) {
	want := caseLeaves()
	want[0].Copies = peoplesLeaves()[0].Copies
	first := want[0].Copies
	cases := caseLeaves()[0].Cases // of copies in the other order
	cases[0].First.Copies[0] = 1
	cases[1].First.Copies[0], cases[1].Second.Copies[0] = 0, 1
	mixed := []sdk.CopyProof{first[1], {Protected: first[0].Protected, Logit: first[0].Logit, Slopes: []sdk.Slope{first[0].Slopes[1], first[0].Slopes[0]}}}
	var b bytes.Buffer
	w, err := certificate.NewWriter(&b, people())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []sdk.Piece{
		{Box: want[0].Box, Claim: sdk.PieceFair, Proof: &sdk.Proof{Copies: mixed, Cases: cases}},
		{Box: want[1].Box, Claim: sdk.PieceOutside},
		{Box: want[2].Box, Claim: sdk.PieceFair, Proof: &sdk.Proof{Enumerated: true}},
	} {
		if err := w.AddPiece(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if mixed[0].Protected[0] != 1 || mixed[1].Slopes[0].Neuron != 1 || cases[0].First.Copies[0] != 1 {
		t.Error("the piece was changed")
	}
	r, err := certificate.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, alike); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUnsettledPiecesAreRefused: with them the certificate is refused.
func TestUnsettledPiecesAreRefused(t *testing.T) {
	box := peoplesLeaves()[0].Box // has a real feature
	proof := &sdk.Proof{Copies: []sdk.CopyProof{{Protected: []float64{0}, Logit: space.Interval{Lo: 0, Hi: 1}}}}
	for why, p := range map[string]sdk.Piece{
		"calls a piece undecided": {Box: box, Claim: sdk.PieceUndecided, Proof: proof},
		"calls a piece unfair":    {Box: box, Claim: sdk.PieceUnfair, Proof: proof},
		"without a proof":         {Box: box, Claim: sdk.PieceFair},
	} {
		w, err := certificate.NewWriter(io.Discard, people())
		if err != nil {
			t.Fatal(err)
		}
		if err := w.AddPiece(p); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q", err, why)
		}
		if err := w.Close(); err == nil {
			t.Error("closed all the same")
		}
	}
}

// TestFewIndividualsAreLeftToTheChecker: unless the piece contradicts the claim.
func TestFewIndividualsAreLeftToTheChecker(t *testing.T) {
	bound := certificate.Claim{Kind: certificate.MaxK, K: 3}
	for _, c := range []struct {
		claim    certificate.Claim
		piece    sdk.PieceClaim
		accepted bool
	}{
		{certificate.Claim{Kind: certificate.Fair}, sdk.PieceUndecided, true},
		{certificate.Claim{Kind: certificate.Fair}, sdk.PieceUnfair, false},
		{bound, sdk.PieceUnfair, true},
		{bound, sdk.PieceUndecided, true},
	} {
		s := people()
		s.Claim = c.claim
		w, err := certificate.NewWriter(io.Discard, s)
		if err != nil {
			t.Fatal(err)
		}
		box := peoplesLeaves()[0].Box
		box[2].Hi = box[2].Lo // one value of the real feature
		if err := w.AddPiece(sdk.Piece{Box: box, Claim: c.piece}); (err == nil) != c.accepted {
			t.Errorf("%s under %s: %v", c.piece, c.claim.Kind, err)
		}
	}
}

// TestFromQuery compares the claims with what answers to queries prove.
func TestFromQuery(t *testing.T) {
	s := people()
	query := func(change func(*problem.Query)) *problem.Query {
		q := &problem.Query{
			Model: s.Network, Space: s.Space, Region: s.Region, Notion: s.Notion, Epsilon: s.Epsilon,
			Goal: problem.Decide, Require: s.Require, Forbid: s.Forbid,
		}
		change(q)
		return q
	}
	for _, c := range []struct {
		change func(*problem.Query)
		claim  certificate.Claim
	}{
		{func(*problem.Query) {}, certificate.Claim{Kind: certificate.Fair}},
		{func(q *problem.Query) { q.K = 2 }, certificate.Claim{Kind: certificate.Fair}},
		{func(q *problem.Query) { q.K = 5 }, certificate.Claim{Kind: certificate.MaxK, K: 4}},
		{func(q *problem.Query) { q.Goal = problem.MaxK }, certificate.Claim{}},
		{func(q *problem.Query) { q.Region = space.Region{} }, certificate.Claim{Kind: certificate.Fair}},
	} {
		q := query(c.change)
		got, err := certificate.FromQuery(q)
		if err != nil || got.Claim != c.claim {
			t.Errorf("%v, %v; want %v", got.Claim, err, c.claim)
		}
		if diff := cmp.Diff(q.RegionOrWhole(), got.Region, alike); diff != "" {
			t.Errorf("region: %s", diff)
		}
	}
	wide := query(func(q *problem.Query) {
		q.Region = q.Region.Clone()
		q.Region.Box[0] = space.Interval{Lo: 16.5, Hi: 40.5}
	})
	if got, err := certificate.FromQuery(wide); err != nil || got.Region.Box[0] != (space.Interval{Lo: 17, Hi: 40}) {
		t.Errorf("%v, %v", got.Region.Box, err)
	}
	for name, change := range map[string]func(*problem.Query){
		"relaxed":   func(q *problem.Query) { q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}} },
		"excludes":  func(q *problem.Query) { q.Exclude = [][]float64{{17, 0, 0, 0}} },
		"quantify":  func(q *problem.Query) { q.Goal = problem.Quantify },
		"protected": func(q *problem.Query) { q.Forbid = []space.Predicate{{{Feature: 3}}} },
	} {
		if _, err := certificate.FromQuery(query(change)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
}
