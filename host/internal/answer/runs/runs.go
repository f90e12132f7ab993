package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Runs lists the runs of a journal, the newest first.
type Runs struct {
	// The journal's file; absent if there is none yet.
	Journal string `json:"journal,omitempty"`
	// The runs, the newest first.
	Runs []Run `json:"runs"`
	// The number of older runs that --last left out.
	Older int `json:"older,omitempty"`
	// Chosen: the request selected runs by a property.
	Chosen bool `json:"-"`
}

// ListRequest selects runs. An empty string matches every run.
type ListRequest struct {
	// Last is the number of newest runs to list; 0: all.
	Last int `json:"last,omitempty"`
	// Command, Study, Model and State must equal the run's.
	Command string `json:"command,omitempty"`
	Study   string `json:"study,omitempty"`
	Model   string `json:"model,omitempty"`
	State   string `json:"state,omitempty"`
}

// takes reports whether the request selects a run.
func (r *ListRequest) takes(info *journal.Info) bool {
	s := &info.Started
	for _, want := range [][2]string{{r.Command, s.Task.Command}, {r.Study, s.Study}, {r.Model, s.Model}, {r.State, string(info.State)}} {
		if want[0] != "" && want[0] != want[1] {
			return false
		}
	}
	return true
}

// Run is one run of the journal.
type Run struct {
	// The run's name.
	Name string `json:"name"`
	// The command.
	Command string `json:"command"`
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The strategy or solver.
	Arm string `json:"arm"`
	// The run's seed.
	Seed int64 `json:"seed"`
	// The run's --where; absent for the entire space.
	Region string `json:"region,omitempty"`
	// The time of the start.
	Started time.Time `json:"started"`
	// The time of the end; null for a run that has not ended.
	Finished *time.Time `json:"finished"`
	// The state: running, finished, interrupted by the user, failed with an error, or broken off, if its
	// process ended first.
	State string `json:"state"`
	// Wall time of the run so far, in seconds.
	Seconds float64 `json:"seconds"`
	// The number of tasks done, for commands with several.
	Tasks int64 `json:"tasks"`
	// The verdict of certify.
	Verdict string `json:"verdict,omitempty"`
	// For search, the measures by name, null for N/A. For quantify, the shares fair, unfair, undecided,
	// sampled and rows. For a killed run, they are computed from its events.
	Measures map[string]*float64 `json:"measures,omitempty"`
	// The error that ended the run.
	Error string `json:"error,omitempty"`
}

// Details is a run with everything that the journal holds of it except its events.
type Details struct {
	// The journal's file.
	Journal string `json:"journal"`
	Run
	// The SHA-256 of the study.
	StudySHA256 string `json:"study_sha256"`
	// The SHA-256 of the model.
	NetworkSHA256 string `json:"network_sha256"`
	// The settings of the run, by flag; null without any.
	Settings map[string]string `json:"settings"`
	// The names of the entries of every point in the run's events; null without any.
	Features []string `json:"features"`
	// The versions of the program, plugins and libraries; null without any.
	Versions map[string]string `json:"versions"`
	// The machine on which the run was made.
	Machine record.Machine `json:"machine"`
	// The number of events by kind.
	Events map[record.Kind]int64 `json:"events"`
	// The last three replayed pairs, the newest first.
	Witnesses []Witness `json:"witnesses"`
}

// Witness is a replayed pair; the copies are in the order of features.
type Witness struct {
	// The time on the run's clock, in seconds.
	Seconds float64 `json:"seconds"`
	// The task that it belongs to; absent for the run as a whole.
	Task string `json:"task,omitempty"`
	record.Witness
}

