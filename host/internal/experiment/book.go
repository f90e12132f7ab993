package experiment

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

// Beginning selects which earlier results an experiment uses.
type Beginning struct {
	// Resume continues the interrupted run of the same plan, and fails if there is none; Fresh
	// repeats all tasks. With neither, results of any earlier run are reused.
	Resume, Fresh bool
	// Reuse are further journals whose results are reused.
	Reuse []string
}

// errNothingOpen is the error of Resume if no interrupted run has the same plan.
var errNothingOpen = errors.New("no interrupted run has the same arms, networks, rules and versions: leave --resume out to begin a new run")

// Kept describes where an experiment's results are stored, and whether all tasks were done.
type Kept struct {
	Source
	Interrupted bool
	// origins are the results of other runs, by task; own are the run's own tasks, in the order
	// in which they were done.
	origins map[string]*journal.Origin
	own     []string
}

// In copies k into a table's parts.
func (k Kept) In(h *Head, c *Conditions, interrupted *bool) {
	h.Source = k.Source
	h.Tidy.Keep(k)
	c.keep(k)
	*interrupted = k.Interrupted
}

// Taken counts the results reused from one run.
type Taken struct {
	journal.Origin
	// The number of results.
	Tasks int `json:"tasks"`
}

// book stores results: in a run of the journal, or in memory if the journal cannot be
// written.
type book struct {
	record.Store
	Kept
	frame  *Frame
	finish func(record.Finished) error
	// run is nil if results are kept in memory. known are the journals whose results are reused,
	// the run's own first; empty with Fresh.
	run   *journal.Run
	known []*journal.Journal
	paths []string // the paths of known[1:], as the user named them
	// contents are the tasks' content digests, by key.
	contents map[string]string
	// mu guards tasks and made, both by key. made holds the costs of tasks done elsewhere.
	mu    sync.Mutex
	tasks map[string]known
	made  map[string]workers.Usage
	close func() error
}

// open begins a run, or resumes an interrupted one of the same plan.
func open(s *session.Session, f *Frame, how Beginning) (*book, error) {
	started, err := f.started(s.Shard)
	if err != nil {
		return nil, err
	}
	j, err := s.Journal()
	if err != nil {
		return nil, err
	}
	b := &book{frame: f, Kept: Kept{Source: Source{Machine: &started.Machine}}, contents: map[string]string{}, tasks: map[string]known{}, made: map[string]workers.Usage{}, close: func() error { return nil }}
	if !how.Fresh && j != nil {
		if err := b.reuse(j, how.Reuse); err != nil {
			return nil, err
		}
	}
	if j == nil {
		if how.Resume {
			return nil, session.Mistake(errors.New("the journal cannot be opened, so no run can be resumed: name another with --journal"))
		}
		b.Store, b.finish = &Memory{}, func(record.Finished) error { return nil }
		return b, nil
	}
	var broken []journal.Info
	if !how.Fresh {
		broken, err = j.Unfinished(started.Task) // the newest first
	}
	switch {
	case err != nil:
	case len(broken) > 0:
		b.run, err = j.Resume(broken[0].Name)
	case how.Resume:
		err = session.Mistake(errors.Join(fmt.Errorf("journal %s: %w", j.Path(), errNothingOpen), other(j, started.Task)))
	default:
		b.run, err = j.Begin(started)
	}
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	b.Store, b.finish, b.Run, b.Journal = b.run, b.run.Finish, b.run.Name(), j.Path()
	switch {
	case how.Fresh:
	case len(broken) > 0:
		done, all := 0, f.tasks()
		for _, t := range all {
			if _, _, ok := b.run.Done(t.key); ok {
				done++
			}
		}
		s.Note("resuming run %s, %d of %d tasks done; --fresh repeats them", b.run.Name(), done, len(all))
	default:
		if why := other(j, started.Task); why != nil {
			s.Note("%v", why)
		}
	}
	return b, nil
}

// other returns an error that names an interrupted run whose plan differs only in content,
// such as a changed file; nil if there is none.
func other(j *journal.Journal, t record.Task) error {
	infos, err := j.Runs()
	if err != nil {
		return nil // opening the run will report it
	}
	for i := range infos {
		switch o := &infos[i].Started.Task; {
		case infos[i].State == journal.Finished || infos[i].State == journal.Running:
		case o.Command != t.Command || o.Study != t.Study || o.Network != t.Network || o.Arm != t.Arm || o.Seed != t.Seed || o.Region != t.Region:
		default:
			if what := changes(*o, t); what != "" {
				return fmt.Errorf("run %s was interrupted and cannot be resumed, because these have changed since: %s", infos[i].Name, what)
			}
			return nil
		}
	}
	return nil
}

// reuse opens the journals whose results count.
func (b *book) reuse(own *journal.Journal, more []string) error {
	b.known = []*journal.Journal{own}
	b.close = func() (err error) {
		for _, j := range b.known[1:] {
			err = errors.Join(err, j.Close())
		}
		return err
	}
	for _, path := range more {
		j, err := journal.OpenReadable(path)
		if err != nil {
			return errors.Join(session.Mistake(fmt.Errorf("--reuse: %w", err)), b.close())
		}
		b.known, b.paths = append(b.known, j), append(b.paths, path)
	}
	return nil
}

// within names the set of tasks whose results must come from equal processors: the task's cell,
// or the entire experiment under a time budget, in which a faster processor does more.
func (b *book) within(t Task) string {
	if b.frame.Limit() > 0 {
		return ""
	}
	return cmp.Or(t.Cell, t.Key)
}

