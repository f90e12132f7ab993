//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/internal/tier"
)

// Killing a worker, the coordinator or the queue leaves the tables of one machine: nothing is
// lost or counted twice.
func TestKillsChangeNothing(t *testing.T) {
	tier.NeedUsual(t)
	b := lay(t)
	grid := b.grid(6, 5_000)
	want := b.alone(grid)
	b.url = fmt.Sprintf("nats://127.0.0.1:%d", b.ports(1)[0])
	first := b.join()
	b.until("a worker that waits for a queue", func() bool { return strings.Contains(first.said(), "nothing answers there") || b.over(first) })
	server := b.serve()
	b.join()
	command := []string{"ablate", grid, "--fleet", b.url, "--tidy", filepath.Join(b.dir, "fleet.jsonl"), "--json"}
	coordinator := b.start("coordinator", command...)
	done := func(n int) func() bool { return func() bool { return b.over(coordinator) || b.status().Done >= n } }
	b.until("first task", done(1))
	first.kill()
	b.join()
	b.until("third task", done(2))
	server.kill()
	b.serve()
	b.until("task with the second server", func() bool { s := b.status(); return b.over(coordinator) || s.Busy > 0 })
	coordinator.kill()
	code, out, stderr := b.run("coordinator", command...)
	if code != 0 {
		t.Fatal(code, stderr)
	}
	if d := cmp.Diff(want, b.rows(command[5])); d != "" {
		t.Error(d)
	}
	if !strings.Contains(stderr, "resuming run") {
		t.Errorf("the second coordinator did not go on: %s", stderr)
	}
	var a struct {
		Taken []struct{ Tasks int } `json:"taken"`
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Taken) != 1 || a.Taken[0].Tasks != len(want) {
		t.Errorf("machines of the tasks: %+v, %v", a, err)
	}
	b.until("empty queue", func() bool { // what a lost worker had counts as under way for a while
		s := b.status()
		return s.Waiting+uint64(s.UnderWay) == 0
	})
}

// Repeated kills at random moments.
func TestManyKillsChangeNothing(t *testing.T) {
	tier.NeedLong(t)
	const most = 200
	b := lay(t)
	grid := b.grid(12, 8_000)
	want := b.alone(grid)
	server := b.serve()
	workers := []*process{b.join(), b.join()}
	r := rand.New(rand.NewPCG(1, 2))
	kills, rounds := map[string]int{}, 0
	for total := 0; total < most; rounds++ {
		home := fmt.Sprintf("coordinator%d", rounds)
		command := []string{"ablate", grid, "--fleet", b.url, "--tidy", filepath.Join(b.dir, home+".jsonl")}
		coordinator := b.start(home, command...)
		for ended := false; !ended; {
			select {
			case <-coordinator.ended:
				if ended = coordinator.ProcessState.ExitCode() == 0; !ended { // a task was lost too often
					t.Logf("again: %s", coordinator.said())
					coordinator = b.start(home, command...)
				}
				continue
			case <-time.After(time.Duration(200+r.IntN(1500)) * time.Millisecond):
			}
			if total >= most {
				b.ends(coordinator)
				continue
			}
			total++
			switch n := r.IntN(4); n {
			case 0:
				coordinator.kill()
				coordinator = b.start(home, command...)
				kills["coordinator"]++
			case 1:
				server.kill()
				server = b.serve()
				kills["server"]++
			default:
				workers[n-2].kill()
				workers[n-2] = b.join()
				kills["worker"]++
			}
		}
		if d := cmp.Diff(want, b.rows(command[5])); d != "" {
			t.Fatal(d)
		}
	}
	t.Logf("%v in %d experiments", kills, rounds)
}
