package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/view"
)

// explainSource says where the people to explain come from.
type explainSource struct {
	// Kind is search, journal or rows.
	Kind string `json:"kind"`
	// Run is the search's name in the journal.
	Run      string `json:"run,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	Budget   string `json:"budget,omitempty"`
	// Evaluations of the fresh search.
	Evaluations int64 `json:"evaluations,omitempty"`
	// Rows are those looked at.
	Rows int `json:"rows,omitempty"`
}

func (s *explainSource) String() string {
	switch s.Kind {
	case "journal":
		return "run " + s.Run + " of the journal"
	case "rows":
		return fmt.Sprintf("%s rows", view.Count(s.Rows))
	}
	return fmt.Sprintf("search %s, %s", s.Strategy, s.Budget)
}

// people finds those treated worst.
func (j *explainJob) people(ctx context.Context) (*explain.Worst, *explainSource, error) {
	f := j.flags
	switch {
	case f.from != "":
		return j.journalled()
	case f.rows != "" || len(f.row) > 0:
		w, source, err := j.given()
		return w, source, usage(err)
	}
	return j.searched(ctx)
}

// consider evaluates an individual, and takes it where it is one of the region.
func (j *explainJob) consider(w *explain.Worst, x []float64) (taken bool) {
	if len(x) != len(j.space.Features) || !j.space.ContainsIndividual(x) || !j.space.RegionContains(j.region, x) {
		return false
	}
	out := j.evaluator.Evaluate(x)
	if out.N == 0 {
		return false
	}
	w.Add(slices.Clone(x), out)
	return true
}

// searched runs a fresh fast search without a solver, which keeps its run in the
// journal like any other.
func (j *explainJob) searched(ctx context.Context) (*explain.Worst, *explainSource, error) {
	f := j.flags
	s, err := j.app.session()
	if err != nil {
		return nil, nil, err
	}
	set, err := j.app.pluginOptions()
	if err != nil {
		return nil, nil, err
	}
	r := search.Request{
		Spec: j.asked.Spec, Strategy: f.strategy, Solver: search.NoSolver, Set: set, Mode: search.FastMode, Budget: f.budget,
		Keep: search.DefaultKeep, Runs: 1, Seed: j.app.Seed,
	}
	searcher, err := search.OpenFor(ctx, s, j.asked, r)
	if err != nil {
		return nil, nil, j.app.end(s, err)
	}
	defer searcher.Close()
	run, err := searcher.Begin(r.Seed, time.Now())
	if err != nil {
		return nil, nil, err
	}
	w := &explain.Worst{}
	run.Sinks = append(run.Sinks, func(e record.Event) {
		if e.Found != nil {
			j.consider(w, e.Found.X)
		}
	})
	result, _ := searcher.Run(ctx, r.Seed, run, "")
	err = j.app.end(s, result.Err)
	if result.Interrupted {
		err = ctx.Err()
	}
	return w, &explainSource{Kind: "search", Run: run.Name(), Strategy: searcher.Strategy(), Budget: f.budget, Evaluations: result.Evaluations}, err
}

// journalled takes what a search in the journal found.
func (j *explainJob) journalled() (*explain.Worst, *explainSource, error) {
	w, source := &explain.Worst{}, &explainSource{Kind: "journal"}
	err := withRun(j.app, func(jo *journal.Journal) error {
		d, err := jo.Show(j.flags.from)
		if err != nil {
			return err
		}
		if err := j.fits(d); err != nil {
			return usage(fmt.Errorf("--from %s: %w", j.flags.from, err))
		}
		source.Run, source.Strategy, source.Budget = d.Name, d.Started.Task.Arm, d.Started.Task.Settings["budget"]
		return jo.Events(d.Name, func(e record.Event) error {
			if e.Found != nil {
				j.consider(w, e.Found.X)
			}
			return nil
		})
	})
	return w, source, err
}

// fits holds a run against the question: individuals of another space mean
// nothing here. Those of another network of the same space are welcome, and
// evaluated anew; so are those of another ε.
func (j *explainJob) fits(d *journal.Details) error {
	if command := d.Started.Task.Command; command != "search" {
		return fmt.Errorf("run %s is of hyfair %s; the people treated worst are those of a search", d.Name, command)
	}
	if !slices.Equal(d.Started.Features, j.space.Names()) {
		return fmt.Errorf("run %s is of study %s, which has other features than %s", d.Name, d.Started.Study, j.study.Name)
	}
	if d.Started.Domains != nil && !slices.Equal(d.Started.Domains, record.Domains(j.space)) {
		return fmt.Errorf("run %s is about other domains or other protected attributes than this question", d.Name)
	}
	if d.Started.Task.Network != j.study.ModelSHA256 {
		fmt.Fprintf(j.app.Stderr, "hyfair: run %s is of network %s; its people are evaluated anew\n", d.Name, d.Started.Model)
	}
	return nil
}

// given takes rows: of a file, or of the study's data.
func (j *explainJob) given() (*explain.Worst, *explainSource, error) {
	f := j.flags
	var data *people.Data
	var err error
	switch {
	case f.rows == "":
		data, err = j.study.Data()
	case f.encoded:
		data, err = j.study.EncodedRows(f.rows)
	default:
		data, err = j.study.Rows(f.rows)
	}
	switch {
	case errors.Is(err, study.ErrNoData) && f.rows != "":
		return nil, nil, fmt.Errorf("%w; rows of feature values can be given with --encoded", err)
	case err != nil:
		return nil, nil, err
	}
	rows := f.row
	if len(rows) == 0 {
		for i := range data.Points {
			rows = append(rows, i)
		}
	}
	w := &explain.Worst{}
	taken := 0
	for _, i := range rows {
		if i < 0 || i >= len(data.Points) {
			return nil, nil, fmt.Errorf("--row %d: there are rows 0 to %d", i, len(data.Points)-1)
		}
		if j.consider(w, data.Points[i]) {
			taken++
		} else if len(f.row) > 0 {
			return nil, nil, fmt.Errorf("--row %d: it lies outside the part of the space in question", i)
		}
	}
	if taken == 0 {
		return nil, nil, errors.New("none of the rows lies in the part of the space in question")
	}
	return w, &explainSource{Kind: "rows", Rows: taken}, nil
}
