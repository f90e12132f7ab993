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

// createStreams creates the queue's streams and subscribes to all results, earlier ones included. If
// the streams cannot be created, the subscription stays.
func (c *Coordinator) createStreams(ctx context.Context) error {
	c.filling.Lock()
	defer c.filling.Unlock()
	queue, results, store, err := c.link.createStreams(ctx)
	if err != nil {
		return err
	}
	c.unsubscribe() // from the old stream
	clear(c.consumers)
	clear(c.sent)
	c.mu.Lock()
	c.latest, c.fresh, c.undelivered = 0, nil, 0 // the stream may have been recreated
	c.mu.Unlock()
	c.queue, c.results, c.store = queue, results, store
	return c.subscribe(ctx)
}

// subscribe receives the results after the last one that arrived. c.filling is held.
func (c *Coordinator) subscribe(ctx context.Context) error {
	c.unsubscribe()
	c.mu.Lock()
	subscription := c.subscription
	from := jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultPrefix + c.plan + ".>"}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: c.latest + 1}
	c.mu.Unlock()
	consumer, err := c.link.js.OrderedConsumer(ctx, resultsStream, from)
	if err != nil {
		return err
	}
	c.listen, err = consumer.Consume(func(m jetstream.Msg) {
		if meta, err := m.Metadata(); err == nil {
			c.take(subscription, m.Subject(), m.Data(), meta.Sequence.Stream)
		}
	}, jetstream.PullHeartbeat(pulse))
	return err
}

// unsubscribe ends the subscription; take ignores messages that it still delivers. c.filling is
// held.
func (c *Coordinator) unsubscribe() {
	c.mu.Lock()
	c.subscription++
	c.mu.Unlock()
	if c.listen != nil {
		c.listen.Stop()
		c.listen = nil
	}
}

// pulse is the interval of the server's heartbeats while it delivers results. After two missing
// ones, such as when a cluster loses a server, the client asks another server.
const pulse = 5 * time.Second

// resubscribe renews the subscription if the stream has undelivered results: a request that the
// library repeats after the loss of a server may remain unanswered. If the stream's last sequence
// number is below latest, another coordinator has recreated it.
func (c *Coordinator) resubscribe(ctx context.Context, results jetstream.Stream) {
	c.mu.Lock()
	came := c.latest
	c.mu.Unlock()
	last, err := results.GetLastMsgForSubject(ctx, resultPrefix+c.plan+".>")
	if err != nil {
		return // no results
	}
	if last.Sequence < came {
		c.createStreams(ctx) // on an error the next poll tries again
		return
	}
	c.mu.Lock()
	if last.Sequence <= c.latest || c.latest > c.lastPolled {
		c.undelivered = 0
	}
	c.lastPolled = c.latest
	if last.Sequence > c.latest {
		c.undelivered++
	}
	renew := c.undelivered > looks/2
	if renew {
		c.undelivered = 0
	}
	c.mu.Unlock()
	if renew {
		c.filling.Lock()
		defer c.filling.Unlock()
		c.subscribe(ctx) // on an error the next poll tries again
	}
}

// publish uploads a parcel's files and publishes the parcel. If the queue does not answer,
// sweep tries again.
func (c *Coordinator) publish(ctx context.Context, w *wait) error {
	text, err := json.Marshal(w.parcel)
	if err != nil {
		return err
	}
	if len(text) > maxTask {
		return session.Mistake(fmt.Errorf("%s: the %d task(s) that must run on one machine are too large for the fleet: %d bytes, at most %d", w.parcel.Tasks[0].Key, len(w.parcel.Tasks), len(text), maxTask))
	}
	first, err := c.fill(ctx, w)
	if gone := (*gone)(nil); errors.As(err, &gone) {
		return err
	}
	if err == nil {
		_, err = c.link.js.Publish(ctx, w.parcel.subject(&w.requirements), text, jetstream.WithExpectStream(tasksStream))
	}
	if err == nil && first {
		c.link.Publish(wakeSubject, nil)
	}
	if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) && !strings.Contains(refused.Description, "per subject") {
		c.s.Note("the fleet's queue accepts no more tasks: %s; the tasks wait", refused.Description)
	}
	return nil
}

