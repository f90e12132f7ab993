package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

const (
	// longest is how long a request for a task waits in the queue, where all tasks are of one
	// ground; idle is that where they are of several.
	longest = 30 * time.Second
	idle    = 2 * time.Second
	// late is how long the queue's answer may take beyond that. What comes later is lost for
	// as long as a task waits for a sign of life, and counts as begun.
	late = 30 * time.Second
)

// slot does one task after the other, as long as open.
func (w *Worker) slot(ctx, open context.Context, n int, cores []int) {
	p := &puller{link: w.link}
	defer p.close()
	for open.Err() == nil {
		if m, wait := w.next(open, p); m != nil {
			w.do(ctx, m, wait, n, cores)
		}
	}
}

// next is a task from the queue, and how long it waits for a sign of life; nil: there is
// none now.
func (w *Worker) next(ctx context.Context, p *puller) (*nats.Msg, time.Duration) {
	w.mu.Lock()
	grounds, stirred := w.grounds, w.stirred
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(stirred, cancel)()
	wait := longest
	switch len(grounds) {
	case 0:
		<-ctx.Done()
		return nil, 0
	case 1:
	default:
		wait = idle
		grounds = slices.Clone(grounds)
		rand.Shuffle(len(grounds), func(i, k int) { grounds[i], grounds[k] = grounds[k], grounds[i] })
		for _, g := range grounds {
			if m := p.pull(ctx, g.name, 0); m != nil {
				return m, g.wait
			}
		}
	}
	return p.pull(ctx, grounds[0].name, wait), grounds[0].wait
}

// puller asks the queue for a task at a time: what waits here, no other worker can do. It
// waits for the answer: the library's Fetch stops listening a second after its time, and
// what a busy queue sends then waits for nobody.
type puller struct {
	link *link
	to   string
	sub  *nats.Subscription
	came chan *nats.Msg
}

// pull takes one task of a ground, which is this worker's from then on; nil: there was none
// for that long.
func (p *puller) pull(ctx context.Context, ground string, wait time.Duration) *nats.Msg {
	if p.sub == nil {
		var err error
		p.to, p.came = inbox(RoleWorker)+"."+nuid.Next(), make(chan *nats.Msg, 4)
		if p.sub, err = p.link.ChanSubscribe(p.to, p.came); err != nil {
			return nil
		}
	}
	ask := fmt.Appendf(nil, `{"batch":1,"expires":%d}`, wait)
	if wait == 0 {
		ask = []byte(`{"batch":1,"no_wait":true}`)
	}
	if p.link.PublishRequest(p.link.api+".CONSUMER.MSG.NEXT."+tasksStream+"."+ground, p.to, ask) != nil {
		return nil
	}
	end := time.NewTimer(wait + late)
	defer end.Stop()
	select {
	case <-ctx.Done():
	case <-end.C:
	case m := <-p.came:
		switch m.Header.Get("Status") {
		case "":
			return m
		case noneNow, timeOver:
		default: // such as a cluster that looks for a leader
			select {
			case <-ctx.Done():
			case <-time.After(idle / 4):
			}
		}
		return nil
	}
	p.close()
	return nil
}

// close withdraws what was asked for.
func (p *puller) close() {
	if p.sub != nil {
		p.sub.Unsubscribe()
		p.sub = nil
	}
}

// Statuses with which the queue says that there is no task.
const (
	noneNow  = "404"
	timeOver = "408"
)
