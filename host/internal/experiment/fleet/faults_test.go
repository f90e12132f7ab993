//go:build unix

package fleet

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
)

// A worker that has other plugins takes no task, and says why; one that has them does.
func TestWhatAWorkerLacks(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	b.serve()
	other := filepath.Join(b.dir, "other")
	text, err := os.ReadFile(filepath.Join(b.dir, "hyfair-search-sa"))
	if err == nil {
		err = errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "hyfair-search-sa"), append(text, 0), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	b.join("--plugin-dir", other)
	grid := b.grid(1, 3_000)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	b.until("word of what is lacking", func() bool {
		for _, w := range b.status().Workers {
			for _, why := range w.Lacks {
				// The version of a build outside a repository is its checksum.
				if strings.Contains(why, "strategy sa is version") && strings.Contains(why, "but the tasks need") {
					return true
				}
			}
		}
		return b.over(coordinator)
	})
	b.join()
	b.until("end", func() bool {
		select {
		case <-coordinator.ended:
			return true
		default:
			return false
		}
	})
	if code := coordinator.ProcessState.ExitCode(); code != 0 {
		t.Fatal(code, coordinator.said())
	}
	if d := cmp.Diff(b.alone(grid), b.rows(tidy)); d != "" {
		t.Error(d)
	}
}

// What a worker makes up is a failed try, and what it takes out of the queue without a
// result, or what never was a task, changes nothing.
func TestALiarChangesNothing(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(2, 3_000)
	want := b.alone(grid)
	b.serve()
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	liar := b.seat()
	line, err := json.Marshal(workers.Line{Event: record.Event{Kind: record.KindFound, Found: &record.Found{X: make([]float64, 10), K: 99, Gap: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	send := func(p *parcel, a answers) {
		parts, err := pack(&a)
		if err != nil {
			t.Fatal(err)
		}
		for n, one := range parts {
			if _, err := liar.js.Publish(t.Context(), partSubject(p.Plan, p.ID, "a", n, len(parts)), one); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, p := b.fetch(liar)
	send(p, answers{Worker: "liar", Answers: []answer{{Content: p.Tasks[0].Content, Lines: string(line)}}})
	m.Ack()
	m, p = b.fetch(liar)
	send(&parcel{Plan: p.Plan, ID: "never-was"}, answers{Worker: "liar", Answers: []answer{{Content: p.Tasks[0].Content}}})
	m.Ack() // without a result
	b.join()
	b.ends(coordinator)
	rows := b.rows(tidy)
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
	if text, _ := os.ReadFile(tidy); !strings.Contains(string(text), "does not hold here") {
		t.Errorf("nobody is told of the lie: %s", text)
	}
}

// A queue that is full, or lost with all it had, or with what it knew of who waits for tasks,
// costs time.
func TestAQueueThatIsFullOrLost(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(4, 4_000)
	want := b.alone(grid)
	server := b.serve("--limit", "200KB") // less than the study's rows
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	b.join()
	b.until("word of a full queue", func() bool { return strings.Contains(coordinator.said(), "accepts no more") || b.over(coordinator) })
	server.kill()
	server = b.serve()
	b.until("a task", func() bool { return b.over(coordinator) || b.status().Done > 0 })
	b.forget()
	b.until("a task that was forgotten", func() bool { return b.over(coordinator) || b.status().Done > 2 })
	server.kill()
	if err := os.RemoveAll(filepath.Join(b.dir, "store")); err != nil {
		t.Fatal(err)
	}
	b.serve()
	b.ends(coordinator)
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
}

// forget has the queue lose all its consumers.
func (b *table) forget() {
	b.Helper()
	l, err := dial(Address{URL: b.url}, RoleCoordinator, "forgetter")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	queue, err := l.js.Stream(b.Context(), tasksStream)
	if err != nil {
		b.Fatal(err)
	}
	list := queue.ListConsumers(b.Context())
	for info := range list.Info() {
		if err := queue.DeleteConsumer(b.Context(), info.Name); err != nil {
			b.Fatal(err)
		}
	}
	if err := list.Err(); err != nil {
		b.Fatal(err)
	}
}

// A task whose process is stopped goes to another worker, and so does one behind a link
// that stands still.
func TestWhatStandsStill(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	grid := b.grid(4, 8_000)
	want := b.alone(grid)
	b.serve()
	_, address, _ := strings.Cut(b.url, "://")
	link := bad(t, address)
	tidy := filepath.Join(b.dir, "fleet.jsonl")
	coordinator := b.start("coordinator", "ablate", grid, "--fleet", b.url, "--tidy", tidy)
	behind := b.start("worker", "fleet", "join", "nats://"+link.address, "--jobs", "1")
	b.until("task under way", func() bool { return b.over(coordinator) || b.status().Busy == 1 })
	link.stalled.Store(true)
	first := b.join()
	stopped := 0
	b.until("a process to stop", func() bool {
		for _, pid := range b.children(first.Process.Pid) {
			stopped = pid
		}
		return b.over(coordinator) || stopped > 0 && syscall.Kill(stopped, syscall.SIGSTOP) == nil
	})
	b.until("another worker's task", func() bool { return b.over(coordinator) || !b.alive(stopped) })
	link.stalled.Store(false)
	b.ends(coordinator)
	if d := cmp.Diff(want, b.rows(tidy)); d != "" {
		t.Error(d)
	}
	behind.kill()
}
