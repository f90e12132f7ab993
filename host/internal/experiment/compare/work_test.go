package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
)

// tinyStudy writes a study of 4 × 2 individuals in two groups and a network of
// two neurons with the given weights, and returns its path.
func tinyStudy(t testing.TB, weights [6]float64) string {
	t.Helper()
	dir := t.TempDir()
	n := &relu.Network{
		Layers: []relu.Layer{
			{Name: "hidden", In: 3, Out: 2, Weights: weights[:], Bias: []float64{-1, 0.5}, ReLU: true},
			{Name: "output", In: 2, Out: 1, Weights: []float64{1, -1}, Bias: []float64{-0.25}},
		},
		Head: relu.HeadSigmoid, Precision: 64,
	}
	file, err := os.Create(filepath.Join(dir, "model.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := modelfile.WriteJSON(file, n); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "study.yaml")
	text := "name: tiny\nmodel: model.json\nfeatures:\n  years: {integer: 0..3}\n  group: {categories: [a, b]}\n  job: {categories: [x, y]}\nprotected:\n  group: all\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// enumerator opens the solver that tries every point.
func enumerator(ctx context.Context) (*engine.Options, func(), error) {
	d, err := reference.Enumerator{}.Describe(ctx)
	return &engine.Options{Solver: reference.Enumerator{}, Description: d, Encoding: "bigm", Bounds: "interval"}, func() {}, err
}

// tinyPlan compares arms on a study without processes.
func tinyPlan(t testing.TB, study string, runs int, arms ...Arm) *Plan {
	t.Helper()
	p := &Plan{Arms: arms, Terms: experiment.Terms{Budget: "1m", Runs: runs, Seed: 1, Threads: 1, Jobs: 1}}
	for i := range p.Arms {
		p.Arms[i].Solver, p.Arms[i].Encoding, p.Arms[i].Bounds = "enumerator", "bigm", "interval"
	}
	if err := p.AddSubject(question.Spec{Study: study}, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Settle(); err != nil {
		t.Fatal(err)
	}
	return p
}

// inProcess is a worker without a process.
func inProcess(open Open) worked {
	return func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error) {
		begin := time.Now()
		var bad error
		err := Work(ctx, job, clock.Wall(begin), open, func(e record.Event) { bad = errors.Join(bad, event(e)) })
		return workers.Usage{Wall: time.Since(begin), CPU: time.Second}, errors.Join(err, bad)
	}
}

// ranOn runs a plan's tasks in process and returns their results.
func ranOn(t *testing.T, p *Plan, open Open) map[string]*Result {
	t.Helper()
	record := newMemory()
	if err := runOn(t.Context(), p, record, inProcess(open), nil, nil); err != nil {
		t.Fatal(err)
	}
	results, err := allOf(p, record)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// discriminated lists the individuals with a gap above ε, by enumeration.
func discriminated(t testing.TB, s *Subject) (keys []string, all int) {
	t.Helper()
	eps, _ := new(big.Rat).SetString(s.Epsilon)
	e, err := evaluate.New(s.asked.Study.Model, s.asked.Space, s.asked.Region, eps)
	if err != nil {
		t.Fatal(err)
	}
	for years := range 4 {
		for job := range 2 {
			x := []float64{float64(years), 0, float64(job)}
			all++
			if e.Evaluate(x).Violates {
				keys = append(keys, identity(x))
			}
		}
	}
	slices.Sort(keys)
	return keys, all
}

// With enough time a task finds every individual above ε once and proves the rest fair: with
// and without a partition, for each goal.
func TestWorkIsComplete(t *testing.T) {
	tier.NeedUsual(t)
	rng := rand.New(rand.NewPCG(1, 2))
	mixed := 0
	for range tier.Count(5, 12) {
		var weights [6]float64
		for i := range weights {
			weights[i] = float64(rng.IntN(17)-8) / 4
		}
		p := tinyPlan(t, tinyStudy(t, weights), 1,
			Arm{Name: "whole"}, Arm{Name: "chunks", Partition: "2"}, Arm{Name: "named", Partition: "years=3"})
		p.Seed = rng.Int64N(100)
		want, all := discriminated(t, &p.Subjects[0])
		if len(want) > 0 && len(want) < all {
			mixed++
		}
		results := ranOn(t, p, enumerator)
		for key, r := range results {
			var got []string
			for i := range r.Individuals {
				got = append(got, identity(r.Individuals[i].X))
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: found %d of %d", key, len(got), len(want))
			}
			if certified := float64(all-len(want)) / float64(all); math.Abs(r.Certified-certified) > 1e-12 || r.Undecided != 0 || r.Error != "" {
				t.Fatalf("%s: certified %v of %v, %+v", key, r.Certified, certified, r)
			}
		}
		c, err := Tabulate(p, these(results))
		if err != nil || len(c.Disagreements) > 0 {
			t.Fatalf("%v, %v", err, c.Disagreements)
		}
	}
	if mixed < tier.Count(1, 3) {
		t.Errorf("only %d of the networks treat some people fairly and others not", mixed)
	}
}

// tilted is a network in which half of the people are treated differently.
var tilted = [6]float64{0.5, 1, 0, 0, 0, 0.25}

func TestWorkUnderANotionOfDecisions(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 1, Arm{Name: "decisions", Notion: "decision-strict"}, Arm{Name: "largest", Notion: "logit", Epsilon: "0.25", Goal: GoalMaximise})
	results := ranOn(t, p, enumerator)
	for key, r := range results {
		if r.count() == 0 || r.Fair == 0 || len(r.Proofs) == 0 {
			t.Errorf("%s: %+v", key, r)
		}
	}
}

// The same seed gives the same course, another one another.
func TestWorkDependsOnTheSeed(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 3, Arm{Name: "a", Partition: "1"}, Arm{Name: "b", Partition: "1"})
	order := func(arm, seed int) (regions []string) {
		e := p.Entries()[2*seed+arm]
		job, err := p.job(e)
		if err != nil {
			t.Fatal(err)
		}
		err = Work(t.Context(), job, clock.Wall(time.Now()), enumerator, func(e record.Event) {
			if e.Kind == record.KindVerdict {
				regions = append(regions, e.Verdict.Region)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return regions
	}
	one := order(0, 0)
	if len(one) != 8 || !slices.Equal(one, order(1, 0)) {
		t.Errorf("two arms with the same partition and seed: %v and %v", one, order(1, 0))
	}
	if slices.Equal(one, order(0, 1)) && slices.Equal(one, order(0, 2)) {
		t.Errorf("three seeds give the order %v", one)
	}
}

// slow is a solver that answers only when told to stop.
type slow struct{ reference.Enumerator }

func (s slow) Load(context.Context, *problem.Problem) (sdk.Loaded, error) { return s, nil }
func (slow) Close() error                                                 { return nil }
func (s slow) Solve(ctx context.Context, _ problem.Delta, _ sdk.SolveOptions) (*sdk.Result, error) {
	<-ctx.Done()
	return &sdk.Result{Status: sdk.Unknown, Reason: sdk.TimeLimit}, nil
}

func (s slow) describe(ctx context.Context) (*engine.Options, func(), error) {
	o, end, err := enumerator(ctx)
	o.Solver = solverOf{s}
	return o, end, err
}

// solverOf gives slow the methods of a solver that is asked problem by problem.
type solverOf struct{ slow }

func (s solverOf) Solve(ctx context.Context, _ *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	return s.slow.Solve(ctx, problem.Delta{}, o)
}

// Regions that stay undecided at their limit come back with larger ones until
// the budget is used up, and are counted once.
func TestWorkWithinItsBudget(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 1, Arm{Name: "soft", Partition: "years=3", Soft: Duration(50 * time.Millisecond)})
	p.Budget = "600ms"
	results := ranOn(t, p, slow{}.describe)
	r := results[p.Entries()[0].Key]
	if r.Undecided != 2 || r.Asked < 3 || r.Certified != 0 || r.count() != 0 || r.Error != "" {
		t.Errorf("%+v", r)
	}
}

// lost is a solver that is gone at every question.
type lost struct{ reference.Enumerator }

func (lost) Load(context.Context, *problem.Problem) (sdk.Loaded, error) {
	return nil, fmt.Errorf("it went away: %w", sdk.ErrPluginExited)
}

func TestWorkWithoutItsSolver(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 1, Arm{Name: "lost"})
	open := func(ctx context.Context) (*engine.Options, func(), error) {
		o, end, err := enumerator(ctx)
		o.Solver = lost{}
		return o, end, err
	}
	results := ranOn(t, p, open)
	if r := results[p.Entries()[0].Key]; !strings.Contains(r.Error, "it went away") || r.Asked != maxLosses || len(r.Faults) == 0 {
		t.Errorf("%+v", r)
	}
}

// A study that is no longer what was planned is not run.
func TestWorkRefusesChangedFiles(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 1, Arm{Name: "a"})
	job, err := p.job(p.Entries()[0])
	if err != nil {
		t.Fatal(err)
	}
	job.ModelSHA256 = "another"
	err = Work(t.Context(), job, clock.Wall(time.Now()), enumerator, func(e record.Event) { t.Errorf("emitted %+v", e) })
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Error(err)
	}
}

// An arm with a single question ends at its proof; what its solver does not settle stays open.
func TestSingleQuestions(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 1, Arm{Name: "gap", Goal: GoalLargestGap}, Arm{Name: "k", Goal: GoalLargestK}, Arm{Name: "shares", Goal: GoalShares})
	results := ranOn(t, p, enumerator)
	for _, e := range p.Entries() {
		r := results[e.Key]
		answered := p.answerOf(r, true, false).good()
		settled := e.Arm.Goal != GoalLargestK // which a lowering to rows does not bound
		if r.Asked != 1 || r.LeftOpen == nil || settled != (*r.LeftOpen == 0) || answered != settled || p.answerOf(&Result{}, true, false).good() {
			t.Errorf("%s: answered %v, %+v", e.Key, answered, r)
		}
		if !settled && r.Open[experiment.ByRefusal] != 1 {
			t.Errorf("%s: open for %v; want a refusal", e.Key, r.Open)
		}
	}
	p.Arms[0].Partition = "1"
	if err := p.Settle(); err == nil || !strings.Contains(err.Error(), "leave the partition out") {
		t.Errorf("a partition with a single question: %v", err)
	}
}
