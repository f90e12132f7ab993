package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// MergeRequest asks for journals to be merged into one.
type MergeRequest struct {
	Journals []string `json:"journals"`
	Into     string   `json:"into"`
}

// Merged describes the result of a merge.
type Merged struct {
	// The journal of --into.
	Journal string `json:"journal"`
	// The runs that have tasks.
	Runs []MergedRun `json:"runs"`
	// The names of the runs that were copied unchanged.
	Copied []string `json:"copied"`
}

// MergedRun is a run merged from runs of several journals.
type MergedRun struct {
	// The run's name.
	Name string `json:"name"`
	// The run's command.
	Command string `json:"command"`
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The state: finished if every task is done, or a run without shards was finished; failed if all others
	// failed; else interrupted.
	State string `json:"state"`
	// The shards that were merged now, such as "3/20", in order.
	Shards []string `json:"shards,omitempty"`
	// The number of tasks done.
	Tasks int64 `json:"tasks"`
	// The number of tasks added now.
	New int64 `json:"new"`
	// The number of all tasks; absent if no shard has it.
	Of int64 `json:"of,omitempty"`
}

// Merge merges all runs of several journals into one journal. Runs of the same tasks, such
// as the shards of an experiment, become one run; if two of them differ in the result of a
// task, nothing is written. All other runs are copied.
func Merge(_ context.Context, s *session.Session, r MergeRequest) (out *Merged, err error) {
	switch {
	case r.Into == "":
		return nil, session.Mistake(errors.New("--into is required: the journal to write"))
	case len(r.Journals) == 0:
		return nil, session.Mistake(errors.New("no journal to merge: name at least one"))
	}
	m := &merger{session: s, seen: map[string]map[string]seen{}}
	defer func() {
		for _, j := range m.from {
			err = errors.Join(err, j.Close())
		}
	}()
	into, _ := os.Stat(r.Into)
	for _, path := range r.Journals {
		if info, err := os.Stat(path); err == nil && into != nil && os.SameFile(info, into) {
			return nil, session.Mistake(fmt.Errorf("--into %s is one of the journals to merge: name another file", r.Into))
		}
		j, err := journal.OpenReadable(path)
		if err != nil {
			return nil, session.Mistake(err)
		}
		m.from = append(m.from, j)
	}
	// Everything is checked before anything is written.
	if into != nil {
		if m.into, err = journal.OpenExisting(r.Into); err != nil {
			return nil, session.Mistake(fmt.Errorf("--into: %w", err))
		}
	}
	if err = m.look(); err == nil && m.into == nil {
		if m.into, err = journal.Open(r.Into); err != nil {
			err = session.Mistake(fmt.Errorf("--into: %w", err))
		}
	}
	if m.into != nil {
		defer func() { err = errors.Join(err, m.into.Close()) }()
	}
	if err != nil {
		return nil, err
	}
	return m.write(r.Into)
}

// merger is a merge under way.
type merger struct {
	session *session.Session
	from    []*journal.Journal
	into    *journal.Journal // nil until it exists
	// groups are runs of the same tasks, in their order; singles are all others.
	groups  []*group
	singles []part
	// seen has the results of tasks, by group and key.
	seen map[string]map[string]seen
}

// group has the runs of the same tasks.
type group struct {
	id    string
	parts []part
}

// part is a run in a journal.
type part struct {
	journal.Info
	in *journal.Journal
}

// seen is a checked result: its hash and its place.
type seen struct {
	sum string
	in  *journal.Journal
	run string
}

