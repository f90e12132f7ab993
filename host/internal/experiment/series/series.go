// Package series puts the same request to several networks, each in a separate process. A Kind
// defines the request (an explanation, a mitigation) and the table of the answers. Each kind has
// its own file.
package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Kind is a kind of request, with its answer.
type Kind[Q, R any] struct {
	// Command is the command of hyfair that answers the request for one network.
	Command string
	// Spec returns the part of a request that names its network.
	Spec func(*Q) *question.Spec
	// Uses returns the names of a request's strategy and solver, as in search.Request.
	Uses func(*Q) (strategy, solver string)
	// Asked returns a request's outcomes in words, with the network's ε, its budget and its seed.
	Asked func(q *Q, epsilon string) (outcomes, budget string, seed int64)
	// Writes, if not nil, reports whether a request writes files. Such a request runs again even if
	// another run has its result.
	Writes func(*Q) bool
	// Rows returns an answer as data, in one row or several.
	Rows func(*R) []view.Record
	// Table returns the table of all answers.
	Table func(p *Plan[Q, R], cells []Cell[R]) experiment.Table
}

// Plan is a series with all settings resolved. Equal plans are the same series, wherever their
// files are stored.
type Plan[Q, R any] struct {
	*Kind[Q, R] `json:"-"`
	Name        string `json:"name,omitempty"`
	// Requests name files by checksum only; sources are the same requests with this machine's paths.
	Requests []Q `json:"requests"`
	// Networks identify the requests, in the same order.
	Networks []Network `json:"networks"`
	Seed     int64     `json:"seed"`
	Threads  int       `json:"threads"`
	Memory   int64     `json:"memory,omitempty"`
	Jobs     int       `json:"jobs"`

	sources []Q
	// uses are the plugins of each request, by their names in plugins.
	uses    [][]string
	plugins map[string]experiment.Plugin
}

// Network identifies a request of a plan by name, files and grid point.
type Network struct {
	// Name is unique in the plan, see Plan.Called; Study and Model are the files' own names.
	Name  string `json:"name"`
	Study string `json:"study"`
	Model string `json:"model,omitempty"`
	// Point is the request's point in the grid; absent without a grid.
	Point gridfile.Point `json:"point,omitempty"`
	// Asks is absent if the network could not be read, and in plans of earlier versions.
	Asks *experiment.Asks `json:"asks,omitempty"`
	// Epsilon is the ε of scores; absent in the same cases as Asks.
	Epsilon string `json:"epsilon,omitempty"`
}

// Called returns a name for the next network, for messages and folders: its own name, or the
// study's for the study's own network, followed by the arm. A number makes it unique in the plan.
func (p *Plan[Q, R]) Called(spec question.Spec, arm string) string {
	name := strings.TrimSpace(cmp.Or(spec.Model, stem(spec.Study)) + " " + arm)
	unique := name
	for n := 2; slices.ContainsFunc(p.Networks, func(o Network) bool { return o.Name == unique }); n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	return unique
}

