package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Status is the state of a fleet: its machines and its queue.
type Status struct {
	// The fleet's address.
	URL string `json:"url"`
	// The workers that answered.
	Workers []*State `json:"workers"`
	// The coordinators that answered.
	Coordinators []*State `json:"coordinators"`
	// The number of tasks that all workers together run at a time.
	Slots int `json:"slots"`
	// The number of running tasks.
	Busy int `json:"busy"`
	// The number of parcels of tasks in the queue.
	Waiting uint64 `json:"waiting"`
	// The number of parcels that were delivered to a worker and are not acknowledged.
	UnderWay int `json:"under_way"`
	// The number of those that were redelivered.
	Redelivered int `json:"redelivered"`
	// The number of tasks done by the present workers.
	Done int `json:"done"`
	// The number of tasks that failed on the present workers.
	Failed int `json:"failed"`
	// The tasks per minute of the present workers.
	PerMinute float64 `json:"per_minute"`
	// The longest estimate of the coordinators' remaining time in nanoseconds; absent if unknown.
	LeftNS time.Duration `json:"left_ns,omitempty"`
}

// Listening is how long Look and Drain wait for replies.
const Listening = 700 * time.Millisecond

// Look collects the status of a fleet.
func Look(ctx context.Context, a Address) (*Status, error) {
	l, err := dial(a, RoleCoordinator, nuid.Next())
	if err != nil {
		return nil, err
	}
	defer l.Close()
	s := &Status{URL: a.URL, Workers: []*State{}, Coordinators: []*State{}}
	err = l.ask(ctx, Listening, func(one *State) {
		if one.Role == RoleCoordinator {
			s.Coordinators = append(s.Coordinators, one)
			s.LeftNS = max(s.LeftNS, one.Left)
			return
		}
		s.Workers = append(s.Workers, one)
		s.Slots, s.Busy, s.Done, s.Failed = s.Slots+one.Slots, s.Busy+len(one.Busy), s.Done+one.Done, s.Failed+one.Failed
		if age := time.Since(one.Since).Minutes(); age > 0 {
			s.PerMinute += float64(one.Done) / age
		}
	})
	if err != nil {
		return nil, err
	}
	byName := func(a, b *State) int { return strings.Compare(a.Host+a.Name, b.Host+b.Name) }
	slices.SortFunc(s.Workers, byName)
	slices.SortFunc(s.Coordinators, byName)
	queue, err := l.js.Stream(ctx, tasksStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return s, nil // no task yet
	}
	if err != nil {
		return nil, err
	}
	list := queue.ListConsumers(ctx)
	for info := range list.Info() {
		s.Waiting, s.UnderWay, s.Redelivered = s.Waiting+info.NumPending, s.UnderWay+info.NumAckPending, s.Redelivered+info.NumRedelivered
	}
	return s, list.Err()
}

// Document shows the status.
func (s *Status) Document() *view.Document {
	f := &view.Facts{}
	f.Add("Fleet", s.URL)
	f.Add("Workers", fmt.Sprintf("%d with %d slot(s), %d busy", len(s.Workers), s.Slots, s.Busy))
	queue := fmt.Sprintf("%d waiting, %d under way", s.Waiting, s.UnderWay)
	if s.Redelivered > 0 {
		queue += fmt.Sprintf(", %d of them redelivered", s.Redelivered)
	}
	f.Add("Queue", queue)
	f.Add("Tasks", fmt.Sprintf("%d done by these workers, %d failed, %.3g per minute", s.Done, s.Failed, s.PerMinute))
	d := view.Of(f)
	if len(s.Workers) > 0 {
		t := &view.Table{Columns: []view.Column{{Title: "worker"}, {Title: "host"}, {Title: "machine"}, {Title: "slots"}, {Title: "busy"}, {Title: "done"}, {Title: "failed"}, {Title: "state"}}}
		for _, w := range s.Workers {
			state := "waiting"
			switch {
			case w.Draining:
				state = "draining"
			case len(w.Busy) > 0:
				state = w.Busy[0].Task
				if w.Busy[0].Latest != "" {
					state += ": " + w.Busy[0].Latest
				}
			case len(w.Lacks) > 0:
				state = strings.Join(w.Lacks, "; ")
			}
			t.Add(w.Name, w.Host, w.Machine.String(), strconv.Itoa(w.Slots), strconv.Itoa(len(w.Busy)), strconv.Itoa(w.Done), strconv.Itoa(w.Failed), state)
		}
		d.Add(t)
	}
	for _, c := range s.Coordinators {
		left := ""
		if c.Left > 0 {
			left = fmt.Sprintf(", %s left", c.Left.Round(time.Second))
		}
		d.Add(view.Paragraph{fmt.Sprintf("an experiment of %s: %d of %d tasks, %d failed%s", c.Host, c.Done, c.Total, c.Failed, left)})
	}
	return d
}

// Drained counts the workers that received the request to drain.
type Drained struct {
	// The number of workers notified.
	Workers int `json:"workers"`
}

// Document shows the count.
func (d *Drained) Document() *view.Document {
	return view.Of(view.Paragraph{fmt.Sprintf("%d worker(s) finish their running tasks and take no more", d.Workers)})
}

// Drain asks a worker, or every worker if worker is empty, to finish its tasks, take no more and
// exit. It returns the number of workers asked.
func Drain(ctx context.Context, a Address, worker string) (int, error) {
	l, err := dial(a, RoleCoordinator, nuid.Next())
	if err != nil {
		return 0, err
	}
	defer l.Close()
	asked := 0
	err = l.ask(ctx, Listening, func(s *State) {
		if s.Role == RoleWorker && (worker == "" || s.Name == worker || s.Host == worker) {
			if l.Publish(drainSubject, []byte(s.Name)) == nil {
				asked++
			}
		}
	})
	return asked, errors.Join(err, l.Flush())
}
