package ablate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// memory is a record that refuses to store a key twice.
type memory struct {
	mu      sync.Mutex
	results map[string][]byte
	events  map[string][]record.Event
	full    error
}

func newMemory() *memory {
	return &memory{results: map[string][]byte{}, events: map[string][]record.Event{}}
}

func (m *memory) Done(key string) ([]byte, float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.results[key]
	return text, 0, ok
}

func (m *memory) Complete(key string, result any, _ float64, events ...record.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full != nil {
		return m.full
	}
	if m.results[key] != nil {
		return fmt.Errorf("%s is done already", key)
	}
	text, err := json.Marshal(result)
	m.results[key], m.events[key] = text, events
	return err
}

// runOn does a plan's tasks without processes.
func runOn(ctx context.Context, p *Plan, kept record.Store,
	work func(ctx context.Context, r *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error),
	slots [][]int, progress func(experiment.Progress),
) error {
	return p.Do(ctx, &experiment.Bench{Kept: kept, Slots: slots, Progress: progress, Work: func(ctx context.Context, e experiment.Errand, event func(record.Event) error) (workers.Usage, error) {
		if e.Procs != p.Threads {
			return workers.Usage{}, fmt.Errorf("workers and plugins may use %d threads of Go, not %d", e.Procs, p.Threads)
		}
		usage, err := work(ctx, e.Request.(*search.Request), e.Cores, event)
		usage.Cores = e.Cores
		return usage, err
	}})
}

