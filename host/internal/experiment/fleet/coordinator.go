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
	// overhead is what a result that waits costs beside its bytes.
	overhead = 512
)

// Coordinator is a fleet as an experiment's place. Safe for concurrent use.
type Coordinator struct {
	link *link
	s    *session.Session
	// patience is how long a task waits for a sign of life.
	patience time.Duration
	// plan is the experiment's name in the queue.
	plan  string
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

	unpacking sync.Mutex

	mu       sync.Mutex
	room     *sync.Cond
	out, fit int
	subjects map[string]func() (*subject, error)
	groups   map[string]*group
	waiting  map[string]*wait
	early    map[string][]byte
	earlier  int
	taken    map[string]time.Time
	parts    gatherer
	state    State
	told     string
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
	came   chan came // of one
}

type came struct {
	answer
	worker  string
	machine record.Machine
	err     error
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
	c := coordinator(l, s)
	c.patience = cmp.Or(patience, DefaultWait)
	host, _ := os.Hostname()
	c.state = State{Name: name, Role: RoleCoordinator, Host: host, Machine: session.Machine(), Version: session.Build(), Since: time.Now().UTC()}
	return c, nil
}

func coordinator(l *link, s *session.Session) *Coordinator {
	c := &Coordinator{
		link: l, s: s, grounds: map[string]bool{}, sent: map[string]bool{}, subjects: map[string]func() (*subject, error){}, groups: map[string]*group{},
		waiting: map[string]*wait{}, early: map[string][]byte{}, taken: map[string]time.Time{}, fit: leastOut,
	}
	c.room = sync.NewCond(&c.mu)
	return c
}

// Begin implements experiment.Place.
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
	ctx, stop := context.WithCancel(context.Background())
	if err := c.lay(ctx); err != nil {
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

// lay makes the queue as it has to be, and listens for results from the first on.
func (c *Coordinator) lay(ctx context.Context) (err error) {
	c.filling.Lock()
	defer c.filling.Unlock()
	if c.listen != nil {
		c.listen.Stop()
		c.listen = nil
	}
	clear(c.grounds)
	clear(c.sent)
	if c.queue, c.results, c.store, err = c.link.lay(ctx); err != nil {
		return err
	}
	consumer, err := c.link.js.OrderedConsumer(ctx, resultsStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{resultPrefix + c.plan + ".>"}})
	if err != nil {
		return err
	}
	c.listen, err = consumer.Consume(func(m jetstream.Msg) { c.take(m.Subject(), m.Data()) })
	return err
}

