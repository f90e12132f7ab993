package quantify

import (
	"errors"
	"io"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// wide is a question about twelve features of a hundred values, with a thousand
// boxes of which some individuals are known to be fair.
func wide() (*problem.Query, []sdk.Piece) {
	s := &space.Space{}
	layer := relu.Layer{Out: 1, Bias: []float64{0}}
	for i := range 13 {
		f := space.Feature{Name: string(rune('a' + i)), Kind: space.Integer, Hi: 99, Inputs: []space.Input{{Index: i, Scale: 1}}}
		if i == 12 {
			f.Hi, f.Protected = 1, []float64{0, 1}
		}
		s.Features = append(s.Features, f)
		layer.In++
		layer.Weights = append(layer.Weights, 1)
	}
	s.Inputs = layer.In
	q := &problem.Query{
		Model: &relu.Network{Layers: []relu.Layer{layer}, Head: relu.HeadSigmoid, Precision: 64},
		Space: s, Region: s.Whole(), Notion: fairness.Decision, Goal: problem.Quantify,
	}
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]sdk.Piece, 1000)
	for i := range list {
		p := sdk.Piece{Box: s.Whole().Box, Claim: sdk.PieceUndecided, Unfair: new(big.Int)}
		points := big.NewInt(1)
		for k := range 12 {
			lo := r.IntN(100)
			hi := lo + r.IntN(min(20, 100-lo))
			p.Box[k] = space.Interval{Lo: float64(lo), Hi: float64(hi)}
			points.Mul(points, big.NewInt(int64(hi-lo+1)))
		}
		p.Fair = points.Quo(points, big.NewInt(2))
		list[i] = p
	}
	return q, list
}

// BenchmarkPieces measures the host's cost of a piece: it is checked, added up and
// written.
func BenchmarkPieces(b *testing.B) {
	q, list := wide()
	w, err := NewMapWriter(io.Discard, "map.csv", q.Space)
	if err != nil {
		b.Fatal(err)
	}
	run, err := newRun(q, Options{Description: description(), Pieces: w.Write})
	if err != nil {
		b.Fatal(err)
	}
	run.sample(b.Context())
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N / len(list) {
		if err := run.pieces(list); err != nil {
			b.Fatal(err)
		}
	}
}

// Pieces are reported as they arrive, without shares too; an invalid one ends the question, and
// the solver is stopped.
func TestPiecesOnTheirWay(t *testing.T) {
	q, list := wide()
	full := errors.New("disk full")
	for _, broken := range []error{nil, full} {
		var seen []Progress
		calls := 0
		f := fake{pieces: list, waits: broken != nil, status: sdk.Unknown, reason: sdk.Incomplete}
		rep, err := Run(t.Context(), q, Options{
			Solver: &f, Description: description(), Progress: func(p Progress) { seen = append(seen, p) },
			Pieces: func([]sdk.Piece) error { calls++; return broken },
		})
		if !errors.Is(err, broken) || calls != 1 || rep == nil || rep.Complete {
			t.Errorf("%v after %d calls, %+v", err, calls, rep)
		}
		if len(seen) != 2 || seen[0].Pieces != 0 || seen[1].Pieces != int64(len(list)) || seen[1].Fair != nil {
			t.Errorf("progress %+v", seen)
		}
	}
}
