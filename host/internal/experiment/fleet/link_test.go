//go:build unix

package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/hyfair/hyfair/internal/tier"
)

// badLink is a link to an address that can stand still, and break.
type badLink struct {
	address string
	stalled atomic.Bool
	mu      sync.Mutex
	open    map[net.Conn]bool
}

func bad(t *testing.T, to string) *badLink {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { at.Close() })
	l := &badLink{address: at.Addr().String(), open: map[net.Conn]bool{}}
	carry := func(to, from net.Conn) {
		defer l.close(to, from)
		buffer := make([]byte, 32<<10)
		for {
			n, err := from.Read(buffer)
			for l.stalled.Load() && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			if err != nil {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
	}
	go func() {
		for {
			near, err := at.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			l.mu.Lock()
			l.open[near], l.open[far] = true, true
			l.mu.Unlock()
			go carry(near, far)
			go carry(far, near)
		}
	}()
	return l
}

func (l *badLink) close(ends ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, end := range ends {
		end.Close()
		delete(l.open, end)
	}
}

// cut breaks every connection, with whatever is on its way.
func (l *badLink) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for end := range l.open {
		end.Close()
	}
}

// echo publishes each result a second time, as another attempt's, and says how many.
func (b *table) echo() *atomic.Int64 {
	b.Helper()
	l, err := dial(Address{URL: b.url}, RoleWorker, "echo")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(l.Close)
	twice := &atomic.Int64{}
	if _, err := l.Subscribe(resultPrefix+">", func(m *nats.Msg) {
		if p, ok := parsePart(m.Subject); ok && !strings.HasPrefix(p.attempt, "echo-") {
			if l.Publish(partSubject(p.plan, p.id, "echo-"+p.attempt, p.n, p.of), m.Data) == nil {
				twice.Add(1)
			}
		}
	}); err != nil {
		b.Fatal(err)
	}
	return twice
}

// Links that stall and break, messages that come twice and tasks that are handed out twice
// change nothing.
func TestBadLinksChangeNothing(t *testing.T) {
	tier.NeedLong(t)
	b := lay(t)
	b.wait = "5s"
	grid := b.grid(12, 8_000)
	want := b.alone(grid)
	b.serve()
	twice := b.echo()
	_, address, _ := strings.Cut(b.url, "://")
	var links []*badLink
	for range 3 {
		links = append(links, bad(t, address))
	}
	for _, l := range links[1:] {
		b.start("worker", "fleet", "join", "nats://"+l.address, "--jobs", "1")
	}
	seat := b.seat()
	r := rand.New(rand.NewPCG(3, 4))
	stalls, cuts, handed := 0, 0, map[string]bool{}
	for round := range 3 {
		home := fmt.Sprint("coordinator", round)
		tidy := filepath.Join(b.dir, home+".jsonl")
		command := []string{"ablate", grid, "--fleet", "nats://" + links[0].address, "--tidy", tidy, "--json"}
		coordinator := b.start(home, command...)
		late := time.After(4 * time.Minute)
		for ended := false; !ended; {
			select {
			case <-coordinator.ended:
				if ended = coordinator.ProcessState.ExitCode() == 0; !ended { // a task was lost too often
					t.Logf("again: %s", coordinator.said())
					coordinator = b.start(home, command...)
				}
				continue
			case <-late:
				t.Fatalf("it goes on and on: %s", coordinator.said())
			case <-time.After(time.Duration(100+r.IntN(700)) * time.Millisecond):
			}
			l := links[r.IntN(len(links))]
			switch r.IntN(3) {
			case 0:
				stalls++
				l.stalled.Store(true)
				time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond)
				l.stalled.Store(false)
			case 1:
				cuts++
				l.cut()
			default: // a task is another's that hands it back, or forgets it
				if m, p := b.fetchNow(seat); m != nil {
					handed[home+p.ID] = true
					if r.IntN(2) == 0 {
						m.Nak()
					} // without a reply the queue redelivers after five seconds
				}
			}
		}
		if d := cmp.Diff(want, b.rows(tidy)); d != "" {
			t.Fatal(d)
		}
		var a struct {
			Taken []struct{ Tasks int } `json:"taken"`
		}
		if err := json.Unmarshal(coordinator.stdout.Bytes(), &a); err != nil || len(a.Taken) != 1 || a.Taken[0].Tasks != len(want) {
			t.Errorf("machines of the tasks: %+v, %v", a, err)
		}
	}
	t.Logf("%d stalls, %d cuts, %d results twice, %d tasks handed back", stalls, cuts, twice.Load(), len(handed))
	if stalls == 0 || cuts == 0 || twice.Load() == 0 {
		t.Error("the links were good")
	}
}