// gone is the error of a file of the experiment that has changed or is missing.
type gone struct{ error }

// fill makes the consumer for the parcel's requirements and uploads its files, if the queue lacks
// them. The first result reports whether the consumer is new.
func (c *Coordinator) fill(ctx context.Context, w *wait) (first bool, err error) {
	c.filling.Lock()
	defer c.filling.Unlock()
	if name := w.requirements.name(); !c.consumers[name] {
		text, err := json.Marshal(w.requirements)
		if err != nil {
			return first, err
		}
		_, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, FilterSubject: taskPrefix + name + ".>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.patience,
			// No limit of deliveries here: a server that gives up on a task announces it only once,
			// to current subscribers. The worker counts the deliveries, and reports the failure.
			MaxDeliver: -1, MaxAckPending: -1, MaxWaiting: 1 << 16, InactiveThreshold: 24 * time.Hour, Metadata: map[string]string{"ground": string(text)}, Replicas: c.link.replicas(),
		})
		if err != nil {
			return first, err
		}
		c.consumers[name], first = true, true
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
	content, sum := summed(in)
	if _, err = c.store.Put(ctx, jetstream.ObjectMeta{Name: f.SHA256}, content); err != nil {
		return err
	}
	if sum() != f.SHA256 {
		c.store.Delete(ctx, f.SHA256)
		return &gone{session.Mistake(fmt.Errorf("%s changed while the experiment ran; run the same command again to repeat its tasks", name))}
	}
	return nil
}

// maintain polls the workers and the queue until ctx ends.
func (c *Coordinator) maintain(ctx context.Context) {
	tick := time.NewTicker(c.patience / looks)
	defer tick.Stop()
	for {
		c.pollWorkers(ctx)
		c.sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// pollWorkers counts slots for the prefetch, and notes when no worker can take the tasks.
func (c *Coordinator) pollWorkers(ctx context.Context) {
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
		c.s.Note("the fleet's queue does not answer; the tasks wait")
	case machines == 0:
		c.s.Note("the fleet has no worker yet; hyfair fleet join starts one")
	case free == 0:
		c.s.Note("no worker of the fleet can take these tasks: %s", strings.Join(lacks, "; "))
	}
}

// sweep publishes parcels that the queue has lost, and purges results that were accepted.
func (c *Coordinator) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	c.filling.Lock()
	queue, results := c.queue, c.results
	c.filling.Unlock()
	info, err := queue.Info(ctx, jetstream.WithSubjectFilter(taskPrefix+"*."+c.plan+".>"))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if c.createStreams(ctx) != nil {
			return
		}
		info, err = &jetstream.StreamInfo{}, nil
	}
	if err != nil {
		return
	}
	if _, err := results.Info(ctx); errors.Is(err, jetstream.ErrStreamNotFound) {
		c.createStreams(ctx)
	} else if err == nil {
		c.resubscribe(ctx, results)
	}
	there := map[string]bool{}
	stuck := map[string]bool{} // by requirements
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
		if _, stays := there[w.parcel.ID]; stays && queue.Purge(ctx, jetstream.WithPurgeSubject(w.parcel.subject(&w.requirements))) != nil {
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

// stuck reports whether a consumer will not deliver its messages: all were delivered and none
// awaits an acknowledgement. A killed server may forget a delivery, but not an
// acknowledgement.
func (c *Coordinator) stuck(ctx context.Context, queue jetstream.Stream, name string) bool {
	from, err := queue.Consumer(ctx, name)
	if errors.Is(err, jetstream.ErrConsumerNotFound) { // no request for a day
		c.filling.Lock()
		delete(c.consumers, name)
		c.filling.Unlock()
		return true
	}
	return err == nil && from.CachedInfo().NumPending == 0 && from.CachedInfo().NumAckPending == 0
}

// stale is the time for which the queue keeps an incomplete result, or the result of an unknown
// parcel.
const stale = 10 * time.Minute

// over is the first sequence number that the results stream must keep: accepted results are in
// the journal two polls later. c.mu is held.
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
