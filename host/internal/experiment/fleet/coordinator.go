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
	// width is how many tasks an experiment has under way at once, most of which wait for
	// room: so many more slots than there are are in the queue, that no worker waits.
	width    = 4096
	leastOut = 16
	// looks is how often the coordinator looks how the fleet and the queue are, while a task
	// waits for a sign of life.
	looks = 6
	// maxEarly bounds results of an earlier coordinator that wait for their tasks.
	maxEarly = 256 << 20
	// expands is how many bytes gzip makes of one at most.
	expands = 1032
	// overhead is what a result that waits costs beside its bytes.
	overhead = 512
)

// Coordinator is a fleet as an experiment's place. Safe for concurrent use.
type Coordinator struct {
	link *link
	s    *session.Session
	// patience is how long a task waits for a sign of life.
	patience time.Duration
	// plan is the experiment's name in the queue, dir the folder that names of files start in.
	plan  string
	dir   string
	frame *experiment.Frame
	done  func()

	queue   jetstream.Stream
	results jetstream.Stream
	store   jetstream.ObjectStore
	listen  jetstream.ConsumeContext

	// filling guards grounds and sent: what the queue has been told of.
	filling sync.Mutex
	grounds map[string]bool
	sent    map[string]bool

	// unpacked is how many bytes of results may be unpacked and not yet handed over.
	unpacked *semaphore.Weighted

	mu       sync.Mutex
	room     *sync.Cond
	out, fit int
	subjects map[string]func() (*subject, error)
	groups   map[string]*group
	waiting  map[string]*wait
	early    map[string]early
	earlier  int
	// taken are the parcels whose results were taken in, fresh those of the last seconds;
	// latest is the last message with results that came. comparing: a second result is looked
	// at.
	taken     map[string]once
	comparing bool
	fresh     []message
	latest    uint64
	// ear counts the times that listening was ended.
	ear int
	// heard is latest as it was when last looked at, and deaf how often since then the queue
	// had more.
	heard uint64
	deaf  int
	parts gatherer
	state State
	told  string
}

// group is tasks that go together, as far as they have come.
type group struct {
	want int
	have []*errand
}

// errand is a task on its way through the fleet.
type errand struct {
	task   task
	ground ground
	from   *subject
	parcel string
	timed  bool
	came   chan came // of one
}

// message is one with results: what of, where in its stream, and when it came.
type message struct {
	id  string
	seq uint64
	at  time.Time
}

// early is a result that nobody waits for yet.
type early struct {
	whole []byte
	first message
}

// once is what is remembered of a task's result: whom it is about, and a sum of who was
// found. Results that depend on the time have no subject.
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
	handed  func() // to be called when it was handed over
}

// wait is a parcel that is out.
type wait struct {
	parcel  *parcel
	ground  ground
	errands []*errand
	since   time.Time
	missed  int
}

// Coordinate connects an experiment to a fleet.
// patience is how long a task waits for a sign of life of a worker; 0: DefaultWait.
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
		link: l, s: s, grounds: map[string]bool{}, sent: map[string]bool{}, subjects: map[string]func() (*subject, error){}, groups: map[string]*group{},
		waiting: map[string]*wait{}, early: map[string]early{}, taken: map[string]once{}, fit: leastOut,
	}
	c.room, c.unpacked = sync.NewCond(&c.mu), semaphore.NewWeighted(maxAnswer)
	return c
}

// Begin implements experiment.Place. It waits up to forming for a cluster whose servers have not all joined.
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
	noted := false
	for until := time.Now().Add(forming); ; time.Sleep(forming / 100) {
		if err = c.lay(ctx); err == nil || !c.link.isForming(err) || time.Now().After(until) {
			break
		}
		if !noted {
			c.s.Note("%v; waiting up to %s for its servers to join", err, forming)
			noted = true
		}
	}
	if err != nil {
		stop()
		return 0, err
	}
	if _, err := c.link.tells(func() *State { c.mu.Lock(); defer c.mu.Unlock(); s := c.state; return &s }); err != nil {
		stop()
		return 0, err
	}
	var group sync.WaitGroup
	group.Go(func() { c.look(ctx) })
	c.done = func() {
		stop()
		group.Wait()
	}
	return width, nil
}

// Told takes in how the experiment stands.
func (c *Coordinator) Told(p experiment.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Done, c.state.Failed, c.state.Total, c.state.Left = p.Done, p.Failed, p.Total, p.Left
}

// take takes in what somebody published as a part of a result, as message seq of its stream,
// unless ear is of a listener that was ended.
func (c *Coordinator) take(ear int, subject string, body []byte, seq uint64) {
	p, ok := parsePart(subject)
	if !ok || p.plan != c.plan {
		return
	}
	m := message{p.id, seq, time.Now()}
	c.mu.Lock()
	defer c.mu.Unlock()
	if ear != c.ear {
		return
	}
	c.latest = max(c.latest, seq)
	before, taken := c.taken[p.id]
	if taken && before.of == nil {
		return // once
	}
	whole, first := c.parts.add(p, body, m)
	if whole == nil {
		return
	}
	if taken {
		if !c.comparing { // else it is not worth waiting for
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

// deliver gives a parcel's answers to those who wait for them. c.mu is held.
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
			err = errors.New("it has no name")
		}
		for _, e := range w.errands {
			open.Add(1)
			got := came{err: err, handed: open.Done}
			if err == nil {
				got.worker, got.machine = a.Worker, a.Machine
				i := slices.IndexFunc(a.Answers, func(one answer) bool { return one.Content == e.task.Content })
				if i < 0 {
					got.err = errors.New("the task is not among its answers")
				} else {
					got.answer = a.Answers[i]
					a.Answers = slices.Delete(a.Answers, i, i+1) // another task may be the same
				}
			}
			e.came <- got
		}
	}()
}

