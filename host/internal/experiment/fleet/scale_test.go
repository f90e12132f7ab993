//go:build unix

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/internal/tier"
)

// simulated is the first argument of this program when it is to be workers.
const simulated = "simulated-workers"

// simulate is many workers, each with a connection of its own, that answer at once, until
// the standard input ends.
func simulate(url, number string) {
	n, _ := strconv.Atoi(number)
	dir, err := os.MkdirTemp("", "hyfair-simulated-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for range n {
		w := &Worker{
			Address: Address{URL: url}, Slots: 1, Threads: 1, Cache: dir, Log: func(string, ...any) {},
			answer: func(t *task) answer { return answer{Content: t.Content} },
		}
		group.Go(func() {
			if err := w.Run(ctx); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	io.Copy(io.Discard, os.Stdin)
	stop()
	group.Wait()
}

// peak is the most memory that a process had, where the system says so.
func peak(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text); err == nil && m != nil {
		kib, _ := strconv.Atoi(string(m[1]))
		return fmt.Sprintf("%d MiB", kib>>10)
	}
	return "unknown"
}

// Tasks of nothing go through workers that answer at once, each of them once. The command
//
//	HYFAIR_FLEET_TASKS=1000000 go test ./host/internal/experiment/fleet -run TestManyTasks -v -timeout 3h
//
// says how fast, and with how much memory.
func TestManyTasks(t *testing.T) {
	tier.NeedUsual(t)
	tasks, machines := tier.Count(200, 20_000), tier.Count(20, 1000)
	if text := os.Getenv("HYFAIR_FLEET_TASKS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		tasks, machines = n, 1000
	}
	crowd(t, tasks, machines, 0, nil)
}

// Results arrive even if the library stops delivering them.
func TestResultsThatDoNotCome(t *testing.T) {
	crowd(t, 100, 2, time.Second, func(c *Coordinator) {
		c.filling.Lock()
		defer c.filling.Unlock()
		c.listen.Stop()
	})
}

// Results arrive after another coordinator recreated their stream between two polls.
func TestResultsOfAnotherStream(t *testing.T) {
	const before = 1 << 40
	crowd(t, 100, 2, 0, func(c *Coordinator) {
		c.mu.Lock()
		c.latest = before
		c.mu.Unlock()
		c.filling.Lock()
		results := c.results
		c.filling.Unlock()
		c.resubscribe(t.Context(), results)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.latest >= before {
			t.Error("the stream is taken for the one that was")
		}
	})
}

// crowd has workers do tasks of nothing. midway is called when half of them are done.
func crowd(t *testing.T, tasks, machines int, patience time.Duration, midway func(*Coordinator)) {
	t.Helper()
	b := lay(t)
	server := b.launch(exec.Command(filepath.Join(b.dir, "hyfair-fleet"), "-listen", "127.0.0.1:0", "-store", filepath.Join(b.dir, "store")))
	b.until("a queue", func() bool { return strings.Contains(server.said(), "the queue of a fleet is at") || b.over(server) })
	b.url = address.FindString(server.said())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	many := exec.Command(self, simulated, b.url, strconv.Itoa(machines))
	end, err := many.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	workers := b.launch(many)

	c, err := Coordinate(Address{URL: b.url}, &session.Session{}, patience)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	spec := question.Spec{Study: "none"}
	text, err := json.Marshal([]any{spec, ""})
	if err != nil {
		t.Fatal(err)
	}
	c.subjects[string(text)] = func() (*subject, error) { return &subject{}, nil }
	f := &experiment.Frame{Command: "none", Arms: []string{""}, Subjects: []*experiment.Subject{{}}, Terms: experiment.Terms{Threads: 1}}
	width, err := c.Begin(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	var answered, next atomic.Int64
	var group sync.WaitGroup
	begin := time.Now()
	for range width {
		group.Go(func() {
			for i := next.Add(1); i <= int64(tasks); i = next.Add(1) {
				o := &experiment.Order{Errand: experiment.Errand{Key: fmt.Sprint(i), Kind: "none", Spec: &spec}, Job: &experiment.Job{Request: json.RawMessage("{}"), Threads: 1}, Content: record.Hash(fmt.Append(nil, i))}
				if _, err := c.Do(t.Context(), o, func(record.Event) error { return nil }); err != nil {
					t.Error(i, err)
					return
				}
				n := answered.Add(1)
				if n%10_000 == 0 {
					t.Logf("%d tasks after %v", n, time.Since(begin).Round(time.Second))
				}
				if midway != nil && n == int64(tasks/2) {
					midway(c)
				}
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	if n := answered.Load(); n != int64(tasks) {
		t.Errorf("%d of %d tasks were answered", n, tasks)
	}
	t.Logf("%d tasks through %d workers in %v: %.0f a second; at most %s of memory for the coordinator, %s for the server, %s for all workers",
		tasks, machines, took.Round(time.Millisecond), float64(tasks)/took.Seconds(), peak(os.Getpid()), peak(server.Process.Pid), peak(workers.Process.Pid))
	end.Close()
	<-workers.ended
	if said := workers.said(); said != "" {
		t.Error(said)
	}
}
