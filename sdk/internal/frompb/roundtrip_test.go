package frompb_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/pluginv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/internal/pb/strategyv1"
	"github.com/hyfair/hyfair/sdk/internal/topb"
)

// same compares floats by their bits: any NaN equals any other, −0 differs from 0, and nil
// from empty.
func same(t *rapid.T, sent, got any) {
	t.Helper()
	if diff := cmp.Diff(sent, got,
		cmp.Comparer(func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		}),
		cmp.Comparer(func(a, b *big.Rat) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
		cmp.Comparer(func(a, b *big.Int) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
	); diff != "" {
		t.Fatalf("sent and received differ:\n%s", diff)
	}
}

// over sends a message through its bytes.
func over[M proto.Message](t *rapid.T, m M) M {
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	out := m.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func must[T any](t *rapid.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return v
}

func TestProblemRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyProblem(t)
		if err := p.Validate(); err != nil {
			t.Fatalf("the generator made an invalid problem: %v", err)
		}
		got, err := frompb.Problem(over(t, topb.Problem(p)))
		same(t, p, must(t, got, err))
	})
}

func TestDeltaRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := delta(t)
		got, err := frompb.Delta(over(t, topb.Delta(d)))
		same(t, d, must(t, got, err))
	})
}

func TestDescriptionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := solverDescription(t)
		got, err := frompb.SolverDescription(over(t, topb.SolverDescription(&d)))
		same(t, d, must(t, got, err))
		d = strategyDescription(t)
		got, err = frompb.StrategyDescription(over(t, topb.StrategyDescription(&d)))
		same(t, d, must(t, got, err))
	})
}

func TestSolveRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := solveOptions(t)
		gotO, err := frompb.SolveOptions(over(t, topb.SolveOptions(&o)))
		same(t, o, must(t, gotO, err))
		p := progress(t)
		gotP, err := frompb.Progress(over(t, topb.Progress(&p)))
		same(t, p, must(t, gotP, err))
		r := result(t)
		gotR, err := frompb.Result(over(t, topb.Result(r)))
		same(t, r, must(t, gotR, err))
	})
}

func TestPiecesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := list(t, 0, 3, piece)
		m := &solverv1.Pieces{}
		for i := range sent {
			m.Pieces = append(m.Pieces, topb.Piece(&sent[i]))
		}
		got, err := frompb.Pieces(over(t, m))
		same(t, sent, must(t, got, err))
	})
}

func TestSessionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := people(t)
		o := startOptions(t, s)
		gotS, gotO, err := frompb.Start(over(t, topb.Start(s, &o)))
		same(t, s, must(t, gotS, err))
		same(t, o, gotO)

		trials := list(t, 0, 3, trial)
		gotT, err := frompb.Trials(over(t, &strategyv1.Next{Told: topb.Trials(trials)}).Told)
		same(t, trials, must(t, gotT, err))
		moves := list(t, 0, 3, move)
		gotM, err := frompb.Moves(over(t, &strategyv1.Moves{Moves: topb.Moves(moves)}).Moves)
		same(t, moves, must(t, gotM, err))
	})
}

func TestRowsRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, topb.ChunkRows, topb.ChunkRows + 1, 3 * topb.ChunkRows} {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = []float64{float64(i), -float64(i)}
		}
		var got [][]float64
		chunks := 0
		err := topb.RowChunks(rows, func(c *strategyv1.RowChunk) (err error) {
			if chunks++; len(c.Values) > 2*topb.ChunkRows {
				t.Errorf("a chunk of %d values", len(c.Values))
			}
			got, err = frompb.AppendRows(got, c, 2)
			return err
		})
		if err != nil || !cmp.Equal(rows, got) && n > 0 || chunks != (n+topb.ChunkRows-1)/topb.ChunkRows {
			t.Errorf("%d rows in %d chunks: %v", n, chunks, err)
		}
	}
}

// Every value the SDK lists exists on the wire under the same name.
func TestEnumsAgree(t *testing.T) {
	for i, s := range sdk.Statuses {
		if got := topb.Result(&sdk.Result{Status: s}).Status; int(got) != i+1 || solverv1.Status_name[int32(got)] == "" {
			t.Errorf("status %s became %s", s, got)
		}
	}
	if got, want := len(solverv1.Status_name), len(sdk.Statuses)+1; got != want {
		t.Errorf("%d statuses on the wire; want %d", got, want)
	}
	if got, want := len(solverv1.Reason_name), len(sdk.Reasons)+1; got != want {
		t.Errorf("%d reasons on the wire; want %d", got, want)
	}
	if got, want := len(solverv1.PieceClaim_name), len(sdk.PieceClaims)+1; got != want {
		t.Errorf("%d claims of pieces on the wire; want %d", got, want)
	}
	for value, name := range map[int32]string{
		int32(sdk.GradeNumerical): pluginv1.Exactness_EXACTNESS_NUMERICAL.String(),
	} {
		if got := pluginv1.Exactness(value).String(); got != name {
			t.Errorf("%s; want %s", got, name)
		}
	}
	if got := topb.Result(&sdk.Result{Reason: sdk.Other}).Reason; got != solverv1.Reason_REASON_OTHER {
		t.Errorf("reason other became %s", got)
	}
	if got := problemv1.Role_name[6]; got != "ROLE_LOGIT" {
		t.Errorf("role 6 is %s", got)
	}
}

// Text that is no UTF-8, as native libraries and old data sets have it, gets
// there readable instead of failing the call.
func TestOddText(t *testing.T) {
	r := &sdk.Result{Status: sdk.Unknown, Detail: "M\xfcller said no"}
	data, err := proto.Marshal(topb.Result(r))
	if err != nil {
		t.Fatal(err)
	}
	m := &solverv1.Result{}
	if err := proto.Unmarshal(data, m); err != nil || m.Detail != "M\uFFFDller said no" {
		t.Errorf("%q, %v", m.Detail, err)
	}
}
