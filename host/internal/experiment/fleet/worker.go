package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/client"
)

const (
	// patience is the time for which a worker retries to publish a result, oneTry the timeout of
	// one try: a broken connection brings no acknowledgement.
	patience = 10 * time.Minute
	oneTry   = 10 * time.Second
	// surveys is the interval between surveys without a wake-up; lingers is how long a worker keeps
	// requesting tasks of the same requirements once the queue has run out of them.
	surveys = 10 * time.Second
	lingers = 30 * time.Second
)

// Worker takes tasks and runs each in a separate process.
type Worker struct {
	Address
	Processes *workers.Processes
	Plugins   *discover.Catalogue
	// Slots is the number of tasks at once, Threads the cores of each.
	Slots, Threads int
	// Cache is a folder for files, JournalFile the journal that the tasks' processes use.
	Cache, JournalFile string
	// Log receives a line per event.
	Log func(format string, args ...any)

	link  *link
	cache cache
	drain context.CancelFunc
	// answer replaces the process of a task, for tests.
	answer func(*task) answer

	mu      sync.Mutex
	state   State
	doing   map[int]*Doing
	running map[*parcel]context.CancelCauseFunc
	// plugins are the plugins that were launched and hashed, by their names in requirements.
	plugins map[string]*experiment.Plugin
	lacks   map[string]string
	// offers are the requirements that this worker meets; full holds the time at which each last
	// had tasks; stirred ends when offers change.
	offers  []offer
	full    map[string]time.Time
	stirred context.Context
	stir    context.CancelFunc
}

// offer is a consumer of tasks: its acknowledgement timeout, and the server of a cluster
// that leads it. A new leader has lost open requests.
type offer struct {
	name   string
	wait   time.Duration
	leader string
}

// errDropped cancels the tasks of an experiment that has ended or was interrupted.
var errDropped = errors.New("its experiment is over")

// Run takes tasks until ctx ends, which interrupts running tasks, or until it is drained,
// which lets them finish.
func (w *Worker) Run(ctx context.Context) error {
	host, _ := os.Hostname()
	program, err := session.Program()
	if err != nil {
		return err
	}
	name := RoleWorker + "-" + nuid.Next()
	for noted := false; ; noted = true {
		if w.link, err = dial(w.Address, RoleWorker, name); err == nil {
			break
		} else if !errors.Is(err, errNobody) {
			return err
		} else if !noted {
			w.Log("%v; retrying until interrupted", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(idle):
		}
	}
	defer w.link.Close()
	if err := os.MkdirAll(w.Cache, 0o700); err != nil {
		return err
	}
	w.cache = cache{w.Cache, w.link.js}
	if err := w.cache.prune(); err != nil {
		return err
	}
	w.doing, w.running = map[int]*Doing{}, map[*parcel]context.CancelCauseFunc{}
	w.plugins, w.lacks, w.full = map[string]*experiment.Plugin{}, map[string]string{}, map[string]time.Time{}
	w.stirred, w.stir = context.WithCancel(context.Background())
	w.state = State{
		Name: name, Role: RoleWorker, Host: host, Machine: session.Machine(), Version: session.Build(), Program: program.SHA256, Since: time.Now().UTC(),
		Slots: w.Slots, Threads: w.Threads,
	}
	open, stop := context.WithCancel(ctx)
	defer stop()
	w.drain = stop
	wake := make(chan struct{}, 1)
	awake := func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	w.link.SetReconnectHandler(func(*nats.Conn) { // open requests are lost
		w.set(w.again)
		awake()
	})
	for subject, handle := range map[string]nats.MsgHandler{
		wakeSubject: func(*nats.Msg) { awake() },
		drainSubject: func(m *nats.Msg) {
			if who := string(m.Data); who == name {
				w.Log("draining: no more tasks are taken")
				w.set(func() { w.state.Draining = true })
				stop()
			}
		},
		dropSubject: func(m *nats.Msg) {
			w.set(func() {
				for p, cancel := range w.running {
					if p.Plan == string(m.Data) {
						cancel(errDropped)
					}
				}
			})
		},
	} {
		if _, err := w.link.Subscribe(subject, handle); err != nil {
			return err
		}
	}
	if _, err := w.link.tells(w.now); err != nil {
		return err
	}
	cores := workers.Cores()
	var slots [][]int
	if w.Slots > 1 {
		if slots = experiment.Slots(cores, w.Slots, w.Threads); slots == nil && len(cores) > 0 {
			return session.Mistake(fmt.Errorf("%d slots of %d core(s) do not fit on %d core(s), which tasks never share: give smaller --jobs or --threads", w.Slots, w.Threads, len(cores)))
		}
	}
	w.Log("%s joined %s with %d slot(s) of %d core(s)", name, w.URL, w.Slots, w.Threads)
	var group sync.WaitGroup
	group.Go(func() {
		for open.Err() == nil {
			w.survey(open)
			select {
			case <-open.Done():
			case <-wake:
			case <-time.After(surveys):
			}
		}
	})
	for i := range w.Slots {
		var own []int
		if slots != nil {
			own = slots[i]
		}
		group.Go(func() { w.slot(ctx, open, i, own) })
	}
	group.Wait()
	w.link.FlushTimeout(time.Second)
	return nil
}

func (w *Worker) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

// now is the worker's State.
func (w *Worker) now() *State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.state
	for i := range w.Slots {
		if d := w.doing[i]; d != nil {
			s.Busy = append(s.Busy, *d)
		}
	}
	for _, text := range w.lacks {
		if !slices.Contains(s.Lacks, text) {
			s.Lacks = append(s.Lacks, text)
		}
	}
	slices.Sort(s.Lacks)
	return &s
}