// List lists the runs of the journal. Without a journal, it lists none, unless a journal
// was named.
func List(_ context.Context, s *session.Session, r ListRequest) (*Runs, error) {
	if r.Last < 0 {
		return nil, session.Mistake(fmt.Errorf("--last %d: want 0 or more", r.Last))
	}
	if r.State != "" && !slices.Contains(journal.States, journal.State(r.State)) {
		return nil, session.Mistake(fmt.Errorf("--state %q: want one of %q", r.State, journal.States))
	}
	out := &Runs{Runs: []Run{}, Chosen: r != ListRequest{Last: r.Last}}
	err := s.Past(func(j *journal.Journal) error { return out.list(j, &r) })
	if errors.Is(err, fs.ErrNotExist) && s.JournalFile == "" {
		err = nil // nothing was run yet
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (r *Runs) list(j *journal.Journal, asked *ListRequest) error {
	r.Journal = j.Path()
	infos, err := j.Runs()
	infos = slices.DeleteFunc(infos, func(info journal.Info) bool { return !asked.takes(&info) })
	for i := range infos {
		if err != nil {
			break
		}
		if asked.Last > 0 && i == asked.Last {
			r.Older = len(infos) - i
			break
		}
		var run Run
		run, err = describe(j, &infos[i])
		r.Runs = append(r.Runs, run)
	}
	return err
}

// Show describes a run of the journal.
func Show(_ context.Context, s *session.Session, name string) (*Details, error) {
	return past(s, name, details)
}

func details(j *journal.Journal, d *journal.Details) (*Details, error) {
	run, err := describe(j, &d.Info)
	s := &d.Started
	out := &Details{
		Journal: j.Path(), Run: run, StudySHA256: s.Task.Study, NetworkSHA256: s.Task.Network, Settings: s.Task.Settings,
		Features: s.Features, Versions: s.Versions, Machine: s.Machine, Events: d.Events, Witnesses: []Witness{},
	}
	for _, e := range d.Witnesses {
		out.Witnesses = append(out.Witnesses, Witness{e.Seconds, e.Task, *e.Witness})
	}
	return out, err
}

// past reads a run from the journal.
func past[T any](s *session.Session, name string, tell func(*journal.Journal, *journal.Details) (T, error)) (out T, _ error) {
	var none T
	err := s.Past(func(j *journal.Journal) error {
		d, err := j.Show(name)
		if err == nil {
			out, err = tell(j, d)
		}
		return err
	})
	if err != nil {
		return none, err
	}
	return out, nil
}

func describe(j *journal.Journal, info *journal.Info) (Run, error) {
	s := &info.Started
	out := Run{
		Name: info.Name, Command: s.Task.Command, Study: s.Study, Model: s.Model, Arm: s.Task.Arm, Seed: s.Task.Seed, Region: s.Task.Region,
		Started: s.At, State: string(info.State), Seconds: seconds(info), Tasks: info.Tasks, Error: info.Error,
	}
	if !info.Finished.IsZero() {
		out.Finished = &info.Finished
	}
	if info.Verdict != nil {
		out.Verdict = info.Verdict.Verdict
	}
	var err error
	out.Measures, err = measures(j, info)
	return out, err
}

// measures returns the measures that the run recorded at its end, or those of its events if
// it was killed before.
func measures(j *journal.Journal, info *journal.Info) (map[string]*float64, error) {
	switch command := info.Started.Task.Command; {
	case info.Measures != nil:
		return info.Measures, nil
	case command == "search":
		maker, err := made(j, info.Name)
		return maker.Measures(), err
	case command == "quantify":
		known, err := lastShares(j, info.Name)
		return known.Measures(), err
	}
	return nil, nil
}

// Document shows the list.
func (r *Runs) Document() *view.Document {
	switch {
	case len(r.Runs) == 0 && r.Chosen:
		return view.Of(view.Paragraph{"No run matches; hyfair runs lists all."})
	case len(r.Runs) == 0:
		return view.Of(view.Paragraph{"No runs yet: search, certify and quantify keep theirs."})
	}
	t := &view.Table{Plain: true}
	for _, title := range []string{"RUN", "COMMAND", "STUDY", "MODEL", "STARTED", "STATE", "SECONDS", ""} {
		t.Columns = append(t.Columns, view.Column{Title: title})
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		t.Add(run.Name, run.Command, run.Study, run.Model, run.Started.Local().Format(time.DateTime), run.State,
			view.Number(&run.Seconds, 1), run.headline())
	}
	d := view.Of(t)
	if r.Older > 0 {
		d.Say("%s older runs are not shown: --last 0 lists all.", view.Count(r.Older))
	}
	return d
}

// headlines are the measures that tell most, the most telling first.
var headlines = []string{"Max.K", "#ID", "T.1st", "unfair", "positive", "undecided"}

// measure formats a measure, given by name: a share for quantify.
func (r *Run) measure(name string) string {
	if v := r.Measures[name]; r.Command == "quantify" && v != nil {
		return view.Share(*v)
	}
	return view.Measure(r.Measures[name])
}

// headline is a run's result in a few words.
func (r *Run) headline() string {
	var words []string
	if r.Verdict != "" {
		words = append(words, r.Verdict)
	}
	for _, name := range headlines {
		if v := r.Measures[name]; v != nil {
			words = append(words, name+" "+r.measure(name))
		}
	}
	if r.Tasks > 0 {
		words = append(words, fmt.Sprintf("%d tasks", r.Tasks))
	}
	if r.Error != "" {
		words = append(words, view.FirstLine(r.Error))
	}
	return strings.Join(words, ", ")
}

// Document shows the run.
func (d *Details) Document() *view.Document {
	f := &view.Facts{}
	f.Add("run", d.Name)
	f.Add("command", d.Command)
	f.Add("study", d.Study+", SHA-256 "+d.StudySHA256)
	f.Add("model", d.Model+", SHA-256 "+d.NetworkSHA256)
	f.Add("arm", d.Arm)
	f.Add("seed", strconv.FormatInt(d.Seed, 10))
	if d.Region != "" {
		f.Add("where", d.Region)
	}
	f.Add("started", d.Started.Local().Format(time.DateTime))
	f.Add("state", fmt.Sprintf("%s after %s", d.State, view.Seconds(d.Seconds)))
	if d.Error != "" {
		f.Add("error", d.Error)
	}
	f.Add("machine", d.Machine.String())
	for _, name := range slices.Sorted(maps.Keys(d.Versions)) {
		f.Add("version of "+name, d.Versions[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Settings)) {
		f.Add("setting "+name, d.Settings[name])
	}
	if d.Tasks > 0 {
		f.Add("tasks done", strconv.FormatInt(d.Tasks, 10))
	}
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(d.Events)) {
		counts = append(counts, fmt.Sprintf("%d %s", d.Events[kind], kind))
	}
	f.Add("events", strings.Join(counts, ", "))
	if d.Verdict != "" {
		f.Add("verdict", d.Verdict)
	}
	for _, name := range measureNames(d.Measures) {
		f.Add(name, d.measure(name))
	}
	for _, witness := range d.Witnesses {
		f.Add("witness", fmt.Sprintf("margin %.6g, scores %s and %s, k = %d", witness.Margin, view.Score(witness.Score1), view.Score(witness.Score2), witness.K))
		f.Add("", vector(d.Features, witness.Copy1))
		f.Add("", vector(d.Features, witness.Copy2))
	}
	return view.Of(f)
}

// measureNames returns the tables' columns in their order, then others by name.
func measureNames(measures map[string]*float64) []string {
	var known, others []string
	for _, name := range search.Names {
		if _, ok := measures[name]; ok {
			known = append(known, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(measures)) {
		if !slices.Contains(known, name) {
			others = append(others, name)
		}
	}
	return append(known, others...)
}

// vector shows a point by its features' names.
func vector(features []string, x []float64) string {
	words := make([]string, len(x))
	for i, v := range x {
		text, _ := json.Marshal(v) // the shortest decimal; the journal holds finite numbers only
		words[i] = string(text)
		if i < len(features) {
			words[i] = features[i] + "=" + words[i]
		}
	}
	return strings.Join(words, " ")
}

// DeleteRequest asks for runs to be deleted; with Force also those that a process is
// writing.
type DeleteRequest struct {
	Runs  []string `json:"runs"`
	Force bool     `json:"force,omitempty"`
}

// Deleted names runs that were deleted.
type Deleted struct {
	// The names of the deleted runs.
	Deleted []string `json:"deleted"`
}

// Document shows the names.
func (d *Deleted) Document() *view.Document {
	var lines view.Paragraph
	for _, name := range d.Deleted {
		lines = append(lines, "deleted "+name)
	}
	return view.Of(lines)
}

// Delete deletes all runs, or none if one of them is unknown or, without Force, being written.
func Delete(_ context.Context, s *session.Session, r DeleteRequest) (*Deleted, error) {
	out := &Deleted{Deleted: []string{}}
	if err := s.Past(func(j *journal.Journal) error { return out.delete(j, &r) }); err != nil {
		return nil, err
	}
	return out, nil
}

func (out *Deleted) delete(j *journal.Journal, r *DeleteRequest) error {
	for _, name := range r.Runs {
		d, err := j.Show(name)
		if err != nil {
			return err
		}
		if d.State == journal.Running && !r.Force {
			return fmt.Errorf("run %s: %w; --force deletes it anyway", d.Name, journal.ErrLive)
		}
		if !slices.Contains(out.Deleted, d.Name) {
			out.Deleted = append(out.Deleted, d.Name)
		}
	}
	for _, name := range out.Deleted {
		if _, err := j.Delete(name, r.Force); err != nil {
			return err
		}
	}
	return nil
}
