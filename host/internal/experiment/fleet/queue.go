package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/hyfair/hyfair/host/internal/session"
)

// lay makes the queue as it has to be, and listens for results from the first on. Where that fails, all
// is as before.
func (c *Coordinator) lay(ctx context.Context) error {
	c.filling.Lock()
	defer c.filling.Unlock()
	queue, results, store, err := c.link.lay(ctx)
	if err != nil {
		return err
	}
	c.still() // what it brings is of what was there
	clear(c.grounds)
	clear(c.sent)
	c.mu.Lock()
	c.latest, c.fresh, c.deaf = 0, nil, 0 // the stream may be another
	c.mu.Unlock()
	c.queue, c.results, c.store = queue, results, store
	return c.hark(ctx)
}

// hark listens for results, from the first that did not come yet. c.filling is held.
func (c *Coordinator) hark(ctx context.Context) error {
	c.still()
	c.mu.Lock()
	ear := c.ear
	from := jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultPrefix + c.plan + ".>"}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: c.latest + 1}
	c.mu.Unlock()
	consumer, err := c.link.js.OrderedConsumer(ctx, resultsStream, from)
	if err != nil {
		return err
	}
	c.listen, err = consumer.Consume(func(m jetstream.Msg) {
		if meta, err := m.Metadata(); err == nil {
			c.take(ear, m.Subject(), m.Data(), meta.Sequence.Stream)
		}
	}, jetstream.PullHeartbeat(pulse))
	return err
}

// still ends listening: what still comes of it is not taken in. c.filling is held.
func (c *Coordinator) still() {
	c.mu.Lock()
	c.ear++
	c.mu.Unlock()
	if c.listen != nil {
		c.listen.Stop()
		c.listen = nil
	}
}

// pulse is how often the queue says that it still sends results: after two that are missing,
// as when a server of a cluster is lost, another is asked.
const pulse = 5 * time.Second

// mend listens anew where the queue has results that do not come: what the library asks
// again when a server is lost may stay without an answer for good. Where the queue has less than
// what came, it is another, which somebody else laid.
func (c *Coordinator) mend(ctx context.Context, results jetstream.Stream) {
	c.mu.Lock()
	came := c.latest
	c.mu.Unlock()
	last, err := results.GetLastMsgForSubject(ctx, resultPrefix+c.plan+".>")
	if err != nil {
		return // there is none
	}
	if last.Sequence < came {
		c.lay(ctx) // if that fails, the next time
		return
	}
	c.mu.Lock()
	if last.Sequence <= c.latest || c.latest > c.heard {
		c.deaf = 0
	}
	c.heard = c.latest
	if last.Sequence > c.latest {
		c.deaf++
	}
	anew := c.deaf > looks/2
	if anew {
		c.deaf = 0
	}
	c.mu.Unlock()
	if anew {
		c.filling.Lock()
		defer c.filling.Unlock()
		c.hark(ctx) // if that fails, the next time
	}
}

// publish puts a parcel's files and the parcel into the queue. A queue that does not answer
// will: look tries again.
func (c *Coordinator) publish(ctx context.Context, w *wait) error {
	text, err := json.Marshal(w.parcel)
	if err != nil {
		return err
	}
	if len(text) > maxTask {
		return session.Mistake(fmt.Errorf("the tasks %s and others are too long to be sent: %d bytes of at most %d", w.parcel.Tasks[0].Key, len(text), maxTask))
	}
	first, err := c.fill(ctx, w)
	if gone := (*gone)(nil); errors.As(err, &gone) {
		return err
	}
	if err == nil {
		_, err = c.link.js.Publish(ctx, w.parcel.subject(&w.ground), text, jetstream.WithExpectStream(tasksStream))
	}
	if err == nil && first {
		c.link.Publish(wakeSubject, nil)
	}
	if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) && !strings.Contains(refused.Description, "per subject") {
		c.s.Note("the fleet's queue takes no more: %s; its tasks wait", refused.Description)
	}
	return nil
}

// gone tells that a file is not what it was.
type gone struct{ error }

// fill makes sure that the queue has a parcel's ground and files. It says whether the ground
// was not there.
func (c *Coordinator) fill(ctx context.Context, w *wait) (first bool, err error) {
	c.filling.Lock()
	defer c.filling.Unlock()
	if name := w.ground.name(); !c.grounds[name] {
		text, err := json.Marshal(w.ground)
		if err != nil {
			return first, err
		}
		_, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, FilterSubject: taskPrefix + name + ".>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.patience,
			// The worker that gets a task a fourth time says so in place of a result: a server
			// that gives up says it once, to whoever listens.
			MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 1 << 16, InactiveThreshold: 24 * time.Hour, Metadata: map[string]string{"ground": string(text)}, Replicas: c.link.replicas(),
		})
		if err != nil {
			return first, err
		}
		c.grounds[name], first = true, true
	}
	for name, f := range w.parcel.Files {
		if c.sent[f.SHA256] {
			continue
		}
		if info, err := c.store.GetInfo(ctx, f.SHA256); err != nil || info.Size != uint64(f.Size) {
			if err := c.upload(ctx, name, f); err != nil {
				return first, err
			}
		}
		c.sent[f.SHA256] = true
	}
	return first, nil
}

