package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
	"golang.org/x/sync/semaphore"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
)

const (
	// width is the number of tasks that an experiment passes to the coordinator at a time; most
	// wait there. Prefetch: the queue holds twice as many tasks as the fleet has slots, at least
	// leastOut, so that no worker idles.
	width    = 4096
	leastOut = 16
	// looks is the number of polls of workers and queue within Coordinator.patience.
	looks = 6
	// maxEarly bounds the bytes of results that arrive before their tasks are sent.
	maxEarly = 256 << 20
	// expands is the largest expansion ratio of gzip.
	expands = 1032
	// overhead is the memory in bytes of a stored result, besides its content.
	overhead = 512
)

// Coordinator implements experiment.Place on a fleet. Safe for concurrent use.
type Coordinator struct {
	link *link
	s    *session.Session
	// patience is the time without a sign of life after which a task is redelivered.
	patience time.Duration
	// plan is the experiment's name in the queue; file names are relative to dir.
	plan  string
	dir   string
	frame *experiment.Frame
	done  func()

	queue   jetstream.Stream
	results jetstream.Stream
	store   jetstream.ObjectStore
	listen  jetstream.ConsumeContext

	// filling guards consumers and sent: requirements and files known to be in the queue.
	filling   sync.Mutex
	consumers map[string]bool
	sent      map[string]bool

	// unpacked limits the bytes of results that are unpacked and not yet handed over.
	unpacked *semaphore.Weighted

	mu       sync.Mutex
	room     *sync.Cond
	out, fit int
	subjects map[string]func() (*subject, error)
	groups   map[string]*group
	waiting  map[string]*wait
	early    map[string]early
	earlier  int
	// taken are the parcels whose results were accepted, fresh the recent ones among them;
	// latest is the sequence number of the newest message with results. comparing: a parcel's
	// second result is being compared with its first.
	taken     map[string]once
	comparing bool
	fresh     []message
	latest    uint64
	// subscription numbers the subscriptions to results; older ones are ignored.
	subscription int
	// lastPolled is latest at the last poll, undelivered the number of consecutive polls at
	// which the stream had newer messages.
	lastPolled  uint64
	undelivered int
	parts       gatherer
	state       State
}

// group collects tasks that travel in one parcel.
type group struct {
	want int
	have []*errand
}

// errand is a task that was sent to the fleet.
type errand struct {
	task         task
	requirements requirements
	from         *subject
	parcel       string
	timed        bool
	came         chan came // buffered: one
}

// message identifies a message with results: its parcel, sequence number and time of arrival.
type message struct {
	id  string
	seq uint64
	at  time.Time
}

// early is a result that arrived before its parcel was sent.
type early struct {
	whole []byte
	first message
}

// once identifies an accepted result: the task, and a checksum of its individuals. of is nil if
// results depend on time and cannot be compared.
type once struct {
	of  *subject
	key string
	sum uint64
}

type came struct {
	answer
	sum     uint64
	worker  string
	machine record.Machine
	err     error
	handed  func() // must be called after the outcome has been handed over
}

// wait is a parcel in the queue or at a worker.
type wait struct {
	parcel       *parcel
	requirements requirements
	errands      []*errand
	since        time.Time
	missed       int
}

