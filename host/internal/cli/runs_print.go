package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

// runsJSON is the JSON object of hyfair runs.
type runsJSON struct {
	// Journal is absent where there is none yet.
	Journal string    `json:"journal,omitempty"`
	Runs    []runJSON `json:"runs"`
}

// runJSON is one run as runs lists it.
type runJSON struct {
	Name     string              `json:"name"`
	Command  string              `json:"command"`
	Study    string              `json:"study"`
	Model    string              `json:"model"`
	Arm      string              `json:"arm"`
	Seed     int64               `json:"seed"`
	Region   string              `json:"region,omitempty"`
	Started  time.Time           `json:"started"`
	Finished *time.Time          `json:"finished"`
	State    string              `json:"state"`
	Seconds  float64             `json:"seconds"`
	Tasks    int64               `json:"tasks"`
	Verdict  string              `json:"verdict,omitempty"`
	Measures map[string]*float64 `json:"measures,omitempty"`
	Error    string              `json:"error,omitempty"`
}

// runDetailsJSON is the JSON object of hyfair runs show.
type runDetailsJSON struct {
	Journal string `json:"journal"`
	runJSON
	StudySHA256   string            `json:"study_sha256"`
	NetworkSHA256 string            `json:"network_sha256"`
	Settings      map[string]string `json:"settings"`
	Features      []string          `json:"features"`
	Versions      map[string]string `json:"versions"`
	Machine       record.Machine    `json:"machine"`
	// Events counts them by kind.
	Events    map[record.Kind]int64 `json:"events"`
	Witnesses []witnessJSON         `json:"witnesses"`
}

// witnessJSON is a replayed pair; the copies are in the order of features.
type witnessJSON struct {
	Seconds float64 `json:"seconds"`
	Task    string  `json:"task,omitempty"`
	record.Witness
}

// deletedJSON is the JSON object of hyfair runs delete.
type deletedJSON struct {
	Deleted []string `json:"deleted"`
}

func (d *deletedJSON) add(name string) {
	if !slices.Contains(d.Deleted, name) {
		d.Deleted = append(d.Deleted, name)
	}
}

func describeRun(j *journal.Journal, info *journal.Info) (runJSON, error) {
	s := &info.Started
	out := runJSON{
		Name: info.Name, Command: s.Task.Command, Study: s.Study, Model: s.Model, Arm: s.Task.Arm, Seed: s.Task.Seed, Region: s.Task.Region,
		Started: s.At, State: string(info.State), Seconds: runSeconds(info), Tasks: info.Tasks, Error: info.Error,
	}
	if !info.Finished.IsZero() {
		out.Finished = &info.Finished
	}
	if info.Verdict != nil {
		out.Verdict = info.Verdict.Verdict
	}
	var err error
	out.Measures, err = measuresOf(j, info)
	return out, err
}

func describeDetails(j *journal.Journal, d *journal.Details) (runDetailsJSON, error) {
	run, err := describeRun(j, &d.Info)
	s := &d.Started
	out := runDetailsJSON{
		Journal: j.Path(), runJSON: run, StudySHA256: s.Task.Study, NetworkSHA256: s.Task.Network, Settings: s.Task.Settings,
		Features: s.Features, Versions: s.Versions, Machine: s.Machine, Events: d.Events, Witnesses: []witnessJSON{},
	}
	for _, e := range d.Witnesses {
		out.Witnesses = append(out.Witnesses, witnessJSON{e.Seconds, e.Task, *e.Witness})
	}
	return out, err
}

func (a *App) printRuns(list runsJSON) error {
	if a.JSON {
		return a.printJSON(list)
	}
	if len(list.Runs) == 0 {
		fmt.Fprintln(a.Stdout, "No runs yet: search, certify and quantify keep theirs.")
		return nil
	}
	t := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RUN\tCOMMAND\tSTUDY\tMODEL\tSTARTED\tSTATE\tSECONDS\t")
	for i := range list.Runs {
		r := &list.Runs[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%s\n", r.Name, r.Command, r.Study, r.Model,
			r.Started.Local().Format(time.DateTime), r.State, r.Seconds, r.headline())
	}
	return t.Flush()
}

// headlines are the measures that tell most, the most telling first.
var headlines = []string{"Max.K", "#ID", "T.1st", "unfair", "undecided"}

// measure is one as people read it.
func (r *runJSON) measure(name string) string {
	if v := r.Measures[name]; r.Command == "quantify" && v != nil {
		return view.Share(*v)
	}
	return view.Measure(r.Measures[name])
}

// headline is what came of a run, in a few words.
func (r *runJSON) headline() string {
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
		words = append(words, r.Error)
	}
	return strings.Join(words, ", ")
}

// print shows a run to a person.
func (d *runDetailsJSON) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name string, value any) { fmt.Fprintf(t, "%s\t%v\n", name, value) }
	line("run", d.Name)
	line("command", d.Command)
	line("study", d.Study+", SHA-256 "+d.StudySHA256)
	line("model", d.Model+", SHA-256 "+d.NetworkSHA256)
	line("arm", d.Arm)
	line("seed", d.Seed)
	if d.Region != "" {
		line("where", d.Region)
	}
	line("started", d.Started.Local().Format(time.DateTime))
	line("state", fmt.Sprintf("%s after %s", d.State, view.Seconds(d.Seconds)))
	if d.Error != "" {
		line("error", d.Error)
	}
	line("machine", fmt.Sprintf("%s/%s, %d CPUs", d.Machine.OS, d.Machine.Arch, d.Machine.CPUs))
	for _, name := range slices.Sorted(maps.Keys(d.Versions)) {
		line("version of "+name, d.Versions[name])
	}
	for _, name := range slices.Sorted(maps.Keys(d.Settings)) {
		line("setting "+name, d.Settings[name])
	}
	if d.Tasks > 0 {
		line("tasks done", d.Tasks)
	}
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(d.Events)) {
		counts = append(counts, fmt.Sprintf("%d %s", d.Events[kind], kind))
	}
	line("events", strings.Join(counts, ", "))
	if d.Verdict != "" {
		line("verdict", d.Verdict)
	}
	for _, name := range measureNames(d.Measures) {
		line(name, d.measure(name))
	}
	for _, witness := range d.Witnesses {
		line("witness", fmt.Sprintf("margin %.6g, scores %.4f and %.4f, k = %d", witness.Margin, witness.Score1, witness.Score2, witness.K))
		line("", vector(d.Features, witness.Copy1))
		line("", vector(d.Features, witness.Copy2))
	}
	return t.Flush()
}

// measureNames are the tables' columns in their order, then others by name.
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
		text, _ := json.Marshal(v) // the shortest decimal; the journal holds none that is not finite
		words[i] = string(text)
		if i < len(features) {
			words[i] = features[i] + "=" + words[i]
		}
	}
	return strings.Join(words, " ")
}