// keys are those stored under, sorted.
func (m *memory) keys() []string {
	var out []string
	for key := range m.results {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// smallPlan has two arms on one network.
func smallPlan(runs, jobs int) *Plan {
	return &Plan{
		Subjects: []Subject{{Subject: experiment.Subject{Study: "s", Model: "m"}, Epsilon: "0.05"}}, Arms: []Arm{{Name: "a", Strategy: "rw", Solver: "none", Mode: ModePaper}, {Name: "b", Strategy: "sa", Solver: "none", Mode: ModePaper}},
		Terms: experiment.Terms{Budget: "10s", Runs: runs, Seed: 1, Threads: 1, Jobs: jobs},
	}
}

// armOf names the arm of smallPlan that a request is of.
var armOf = map[string]string{"rw": "a", "sa": "b"}

// wellDone emits a search that finds three individuals.
func wellDone(event func(record.Event) error) (workers.Usage, error) {
	for i, e := range []record.Event{
		{Kind: record.KindStarted, Started: &record.Started{Features: []string{"x"}, Domains: []record.Domain{{Kind: "integer", Hi: 10}}}},
		{Kind: record.KindFound, Seconds: 0.5, Found: &record.Found{X: []float64{1}, K: 2, Gap: 0.1, Shannon: 1, MinEntropy: 0.5, Evals: 7, Iter: 3}},
		{Kind: record.KindFound, Seconds: 1, Found: &record.Found{X: []float64{3}, K: 4, Gap: 0.3, Shannon: 2, MinEntropy: 1.5, Evals: 9, Iter: 4}},
		{Kind: record.KindProgress, Seconds: 1.5, Progress: &record.Progress{Iter: 5, Found: 2, MaxK: 4}},
		{Kind: record.KindFound, Seconds: 2, Found: &record.Found{X: []float64{6}, K: 2, Gap: 0.1, Shannon: 0.75, MinEntropy: 0.25}},
		{Kind: record.KindFinished, Seconds: 10, Finished: &record.Finished{Iter: 12}},
	} {
		e.Seq = int64(i)
		if err := event(e); err != nil {
			return workers.Usage{}, err
		}
	}
	return workers.Usage{Wall: 11 * time.Second, CPU: 9 * time.Second}, nil
}

func results(t *testing.T, p *Plan, m *memory) map[string]*Result {
	t.Helper()
	out := map[string]*Result{}
	for _, e := range p.Entries() {
		r, err := experiment.Results[Result, Subject, Arm](m)(e)
		if err != nil {
			t.Fatal(err)
		}
		if r != nil {
			out[e.Key] = r
		}
	}
	return out
}

func TestRun(t *testing.T) {
	p, m := smallPlan(2, 1), newMemory()
	var seen []experiment.Progress
	work := func(_ context.Context, r *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error) {
		if r.Epsilon != "0.05" || r.Budget != "10s" || cores != nil {
			t.Errorf("%+v on %v", r, cores)
		}
		return wellDone(event)
	}
	if err := runOn(t.Context(), p, m, work, nil, func(s experiment.Progress) { seen = append(seen, s) }); err != nil {
		t.Fatal(err)
	}
	got := results(t, p, m)
	r := got["s/m | b | seed 2"]
	if len(got) != 4 || r == nil {
		t.Fatalf("%v", m.keys())
	}
	if d := cmp.Diff([]Step{{0.5, 2, 7, 3}, {1, 4, 9, 4}}, r.Steps); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[int]int64{2: 2, 4: 1}, r.Counts); d != "" {
		t.Error(d)
	}
	if *r.Measures.Iter != 12 || *r.Measures.ID != 3 || *r.Measures.MaxK != 4 || *r.Measures.TMaxK != 1 || *r.Measures.SuccRate != 25 || r.Seconds != 10 || r.CPU != 9 {
		t.Errorf("%+v", r)
	}
	// Distances of 0.2, 0.5 and 0.3.
	if *r.Shannon != 1.25 || *r.MinEntropy != 0.75 || math.Abs(*r.Spread-1.0/3) > 1e-12 {
		t.Errorf("%v, %v, %v", *r.Shannon, *r.MinEntropy, *r.Spread)
	}
	if n := len(m.events["s/m | b | seed 2"]); n != 6 {
		t.Errorf("%d events are kept of 6", n)
	}
	last := seen[len(seen)-1]
	if last.Done != 4 || last.Total != 4 || last.Left != 0 || !slices.ContainsFunc(seen, func(s experiment.Progress) bool { return s.Left > 0 }) ||
		!slices.ContainsFunc(seen, func(s experiment.Progress) bool { return s.Latest == "s/m | a | seed 1: 2 found, largest k 4" }) {
		t.Errorf("%+v", seen)
	}
}

// What goes wrong in a task's first try costs that try; what goes wrong twice is
// recorded as failed, beside the others' results, and tried again by another
// Run.
func TestRunTriesAgain(t *testing.T) {
	fault := record.Event{Kind: record.KindFault, Fault: &record.Fault{Plugin: "z3", Error: "it is gone"}}
	end := func(f record.Finished) record.Event { return record.Event{Kind: record.KindFinished, Finished: &f} }
	for name, c := range map[string]struct {
		events []record.Event
		usage  workers.Usage
		err    error
		want   string
	}{
		"no worker":           {nil, workers.Usage{}, errors.New("a worker failed: signal: killed"), "a worker failed: signal: killed"},
		"torn":                {[]record.Event{{Kind: record.KindStarted}}, workers.Usage{}, nil, "the worker ended before it reported a result"},
		"killed":              {[]record.Event{{Kind: record.KindStarted}}, workers.Usage{Killed: true}, nil, "the worker did not end by itself and was killed"},
		"a lost strategy":     {[]record.Event{fault, end(record.Finished{Error: "x"})}, workers.Usage{}, errors.New("a worker failed: x"), "z3: it is gone"},
		"a lost solver":       {[]record.Event{fault, end(record.Finished{})}, workers.Usage{}, errors.New("a worker failed: x"), "z3: it is gone"},
		"a quietly lost one":  {[]record.Event{fault, end(record.Finished{})}, workers.Usage{}, nil, "z3: it is gone"},
		"an error at the end": {[]record.Event{end(record.Finished{Error: "out of luck"})}, workers.Usage{}, nil, "out of luck"},
		"interrupted":         {[]record.Event{end(record.Finished{Interrupted: true})}, workers.Usage{}, nil, "the worker was interrupted"},
		"babbling":            {[]record.Event{end(record.Finished{}), {Kind: record.KindStarted}}, workers.Usage{}, nil, "the worker sent further events after its result"},
	} {
		t.Run(name, func(t *testing.T) {
			p, m := smallPlan(1, 1), newMemory()
			luck := 1
			tries := map[string]int{}
			work := func(_ context.Context, r *search.Request, _ []int, event func(record.Event) error) (workers.Usage, error) {
				if tries[armOf[r.Strategy]]++; armOf[r.Strategy] == "b" || tries["a"] > luck {
					return wellDone(event)
				}
				for _, e := range c.events {
					if err := event(e); err != nil {
						t.Error(err)
					}
				}
				return c.usage, c.err
			}
			if err := runOn(t.Context(), p, m, work, nil, nil); err != nil {
				t.Fatal(err)
			}
			got := results(t, p, m)
			if a := got["s/m | a | seed 1"]; tries["a"] != 2 || a.Retried != c.want || a.Error != "" || *a.Measures.ID != 3 {
				t.Errorf("%d tries, %+v", tries["a"], a)
			}

			p, m = smallPlan(1, 1), newMemory()
			luck, tries = 1<<30, map[string]int{}
			for again := range 2 {
				if err := runOn(t.Context(), p, m, work, nil, nil); err != nil {
					t.Fatal(err)
				}
				got = results(t, p, m)
				a, b := got["s/m | a | seed 1"], got["s/m | b | seed 1"]
				if reason := map[bool]string{true: experiment.ByTime, false: experiment.ByFault}[name == "killed"]; name != "interrupted" && a.Reason != reason {
					t.Errorf("the reason %s, want %s", a.Reason, reason)
				}
				if tries["a"] != 2+2*again || a.Error != c.want || b.Error != "" || tries["b"] != 1 {
					t.Errorf("tries %v, %+v, %+v", tries, a, b)
				}
			}
			if d := cmp.Diff([]string{"s/m | a | seed 1 | failed 1", "s/m | a | seed 1 | failed 2", "s/m | b | seed 1"}, m.keys()); d != "" {
				t.Error(d)
			}
			luck = 0
			if err := runOn(t.Context(), p, m, work, nil, nil); err != nil {
				t.Fatal(err)
			}
			if a := results(t, p, m)["s/m | a | seed 1"]; a.Error != "" || *a.Measures.ID != 3 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// An interrupted ablation is resumed, and runs no task twice.
func TestRunGoesOn(t *testing.T) {
	p, m := smallPlan(3, 1), newMemory()
	ran := map[string]int{}
	for rounds := 0; len(m.results) < 6; rounds++ {
		if rounds > 6 {
			t.Fatal("it does not go on")
		}
		ctx, cancel := context.WithCancel(t.Context())
		begun := 0
		err := runOn(ctx, p, m, func(_ context.Context, r *search.Request, _ []int, event func(record.Event) error) (workers.Usage, error) {
			if begun++; begun == 2 {
				cancel() // in the middle of the second task
				return workers.Usage{}, context.Canceled
			}
			ran[fmt.Sprint(armOf[r.Strategy], r.Seed)]++
			return wellDone(event)
		}, nil, nil)
		cancel()
		if err != nil || begun < 1 || begun > 2 {
			t.Fatal(begun, err)
		}
	}
	if d := cmp.Diff(map[string]int{"a1": 1, "a2": 1, "a3": 1, "b1": 1, "b2": 1, "b3": 1}, ran); d != "" {
		t.Error(d)
	}
	for key, r := range results(t, p, m) {
		if r.Error != "" || r.Retried != "" {
			t.Errorf("%s: %+v", key, r)
		}
	}
}

// A record that cannot be written ends all.
func TestRunWithAFullDisk(t *testing.T) {
	m := newMemory()
	m.full = errors.New("the disk is full")
	begun := 0
	err := runOn(t.Context(), smallPlan(3, 1), m, func(_ context.Context, _ *search.Request, _ []int, event func(record.Event) error) (workers.Usage, error) {
		begun++
		return wellDone(event)
	}, nil, nil)
	if !errors.Is(err, m.full) || begun > 2 {
		t.Errorf("%v after %d tasks", err, begun)
	}
}

// Tasks side by side never share a processor.
func TestRunOnSlots(t *testing.T) {
	slots := experiment.Slots([]int{0, 2, 4, 6, 8}, 2, 2)
	if d := cmp.Diff([][]int{{0, 2}, {4, 6}}, slots); d != "" {
		t.Error(d)
	}
	for _, none := range [][][]int{experiment.Slots([]int{0, 1, 2}, 2, 2), experiment.Slots([]int{0, 1}, 1, 1), experiment.Slots(nil, 2, 1)} {
		if none != nil {
			t.Errorf("slots %v", none)
		}
	}
	var mu sync.Mutex
	busy := map[int]bool{}
	work := func(_ context.Context, _ *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error) {
		mark := func(on bool) {
			mu.Lock()
			defer mu.Unlock()
			for _, c := range cores {
				if on && busy[c] {
					t.Errorf("processor %d is used twice", c)
				}
				busy[c] = on
			}
		}
		mark(true)
		defer mark(false)
		time.Sleep(5 * time.Millisecond)
		return wellDone(event)
	}
	p, m := smallPlan(5, 2), newMemory()
	p.Threads = 2
	if err := runOn(t.Context(), p, m, work, slots, nil); err != nil {
		t.Fatal(err)
	}
	for key, r := range results(t, p, m) {
		if len(r.Cores) != 2 {
			t.Errorf("%s ran on %v", key, r.Cores)
		}
	}
	if len(busy) != 4 {
		t.Errorf("processors %v were used", busy)
	}
}

// Of a run with very many individuals the journal gets the first, every new
// best, and some of the others; what they are summed up to gives the same
// measures as all of them.
func TestThinning(t *testing.T) {
	const n = 50_000
	var all []record.Event
	for i := range n {
		e := record.Event{Kind: record.KindFound, Seconds: float64(i) / 1000, Found: &record.Found{X: []float64{float64(i)}, K: 2 + (i*7919)%9, Gap: 0.1, Shannon: 1}}
		if i == n-10 {
			e.Found.K = 15
		}
		all = append(all, e)
		if i%5000 == 4999 {
			all = append(all, record.Event{Kind: record.KindProgress, Seconds: e.Seconds, Progress: &record.Progress{Iter: int64(i)}})
		}
	}
	all = append(all, record.Event{Kind: record.KindFinished, Seconds: 60, Finished: &record.Finished{Iter: n}})
	f, fast := &fold{}, &fold{fast: true}
	for _, e := range all {
		f.add(e)
		fast.add(e)
	}
	r, err := f.end()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(search.Measure(all), r.Measures); d != "" {
		t.Error(d)
	}
	// 10,000 and about 10,000·ln 5 more.
	if kept := len(f.events); kept < 22_000 || kept > 30_000 {
		t.Errorf("%d events are kept", kept)
	}
	if len(fast.events) != len(all) {
		t.Errorf("%d events of a fast run are kept of %d", len(fast.events), len(all))
	}
	if sum := r.Counts[2] + r.Counts[15]; r.Counts[15] != 1 || sum < n/9-2 || sum > n/9+2 {
		t.Errorf("%v", r.Counts)
	}
	if *r.Shannon != 1 {
		t.Errorf("mean entropy %v", *r.Shannon)
	}
}