func (c *Coordinator) upload(ctx context.Context, name string, f file) error {
	in, err := os.Open(name)
	if err != nil {
		return &gone{err}
	}
	defer in.Close()
	sum := &summer{}
	if _, err = c.store.Put(ctx, jetstream.ObjectMeta{Name: f.SHA256}, sum.of(in)); err != nil {
		return err
	}
	if sum.text() != f.SHA256 {
		c.store.Delete(ctx, f.SHA256)
		return &gone{session.Mistake(fmt.Errorf("%s changed while the experiment ran; the same command does its tasks again", name))}
	}
	return nil
}

// look looks after the fleet until ctx ends: how many slots it has, and whether what is
// out is in the queue.
func (c *Coordinator) look(ctx context.Context) {
	tick := time.NewTicker(c.patience / looks)
	defer tick.Stop()
	for {
		c.hear(ctx)
		c.sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// hear asks the machines, and tells the user where none takes the experiment's tasks.
func (c *Coordinator) hear(ctx context.Context) {
	slots, machines, free := 0, 0, 0
	var lacks []string
	c.link.ask(ctx, min(time.Second, c.patience/looks), func(s *State) {
		if s.Role != RoleWorker || s.Draining {
			return
		}
		machines, slots = machines+1, slots+s.Slots
		if len(s.Lacks) == 0 {
			free++
		}
		for _, text := range s.Lacks {
			lacks = append(lacks, s.Name+": "+text)
		}
	})
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	c.fit = min(width, max(leastOut, 2*slots))
	c.room.Broadcast()
	c.mu.Unlock()
	slices.Sort(lacks)
	switch {
	case !c.link.IsConnected():
		c.s.Note("the fleet's queue does not answer; its tasks wait")
	case machines == 0:
		c.s.Note("the fleet has no worker yet; hyfair fleet join starts one")
	case free == 0:
		c.s.Note("no worker of the fleet can take these tasks: %s", strings.Join(lacks, "; "))
	}
}

// sweep puts what is out, and no longer in the queue, there again, and removes results that
// were taken in.
func (c *Coordinator) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	c.filling.Lock()
	queue, results := c.queue, c.results
	c.filling.Unlock()
	info, err := queue.Info(ctx, jetstream.WithSubjectFilter(taskPrefix+"*."+c.plan+".>"))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if c.lay(ctx) != nil {
			return
		}
		info, err = &jetstream.StreamInfo{}, nil
	}
	if err != nil {
		return
	}
	if _, err := results.Info(ctx); errors.Is(err, jetstream.ErrStreamNotFound) {
		c.lay(ctx)
	} else if err == nil {
		c.mend(ctx, results)
	}
	there := map[string]bool{}
	stuck := map[string]bool{} // by ground
	for subject := range info.State.Subjects {
		name, id, _ := strings.Cut(strings.TrimPrefix(subject, taskPrefix), "."+c.plan+".")
		if _, known := stuck[name]; !known {
			stuck[name] = c.stuck(ctx, queue, name)
		}
		there[id] = !stuck[name]
	}
	var again []*wait
	c.mu.Lock()
	for id, w := range c.waiting {
		switch {
		case there[id] || time.Since(w.since) < c.patience/looks:
			w.missed = 0
		default:
			if w.missed++; w.missed > 1 {
				w.missed = 0
				again = append(again, w)
			}
		}
	}
	over := c.over()
	c.mu.Unlock()
	for _, w := range again {
		if _, stays := there[w.parcel.ID]; stays && queue.Purge(ctx, jetstream.WithPurgeSubject(w.parcel.subject(&w.ground))) != nil {
			continue
		}
		if err := c.publish(ctx, w); err != nil {
			c.s.Note("%v", err)
		}
	}
	if over > 1 {
		results.Purge(ctx, jetstream.WithPurgeSubject(resultPrefix+c.plan+".>"), jetstream.WithPurgeSequence(over))
	}
}

// stuck reports that nobody will get what the queue has for a ground: all of it was handed
// out, and none is under way. A server that is killed can forget that a task was taken out,
// but not that it was done.
func (c *Coordinator) stuck(ctx context.Context, queue jetstream.Stream, name string) bool {
	from, err := queue.Consumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // nobody asked for the ground in a day
		c.filling.Lock()
		delete(c.grounds, name)
		c.filling.Unlock()
		return true
	}
	return err == nil && from.CachedInfo().NumPending == 0 && from.CachedInfo().NumAckPending == 0
}

// stale is how long a result that nobody waits for, or one in parts, keeps its place in the
// queue.
const stale = 10 * time.Minute

// over is the first message with results that the queue has to keep: the journal has what was
// taken in a while ago, and the rest is nothing. c.mu is held.
func (c *Coordinator) over() uint64 {
	for len(c.fresh) > 0 && time.Since(c.fresh[0].at) > 2*c.patience/looks {
		c.fresh = c.fresh[1:]
	}
	first := c.latest + 1
	keep := func(m message) {
		if time.Since(m.at) < stale {
			first = min(first, m.seq)
		}
	}
	for _, m := range c.fresh {
		keep(m)
	}
	for _, e := range c.early {
		keep(e.first)
	}
	for _, o := range c.parts.open {
		keep(o.first)
	}
	return first
}