// survey lists the requirements that have tasks, and splits them into offers and lacks.
func (w *Worker) survey(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var offers []offer
	full := map[string]time.Time{}
	lacks := map[string]string{}
	queue, err := w.link.js.Stream(ctx, tasksStream)
	if err != nil {
		return // the queue is not reachable or does not exist yet; keep the last survey
	}
	list := queue.ListConsumers(ctx)
	for info := range list.Info() {
		var g requirements
		if json.Unmarshal([]byte(info.Config.Metadata["ground"]), &g) != nil || g.name() != info.Name {
			continue
		}
		at := w.full[info.Name]
		if info.NumPending > 0 || info.NumAckPending > 0 {
			at = time.Now()
		}
		if time.Since(at) > lingers {
			continue
		}
		full[info.Name] = at
		if why := w.lacking(ctx, &g); why != "" {
			lacks[info.Name] = why
			continue
		}
		o := offer{name: info.Name, wait: max(time.Second, info.Config.AckWait)}
		if info.Cluster != nil {
			o.leader = info.Cluster.Leader
		}
		offers = append(offers, o)
	}
	if list.Err() != nil {
		return
	}
	slices.SortFunc(offers, func(a, b offer) int { return strings.Compare(a.name, b.name) })
	w.set(func() {
		if w.full, w.lacks = full, lacks; !slices.Equal(offers, w.offers) {
			w.offers = offers
			w.again()
		}
	})
}

// again makes the slots renew their requests. w.mu is held.
func (w *Worker) again() {
	w.stir()
	w.stirred, w.stir = context.WithCancel(context.Background())
}