// take takes in what somebody published as a part of a result.
func (c *Coordinator) take(subject string, body []byte) {
	p, ok := parsePart(subject)
	if !ok || p.plan != c.plan {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, taken := c.taken[p.id]; taken {
		return // once
	}
	whole := c.parts.add(p, body)
	if whole == nil {
		return
	}
	if w := c.waiting[p.id]; w != nil {
		c.deliver(p.id, w, whole)
	} else if c.earlier+len(whole)+overhead <= maxEarly && c.early[p.id] == nil {
		c.early[p.id] = bytes.Clone(whole)
		c.earlier += len(whole) + overhead
	}
}

// deliver gives a parcel's answers to those who wait for them. c.mu is held.
func (c *Coordinator) deliver(id string, w *wait, whole []byte) {
	delete(c.waiting, id)
	c.taken[id] = time.Now()
	c.out--
	c.room.Broadcast()
	go func() {
		c.unpacking.Lock() // one at a time: a small message may be a large one, packed
		a, err := unpack(whole)
		c.unpacking.Unlock()
		if err == nil && !isName(a.Worker) {
			err = errors.New("it has no name")
		}
		for _, e := range w.errands {
			got := came{err: err}
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
		return got.hand(e.from, event, o.Say)
	}
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
	e := &errand{from: from, came: make(chan came, 1), ground: ground{Program: program.SHA256, Version: session.Build(), Plugins: map[string]needed{}, Threads: c.frame.Threads}}
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
	host, err := os.Getwd()
	if err != nil {
		return err
	}
	p := &parcel{Plan: c.plan, Dir: host, Files: map[string]file{}}
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
	w := &wait{parcel: p, ground: g, errands: all, since: time.Now()}
	fail := func(err error) error {
		for _, e := range all {
			e.came <- came{err: err}
		}
		return nil
	}
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock() // else it may come between the look at ctx and the wait
		defer c.mu.Unlock()
		c.room.Broadcast()
	})()
	c.mu.Lock()
	for c.out >= c.fit && ctx.Err() == nil {
		c.room.Wait()
	}
	if err := ctx.Err(); err != nil {
		c.mu.Unlock()
		return err
	}
	c.out++
	delete(c.taken, p.ID)
	c.waiting[p.ID] = w
	if whole := c.early[p.ID]; whole != nil {
		delete(c.early, p.ID)
		c.earlier -= len(whole) + overhead
		c.deliver(p.ID, w, whole)
		c.mu.Unlock()
		return nil
	}
	c.mu.Unlock()
	if err := c.publish(ctx, w); err != nil && ctx.Err() == nil {
		c.mu.Lock()
		if c.waiting[p.ID] == w {
			delete(c.waiting, p.ID)
			c.out--
			c.room.Broadcast()
		}
		c.mu.Unlock()
		return fail(err)
	}
	return nil
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
	err = c.fill(ctx, w)
	if gone := (*gone)(nil); errors.As(err, &gone) {
		return err
	}
	if err == nil {
		_, err = c.link.js.Publish(ctx, w.parcel.subject(&w.ground), text, jetstream.WithMsgID(w.parcel.ID+"."+nuid.Next()), jetstream.WithExpectStream(tasksStream))
	}
	if refused := (*jetstream.APIError)(nil); errors.As(err, &refused) && !strings.Contains(refused.Description, "per subject") {
		c.s.Note("the fleet's queue takes no more: %s; its tasks wait", refused.Description)
	}
	return nil
}

// gone tells that a file is not what it was.
type gone struct{ error }

// fill makes sure that the queue has a parcel's ground and files.
func (c *Coordinator) fill(ctx context.Context, w *wait) error {
	c.filling.Lock()
	defer c.filling.Unlock()
	if name := w.ground.name(); !c.grounds[name] {
		text, err := json.Marshal(w.ground)
		if err != nil {
			return err
		}
		_, err = c.queue.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: name, FilterSubject: taskPrefix + name + ".>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: c.patience,
			// The worker that gets a task a fourth time says so in place of a result: a server
			// that gives up says it once, to whoever listens.
			MaxDeliver: -1, MaxAckPending: -1, InactiveThreshold: 24 * time.Hour, Metadata: map[string]string{"ground": string(text)}, Replicas: c.link.replicas(),
		})
		if err != nil {
			return err
		}
		c.grounds[name] = true
		c.link.Publish(wakeSubject, nil)
	}
	for name, f := range w.parcel.Files {
		if c.sent[f.SHA256] {
			continue
		}
		if info, err := c.store.GetInfo(ctx, f.SHA256); err != nil || info.Size != uint64(f.Size) {
			if err := c.upload(ctx, name, f); err != nil {
				return err
			}
		}
		c.sent[f.SHA256] = true
	}
	return nil
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
	}
	there := map[string]bool{}
	for subject := range info.State.Subjects {
		there[subject[strings.LastIndexByte(subject, '.')+1:]] = true
	}
	var again []*wait
	var old []string
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
	for id, at := range c.taken {
		if !at.IsZero() && time.Since(at) > 2*c.patience/looks {
			old = append(old, id)
		}
	}
	c.mu.Unlock()
	for _, w := range again {
		if err := c.publish(ctx, w); err != nil {
			c.s.Note("%v", err)
		}
	}
	for _, id := range old {
		if results.Purge(ctx, jetstream.WithPurgeSubject(resultPrefix+c.plan+"."+id+".>")) != nil {
			return
		}
		c.mu.Lock()
		if at, taken := c.taken[id]; taken && time.Since(at) > 2*c.patience/looks {
			c.taken[id] = time.Time{}
		}
		c.mu.Unlock()
	}
}

// Close takes the experiment's tasks out of the queue, has the workers stop those under
// way, and leaves the fleet.
func (c *Coordinator) Close() error {
	if c.done != nil {
		c.done()
		if c.listen != nil {
			c.listen.Stop()
		}
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