// unpack unpacks a result when there is room for all that it may be: a small message may be a
// large one, packed. The caller calls free when it is handed over.
func (c *Coordinator) unpack(whole []byte) (a *answers, free func(), err error) {
	most := min(maxAnswer, expands*int64(len(whole)))
	c.unpacked.Acquire(context.Background(), most) // no error: it waits for as long as it takes
	size := int64(0)
	if a, err = unpack(whole); err == nil {
		for _, one := range a.Answers {
			size = min(most, size+int64(len(one.Lines)))
		}
	}
	c.unpacked.Release(most - size)
	return a, func() { c.unpacked.Release(size) }, err
}

// again compares a task's second result with the first, which counts.
func (c *Coordinator) again(id string, before once, whole []byte) {
	a, free, err := c.unpack(whole)
	defer free()
	if err == nil && isName(a.Worker) && len(a.Answers) == 1 && a.Answers[0].Error == "" {
		second := came{answer: a.Answers[0]}
		_, err := second.hand(before.of, func(record.Event) error { return nil }, func(*workers.Said) {})
		if err != nil || second.sum != before.sum {
			c.s.Note("%s was done a second time, by worker %s, with another result; the first counts", before.key, a.Worker)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.comparing = false
	if _, taken := c.taken[id]; taken {
		c.taken[id] = once{} // a third is not looked at
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

// end hands over what came, and remembers it.
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

// hand hands over what came, as far as it holds.
func (c *came) hand(of *subject, event func(record.Event) error, say func(*workers.Said)) (workers.Usage, error) {
	usage, err := c.Usage, c.err
	if err == nil {
		usage.Machine = &c.machine
		r := &replay{subject: of}
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

// errand is an order as it travels.
func (c *Coordinator) errand(o *experiment.Order) (*errand, error) {
	program, err := session.Program()
	if err != nil {
		return nil, err
	}
	from, err := c.subject(*o.Spec, o.Measured)
	if err != nil {
		return nil, err
	}
	e := &errand{from: from, timed: o.Group != "", came: make(chan came, 1), ground: ground{Program: program.SHA256, Version: session.Build(), Plugins: map[string]needed{}, Threads: c.frame.Threads}}
	for name, p := range o.Plugins {
		e.ground.Plugins[name] = needed{p.Version, p.SHA256}
	}
	e.task = task{
		Content: o.Content, Key: o.Key, Kind: o.Kind, Request: o.Job.Request, Threads: max(1, o.Job.Threads), Procs: o.Procs,
		Memory: o.Job.Memory, Limit: o.Limit, Clock: o.Job.Clock,
	}
	return e, nil
}

// subject is what an errand asks about, read once.
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

// whole is a group's tasks, when all have come. c.mu is held.
func (c *Coordinator) whole(name string, g *group) []*errand {
	if len(g.have) < g.want {
		return nil
	}
	delete(c.groups, name)
	return g.have
}

// send has a task travel: at once, or with the last of its group.
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

// put puts a parcel into the queue, when there is room, unless its results are there.
func (c *Coordinator) put(ctx context.Context, all []*errand) error {
	p := &parcel{Plan: c.plan, Dir: c.dir, Files: map[string]file{}}
	g := all[0].ground
	g.Plugins = maps.Clone(g.Plugins)
	named := make([]task, len(all))
	for i, e := range all {
		p.Tasks = append(p.Tasks, e.task)
		named[i].Content = e.task.Content + " " + e.task.Key // arms of two names may be one task
		maps.Copy(p.Files, e.from.files)
		maps.Copy(g.Plugins, e.ground.Plugins)
	}
	p.ID = idOf(named)
	for _, e := range all {
		e.parcel, e.timed = p.ID, e.timed || len(all) > 1
	}
	w := &wait{parcel: p, ground: g, errands: all, since: time.Now()}
	fail := func(err error) error {
		for _, e := range all {
			e.came <- came{err: err}
		}
		return nil
	}
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
		return fail(err)
	}
	return nil
}

// wait waits for room in the queue. c.mu is held.
func (c *Coordinator) wait(ctx context.Context) error {
	if c.out >= c.fit {
		defer context.AfterFunc(ctx, func() {
			c.mu.Lock() // else it may come between the look at ctx and the wait
			defer c.mu.Unlock()
			c.room.Broadcast()
		})()
	}
	for c.out >= c.fit && ctx.Err() == nil {
		c.room.Wait()
	}
	if ctx.Err() != nil {
		c.room.Signal() // what woke this one may have been room for another
	}
	return ctx.Err()
}

// Close takes the experiment's tasks out of the queue, has the workers stop those under
// way, and leaves the fleet.
func (c *Coordinator) Close() error {
	if c.done != nil {
		c.done()
		c.still() // nobody else is left
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