// lacking describes the requirements that this worker does not meet; empty: it meets all.
func (w *Worker) lacking(ctx context.Context, g *requirements) string {
	switch {
	case g.Program != w.state.Program:
		return fmt.Sprintf("its hyfair is %s, a different build from the %s that the tasks need", w.state.Version, g.Version)
	case g.Threads > w.Threads:
		return fmt.Sprintf("its slots have %d core(s), but the tasks need %d: hyfair fleet join --threads %d", w.Threads, g.Threads, g.Threads)
	}
	var out []string
	for name, need := range g.Plugins {
		have, err := w.plugin(ctx, name)
		switch {
		case err != nil:
			out = append(out, fmt.Sprintf("it cannot run %s: %v", name, err))
		case have.SHA256 != need.SHA256 && have.Version != need.Version:
			out = append(out, fmt.Sprintf("its %s is version %s, but the tasks need %s", name, have.Version, need.Version))
		case have.SHA256 != need.SHA256:
			out = append(out, fmt.Sprintf("its %s %s differs in files or libraries from the one that the tasks need", name, have.Version))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

// plugin launches and hashes a plugin, unless it is in plugins and its files have not changed.
func (w *Worker) plugin(ctx context.Context, name string) (*experiment.Plugin, error) {
	w.mu.Lock()
	known := w.plugins[name]
	w.mu.Unlock()
	if known != nil && !known.Changed() {
		return known, nil
	}
	kind, own, _ := strings.Cut(name, " ")
	of, ok := map[string]client.Kind{client.Solver.String(): client.Solver, client.Strategy.String(): client.Strategy}[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of plugin %q: want %s or %s", kind, client.Solver, client.Strategy)
	}
	p, err := w.Plugins.Launch(ctx, of, own)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	have, err := experiment.PluginOf(p)
	if err != nil {
		return nil, err
	}
	w.set(func() { w.plugins[name] = &have })
	return &have, nil
}

// do runs a parcel's tasks, publishes the results, and acknowledges the parcel.
func (w *Worker) do(ctx context.Context, m *nats.Msg, wait time.Duration, n int, cores []int) {
	meta, err := m.Metadata()
	if err != nil {
		return
	}
	p, err := parseParcel(m.Data)
	if err != nil {
		w.Log("dropped an invalid task: %v", err)
		m.Term()
		return
	}
	out := &answers{Worker: w.state.Name, Machine: w.state.Machine}
	if meta.NumDelivered > deliveries {
		for i := range p.Tasks {
			out.Answers = append(out.Answers, answer{Content: p.Tasks[i].Content, Error: fmt.Sprintf("in %d attempts the worker was lost or failed to run the task", deliveries)})
		}
	} else if err := w.work(ctx, m, wait, p, n, cores, out); err != nil {
		w.Log("%s: %v", p.Tasks[0].Key, err)
		if !errors.Is(err, errDropped) && !errors.Is(err, errSilent) {
			m.NakWithDelay(time.Second)
		}
		return
	}
	if err := w.give(ctx, m, p, out); err != nil {
		w.Log("%s: its result could not be published: %v", p.Tasks[0].Key, err)
	}
}

// errSilent cancels a task whose process shows no sign of life; the queue redelivers it.
var errSilent = errors.New("its process shows no sign of life; the queue gives the task to another worker")

// work runs the tasks of a parcel in order.
func (w *Worker) work(ctx context.Context, m *nats.Msg, wait time.Duration, p *parcel, n int, cores []int, out *answers) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.set(func() { w.running[p] = cancel })
	defer w.set(func() {
		delete(w.running, p)
		delete(w.doing, n)
	})
	copies := &files.Copies{Dir: p.Dir, Files: map[string]string{}}
	life := &life{}
	end := life.keep(m, wait, func() { cancel(errSilent) })
	defer end()
	for name, f := range p.Files {
		path, err := w.cache.get(ctx, f)
		if err != nil {
			return fmt.Errorf("getting its files: %w", err)
		}
		copies.Files[name] = path
		life.sign()
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		w.set(func() { w.doing[n] = &Doing{Task: t.Key, Command: t.Kind, Since: time.Now().UTC()} })
		var a answer
		if w.answer != nil {
			a = w.answer(t)
		} else {
			a = w.one(ctx, t, copies, n, cores, life)
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		w.set(func() {
			if a.Error == "" {
				w.state.Done++
			} else {
				w.state.Failed++
			}
		})
		out.Answers = append(out.Answers, a)
	}
	return nil
}

// one runs a task in a separate process, and returns the process's output and its cost.
func (w *Worker) one(ctx context.Context, t *task, copies *files.Copies, n int, cores []int, life *life) answer {
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	tooLong := fmt.Errorf("its output has more than %d bytes, the most that a fleet takes from a task", maxAnswer/4)
	say := func(l workers.Line) error {
		life.sign()
		if lines.Len() > maxAnswer/4 {
			return tooLong
		}
		return to.Encode(l)
	}
	show := func(text string) { w.set(func() { w.doing[n].Latest = text[:min(len(text), 200)] }) }
	usage, err := w.Processes.Do(ctx, workers.Assignment{
		Job:   &experiment.Job{Kind: t.Kind, Request: t.Request, Threads: t.Threads, Memory: t.Memory, Clock: t.Clock, Journal: w.JournalFile, Copies: copies},
		Limit: t.Limit, Clock: t.Clock, Cores: cores, Memory: t.Memory, Procs: t.Procs, Started: life.started,
		Say: func(s *workers.Said) {
			if s.Show != "" {
				show(s.Show)
				life.sign()
				return
			}
			say(workers.Line{Said: s})
		},
	}, func(e record.Event) error {
		if e.Kind == record.KindProgress {
			show(fmt.Sprintf("%d found, largest k %d, %d regions open", e.Progress.Found, e.Progress.MaxK, e.Progress.Open))
		}
		return say(workers.Line{Event: e})
	})
	a := answer{Content: t.Content, Lines: lines.String(), Usage: usage}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// give publishes the results and, once the queue has stored them, acknowledges the parcel.
func (w *Worker) give(ctx context.Context, m *nats.Msg, p *parcel, out *answers) error {
	parts, err := pack(out)
	if err != nil {
		for i := range out.Answers {
			out.Answers[i].Lines, out.Answers[i].Error = "", err.Error()
		}
		if parts, err = pack(out); err != nil {
			return err
		}
	}
	attempt := nuid.Next()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for n, part := range parts {
		subject := partSubject(p.Plan, p.ID, attempt, n, len(parts))
		for try := 0; ; try++ {
			m.InProgress() // renew the lease: a large result may take longer than AckWait
			once, end := context.WithTimeout(ctx, oneTry)
			_, err := w.link.js.Publish(once, subject, part, jetstream.WithMsgID(subject), jetstream.WithExpectStream(resultsStream))
			end()
			if err == nil {
				break
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(min(5*time.Second, 100*time.Millisecond<<min(try, 6))):
			}
		}
	}
	return m.Ack() // if it is lost, the task is redelivered and its second result does not count
}

// CacheDir is a worker's default folder for files.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "hyfair", "fleet"), err
}
