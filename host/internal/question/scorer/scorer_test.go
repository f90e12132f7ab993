package scorer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/sdk"
)

// sum is a model whose score is the sum of a row; it remembers the rows.
type sum struct {
	identity string
	batch    int
	asked    map[string]int
	most     int // rows in a call
	answer   func(ctx context.Context, call int, scores []float64) ([]float64, error)
	calls    int
}

func (s *sum) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "sum", Version: "1", Scale: sdk.ScaleNumber, Identity: s.identity, Batch: s.batch}, nil
}

func (s *sum) Score(ctx context.Context, rows [][]float64) ([]float64, error) {
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	out := make([]float64, len(rows))
	for i, row := range rows {
		s.asked[fmt.Sprint(row)]++
		for _, v := range row {
			out[i] += v
		}
	}
	s.calls, s.most = s.calls+1, max(s.most, len(rows))
	if s.answer != nil {
		return s.answer(ctx, s.calls, out)
	}
	return out, nil
}

// open opens a model in a new hub, with a journal if its path is not empty.
func open(t *testing.T, impl sdk.Model, hub *scorer.Hub, path string) *scorer.Opened {
	t.Helper()
	hub.Journal = func() (*journal.Journal, error) {
		if path == "" {
			return nil, nil
		}
		j, err := journal.Open(path)
		if err == nil {
			t.Cleanup(func() { j.Close() })
		}
		return j, err
	}
	scorer.Use(hub)
	t.Cleanup(func() { hub.Close() })
	opened, err := scorer.Open(scorer.Ref{Attach: plugintest.Attach(t, impl)}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func rows(from, to int) (out [][]float64) {
	for i := from; i < to; i++ {
		out = append(out, []float64{float64(i), 0.5})
	}
	return out
}

// Each row is asked for once, in batches within the model's limit, but for a few that are asked for again.
func TestRowsAreAskedForOnce(t *testing.T) {
	impl := &sum{batch: 8}
	m := open(t, impl, &scorer.Hub{}, "").Model
	m.Ahead(append(rows(0, 100), rows(50, 150)...))
	for i := range 150 {
		if got := m.Logit([]float64{float64(i), 0.5}); got != float64(i)+0.5 {
			t.Fatalf("row %d scores %v", i, got)
		}
	}
	again := 0
	for _, n := range impl.asked {
		again += n - 1
	}
	if len(impl.asked) != 150 || again < 1 || again > 10 {
		t.Errorf("%d rows, %d asked for again; want 150, and a few", len(impl.asked), again)
	}
	if impl.most > 8 {
		t.Errorf("%d rows in a call, want 8", impl.most)
	}
}

// A model may refuse more than one row in a call.
func TestOneRowInACall(t *testing.T) {
	impl := &sum{batch: 1}
	open(t, impl, &scorer.Hub{}, "").Model.Ahead(rows(0, 20))
	if impl.most != 1 || len(impl.asked) != 20 {
		t.Errorf("%d rows in a call, %d rows; want 1 and 20", impl.most, len(impl.asked))
	}
}

// No score is made up if the budget ends within the last batch: batches of 1, 2, 4 and 8 rows.
func TestBudgetEndsWithinTheLastBatch(t *testing.T) {
	hub, impl := &scorer.Hub{Budget: 10}, &sum{}
	m := open(t, impl, hub, "").Model
	returned := make(chan struct{})
	go func() {
		m.Ahead(rows(0, 15))
		close(returned)
	}()
	select {
	case <-returned:
		t.Fatalf("scores of 15 rows were returned, of which %d were asked for", len(impl.asked))
	case <-hub.Ended():
	}
	if !errors.Is(hub.Err(), scorer.ErrBudget) || len(impl.asked) != 10 {
		t.Errorf("got %v after %d rows", hub.Err(), len(impl.asked))
	}
}

// A second run takes the scores of the first from the journal, if the model says who it is, and asks for one again.
func TestScoresAreKept(t *testing.T) {
	for identity, want := range map[string]int{"v1": 1, "": 100} {
		path := filepath.Join(t.TempDir(), "journal.db")
		first := &scorer.Hub{}
		open(t, &sum{identity: identity}, first, path).Model.Ahead(rows(0, 100))
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		impl := &sum{identity: identity}
		opened := open(t, impl, &scorer.Hub{}, path)
		opened.Model.Ahead(rows(0, 100))
		if len(impl.asked) != want || int(opened.Spent.Kept) != 100-int(opened.Spent.Rows) {
			t.Errorf("identity %q: %d rows were asked for, want %d; spent %+v", identity, len(impl.asked), want, opened.Spent)
		}
	}
}

// Another identity has other scores.
func TestIdentityNamesTheScores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	hub := &scorer.Hub{}
	old := open(t, &sum{identity: "v1"}, hub, path)
	old.Model.Ahead(rows(0, 10))
	hub.Close()
	impl := &sum{identity: "v2"}
	if opened := open(t, impl, &scorer.Hub{}, path); opened.SHA256 == old.SHA256 {
		t.Error("two identities have one checksum")
	} else if opened.Model.Ahead(rows(0, 10)); len(impl.asked) != 10 {
		t.Errorf("%d rows were asked for, want 10", len(impl.asked))
	}
}

// Only a model that says who it is counts as the same in another run.
func TestChecksumsOfRuns(t *testing.T) {
	for identity, same := range map[string]bool{"v1": true, "": false} {
		one, other := open(t, &sum{identity: identity}, &scorer.Hub{}, ""), open(t, &sum{identity: identity}, &scorer.Hub{}, "")
		if (one.SHA256 == other.SHA256) != same {
			t.Errorf("identity %q: the checksums %s and %s", identity, one.SHA256, other.SHA256)
		}
	}
}

// Every way to fail is one error, and no score.
func TestFailures(t *testing.T) {
	from := func(call int, wrong func([]float64) []float64) func(context.Context, int, []float64) ([]float64, error) {
		return func(_ context.Context, now int, scores []float64) ([]float64, error) {
			if now >= call {
				scores = wrong(scores)
			}
			return scores, nil
		}
	}
	for name, c := range map[string]struct {
		answer func(context.Context, int, []float64) ([]float64, error)
		budget int64
		want   string
	}{
		"NaN":   {from(2, func(s []float64) []float64 { s[0] = math.NaN(); return s }), 0, "is NaN, want a finite number"},
		"Inf":   {from(2, func(s []float64) []float64 { s[0] = math.Inf(-1); return s }), 0, "is -Inf, want a finite number"},
		"short": {from(2, func(s []float64) []float64 { return s[1:] }), 0, "scores for"},
		"long":  {from(2, func(s []float64) []float64 { return append(s, 1) }), 0, "scores for"},
		"flood": {from(2, func([]float64) []float64 { return make([]float64, 1<<20) }), 0, "scores for"},
		"hang": {func(ctx context.Context, _ int, _ []float64) ([]float64, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, 0, "no answer to 1 rows"},
		"error":  {func(context.Context, int, []float64) ([]float64, error) { return nil, errors.New("out of tokens") }, 0, "out of tokens"},
		"panic":  {func(context.Context, int, []float64) ([]float64, error) { panic("index out of range") }, 0, "panicked"},
		"twice":  {from(2, func(s []float64) []float64 { s[len(s)-1] += 1e-3; return s }), 0, "it scored the same row"},
		"budget": {nil, 10, "--calls 10"},
	} {
		t.Run(name, func(t *testing.T) {
			hub := &scorer.Hub{Budget: c.budget, Patience: 500 * time.Millisecond}
			impl := &sum{answer: c.answer}
			m := open(t, impl, hub, "").Model
			returned := make(chan struct{})
			go func() {
				m.Ahead(rows(0, 100))
				close(returned)
			}()
			<-hub.Ended()
			if err := hub.Err(); !strings.Contains(err.Error(), c.want) || errors.Is(err, scorer.ErrBudget) != (name == "budget") {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if c.budget > 0 && int64(len(impl.asked)) != c.budget {
				t.Errorf("%d rows were asked for", len(impl.asked))
			}
			select {
			case <-returned:
				t.Error("scores were returned")
			default:
			}
		})
	}
}

// Rounding in batches of other sizes is no contradiction.
func TestRoundingIsNoContradiction(t *testing.T) {
	impl := &sum{answer: func(_ context.Context, call int, scores []float64) ([]float64, error) {
		for i := range scores {
			scores[i] *= 1 + float64(call)*0x1p-52
		}
		return scores, nil
	}}
	open(t, impl, &scorer.Hub{}, "").Model.Ahead(rows(1, 1000))
}

// The features of the model select and order those of the study.
func TestFeaturesAreThoseOfTheModel(t *testing.T) {
	scorer.Use(&scorer.Hub{Journal: func() (*journal.Journal, error) { return nil, nil }})
	file := plugintest.Attach(t, named{"b", "a"})
	opened, err := scorer.Open(scorer.Ref{Attach: file}, []string{"a", "c", "b"})
	if err != nil || fmt.Sprint(opened.Names) != "[b a]" || opened.Model.Inputs() != 2 {
		t.Errorf("%v, %v", opened, err)
	}
	if _, err := scorer.Open(scorer.Ref{Attach: file}, []string{"a", "c"}); err == nil || !strings.Contains(err.Error(), "the study has no b") {
		t.Errorf("got %v", err)
	}
}

type named []string

func (n named) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "named", Scale: sdk.ScaleShare, Features: n}, nil
}

func (n named) Score(_ context.Context, rows [][]float64) ([]float64, error) {
	return make([]float64, len(rows)), nil
}
