package search

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// steps is a strategy that proposes years 0 to 9 for both jobs, one per round,
// and then does what last says.
type steps struct {
	last func(ctx context.Context) ([]sdk.Move, error)
}

func (steps) Describe(context.Context) (sdk.Description, error) { return sdk.Description{}, nil }

func (s steps) Start(context.Context, *space.Space, sdk.StartOptions) (sdk.Session, error) {
	return &stepping{steps: s}, nil
}

type stepping struct {
	steps
	i int64
}

func (s *stepping) Next(ctx context.Context, _ []sdk.Trial, _ int) ([]sdk.Move, error) {
	s.i++
	if s.i > 20 {
		return s.last(ctx)
	}
	x := []float64{float64((s.i - 1) / 2), 0, float64((s.i - 1) % 2)}
	return []sdk.Move{{ID: s.i, Round: s.i - 1, Kind: sdk.MovePoint, Point: x}}, nil
}

func (*stepping) Close() error { return nil }

// searcher is a search of the tenure study with the steps strategy, and the notes to the user.
func searcher(t *testing.T, strategy sdk.Strategy) (*Searcher, *bytes.Buffer) {
	t.Helper()
	sp, n := reference.Tenure()
	for _, v := range []interface{ Validate() error }{sp, n} {
		if err := v.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	eps := big.NewRat(1, 20)
	e, err := evaluate.New(n, sp, sp.Whole(), eps)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	told := &bytes.Buffer{}
	return &Searcher{
		session: &session.Session{
			Begun: time.Now(), JournalFile: filepath.Join(dir, "journal.db"), Threads: 1,
			Tell: func(text string) { fmt.Fprintln(told, text) },
		},
		request:  Request{Mode: Paper, Runs: 1, Seed: 7, Out: filepath.Join(dir, "found.csv")},
		question: &question.Question{Study: &study.Study{Name: "tenure", ModelPath: "hand-made"}},
		epsilon:  eps,
		query:    &problem.Query{Model: n, Space: sp, Region: sp.Whole(), Epsilon: eps},
		start:    sdk.StartOptions{Epsilon: eps, Region: sp.Whole()}, eval: e,
		strategyName: "steps", strategy: strategy, solver: NoSolver, budget: Budget{Iter: 20},
	}, told
}

// answer runs the search and closes its journal.
func answer(ctx context.Context, o *Searcher) (*Result, error) {
	out, err := o.answer(ctx)
	return out, errors.Join(err, o.session.Close())
}

// journalled reads a run's events.
func journalled(t *testing.T, file, run string) (events []record.Event) {
	t.Helper()
	j, err := journal.OpenExisting(file)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Events(run, func(e record.Event) error { events = append(events, e); return nil }); err != nil {
		t.Fatal(err)
	}
	return events
}

func TestSearchReport(t *testing.T) {
	j, stderr := searcher(t, steps{func(context.Context) ([]sdk.Move, error) {
		return []sdk.Move{{ID: 21, Round: 20, Kind: sdk.MovePoint, Point: make([]float64, 3)}}, nil
	}})
	report, err := answer(t.Context(), j)
	if err != nil || stderr.Len() > 0 {
		t.Fatal(err, stderr)
	}
	var object map[string]any
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	// From years = 2 on the gap exceeds 0.05: σ(4) − σ(2) = 0.101.
	for name, want := range map[string]any{
		"Iter": 20.0, "#ID": 16.0, "#K.1st": 2.0, "Max.K": 2.0, "Avg.K": 2.0, "Succ.rate": 80.0, "#ID.maxK": 16.0,
		"strategy": "steps", "solver": "none", "mode": "paper", "study": "tenure", "model": "hand-made", "seed": 7.0, "runs_found": 1.0,
	} {
		if d := cmp.Diff(want, object[name]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	for _, name := range []string{"T.1st", "T.maxK", "seconds"} {
		if v, ok := object[name].(float64); !ok || v < 0 {
			t.Errorf("%s = %v", name, object[name])
		}
	}
	best := object["best"].(map[string]any)
	want := map[string]any{
		"x": map[string]any{"years": 9.0, "job": 0.0}, "labels": map[string]any{"years": "9", "job": "baker"},
		"k": 2.0, "run": 1.0, "round": 18.0,
	}
	for name, v := range want {
		if d := cmp.Diff(v, best[name]); d != "" {
			t.Errorf("best %s: %s", name, d)
		}
	}
	scores := best["scores"].([]any)
	b := scores[1].(map[string]any)
	if len(scores) != 2 || b["labels"].(map[string]any)["group"] != "b" || fmt.Sprintf("%.6f", b["score"]) != "0.006693" {
		t.Errorf("scores %v; want σ(−5) = 0.006693 for group b", scores)
	}

	var shown bytes.Buffer
	report.Document().Write(&shown, view.Text, view.Options{})
	for _, line := range []string{"steps on tenure (hand-made), ε = 0.05, solver none, paper mode, budget 20it, seed 7",
		"2 different outcomes over 2 copies, scores from 0.0067 to 0.9820", "  lowest   0.0067  group = b", "  years  9", "  job    baker"} {
		if !strings.Contains(shown.String(), line) {
			t.Errorf("%q is not shown in\n%s", line, &shown)
		}
	}

	file, err := os.Open(j.request.Out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 17 {
		t.Fatalf("%d rows in the CSV, error %v; want the header and 16", len(rows), err)
	}
	if d := cmp.Diff([]string{"years", "job"}, rows[0][7:]); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"2", "clerk, junior"}, rows[2][7:]); d != "" {
		t.Error(d)
	}
	events := journalled(t, report.Journal, report.Run)
	if events[0].Started == nil || events[0].Started.Task.Seed != 7 {
		t.Errorf("the first event is %+v", events[0])
	}
	if d := cmp.Diff(report.Measures, Measure(events)); d != "" {
		t.Errorf("the journal tells other measures:\n%s", d)
	}
}

func TestSearchRunsAreSummarised(t *testing.T) {
	j, _ := searcher(t, steps{func(context.Context) ([]sdk.Move, error) { return nil, nil }})
	j.request.Runs = 3
	report, err := answer(t.Context(), j)
	if err == nil || !strings.Contains(err.Error(), "run 1 of 3: strategy steps: it made no move") {
		t.Errorf("error %v", err)
	}
	if len(report.Runs) != 3 || report.RunsFound != 3 || *report.ID != 16 || *report.SD.ID != 0 {
		t.Errorf("report %+v; the runs after a failed one must go on", report)
	}
	for i, run := range report.Runs {
		if run.Seed != int64(7+i) || run.Error == "" || *run.Measures.Iter != 19 {
			t.Errorf("run %d: %+v", i, run)
		}
		events := journalled(t, j.session.JournalFile, run.Run)
		if first := events[0].Started; first == nil || first.Task.Seed != run.Seed {
			t.Errorf("run %s has the seed %d, in the journal %+v", run.Run, run.Seed, first)
		}
	}
	if report.Run != report.Runs[0].Run || report.Run == report.Runs[1].Run {
		t.Errorf("the report's run is %s, of %+v", report.Run, report.Runs)
	}
	var shown bytes.Buffer
	report.Document().Write(&shown, view.Text, view.Options{})
	for _, part := range []string{"seeds 7 to 9", "19 ± 0", "3 of 3 runs found something"} {
		if !strings.Contains(shown.String(), part) {
			t.Errorf("%q is not shown in\n%s", part, &shown)
		}
	}
}

// Ctrl-C: the report, the CSV and the journal hold what was found.
func TestSearchInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	j, _ := searcher(t, steps{func(ctx context.Context) ([]sdk.Move, error) {
		stop()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	j.request.Runs, j.budget = 5, Budget{Time: time.Hour}
	report, err := answer(ctx, j)
	if err != nil || !report.Interrupted || len(report.Runs) != 1 || *report.ID != 16 || report.Best == nil {
		t.Errorf("error %v, report %+v", err, report)
	}
	if text, err := os.ReadFile(j.request.Out); err != nil || bytes.Count(text, []byte("\n")) != 17 {
		t.Errorf("CSV %q, error %v", text, err)
	}
	events := journalled(t, report.Journal, report.Run)
	if last := events[len(events)-1]; last.Finished == nil || !last.Finished.Interrupted {
		t.Errorf("the last event is %+v", last)
	}
}

func TestSearchFindsNothing(t *testing.T) {
	j, _ := searcher(t, steps{})
	j.budget = Budget{Iter: 3} // years 0 and 1 only
	report, err := answer(t.Context(), j)
	if err != nil || report.Best != nil || report.T1st != nil {
		t.Errorf("error %v, report %+v", err, report)
	}
	text, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(text), `"T.1st":null`) || !strings.Contains(string(text), `"best":null`) {
		t.Errorf("%s, error %v", text, err)
	}
	var shown bytes.Buffer
	report.Document().Write(&shown, view.Text, view.Options{})
	if !strings.Contains(shown.String(), "N/A") || !strings.Contains(shown.String(), "proves nothing") {
		t.Error(&shown)
	}
}

func TestSearchOutputsThatCannotBeWritten(t *testing.T) {
	j, _ := searcher(t, steps{})
	j.request.Out = filepath.Join(j.request.Out, "no", "folder.csv")
	if _, err := answer(t.Context(), j); !session.IsMistake(err) || !strings.Contains(err.Error(), "--out") {
		t.Errorf("--out into a missing folder: %v", err)
	}
	j, _ = searcher(t, steps{})
	j.session.JournalFile = t.TempDir()
	if _, err := answer(t.Context(), j); !session.IsMistake(err) {
		t.Errorf("--journal that is a folder: %v", err)
	}
	// A home that cannot be written to costs only the journal.
	j, stderr := searcher(t, steps{})
	j.session.JournalFile, j.budget = "", Budget{Iter: 3}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HYFAIR_RUNS_DIR", filepath.Join(file, "runs"))
	if report, err := answer(t.Context(), j); err != nil || report.Journal != "" || !strings.Contains(stderr.String(), "events are not kept") {
		t.Errorf("error %v, journal %q, standard error %q", err, report.Journal, stderr)
	}
}

// Trials carry the values that a strategy requests, in both modes, and no others: Wanderer
// checks them for consistency.
func TestTrialsTellOfCopiesWhereAsked(t *testing.T) {
	for _, fast := range []*Fast{nil, {Chains: 8}, {Chains: 64, Ahead: true}} {
		o, _ := searcher(t, reference.Wanderer{})
		o.fast, o.budget = fast, Budget{Evals: 500}
		if r, err := answer(t.Context(), o); err != nil || r.Runs[0].Evaluations < 500 {
			t.Errorf("%+v: %v, %+v", fast, err, r)
		}
		c, _ := config(t, nil)
		counted := &counting{Evaluator: o.eval}
		c.Space, c.Region, c.Evaluator, c.Fast, c.Budget = o.query.Space, o.query.Region, counted, fast, o.budget
		c.Detail, c.Pair = evaluate.Detail{Scores: true, Bins: true}, true
		c.Start = func(ctx context.Context) (sdk.Session, error) {
			return reference.Wanderer{}.Start(ctx, c.Space, o.start)
		}
		if r := Run(t.Context(), c); r.Err != nil || r.Evaluations != counted.individuals {
			t.Errorf("%+v: %v, %d evaluations, of which the evaluator was asked for %d", fast, r.Err, r.Evaluations, counted.individuals)
		}
		c, _ = config(t, nil)
		c.Evaluator, c.Fast = tens{}, fast
		var told []sdk.Trial
		c.Start = func(context.Context) (sdk.Session, error) { return script(points(5, 25, 35), &told), nil }
		if r := Run(t.Context(), c); r.Err != nil || len(told) == 0 || told[0].Scores != nil || told[0].Bins != nil || told[0].Highest != nil {
			t.Errorf("%v, %+v", r.Err, told)
		}
	}
}

// counting counts the individuals that it evaluates.
type counting struct {
	Evaluator
	individuals int64
}

func (c *counting) EvaluateCopies(xs [][]float64, out []evaluate.Outcome, d evaluate.Detail) []evaluate.Copies {
	c.individuals += int64(len(xs))
	return c.Evaluator.EvaluateCopies(xs, out, d)
}

// A batch of counterfactuals that would not fit into memory is refused, with the number
// of chains that fit, but only if the strategy asks for counterfactuals.
func TestTooManyCopiesToTell(t *testing.T) {
	o, _ := searcher(t, reference.Wanderer{})
	group := &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "group", Kind: space.Integer, Hi: 1999, Inputs: []space.Input{{Scale: 1}}},
	}}
	for v := range 2000 {
		group.Features[0].Protected = append(group.Features[0].Protected, float64(v))
	}
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}}}}
	var err error
	if o.eval, err = evaluate.New(n, group, space.Region{}, o.query.Epsilon); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		chains  int
		d       sdk.Description
		refused bool
	}{
		{MaxChains, sdk.Description{NeedsPair: true}, false},
		{2097, sdk.Description{NeedsScores: true, NeedsBins: true}, false},
		{2098, sdk.Description{NeedsScores: true}, true},
		{2098, sdk.Description{NeedsBins: true}, true},
	} {
		o.fast = &Fast{Chains: c.chains}
		err := o.affords(c.d)
		if (err != nil) != c.refused || c.refused && (!session.IsMistake(err) || !strings.Contains(err.Error(), "2098 chains of 2000 counterfactuals are more than 4194304 in a batch; use at most --chains 2097, ")) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
