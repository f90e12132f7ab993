package compare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
)

// memory is a Record that refuses to store a key twice.
type memory struct {
	mu      sync.Mutex
	results map[string][]byte
	full    error
}

func newMemory() *memory { return &memory{results: map[string][]byte{}} }

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
	if len(events) == 0 || events[0].Kind != record.KindStarted || events[len(events)-1].Kind != record.KindFinished {
		return fmt.Errorf("%s: %d events without a beginning or an end", key, len(events))
	}
	text, err := json.Marshal(result)
	m.results[key] = text
	return err
}

// allOf are all results in a record by key.
func allOf(p *Plan, record record.Store) (map[string]*Result, error) {
	out := map[string]*Result{}
	for _, e := range p.Entries() {
		r, err := experiment.Results[Result, Subject, Arm](record)(e)
		if err != nil {
			return nil, err
		}
		if r != nil {
			out[e.Key] = r
		}
	}
	return out, nil
}

// worked is what stands for a worker in tests.
type worked = func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error)

// runOn does a plan's tasks without processes.
func runOn(ctx context.Context, p *Plan, kept record.Store, work worked, slots [][]int, progress func(experiment.Progress)) error {
	return p.Do(ctx, &experiment.Bench{Kept: kept, Slots: slots, Progress: progress, Work: func(ctx context.Context, e experiment.Errand, event func(record.Event) error) (workers.Usage, error) {
		if e.Procs != p.Threads {
			return workers.Usage{}, fmt.Errorf("workers and plugins may use %d threads of Go, not %d", e.Procs, p.Threads)
		}
		usage, err := work(ctx, e.Request.(*Job), e.Cores, event)
		usage.Cores = e.Cores
		return usage, err
	}})
}

// these hands results to Tabulate.
func these(results map[string]*Result) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) { return results[e.Key], nil }
}

// An interrupted comparison is resumed: no task runs twice, and the tables equal those of an
// uninterrupted one.
func TestRunGoesOn(t *testing.T) {
	arms := []Arm{{Name: "a"}, {Name: "b", Partition: "2"}}
	p := tinyPlan(t, tinyStudy(t, tilted), 3, arms...)
	kept := newMemory()
	ran := map[string]int{}
	for len(kept.results) < 6 {
		ctx, cancel := context.WithCancel(t.Context())
		begun := 0
		err := runOn(ctx, p, kept, func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error) {
			if begun++; begun == 2 {
				cancel() // in the middle of the second task
				return workers.Usage{}, event(record.Event{Kind: record.KindFault, Fault: &record.Fault{}})
			}
			ran[fmt.Sprint(job.Arm, job.Seed)]++
			return inProcess(enumerator)(ctx, job, cores, event)
		}, nil, nil)
		cancel()
		if err != nil || begun == 0 {
			t.Fatal(begun, err)
		}
	}
	for key, n := range ran {
		if n != 1 {
			t.Errorf("%s ran %d times", key, n)
		}
	}
	results, err := allOf(p, kept)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	if c.Done != 6 || c.Tasks != 6 || c.Rows[0].Runs != 3 || c.Rows[1].Runs != 3 {
		t.Errorf("%+v", c)
	}
	// The plan in the journal is enough for the same tables.
	tk, err := p.Frame().Task()
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.PlanOf[Plan](tk, command, "comparison")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := allOf(again, kept)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Tabulate(again, these(stored))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asJSON(t, c), asJSON(t, d)); diff != "" {
		t.Error(diff)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A task that fails costs that task; a record that cannot be written ends all.
func TestRunWithFailures(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 2, Arm{Name: "a"}, Arm{Name: "b"})
	kept := newMemory()
	failing := func(ctx context.Context, job *Job, cores []int, event func(record.Event) error) (workers.Usage, error) {
		if job.Arm == "a" {
			return workers.Usage{}, errors.New("no such luck")
		}
		return inProcess(enumerator)(ctx, job, cores, event)
	}
	err := runOn(t.Context(), p, kept, failing, nil, nil)
	if err == nil || len(kept.results) != 2 {
		t.Errorf("%d results, %v", len(kept.results), err)
	}
	full := newMemory()
	full.full = errors.New("the disk is full")
	if err := runOn(t.Context(), p, full, inProcess(enumerator), nil, nil); !errors.Is(err, full.full) {
		t.Error(err)
	}
}

// Progress tells how many are done and, once one is, how long it may take.
func TestProgress(t *testing.T) {
	p := tinyPlan(t, tinyStudy(t, tilted), 2, Arm{Name: "a"}, Arm{Name: "b"})
	var seen []experiment.Progress
	if err := runOn(t.Context(), p, newMemory(), inProcess(enumerator), nil, func(s experiment.Progress) { seen = append(seen, s) }); err != nil {
		t.Fatal(err)
	}
	last := seen[len(seen)-1]
	if last.Done != 4 || last.Total != 4 || last.Left != 0 {
		t.Errorf("%+v", last)
	}
	guessed := false
	for _, s := range seen {
		guessed = guessed || s.Left > 0
	}
	if !guessed {
		t.Error("never said how long it may take")
	}
}