func stem(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// Cell is the recorded result of one network.
type Cell[R any] struct {
	Result *R `json:"result,omitempty"`
	// Error is the error of the last attempt; there may be a part of the result. Retried is the
	// error of the first attempt.
	Error   string `json:"error,omitempty"`
	Retried string `json:"retried,omitempty"`
	// Refuted: the error is that of a claim that was refuted.
	Refuted bool `json:"refuted,omitempty"`
	// Seconds is the duration of the task.
	Seconds float64 `json:"-"`
}

// Add appends a request with its name and grid point. If its network cannot be read, only its own
// task fails.
func (p *Plan[Q, R]) Add(r Q, name string, point gridfile.Point) {
	spec, n := p.Spec(&r), Network{Name: name, Point: point}
	if q, err := question.Open(*spec); err == nil {
		n.Asks = experiment.AsksOf(q)
		if eps, err := q.EpsilonFor(fairness.Score); err == nil {
			n.Epsilon = fairness.FormatRat(eps)
		}
		spec.StudySHA256, spec.ModelSHA256 = q.Spec.StudySHA256, q.Spec.ModelSHA256
		for i := range p.sources { // the rows of one study are read once
			if o := p.source(i); o.Study == spec.Study {
				spec.DataSHA256 = o.DataSHA256
			}
		}
		if spec.DataSHA256 == "" && q.Study.HasData() {
			if data, err := q.Study.Data(); err == nil {
				spec.DataSHA256 = data.SHA256
			}
		}
	}
	n.Study, n.Model = filepath.Base(spec.Study), spec.Model
	p.Networks, p.sources = append(p.Networks, n), append(p.sources, r)
	*spec = spec.Canonical()
	p.Requests = append(p.Requests, r)
}

// Recall reads a plan back from a task of the journal, to show its answers.
func (k *Kind[Q, R]) Recall(t record.Task) (experiment.Plan, error) {
	p, err := experiment.PlanOf[Plan[Q, R]](t, k.Command, k.Command+" of a file of studies")
	if err != nil {
		return nil, err
	}
	if len(p.Networks) != len(p.Requests) {
		return nil, errors.New("the run is of an earlier version, which did not record the names of its networks: run the command again")
	}
	p.Kind, p.sources = k, slices.Clone(p.Requests)
	for i := range p.sources {
		s := p.source(i)
		s.Study, s.Model = p.Networks[i].Study, p.Networks[i].Model
	}
	return p, nil
}

// source returns the question of request i, with the paths of this machine.
func (p *Plan[Q, R]) source(i int) *question.Spec { return p.Spec(&p.sources[i]) }

func (p *Plan[Q, R]) name(i int) string { return p.Networks[i].Name }

// key returns the key of a network's task, unique in the plan.
func (p *Plan[Q, R]) key(i int) string { return fmt.Sprintf("%d | %s", i+1, p.name(i)) }

// Frame implements experiment.Plan.
func (p *Plan[Q, R]) Frame() *experiment.Frame {
	f := &experiment.Frame{Command: p.Command, Plan: p, Arms: []string{""}, Plugins: p.plugins}
	f.Runs, f.Seed, f.Threads, f.Memory, f.Jobs = 1, p.Seed, p.Threads, p.Memory, p.Jobs
	for i := range p.sources {
		s := p.source(i)
		f.Keys = append(f.Keys, p.key(i))
		f.Subjects = append(f.Subjects, &experiment.Subject{
			Study: stem(s.Study), Model: p.name(i), StudySHA256: s.StudySHA256, ModelSHA256: s.ModelSHA256, Asks: p.Networks[i].Asks,
		})
	}
	return f
}

// Resolve starts each plugin once, to learn its version and its checksum.
func (p *Plan[Q, R]) Resolve(ctx context.Context, s *session.Session) error {
	p.plugins, p.uses = map[string]experiment.Plugin{}, make([][]string, len(p.sources))
	for i := range p.sources {
		strategy, solver := p.Uses(&p.sources[i])
		solvers := []string{solver}
		switch solver {
		case search.NoSolver:
			solvers = nil
		case "":
			solvers = s.Plugins.DefaultSolvers()
		}
		if err := experiment.Learn(ctx, s, p.plugins, client.Strategy, strategy, nil); err != nil {
			return err
		}
		p.uses[i] = append(p.uses[i], experiment.StrategyKey(strategy))
		for _, name := range solvers {
			if err := experiment.Learn(ctx, s, p.plugins, client.Solver, name, nil); err != nil {
				return err
			}
			p.uses[i] = append(p.uses[i], experiment.SolverKey(name))
		}
	}
	return nil
}

// asked returns the value of Task.Asked for request i: nil if it writes files, so that no result is
// reused.
func (p *Plan[Q, R]) asked(i int) any {
	if p.Writes != nil && p.Writes(&p.sources[i]) {
		return nil
	}
	return p.Requests[i]
}

// Do implements experiment.Plan.
func (p *Plan[Q, R]) Do(ctx context.Context, b *experiment.Bench) error {
	var tasks []experiment.Task
	for i := range p.sources {
		tasks = append(tasks, experiment.Task{Key: p.key(i), Asked: p.asked(i), Plugins: p.uses[i], Try: func(ctx context.Context, cores []int, retried string, tell func(string)) (experiment.Outcome, error) {
			cell := &Cell[R]{Retried: retried}
			e := experiment.Errand{Key: p.key(i), Kind: p.Command, Request: &p.sources[i], Spec: p.source(i), Assignment: workers.Assignment{Cores: cores}}
			_, err := b.Answer(ctx, e, p.name(i), tell, &cell.Result)
			return experiment.Outcome{Result: cell}, err
		}})
	}
	return b.Run(ctx, tasks, experiment.Options{
		Jobs: p.Jobs,
		Failed: func(known any, err error, _ string) any {
			cell := known.(*Cell[R])
			cell.Error, cell.Refuted = err.Error(), errors.Is(err, session.ErrContradiction)
			return cell
		},
	})
}

// Tabulate implements experiment.Plan. Its error reports the refuted claims; the table is then
// valid, too.
func (p *Plan[Q, R]) Tabulate(from record.Store) (experiment.Table, error) {
	cells := make([]Cell[R], len(p.sources))
	var refuted []error
	for i := range cells {
		cell, seconds, err := experiment.Timed[Cell[R]](from, p.key(i))
		if err != nil {
			return nil, err
		}
		if cell != nil {
			cells[i], cells[i].Seconds = *cell, seconds
		}
		if cells[i].Refuted {
			refuted = append(refuted, session.AsRefuted(fmt.Errorf("%s: %s", p.name(i), cells[i].Error)))
		}
	}
	return p.Table(p, cells), errors.Join(refuted...)
}

// Total holds the fields that the tables of all kinds share.
type Total struct {
	// What all networks were asked, in one line.
	Asked string `json:"asked,omitempty"`
	experiment.Source
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time of all networks together, in seconds.
	Seconds float64 `json:"seconds"`
	// A signal came before all networks were done.
	Interrupted bool `json:"interrupted,omitempty"`
	// Tidy holds the networks, each in one row or several.
	Tidy *experiment.Tidy `json:"-"`

	failed []error
	of     int
}

// total returns the Total of a plan, computed from its cells.
func total[Q, R any](p *Plan[Q, R], cells []Cell[R]) Total {
	t := Total{Asked: p.line(), Seed: p.Seed, of: len(cells), Tidy: &experiment.Tidy{}}
	for i := range cells {
		p.tidy(i, &cells[i], t.Tidy)
		if t.Seconds += cells[i].Seconds; cells[i].Error != "" && !cells[i].Refuted {
			t.failed = append(t.failed, fmt.Errorf("%s: %s", p.name(i), cells[i].Error))
		}
	}
	return t
}

// line states in one line the question that all networks were asked.
func (p *Plan[Q, R]) line() string {
	f := p.Frame()
	var outcomes, budgets []string
	for i := range p.sources {
		o, budget, seed := p.Asked(&p.sources[i], cmp.Or(p.Networks[i].Epsilon, "of the study"))
		if f.Subjects[i].Banded() {
			o = "notion decision"
		}
		if outcomes = append(outcomes, o); !slices.Contains(budgets, budget) {
			budgets = append(budgets, budget)
		}
		if !slices.Contains(f.Seeds, seed) {
			f.Seeds = append(f.Seeds, seed)
		}
		if s := p.source(i); f.Subjects[i].Asks == nil {
			f.Subjects[i].Asks = &experiment.Asks{Protected: s.Protected, Rules: s.Rules, Threshold: s.Threshold, Bands: s.Bands, Where: s.Where}
		}
	}
	f.Budget = strings.Join(budgets, ", ")
	return f.Asked(func(i int) string { return outcomes[i] }, "")
}

// Notes states the question, and where the results are stored.
func (t *Total) Notes() []string {
	return append([]string{t.Asked}, t.Source.Notes()...)
}

// data returns the table for programs: the shown one without its rules, with the question as last
// column.
func (t *Total) data(shown *view.Table) *view.Table {
	out := *shown
	out.Columns, out.Rows = append(slices.Clone(out.Columns), view.Column{Title: "asked"}), nil
	for _, row := range shown.Rows {
		if row != nil {
			out.Rows = append(out.Rows, append(slices.Clone(row), view.Cell{Text: t.Asked}))
		}
	}
	return &out
}

// numberOr returns the number that a text represents, or the text itself.
func numberOr(text string) any {
	if v, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
		return v
	}
	return text
}

