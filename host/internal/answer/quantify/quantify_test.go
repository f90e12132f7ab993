package quantify

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestAgainstEnumeration compares the whole operation, with the real solver, with enumeration:
// all notions, many bins, constraints, predicates.
func TestAgainstEnumeration(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	for _, n := range fairness.Notions {
		for seed := range uint64(8) {
			q := tiny(rand.New(rand.NewPCG(seed, 7)), n)
			want := counted(q)
			all := want[fair] + want[unfair]
			var pieces []sdk.Piece
			rep, err := Run(t.Context(), q, Options{Solver: solver, Description: description, Samples: 200, Seed: 3,
				Pieces: func(list []sdk.Piece) error { pieces = append(pieces, list...); return nil }})
			if err != nil {
				t.Fatal(err)
			}
			if all == 0 {
				if !rep.Nobody() || !rep.Complete || rep.Unfair.Sign()+rep.Fair.Sign()+rep.Undecided.Sign() != 0 {
					t.Errorf("%s, seed %d: nobody there, and %+v", n, seed, rep)
				}
				continue
			}
			if len(rep.Faults) > 0 || !rep.Complete || rep.Grade != sdk.GradeRigorous ||
				rep.Fair.Cmp(big.NewRat(want[fair], all)) != 0 || rep.Unfair.Cmp(big.NewRat(want[unfair], all)) != 0 || rep.Undecided.Sign() != 0 {
				t.Errorf("%s, seed %d: %v fair, %v unfair, %+v; want %v", n, seed, rep.Fair, rep.Unfair, rep, want)
			}
			share := float64(want[unfair]) / float64(all)
			if s := *rep.Sampled; s != (Sampled{int(want[unfair]), int(all), share, share, true}) {
				t.Errorf("%s, seed %d: all are %+v of %v", n, seed, s, want)
			}
			some, err := Run(t.Context(), q, Options{Solver: solver, Description: description, Samples: 8, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			if lo, hi := ClopperPearson(some.Sampled.Unfair, some.Sampled.N, certain); some.Sampled.N != 8 || some.Sampled.All || lo > share || hi < share {
				t.Errorf("%s, seed %d: sampled %+v of %v", n, seed, some.Sampled, want)
			}
			checkMap(t, q, rep, pieces)
		}
	}
}

// checkMap enumerates all individuals, looks up their pieces, and adds up by value.
func checkMap(t *testing.T, q *problem.Query, rep *Report, pieces []sdk.Piece) {
	t.Helper()
	exact := q.Model.Exact()
	type key struct {
		feature int
		value   float64
	}
	numbers := map[key]map[individual.Verdict]float64{}
	everybody(q, func(x []float64) {
		v := truth(q, exact, x)
		in := 0
		for i := range pieces {
			if !within(q.Space.Free(), pieces[i].Box, x) {
				continue
			}
			in++
			claim := pieces[i].Claim
			if claim == sdk.PieceFair && v == unfair || claim == sdk.PieceUnfair && v == fair || claim == sdk.PieceOutside && v != outside {
				t.Errorf("%v is %d, in a piece that is %s", x, v, claim)
			}
		}
		if in != 1 {
			t.Errorf("%v lies in %d pieces", x, in)
		}
		for _, i := range q.Space.Free() {
			k := key{i, x[i]}
			if numbers[k] == nil {
				numbers[k] = map[individual.Verdict]float64{}
			}
			numbers[k][v]++
		}
	})
	if math.Abs(rep.Map.Covered-1) > 1e-9 {
		t.Errorf("the pieces cover %v", rep.Map.Covered)
	}
	for _, f := range rep.Map.Features {
		for _, s := range f.Slices {
			want := numbers[key{f.Index, s.Lo}]
			all := want[fair] + want[unfair]
			if s.Lo != s.Hi {
				t.Errorf("feature %d: the slice %v of a small domain", f.Index, s.Interval)
			}
			if math.Abs(s.Fair+s.Unfair+s.Undecided-1) > 1e-9 {
				t.Errorf("feature %d, %v: shares %+v", f.Index, s.Lo, s)
			}
			if all > 0 && (s.Fair > want[fair]/all+1e-9 || s.Unfair > want[unfair]/all+1e-9) {
				t.Errorf("feature %d, %v: %+v, want %v", f.Index, s.Lo, s, want)
			}
		}
	}
}

// fake is a solver with scripted answers.
type fake struct {
	shares *sdk.Shares
	status sdk.Status
	reason sdk.Reason
	pieces []sdk.Piece
	told   *sdk.Shares // on the way
	waits  bool        // for the end of the context
	err    error
}

func (f *fake) Describe(context.Context) (sdk.Description, error) { return description(), nil }

func description() sdk.Description {
	return sdk.Description{Name: "fake", Exactness: sdk.GradeExact, Serves: []sdk.Service{{Form: problem.FormNetwork, Goal: problem.Quantify}}}
}

func (f *fake) Solve(ctx context.Context, _ *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if f.told != nil {
		o.Progress(sdk.Progress{Shares: f.told})
	}
	if o.Pieces != nil {
		o.Pieces(f.pieces)
	}
	if f.waits {
		<-ctx.Done()
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.Interrupted}, nil
	}
	if f.err != nil {
		return nil, f.err
	}
	return &sdk.Result{Status: f.status, Reason: f.reason, Shares: f.shares}, nil
}

func shares(fair, unfair int64, of int64) *sdk.Shares {
	return &sdk.Shares{Fair: big.NewRat(fair, of), Unfair: big.NewRat(unfair, of), Boxes: 5}
}

// mixed is a question with fair and unfair individuals.
func mixed(t *testing.T) (q *problem.Query, numbers map[individual.Verdict]int64) {
	t.Helper()
	for seed := range uint64(100) {
		q := tiny(rand.New(rand.NewPCG(seed, 11)), fairness.Score)
		if n := counted(q); n[fair] > 20 && n[unfair] > 20 && n[outside] == 0 {
			return q, n
		}
	}
	t.Fatal("no such question")
	return nil, nil
}

// A claim that an exact evaluation refutes proves nothing, and is reported.
func TestContradicted(t *testing.T) {
	q, numbers := mixed(t)
	all := numbers[fair] + numbers[unfair]
	whole := []sdk.Piece{{Box: q.Region.Box, Claim: sdk.PieceFair, Fair: big.NewInt(all), Unfair: new(big.Int)}}
	twice := []sdk.Piece{
		{Box: q.Region.Box, Claim: sdk.PieceUndecided, Fair: new(big.Int), Unfair: new(big.Int)},
		{Box: q.Region.Box, Claim: sdk.PieceUndecided, Fair: new(big.Int), Unfair: new(big.Int)},
	}
	toomany := []sdk.Piece{{Box: q.Region.Box, Claim: sdk.PieceUndecided, Fair: big.NewInt(numbers[fair] + 1), Unfair: new(big.Int)}}
	right := shares(numbers[fair], numbers[unfair], all)
	for name, c := range map[string]struct {
		fake  fake
		fault string
	}{
		"everybody fair":    {fake{status: sdk.Optimal, shares: shares(1, 0, 1)}, "no individual is unfair"},
		"everybody unfair":  {fake{status: sdk.Optimal, shares: shares(0, 1, 1)}, "no individual is fair"},
		"nearly all fair":   {fake{status: sdk.Unknown, shares: shares(999, 0, 1000)}, fmt.Sprintf("of all %d", all)},
		"nearly all unfair": {fake{status: sdk.Unknown, shares: shares(0, 999, 1000)}, fmt.Sprintf("of all %d", all)},
		"one too many":      {fake{status: sdk.Optimal, shares: shares(numbers[fair]+1, numbers[unfair]-1, all)}, fmt.Sprintf("of all %d", all)},
		"nobody":            {fake{status: sdk.Optimal, shares: &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat), Individuals: new(big.Int)}}, "there are no individuals"},
		"above 1":           {fake{status: sdk.Optimal, shares: shares(2, 1, 2)}, "its shares are missing, negative or sum to more than 1"},
		"negative":          {fake{status: sdk.Optimal, shares: shares(-1, 1, 2)}, "its shares are missing, negative or sum to more than 1"},
		"a piece":           {fake{status: sdk.Optimal, shares: right, pieces: whole}, "claims of a box that it is fair"},
		"pieces twice":      {fake{status: sdk.Optimal, shares: right, pieces: twice}, "overlap"},
		"counts too many":   {fake{status: sdk.Optimal, shares: right, pieces: toomany}, "counts more"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Solver: &c.fake, Description: description(), Samples: 2000, Seed: 1}
			if c.fake.pieces != nil {
				o.Pieces = func([]sdk.Piece) error { return nil }
			}
			rep, err := Run(t.Context(), q, o)
			if err != nil || rep.Complete || rep.Grade != 0 || rep.Fair.Sign() != 0 || rep.Unfair.Sign() != 0 || len(rep.Faults) == 0 || !strings.Contains(rep.Faults[0], c.fault) {
				t.Errorf("%v, %+v", err, rep)
			}
		})
	}
	rep, err := Run(t.Context(), q, Options{Solver: &fake{status: sdk.Optimal, shares: right}, Description: description(), Samples: 2000, Seed: 1})
	if err != nil || len(rep.Faults) > 0 || !rep.Complete || rep.Grade != sdk.GradeExact {
		t.Errorf("the truth: %v, %+v", err, rep)
	}
}