// look groups the runs, and returns an error if a task has two different results.
func (m *merger) look() error {
	var wrong []error
	for _, j := range m.from {
		infos, err := j.Runs() // the newest first: within one journal the last result counts
		if err != nil {
			return err
		}
		for _, info := range infos {
			_, sharded := info.Started.Task.Settings[record.ShardSetting]
			if info.Tasks == 0 && !sharded {
				if m.singles = append(m.singles, part{info, j}); info.State == journal.Running {
					m.session.Note("run %s of %s is being written: it is left out", info.Name, j.Path())
				}
				continue
			}
			id := info.Started.Task.Whole().ID()
			at := slices.IndexFunc(m.groups, func(g *group) bool { return g.id == id })
			if at < 0 {
				at, m.groups = len(m.groups), append(m.groups, &group{id: id})
			}
			g := m.groups[at]
			g.parts = append(g.parts, part{info, j})
		}
	}
	for _, g := range m.groups {
		parts := g.parts
		if m.into != nil {
			known, err := m.into.Same(parts[0].Started.Task)
			if err != nil {
				return err
			}
			if len(known) > 0 {
				parts = append([]part{{known[0], m.into}}, parts...)
			}
		}
		if len(parts) == 1 {
			continue
		}
		for _, p := range parts {
			if err := m.compare(g.id, p, &wrong); err != nil {
				return err
			}
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	told := wrong[:min(len(wrong), mostTold)]
	return errors.Join(append(told, fmt.Errorf("%s two results: nothing was merged; leave one of the journals out, or delete a run of it (hyfair runs delete)", english.Plural(len(wrong), "task has", "tasks have")))...)
}

// mostTold is the largest number of tasks with two results that are named.
const mostTold = 20

// compare checks a run's results against those of the same tasks in other journals. It appends
// an error to wrong for each difference, up to a limit, then nil.
func (m *merger) compare(group string, p part, wrong *[]error) error {
	known := m.seen[group]
	if known == nil {
		known = map[string]seen{}
		m.seen[group] = known
	}
	return p.in.Tasks(p.Name, func(d journal.Done) error {
		if record.IsFailure(d.Key) {
			return nil
		}
		essence, err := record.Essence(d.Result)
		if err != nil {
			return fmt.Errorf("journal %s, run %s, task %s: %w", p.in.Path(), p.Name, d.Key, err)
		}
		now := seen{record.Hash(essence), p.in, p.Name}
		switch before, ok := known[d.Key]; {
		case !ok:
			known[d.Key] = now
		case before.sum != now.sum && before.in != p.in:
			var told error
			if len(*wrong) < mostTold { // naming the differences reads the journal again
				told = fmt.Errorf("task %s: %s (run %s) and %s (run %s) differ in %s",
					d.Key, before.in.Path(), before.run, p.in.Path(), p.Name, strings.Join(before.differences(d), "; "))
			}
			*wrong = append(*wrong, told)
		}
		return nil
	})
}

// differences lists how a result differs from the one seen before.
func (s *seen) differences(d journal.Done) []string {
	var out []string
	s.in.Tasks(s.run, func(other journal.Done) error { // after an error there are no fields to name
		if other.Key == d.Key {
			out = record.Differences(other.Result, d.Result)
		}
		return nil
	})
	return out
}

// write writes the merged journal.
func (m *merger) write(path string) (*Merged, error) {
	out := &Merged{Journal: path, Runs: []MergedRun{}, Copied: []string{}}
	for _, p := range slices.Backward(m.singles) {
		if p.State == journal.Running {
			continue
		}
		copied, err := m.into.Copy(p.in, p.Name)
		if err != nil {
			return nil, err
		}
		if copied {
			out.Copied = append(out.Copied, p.Name)
		}
	}
	for _, g := range m.groups {
		run, err := m.join(g)
		if err != nil {
			return nil, err
		}
		out.Runs = append(out.Runs, *run)
	}
	m.apart()
	return out, nil
}

// join makes one run of a group, or resumes the existing one.
func (m *merger) join(g *group) (*MergedRun, error) {
	first := g.parts[0].Started
	for _, p := range g.parts {
		if p.Started.At.Before(first.At) {
			first = p.Started
		}
	}
	known, err := m.into.Same(first.Task)
	if err != nil {
		return nil, err
	}
	var run *journal.Run
	if len(known) > 0 {
		run, err = m.into.Resume(known[0].Name)
	} else {
		machine := first.Task.Settings[record.MachineSetting]
		if first.Task = first.Task.Whole(); machine != "" {
			first.Task.Settings[record.MachineSetting] = machine
		}
		run, err = m.into.Begin(first)
	}
	if err != nil {
		return nil, err
	}
	out := &MergedRun{Name: run.Name(), Command: first.Task.Command, Study: first.Study, Model: first.Model}
	// A finished shard does not complete the run.
	whole := len(known) > 0 && known[0].State == journal.Finished && known[0].Started.Task.Settings[record.ShardSetting] == ""
	for _, p := range g.parts {
		n, err := run.Join(p.in, p.Name)
		if err != nil {
			return nil, err
		}
		out.New += n
		settings := p.Started.Task.Settings
		if of, err := strconv.ParseInt(settings[record.TasksSetting], 10, 64); err == nil {
			out.Of = of
		}
		if shard := settings[record.ShardSetting]; shard != "" && !slices.Contains(out.Shards, shard) {
			out.Shards = append(out.Shards, shard)
		}
		whole = whole || settings[record.ShardSetting] == "" && p.State == journal.Finished
	}
	slices.SortFunc(out.Shards, func(a, b string) int {
		x, _ := record.ParseShard(a)
		y, _ := record.ParseShard(b)
		return cmp.Or(cmp.Compare(x.Of, y.Of), cmp.Compare(x.Part, y.Part))
	})
	done, failed := map[string]bool{}, map[string]bool{}
	if err := run.Tasks(func(d journal.Done) error {
		if task, ok := record.FailureOf(d.Key); ok {
			failed[task] = true
		} else {
			done[d.Key] = true
		}
		return nil
	}); err != nil {
		return nil, err
	}
	maps.DeleteFunc(failed, func(task string, _ bool) bool { return done[task] })
	out.Tasks = int64(len(done))
	end, state := record.Finished{}, journal.Finished
	switch {
	case whole || out.Of > 0 && out.Tasks >= out.Of:
	case out.Of > 0 && out.Tasks+int64(len(failed)) >= out.Of: // as on one machine
		state = journal.Failed
		end.Error = fmt.Sprintf("%d of %d tasks failed; the same command tries them again", len(failed), out.Of)
	default:
		end.Interrupted, state = true, journal.Interrupted
	}
	if err := run.Finish(end); err != nil {
		return nil, err
	}
	out.State = string(state)
	return out, nil
}

// apart notes groups with the same question under different versions or files.
func (m *merger) apart() {
	for i, g := range m.groups {
		for _, o := range m.groups[:i] {
			a, b := g.parts[0].Started.Task.Whole(), o.parts[0].Started.Task.Whole()
			var differ []string
			for name, value := range a.Settings {
				if b.Settings[name] != value {
					differ = append(differ, name)
				}
			}
			same := a
			if same.Settings = b.Settings; same.ID() == b.ID() && len(differ) > 0 {
				slices.Sort(differ)
				m.session.Note("%s of %s and %s of %s are kept apart: they differ in %s",
					o.parts[0].Name, o.parts[0].in.Path(), g.parts[0].Name, g.parts[0].in.Path(), strings.Join(differ, ", "))
			}
		}
	}
}

// Document shows the runs.
func (m *Merged) Document() *view.Document {
	t := &view.Table{Plain: true}
	for _, title := range []string{"RUN", "COMMAND", "STUDY", "MODEL", "SHARDS", "STATE", "TASKS", "NEW"} {
		t.Columns = append(t.Columns, view.Column{Title: title})
	}
	for i := range m.Runs {
		r := &m.Runs[i]
		tasks := strconv.FormatInt(r.Tasks, 10)
		if r.Of > 0 {
			tasks += " of " + strconv.FormatInt(r.Of, 10)
		}
		t.Add(r.Name, r.Command, r.Study, r.Model, strings.Join(r.Shards, ", "), r.State, tasks, strconv.FormatInt(r.New, 10))
	}
	d := view.Of()
	if len(m.Runs) > 0 {
		d.Add(t)
	}
	if n := len(m.Copied); n > 0 || len(m.Runs) == 0 {
		d.Add(view.Paragraph{english.Plural(n, "other run was", "other runs were") + " copied unchanged"})
	}
	return d
}