// tidy adds the rows of a network.
func (p *Plan[Q, R]) tidy(i int, c *Cell[R], to *experiment.Tidy) {
	var options view.Record
	for _, v := range p.Networks[i].Point {
		options = append(options, view.Value{Name: v.Key, Of: numberOr(v.Text)})
	}
	status, rows := experiment.Done, []view.Record{nil}
	if c.Result != nil {
		rows = p.Rows(c.Result)
	}
	switch {
	case c.Error != "":
		status = experiment.Failed
	case c.Result == nil:
		status = experiment.Missing
	}
	spec, f := p.source(i), p.Frame()
	model := cmp.Or(spec.Model, spec.Study) // the study's own network
	for _, row := range rows {
		seconds := view.Value{Name: "seconds"}
		if status != experiment.Missing {
			seconds.Of = c.Seconds
		}
		to.Add(p.Name, &f.Terms, p.key(i), &experiment.Subject{Study: stem(spec.Study), Model: stem(model), Asks: p.Networks[i].Asks}, p.Networks[i].Point.Called(""), options, p.Seed, status,
			slices.Concat(view.Record{seconds, {Name: "retried", Of: experiment.Text(c.Retried)}, {Name: "error", Of: experiment.Text(c.Error)}}, row))
	}
}

// Records are the networks as tidy data.
func (t *Total) Records() view.Records { return t.Tidy.Records() }

// Keep implements experiment.Table.
func (t *Total) Keep(where experiment.Kept) {
	t.Source = where.Source
	t.Tidy.Keep(where)
	t.Interrupted = where.Interrupted
}

// failure describes every network that failed.
func (t *Total) failure(what string) error {
	if len(t.failed) == 0 {
		return nil
	}
	return errors.Join(append(t.failed, fmt.Errorf("%d of %d networks could not be %s; the same command tries them again", len(t.failed), t.of, what))...)
}