// Reported shares that the sample contradicts are not passed on. The sample and the
// rows are reported before the solver's first answer.
func TestUnsoundProgress(t *testing.T) {
	q, numbers := mixed(t)
	for claim, sound := range map[*sdk.Shares]bool{
		shares(999, 0, 1000): false, shares(2, 1, 2): false, shares(numbers[fair], numbers[unfair], numbers[fair]+numbers[unfair]): true,
	} {
		var seen []Progress
		_, err := Run(t.Context(), q, Options{
			Solver: &fake{told: claim, status: sdk.Unknown, reason: sdk.Incomplete}, Description: description(), Samples: 2000, Seed: 1,
			Progress: func(p Progress) { seen = append(seen, p) },
		})
		if err != nil || len(seen) != 2 || seen[0].Sampled == nil || int64(seen[0].Sampled.N) != numbers[fair]+numbers[unfair] || (seen[1].Fair != nil) != sound {
			t.Errorf("%v: %v, %+v", claim, err, seen)
		}
	}
}

// Reported progress is kept if the question is interrupted or the solver is lost; a limit is
// named.
func TestStopped(t *testing.T) {
	q, numbers := mixed(t)
	told := shares(numbers[fair]/2, 1, numbers[fair]+numbers[unfair])
	for name, c := range map[string]struct {
		fake   fake
		limit  time.Duration
		cancel bool
		reason string
		err    error
	}{
		"Ctrl-C":     {fake: fake{told: told, waits: true}, cancel: true, reason: "interrupted"},
		"time":       {fake: fake{told: told, waits: true}, limit: 50 * time.Millisecond, reason: "time limit"},
		"memory":     {fake: fake{status: sdk.Unknown, reason: sdk.MemoryLimit, shares: told}, reason: "memory limit"},
		"solver end": {fake: fake{told: told, err: sdk.ErrPluginExited}, reason: "the solver failed: plugin exited", err: sdk.ErrPluginExited},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.limit > 0 {
				ctx, cancel = context.WithTimeout(ctx, c.limit)
				defer cancel()
			}
			var seen []Progress
			rep, err := Run(ctx, q, Options{Solver: &c.fake, Description: description(), Progress: func(p Progress) {
				if seen = append(seen, p); c.cancel && p.Fair != nil {
					cancel()
				}
			}})
			if !errors.Is(err, c.err) || rep.Fair.Cmp(told.Fair) != 0 || rep.Unfair.Cmp(told.Unfair) != 0 || rep.Complete || rep.Reason != c.reason {
				t.Errorf("%v, %+v", err, rep)
			}
			if c.fake.told != nil && (len(seen) != 2 || seen[0].Fair != nil || seen[1].Fair.Cmp(told.Fair) != 0 || seen[1].Boxes != 5) {
				t.Errorf("progress %+v", seen)
			}
			sum := new(big.Rat).Add(rep.Fair, rep.Unfair)
			if sum.Add(sum, rep.Undecided).Cmp(big.NewRat(1, 1)) != 0 {
				t.Errorf("the shares add up to %v", sum)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	q, _ := mixed(t)
	ask := func(change func(*problem.Query, *Options)) error {
		question, o := *q, Options{Solver: &fake{}, Description: description()}
		change(&question, &o)
		rep, err := Run(t.Context(), &question, o)
		if rep != nil {
			t.Errorf("a report: %+v", rep)
		}
		return err
	}
	for want, change := range map[error]func(*problem.Query, *Options){
		sdk.ErrUnsupported:    func(_ *problem.Query, o *Options) { o.Description.Serves = nil },
		sdk.ErrInvalidProblem: func(q *problem.Query, _ *Options) { q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: 1}} },
	} {
		if err := ask(change); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	broken := errors.New("disc full")
	rep, err := Run(t.Context(), q, Options{Solver: &fake{waits: true, pieces: []sdk.Piece{{Box: q.Region.Box, Claim: sdk.PieceUndecided}}}, Description: description(),
		Pieces: func([]sdk.Piece) error { return broken }})
	if !errors.Is(err, broken) || rep == nil {
		t.Errorf("a map that cannot be written: %v", err)
	}
	for _, box := range []space.Box{nil, make(space.Box, 5), {{Lo: math.NaN()}, {}, {}, {}, {}}, {{Lo: -2.5, Hi: 1}, {}, {}, {}, {}}, {{Lo: 1, Hi: 0}, {}, {}, {}, {}}, {{Lo: -2, Hi: math.Inf(1)}, {}, {}, {}, {}}} {
		_, err := Run(t.Context(), q, Options{Solver: &fake{waits: true, pieces: []sdk.Piece{{Box: box}}}, Description: description(), Pieces: func([]sdk.Piece) error { return nil }})
		if err == nil || !strings.Contains(err.Error(), "not a box of the region") {
			t.Errorf("box %v: %v", box, err)
		}
	}
}

// TestRows counts the data set's rows, those outside the region separately.
func TestRows(t *testing.T) {
	q, _ := mixed(t)
	exact := q.Model.Exact()
	var rows [][]float64
	want := Rows{}
	everybody(q, func(x []float64) {
		row := append([]float64(nil), x...)
		row[3], row[4] = 1, 7 // a person's own values are not looked at
		rows = append(rows, row, row)
		want.N += 2
		if truth(q, exact, x) == unfair {
			want.Unfair += 2
		}
	})
	rows = append(rows, []float64{99, 0, 0, 0, 1}, []float64{0.5, 0, 0, 0, 1})
	want.Outside = 2
	rep, err := Run(t.Context(), q, Options{Solver: &fake{}, Description: description(), Rows: rows})
	if err != nil || *rep.Rows != want || rep.Sampled != nil || rep.Met != want.Unfair/2 {
		t.Errorf("%v, %+v, %d met, want %+v", err, rep.Rows, rep.Met, want)
	}
	// If no unfair individual is known, one is searched for.
	rep, err = Run(t.Context(), q, Options{Solver: &fake{}, Description: description()})
	if err != nil || rep.Rows != nil || rep.Met != 1 {
		t.Errorf("%v, %d met", err, rep.Met)
	}
}

// TestFloats: proved shares never grow by rounding, and the three add up to 1.
func TestFloats(t *testing.T) {
	for range 10_000 {
		n := rand.Int64N(1<<62) + 1
		f := rand.Int64N(n + 1)
		u := rand.Int64N(n - f + 1)
		if rand.IntN(4) == 0 {
			u = n - f
		}
		r := Report{Fair: big.NewRat(f, n), Unfair: big.NewRat(u, n)}
		r.Undecided = new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(r.Fair, r.Unfair))
		fair, unfair, undecided := floats(r.Fair, r.Unfair, r.Undecided)
		for _, sum := range []float64{fair + unfair + undecided, undecided + unfair + fair, fair + undecided + unfair} {
			if sum != 1 {
				t.Fatalf("%d and %d of %d: %v %v %v add up to %v", f, u, n, fair, unfair, undecided, sum)
			}
		}
		if new(big.Rat).SetFloat64(fair).Cmp(r.Fair) > 0 || undecided > 0 && new(big.Rat).SetFloat64(unfair).Cmp(r.Unfair) > 0 || undecided < 0 {
			t.Fatalf("%d and %d of %d: %v %v %v", f, u, n, fair, unfair, undecided)
		}
		if (undecided == 0) != (r.Undecided.Sign() == 0) && r.Undecided.Sign() == 0 {
			t.Fatalf("%d and %d of %d: %v is undecided", f, u, n, undecided)
		}
	}
}