// prepare adopts reusable results of other runs, and keeps the tasks' content digests. apart
// lists the machines that differ from this one, so that their results were rejected.
func (b *book) prepare(tasks []Task) (apart []record.Machine, err error) {
	cells, size := map[string][]Task{}, map[string]int{}
	var order []string
	for _, t := range tasks {
		if t.Asked == nil {
			continue
		}
		if b.contents[t.Key], err = b.frame.content(t.Asked, t.Plugins); err != nil {
			return nil, err
		}
		cell := b.within(t)
		size[cell]++
		if _, _, done := b.Done(t.Key); done {
			continue
		}
		if cells[cell] == nil {
			order = append(order, cell)
		}
		cells[cell] = append(cells[cell], t)
	}
	if len(b.known) == 0 {
		return nil, nil
	}
	for _, cell := range order {
		open := cells[cell]
		done, left, err := b.elsewhere(open, len(open) < size[cell])
		if err == nil && len(done) > 0 {
			err = b.run.Take(done...)
		}
		if err != nil {
			return nil, err
		}
		for _, m := range left {
			if !slices.ContainsFunc(apart, m.Same) {
				apart = append(apart, m)
			}
		}
	}
	return apart, nil
}

// elsewhere finds results of a cell's tasks that other runs made on equal machines. If no task
// of the cell was done here and a journal was named with Reuse, it accepts the results of one
// other kind of machine if they cover the cell. left lists machines whose results were rejected.
func (b *book) elsewhere(tasks []Task, begun bool) (done []journal.Done, left []record.Machine, err error) {
	var machines []record.Machine
	found := make([][]journal.Done, len(tasks))
	for i, t := range tasks {
		for n, j := range b.known {
			known, err := j.Known(b.contents[t.Key])
			if err != nil {
				return nil, nil, err
			}
			for _, d := range known {
				if n > 0 {
					d.Origin.Journal = b.paths[n-1]
				}
				if m := d.Origin.Machine; !slices.ContainsFunc(machines, m.Same) {
					machines = append(machines, m)
				}
				d.Key = t.Key
				found[i] = append(found[i], d)
			}
		}
	}
	on := func(m record.Machine) (done []journal.Done) {
		for _, known := range found {
			if i := slices.IndexFunc(known, func(d journal.Done) bool { return m.Same(d.Origin.Machine) }); i >= 0 {
				done = append(done, known[i])
			}
		}
		return done
	}
	here := session.Machine()
	left = slices.DeleteFunc(slices.Clone(machines), here.Same)
	if done = on(here); len(done) == len(tasks) {
		return done, nil, nil
	}
	if len(done) > 0 || begun || len(b.known) == 1 {
		return done, left, nil
	}
	for _, m := range machines {
		if done = on(m); len(done) == len(tasks) {
			return done, nil, nil
		}
	}
	return nil, left, nil
}

// Complete stores a task's result with its content digest.
func (b *book) Complete(key string, result any, seconds float64, events ...record.Event) error {
	b.mu.Lock()
	usage, elsewhere := b.made[key]
	b.mu.Unlock()
	var origin *journal.Origin
	if elsewhere {
		origin, seconds = &journal.Origin{Run: b.Run, Machine: *usage.Machine}, usage.Wall.Seconds()
	}
	if b.run == nil {
		return b.Store.Complete(key, result, seconds, events...)
	}
	return b.run.CompleteAs(journal.Done{Key: key, Seconds: seconds, Content: b.contents[key], Origin: origin}, result, events...)
}

// take lists the run's own tasks, and the results of other runs with their origins and numbers.
func (k *Kept) take(tasks func(visit func(journal.Done) error) error) error {
	k.origins = map[string]*journal.Origin{}
	return tasks(func(d journal.Done) error {
		if d.Origin == nil {
			k.own = append(k.own, d.Key)
			return nil
		}
		k.origins[d.Key] = d.Origin
		i := slices.IndexFunc(k.Taken, func(t Taken) bool {
			return t.Run == d.Origin.Run && t.Journal == d.Origin.Journal && t.Machine == d.Origin.Machine
		})
		if i < 0 {
			i, k.Taken = len(k.Taken), append(k.Taken, Taken{Origin: *d.Origin})
		}
		k.Taken[i].Tasks++
		return nil
	})
}

// started returns the run's first event in the journal.
func (f *Frame) started(shard record.Shard) (record.Started, error) {
	t, err := f.Task()
	if shard.Of > 0 && err == nil {
		t.Settings[record.ShardSetting], t.Settings[record.TasksSetting] = shard.String(), strconv.Itoa(len(f.tasks())+f.Others)
	}
	out := record.Started{Task: t, At: time.Now().UTC(), Versions: map[string]string{"hyfair": session.Build()}, Machine: session.Machine()}
	if out.Study = f.Called; f.Called == "" {
		for _, s := range f.Subjects {
			if !slices.Contains(strings.Split(out.Study, ","), s.Study) {
				out.Study = strings.TrimPrefix(out.Study+","+s.Study, ",")
			}
			out.Model = strings.TrimPrefix(out.Model+","+s.Model, ",")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.Plugins)) {
		p := f.Plugins[key]
		out.Versions[key] = p.Version
		if p.Library != "" {
			out.Versions["library of "+p.Name] = p.Library
		}
	}
	return out, err
}

// Memory keeps results in memory. Safe for concurrent use.
type Memory struct {
	mu   sync.Mutex
	done map[string]journal.Done
}

// Done implements record.Store.
func (m *Memory) Done(key string) ([]byte, float64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.done[key]
	return d.Result, d.Seconds, ok
}

// Complete implements record.Store.
func (m *Memory) Complete(key string, result any, seconds float64, _ ...record.Event) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return m.take(journal.Done{Key: key, Result: text, Seconds: seconds})
}

// take stores a result.
func (m *Memory) take(d journal.Done) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done == nil {
		m.done = map[string]journal.Done{}
	}
	m.done[d.Key] = d
	return nil
}
