package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/fleet/serve"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/sdktest/tier"
)

// Tasks of nothing go through workers that answer at once, each of them once.
func TestManyTasks(t *testing.T) {
	tier.NeedUsual(t)
	tasks, machines := tier.Count(200, 20_000), tier.Count(20, 1000)
	if n := os.Getenv("HYFAIR_FLEET_TASKS"); n != "" {
		tasks, _ = strconv.Atoi(n)
		machines = 1000
	}
	s, err := serve.Start(serve.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Limit: 8 << 30, Log: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer s.End()
	at := Address{URL: s.ClientURL()}
	c, err := Coordinate(at, &session.Session{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	of := loan(t, "")
	f := &experiment.Frame{Command: "none", Arms: []string{""}, Subjects: []*experiment.Subject{{}}, Terms: experiment.Terms{Threads: 1}}
	width, err := c.Begin(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []*link
	for range 8 {
		l, err := dial(at, RoleWorker, "simulated")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if _, err := l.tells(func() *State { return &State{Name: fmt.Sprintf("w%p", l), Role: RoleWorker, Slots: machines / 8} }); err != nil {
			t.Fatal(err)
		}
		links = append(links, l)
	}
	var twice, answered atomic.Int64
	var group, working sync.WaitGroup
	for i := range machines {
		l := links[i%len(links)]
		working.Go(func() {
			var from jetstream.Consumer
			for t.Context().Err() == nil && answered.Load() < int64(tasks) {
				if from == nil {
					list := l.js.(jetstream.StreamManager)
					stream, err := list.Stream(t.Context(), tasksStream)
					if err == nil {
						names := stream.ConsumerNames(t.Context())
						for name := range names.Name() {
							from, _ = stream.Consumer(t.Context(), name)
						}
					}
					if from == nil {
						time.Sleep(20 * time.Millisecond)
						continue
					}
				}
				batch, err := from.Fetch(1, jetstream.FetchMaxWait(time.Second))
				if err != nil {
					continue
				}
				m := <-batch.Messages()
				if m == nil {
					continue
				}
				if meta, _ := m.Metadata(); meta.NumDelivered > 1 {
					twice.Add(1)
				}
				p, err := parseParcel(m.Data())
				if err != nil {
					t.Error(err)
					return
				}
				parts, _ := pack(&answers{Worker: "w", Answers: []answer{{Content: p.Tasks[0].Content}}})
				subject := partSubject(p.Plan, p.ID, "a", 0, 1)
				for t.Context().Err() == nil {
					if _, err := l.js.Publish(t.Context(), subject, parts[0], jetstream.WithMsgID(subject)); err == nil {
						break
					}
				}
				m.Ack()
			}
		})
	}
	begin, next := time.Now(), atomic.Int64{}
	spec := of.asked.Spec
	for range width {
		group.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(tasks) {
					return
				}
				o := &experiment.Order{Errand: experiment.Errand{Key: fmt.Sprint(i), Kind: "none", Spec: &spec}, Job: &experiment.Job{Request: json.RawMessage("{}"), Threads: 1}, Content: record.Hash(fmt.Append(nil, i))}
				if _, err := c.Do(t.Context(), o, func(record.Event) error { return nil }); err != nil {
					t.Error(i, err)
					return
				}
				answered.Add(1)
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	working.Wait()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	if n := answered.Load(); n != int64(tasks) {
		t.Errorf("%d of %d tasks were answered", n, tasks)
	}
	t.Logf("%d tasks through %d workers in %v: %.0f a second, %v each; %d again; %d MiB of memory from the system, of all together",
		tasks, machines, took.Round(time.Millisecond), float64(tasks)/took.Seconds(), (took / time.Duration(tasks)).Round(time.Microsecond), twice.Load(), memory.Sys>>20)
}
