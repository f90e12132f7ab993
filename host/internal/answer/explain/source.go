package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Source says where the explained individuals come from.
type Source struct {
	// The origin: search, journal or rows.
	Kind string `json:"kind"`
	// The search's name in the journal.
	Run string `json:"run,omitempty"`
	// The strategy of the search.
	Strategy string `json:"strategy,omitempty"`
	// The budget of the search.
	Budget string `json:"budget,omitempty"`
	// The individuals evaluated by a fresh search.
	Evaluations int64 `json:"evaluations,omitempty"`
	// The number of rows evaluated: those given, or the data's if the search found no
	// individual.
	Rows int `json:"rows,omitempty"`
}

func (s *Source) String() string {
	switch s.Kind {
	case "journal":
		return "run " + s.Run + " of the journal"
	case "rows":
		return fmt.Sprintf("%s rows", view.Count(s.Rows))
	}
	text := fmt.Sprintf("search %s, %s", s.Strategy, s.Budget)
	if s.Rows > 0 {
		text += fmt.Sprintf(", which found no individual; %s rows of the data", view.Count(s.Rows))
	}
	return text
}

// people finds the worst-treated individuals where the request says: in a file, in the journal, or
// by a search.
func (j *job) people(ctx context.Context) (*Worst, *Source, error) {
	switch {
	case j.request.From != "":
		return j.journalled()
	case j.request.Rows != "" || len(j.request.Row) > 0:
		w, source, err := j.given()
		return w, source, session.Mistake(err)
	}
	return j.searched(ctx)
}

// consider evaluates an individual and adds it to w. taken reports whether it lies in the region
// and has a counterfactual, worst whether it is among the worst so far.
func (j *job) consider(w *Worst, x []float64) (taken, worst bool) {
	if s := j.query.Space; len(x) != len(s.Features) || !s.ContainsIndividual(x) || !s.RegionContains(j.query.Region, x) {
		return false, false
	}
	out := j.evaluator.Evaluate(x)
	if out.N == 0 {
		return false, false
	}
	return true, w.Add(slices.Clone(x), out)
}

// searched runs a fast search without a solver. The explanation uses the individuals that were
// among the worst when they were found; the journal only counts the others.
func (j *job) searched(ctx context.Context) (*Worst, *Source, error) {
	r := search.Request{
		Spec: j.question.Spec, Strategy: j.request.Strategy, Solver: search.NoSolver, Set: j.request.Set, Mode: search.FastMode,
		Budget: j.request.Budget, Keep: search.DefaultKeep, Runs: 1, Seed: j.request.Seed,
	}
	if j.decisions {
		r.Notion, r.Epsilon = fairness.Decision.String(), ""
	}
	searcher, err := search.OpenFor(ctx, j.session, j.question, r)
	if err != nil {
		return nil, nil, err
	}
	defer searcher.Close()
	run, err := searcher.Begin(r.Seed, time.Now())
	if err != nil {
		return nil, nil, err
	}
	w := &Worst{}
	sinks := run.Sinks
	kept := search.Summed{Keep: func(f *record.Found) bool {
		taken, worst := j.consider(w, f.X)
		return worst || !taken
	}, Next: func(e record.Event) {
		for _, sink := range sinks {
			sink(e)
		}
	}}
	run.Sinks = []func(record.Event){kept.Add}
	result, _ := searcher.Run(ctx, r.Seed, run, "")
	if err = result.Err; result.Interrupted {
		err = ctx.Err()
	}
	source := &Source{Kind: "search", Run: run.Name(), Strategy: searcher.Strategy(), Budget: r.Budget, Evaluations: result.Evaluations}
	if w.K == 0 && err == nil {
		err = j.lookAtRows(w, source)
	}
	return w, source, err
}

// lookAtRows collects rows whose copies fall into different bins, even with a gap of at
// most ε.
func (j *job) lookAtRows(w *Worst, source *Source) error {
	rows, err := j.rows()
	for _, x := range rows {
		j.consider(w, x)
	}
	if source.Rows = len(rows); w.K < 2 {
		*w = Worst{}
	}
	return err
}

// journalled collects the individuals of a run in the journal: a search, a quantification,
// or a verdict with its witness.
func (j *job) journalled() (*Worst, *Source, error) {
	w, source := &Worst{}, &Source{Kind: "journal"}
	err := j.session.Past(func(past *journal.Journal) error {
		d, err := past.Show(j.request.From)
		if err != nil {
			return err
		}
		if err := j.fits(d); err != nil {
			return session.Mistake(fmt.Errorf("--from %s: %w", j.request.From, err))
		}
		source.Run, source.Strategy, source.Budget = d.Name, d.Started.Task.Arm, d.Started.Task.Settings["budget"]
		return past.Events(d.Name, func(e record.Event) error {
			switch {
			case e.Found != nil:
				j.consider(w, e.Found.X)
			case e.Witness != nil:
				j.consider(w, e.Witness.Copy1)
			}
			return nil
		})
	})
	return w, source, err
}

// fits rejects runs on another space. Runs on another network of the same space, or with
// another ε, are accepted and evaluated again.
func (j *job) fits(d *journal.Details) error {
	if command := d.Started.Task.Command; !slices.Contains([]string{"search", "certify", "quantify"}, command) {
		return fmt.Errorf("run %s is from hyfair %s; want a run of search, certify or quantify", d.Name, command)
	}
	if !slices.Equal(d.Started.Features, j.query.Space.Names()) {
		return fmt.Errorf("run %s is of study %s, whose features differ from those of %s", d.Name, d.Started.Study, j.question.Study.Name)
	}
	if d.Started.Domains != nil && !slices.Equal(d.Started.Domains, record.Domains(j.query.Space)) {
		return fmt.Errorf("run %s is about other domains or protected attributes than this question: name another run, or ask with those of its study", d.Name)
	}
	if d.Started.Task.Network != j.question.Study.ModelSHA256 {
		j.session.Note("run %s is of the model %s; its people are evaluated again", d.Name, d.Started.Model)
	}
	return nil
}

// given collects rows of a file or of the study's data.
func (j *job) given() (*Worst, *Source, error) {
	r, st := &j.request, j.question.Study
	var data *people.Data
	var err error
	if r.Rows != "" {
		data, err = st.Rows(r.Rows, r.Encoded)
	} else {
		data, err = st.Data()
	}
	switch {
	case errors.Is(err, study.ErrNoData) && r.Rows != "":
		return nil, nil, fmt.Errorf("%w; give rows of feature values with --encoded", err)
	case err != nil:
		return nil, nil, err
	}
	rows := r.Row
	if len(rows) == 0 {
		for i := range data.Points {
			rows = append(rows, i)
		}
	}
	w := &Worst{}
	taken := 0
	for _, i := range rows {
		if i < 0 || i >= len(data.Points) {
			return nil, nil, fmt.Errorf("--row %d: rows are counted from 0, and there are %d", i, len(data.Points))
		}
		if in, _ := j.consider(w, data.Points[i]); in {
			taken++
		} else if len(r.Row) > 0 {
			return nil, nil, fmt.Errorf("--row %d: the row lies outside the question's space or region, or the constraints leave it no counterfactual", i)
		}
	}
	if taken == 0 {
		return nil, nil, errors.New("no row lies in the question's space and region and has a counterfactual that the constraints allow")
	}
	return w, &Source{Kind: "rows", Rows: taken}, nil
}