// Coordinate connects an experiment to a fleet. A task without a sign of life for patience is
// redelivered; 0: DefaultWait.
func Coordinate(a Address, s *session.Session, patience time.Duration) (*Coordinator, error) {
	name := RoleCoordinator + "-" + nuid.Next()
	l, err := dial(a, RoleCoordinator, name)
	if err != nil {
		return nil, err
	}
	sub, err := l.SubscribeSync(statePrefix + ">")
	if err == nil {
		err = l.mayAll(context.Background())
		sub.Unsubscribe()
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	c := coordinator(l, s)
	c.patience = cmp.Or(patience, DefaultWait)
	host, _ := os.Hostname()
	c.state = State{Name: name, Role: RoleCoordinator, Host: host, Machine: session.Machine(), Version: session.Build(), Since: time.Now().UTC()}
	return c, nil
}

func coordinator(l *link, s *session.Session) *Coordinator {
	c := &Coordinator{
		link: l, s: s, consumers: map[string]bool{}, sent: map[string]bool{}, subjects: map[string]func() (*subject, error){}, groups: map[string]*group{},
		waiting: map[string]*wait{}, early: map[string]early{}, taken: map[string]once{}, fit: leastOut,
	}
	c.room, c.unpacked = sync.NewCond(&c.mu), semaphore.NewWeighted(maxAnswer)
	return c
}

// Begin implements experiment.Place. It waits up to a minute for a cluster that is starting.
func (c *Coordinator) Begin(f *experiment.Frame, groups map[string]int) (int, error) {
	c.mu.Lock()
	for name, n := range groups {
		c.groups[name] = &group{want: n}
	}
	begun := c.frame != nil
	c.frame = f
	c.mu.Unlock()
	if begun {
		return width, nil
	}
	t, err := f.Task()
	if err != nil {
		return 0, err
	}
	c.plan = t.ID()[:32]
	if c.dir, err = os.Getwd(); err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(context.Background())
	if err = c.openQueue(ctx); err == nil {
		_, err = c.link.tells(func() *State { c.mu.Lock(); defer c.mu.Unlock(); s := c.state; return &s })
	}
	if err != nil {
		stop()
		return 0, err
	}
	var group sync.WaitGroup
	group.Go(func() { c.maintain(ctx) })
	c.done = func() {
		stop()
		group.Wait()
	}
	return width, nil
}

// openQueue creates the streams. It waits up to forming for a cluster whose servers have not all joined.
func (c *Coordinator) openQueue(ctx context.Context) error {
	err := c.createStreams(ctx)
	if !c.link.isForming(err) {
		return err
	}
	c.s.Note("%v; waiting up to %s for its servers to join", err, forming)
	for until := time.Now().Add(forming); c.link.isForming(err) && time.Now().Before(until); {
		time.Sleep(forming / 100)
		err = c.createStreams(ctx)
	}
	return err
}

// Told implements experiment.Place: it receives the experiment's progress.
func (c *Coordinator) Told(p experiment.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Done, c.state.Failed, c.state.Total, c.state.Left = p.Done, p.Failed, p.Total, p.Left
}

// take receives one part of a result, message seq of its stream, unless the subscription was
// replaced.
func (c *Coordinator) take(subscription int, subject string, body []byte, seq uint64) {
	p, ok := parsePart(subject)
	if !ok || p.plan != c.plan {
		return
	}
	m := message{p.id, seq, time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if subscription != c.subscription {
		return
	}
	c.latest = max(c.latest, seq)
	before, taken := c.taken[p.id]
	if taken && before.of == nil {
		return // the result depends on time
	}
	whole, first := c.parts.add(p, body, m)
	if whole == nil {
		return
	}
	if taken {
		if !c.comparing { // at most one at a time
			c.comparing = true
			go c.again(p.id, before, bytes.Clone(whole))
		}
		return
	}
	if w := c.waiting[p.id]; w != nil {
		c.deliver(w, whole, first)
	} else if _, has := c.early[p.id]; !has && c.earlier+len(whole)+overhead <= maxEarly {
		c.early[p.id] = early{bytes.Clone(whole), first}
		c.earlier += len(whole) + overhead
	}
}

// deliver passes a parcel's answers to its errands. c.mu is held.
func (c *Coordinator) deliver(w *wait, whole []byte, first message) {
	delete(c.waiting, first.id)
	c.parts.drop(first.id)
	first.at = time.Now()
	c.taken[strings.Clone(first.id)], c.fresh = once{}, append(c.fresh, first)
	c.out--
	c.room.Signal()
	go func() {
		a, free, err := c.unpack(whole)
		defer free()
		var open sync.WaitGroup
		defer open.Wait()
		if err == nil && !isName(a.Worker) {
			err = fmt.Errorf("the worker's name is %.80q: %s", a.Worker, wantName)
		}
		for _, e := range w.errands {
			open.Add(1)
			got := came{err: err, handed: open.Done}
			if err == nil {
				got.worker, got.machine = a.Worker, a.Machine
				i := slices.IndexFunc(a.Answers, func(one answer) bool { return one.Content == e.task.Content })
				if i < 0 {
					got.err = errors.New("the task is not among the answers to its parcel")
				} else {
					got.answer = a.Answers[i]
					a.Answers = slices.Delete(a.Answers, i, i+1) // another task may have the same content
				}
			}
			e.came <- got
		}
	}()
}

// unpack decompresses a result once its largest possible size fits into the budget. The
// caller must call free after handing it over.
func (c *Coordinator) unpack(whole []byte) (a *answers, free func(), err error) {
	most := min(maxAnswer, expands*int64(len(whole)))
	c.unpacked.Acquire(context.Background(), most) // no error: the context does not end
	size := int64(0)
	if a, err = unpack(whole); err == nil {
		for _, one := range a.Answers {
			size = min(most, size+int64(len(one.Lines)))
		}
	}
	c.unpacked.Release(most - size)
	return a, func() { c.unpacked.Release(size) }, err
}

// again compares a task's second result with the accepted one, and notes a difference.
func (c *Coordinator) again(id string, before once, whole []byte) {
	a, free, err := c.unpack(whole)
	defer free()
	if err == nil && isName(a.Worker) && len(a.Answers) == 1 && a.Answers[0].Error == "" {
		second := came{answer: a.Answers[0]}
		_, err := second.hand(before.of, func(record.Event) error { return nil }, func(*workers.Said) {})
		if err != nil || second.sum != before.sum {
			c.s.Note("worker %[2]s did %[1]s a second time, with a different result; the first result counts", before.key, a.Worker)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.comparing = false
	if _, taken := c.taken[id]; taken {
		c.taken[id] = once{} // a third result is not compared
	}
}

// Do implements experiment.Place.
func (c *Coordinator) Do(ctx context.Context, o *experiment.Order, event func(record.Event) error) (workers.Usage, error) {
	e, err := c.errand(o)
	if err != nil {
		c.Without(o.Group)
		return workers.Usage{}, err
	}
	if err := c.send(ctx, o.Group, e); err != nil {
		return workers.Usage{}, err
	}
	select {
	case <-ctx.Done():
		return workers.Usage{}, ctx.Err()
	case got := <-e.came:
		return c.end(e, &got, event, o.Say)
	}
}

// end hands over an outcome, and keeps its sum for comparison.
func (c *Coordinator) end(e *errand, got *came, event func(record.Event) error, say func(*workers.Said)) (workers.Usage, error) {
	usage, err := got.hand(e.from, event, say)
	if got.handed != nil {
		got.handed()
	}
	if err == nil && !e.timed {
		c.mu.Lock()
		if _, taken := c.taken[e.parcel]; taken {
			c.taken[e.parcel] = once{e.from, e.task.Key, got.sum}
		}
		c.mu.Unlock()
	}
	return usage, err
}

// hand replays the outcome's events and passes on those that the replay confirms.
func (c *came) hand(of *subject, event func(record.Event) error, say func(*workers.Said)) (workers.Usage, error) {
	usage, err := c.Usage, c.err
	if err == nil {
		usage.Machine = &c.machine
		r := &replay{subject: of, seen: map[string]bool{}}
		_, err = workers.Read(strings.NewReader(c.Lines), func(one record.Event) error {
			if err := r.check(&one); err != nil {
				return err
			}
			return event(one)
		}, say)
		c.sum = r.sum
		if err == nil && c.Error != "" {
			err = errors.New(c.Error)
		}
	}
	if err != nil {
		if c.worker != "" {
			err = fmt.Errorf("worker %s: %w", c.worker, err)
		}
		usage.Machine = nil
	}
	return usage, err
}

// errand converts an order into a task with its requirements.
func (c *Coordinator) errand(o *experiment.Order) (*errand, error) {
	program, err := session.Program()
	if err != nil {
		return nil, err
	}
	from, err := c.subject(*o.Spec, o.Measured)
	if err != nil {
		return nil, err
	}
	e := &errand{from: from, timed: o.Group != "", came: make(chan came, 1), requirements: requirements{Program: program.SHA256, Version: session.Build(), Plugins: map[string]needed{}, Threads: c.frame.Threads}}
	for name, p := range o.Plugins {
		e.requirements.Plugins[name] = needed{p.Version, p.SHA256}
	}
	e.task = task{
		Content: o.Content, Key: o.Key, Kind: o.Kind, Request: o.Job.Request, Threads: max(1, o.Job.Threads), Procs: o.Procs,
		Memory: o.Job.Memory, Limit: o.Limit, Clock: o.Job.Clock,
	}
	return e, nil
}

// subject opens the question of a task, once per question.
func (c *Coordinator) subject(spec question.Spec, measured string) (*subject, error) {
	text, err := json.Marshal([]any{spec, measured})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	read := c.subjects[string(text)]
	if read == nil {
		read = sync.OnceValues(func() (*subject, error) { return open(spec, measured) })
		c.subjects[string(text)] = read
	}
	c.mu.Unlock()
	return read()
}

// Without implements experiment.Place.
func (c *Coordinator) Without(name string) {
	c.mu.Lock()
	g := c.groups[name]
	if g == nil {
		c.mu.Unlock()
		return
	}
	g.want--
	whole := c.whole(name, g)
	c.mu.Unlock()
	if len(whole) > 0 {
		go c.put(context.Background(), whole)
	}
}

// whole returns a group's tasks if it is complete, and forgets the group. c.mu is held.
func (c *Coordinator) whole(name string, g *group) []*errand {
	if len(g.have) < g.want {
		return nil
	}
	delete(c.groups, name)
	return g.have
}

// send publishes a task, or keeps it until its group is complete.
func (c *Coordinator) send(ctx context.Context, name string, e *errand) error {
	all := []*errand{e}
	c.mu.Lock()
	if g := c.groups[name]; g != nil {
		g.have = append(g.have, e)
		all = c.whole(name, g)
	}
	c.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	return c.put(ctx, all)
}

// put publishes a parcel once the queue has room, unless its results have arrived already.
func (c *Coordinator) put(ctx context.Context, all []*errand) error {
	p := &parcel{Plan: c.plan, Dir: c.dir, Files: map[string]file{}}
	g := all[0].requirements
	g.Plugins = maps.Clone(g.Plugins)
	named := make([]task, len(all))
	for i, e := range all {
		p.Tasks = append(p.Tasks, e.task)
		named[i].Content = e.task.Content + " " + e.task.Key // tasks of two arms may have the same content
		maps.Copy(p.Files, e.from.files)
		maps.Copy(g.Plugins, e.requirements.Plugins)
	}
	p.ID = idOf(named)
	for _, e := range all {
		e.parcel, e.timed = p.ID, e.timed || len(all) > 1
	}
	w := &wait{parcel: p, requirements: g, errands: all, since: time.Now()}
	c.mu.Lock()
	if err := c.wait(ctx); err != nil {
		c.mu.Unlock()
		return err
	}
	c.out++
	delete(c.taken, p.ID)
	c.waiting[p.ID] = w
	if e, has := c.early[p.ID]; has {
		delete(c.early, p.ID)
		c.earlier -= len(e.whole) + overhead
		c.deliver(w, e.whole, e.first)
		c.mu.Unlock()
		return nil
	}
	c.mu.Unlock()
	if err := c.publish(ctx, w); err != nil && ctx.Err() == nil {
		c.mu.Lock()
		if c.waiting[p.ID] == w {
			delete(c.waiting, p.ID)
			c.out--
			c.room.Signal()
		}
		c.mu.Unlock()
		for _, e := range all {
			e.came <- came{err: err}
		}
	}
	return nil
}

// wait blocks until the queue has room (backpressure) or ctx ends. c.mu is held.
func (c *Coordinator) wait(ctx context.Context) error {
	if c.out >= c.fit {
		defer context.AfterFunc(ctx, func() {
			c.mu.Lock() // without the lock it could run between the check of ctx and Wait
			defer c.mu.Unlock()
			c.room.Broadcast()
		})()
	}
	for c.out >= c.fit && ctx.Err() == nil {
		c.room.Wait()
	}
	if ctx.Err() != nil {
		c.room.Signal() // pass on the signal
	}
	return ctx.Err()
}

// Close purges the experiment's tasks and results, stops running tasks, and disconnects.
func (c *Coordinator) Close() error {
	if c.done != nil {
		c.done()
		c.unsubscribe() // no goroutine uses the subscription any more
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if c.link.IsConnected() {
			c.queue.Purge(ctx, jetstream.WithPurgeSubject(taskPrefix+"*."+c.plan+".>"))
			c.link.Publish(dropSubject, []byte(c.plan))
			c.results.Purge(ctx, jetstream.WithPurgeSubject(resultPrefix+c.plan+".>"))
			c.link.FlushWithContext(ctx)
		}
	}
	c.link.Close()
	return nil
}
