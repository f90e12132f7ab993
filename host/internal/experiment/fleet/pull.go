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
	// Lifetimes of a request for a task. The long one applies if all tasks in the queue have the
	// same requirements, the short one if a worker must alternate between several.
	longest = 30 * time.Second
	idle    = 2 * time.Second
	// late is the additional time for a reply. A task that arrives even later is lost here, and
	// redelivered.
	late = 30 * time.Second
)

// slot runs one task after the other. When open ends, it finishes the running task and takes no
// other.
func (w *Worker) slot(ctx, open context.Context, n int, cores []int) {
	p := &puller{link: w.link}
	defer p.close()
	for open.Err() == nil {
		if m, wait := w.next(open, p); m != nil {
			w.do(ctx, m, wait, n, cores)
		}
	}
}

// next returns a task from the queue, and the time without a sign of life after which it is
// redelivered; nil if there is none now.
func (w *Worker) next(ctx context.Context, p *puller) (*nats.Msg, time.Duration) {
	w.mu.Lock()
	offers, stirred := w.offers, w.stirred
	w.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(stirred, cancel)()
	wait := longest
	switch len(offers) {
	case 0:
		<-ctx.Done()
		return nil, 0
	case 1:
	default:
		wait = idle
		offers = slices.Clone(offers)
		rand.Shuffle(len(offers), func(i, k int) { offers[i], offers[k] = offers[k], offers[i] })
		for _, g := range offers {
			if m := p.pull(ctx, g.name, 0); m != nil {
				return m, g.wait
			}
		}
	}
	return p.pull(ctx, offers[0].name, wait), offers[0].wait
}

// puller requests one task at a time: a task prefetched here would wait while other workers
// idle. It waits for the reply, since the library's Fetch gives up a second after the
// request's expiry and loses a task that a busy queue delivers later.
type puller struct {
	link *link
	to   string
	sub  *nats.Subscription
	came chan *nats.Msg
}

// pull takes one task with the named requirements; nil if none arrives within wait.
func (p *puller) pull(ctx context.Context, requirements string, wait time.Duration) *nats.Msg {
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
	if p.link.PublishRequest(p.link.api+".CONSUMER.MSG.NEXT."+tasksStream+"."+requirements, p.to, ask) != nil {
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
		default: // such as a cluster that elects a leader
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

// close withdraws the open request.
func (p *puller) close() {
	if p.sub != nil {
		p.sub.Unsubscribe()
		p.sub = nil
	}
}

// Status headers of a reply without a task.
const (
	noneNow  = "404"
	timeOver = "408"
)