// TestMapFiles reads the written files back.
func TestMapFiles(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(1, 1)), fairness.Decision)
	odd := "years, \"about\" <b>"
	q.Space.Features[0].Name = odd
	box := q.Space.Whole().Box
	box[0] = space.Interval{Lo: -1, Hi: 2}
	box[2] = space.Interval{Lo: -0.1, Hi: 1e-7}
	box[1] = space.Interval{Lo: 1e15 + 2, Hi: 1e300}
	many, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	pieces := []sdk.Piece{{Box: box, Claim: sdk.PieceFair, Fair: many, Unfair: new(big.Int)}, {Box: box, Claim: sdk.PieceUndecided}}
	write := func(path string) string {
		var out bytes.Buffer
		m, err := NewMapWriter(&out, path, q.Space)
		if err == nil {
			err = errors.Join(m.Write(pieces), m.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	lines, err := csv.NewReader(strings.NewReader(write("map.csv"))).ReadAll()
	if err != nil || len(lines) != 3 || strings.Join(lines[0], " ") != "claim fair unfair "+odd+".lo "+odd+".hi c.lo c.hi b.lo b.hi" ||
		strings.Join(lines[1], " ") != "fair "+many.String()+" 0 -1 2 1.000000000000002e+15 1e+300 -0.1 1e-07" || strings.Join(lines[2][:3], " ") != "undecided  " {
		t.Errorf("%v, %q", err, lines)
	}
	d := json.NewDecoder(strings.NewReader(write("map.jsonl")))
	d.DisallowUnknownFields()
	for i, p := range pieces {
		var line struct {
			Claim        string
			Fair, Unfair *big.Int
			Box          map[string][2]float64
		}
		sides := map[string][2]float64{odd: {-1, 2}, "c": {1e15 + 2, 1e300}, "b": {-0.1, 1e-7}}
		if err := d.Decode(&line); err != nil || line.Claim != p.Claim.String() || cmp.Diff([]string{p.Fair.String(), p.Unfair.String()}, []string{line.Fair.String(), line.Unfair.String()}) != "" || cmp.Diff(sides, line.Box) != "" {
			t.Errorf("line %d: %v, %+v", i, err, line)
		}
	}
	if _, err := NewMapWriter(nil, "map.txt", q.Space); err == nil {
		t.Error("a map in .txt")
	}
}

// TestClopperPearson compares the ends with the definition, summed term by term in
// wide floats: at each end, the observed number of hits or a more extreme one has the
// probability of a tail.
func TestClopperPearson(t *testing.T) {
	atLeast := func(k, n int, p float64) float64 {
		sum := new(big.Float).SetPrec(200)
		x := new(big.Float).SetPrec(200).SetFloat64(p)
		y := new(big.Float).SetPrec(200).Sub(big.NewFloat(1), x)
		for i := k; i <= n; i++ {
			term := new(big.Float).SetPrec(200).SetInt(new(big.Int).Binomial(int64(n), int64(i)))
			for range i {
				term.Mul(term, x)
			}
			for range n - i {
				term.Mul(term, y)
			}
			sum.Add(sum, term)
		}
		f, _ := sum.Float64()
		return f
	}
	for _, n := range []int{1, 2, 10, 57, 300} {
		for _, k := range []int{0, 1, n / 3, n - 1, n} {
			for _, confidence := range []float64{0.95, certain} {
				lo, hi := ClopperPearson(k, n, confidence)
				tail := (1 - confidence) / 2
				if k == 0 && lo != 0 || k == n && hi != 1 || lo > float64(k)/float64(n) || hi < float64(k)/float64(n) {
					t.Errorf("%d of %d: %v to %v", k, n, lo, hi)
				}
				if k > 0 && math.Abs(atLeast(k, n, lo)/tail-1) > 1e-6 {
					t.Errorf("%d of %d, confidence %v: the lower end %v has the tail %v", k, n, confidence, lo, atLeast(k, n, lo))
				}
				if k < n && math.Abs(atLeast(n-k, n, 1-hi)/tail-1) > 1e-4 {
					t.Errorf("%d of %d, confidence %v: the upper end %v", k, n, confidence, strconv.FormatFloat(hi, 'g', -1, 64))
				}
			}
		}
	}
	if lo, hi := ClopperPearson(0, 0, 0.95); lo != 0 || hi != 1 {
		t.Errorf("of nothing: %v to %v", lo, hi)
	}
}

// The solver is asked however long the evaluation of individuals and rows takes.
func TestSamplingLeavesTimeForTheSolver(t *testing.T) {
	q := tiny(rand.New(rand.NewPCG(1, 7)), fairness.Score)
	q.Space.Features[0].Hi, q.Space.Forbidden = 1<<40, nil
	q.Region = q.Space.Whole()
	rows := slices.Repeat([][]float64{make([]float64, len(q.Space.Features))}, 1<<22)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	rep, err := Run(ctx, q, Options{
		Solver: &fake{status: sdk.Optimal, shares: shares(0, 0, 1)}, Description: description(), Samples: 1 << 40, Rows: rows, Seed: 1,
	})
	if err != nil || !rep.Complete || rep.Sampled.All || rep.Sampled.N == 0 {
		t.Errorf("%v, %+v, sampled %+v", err, rep, rep.Sampled)
	}
}

// An empty space has no shares, for any number of points.
func TestNobody(t *testing.T) {
	for _, last := range []float64{3, 1 << 40} {
		q := tiny(rand.New(rand.NewPCG(1, 7)), fairness.Score)
		q.Space.Features[0].Hi = last
		q.Space.Forbidden = []space.Predicate{{{Feature: 3, Set: []int{0, 1}}}}
		q.Region = q.Space.Whole()
		rep, err := Run(t.Context(), q, Options{Solver: &fake{err: errors.New("asked")}, Description: description(), Samples: 100, Rows: [][]float64{make([]float64, 5)}})
		if err != nil || !rep.Nobody() || !rep.Complete || rep.Fair.Sign()+rep.Unfair.Sign()+rep.Undecided.Sign() != 0 {
			t.Errorf("%v, %+v", err, rep)
		}
	}
}
