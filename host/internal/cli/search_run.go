package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// searchJob is a search with everything opened: its question, the strategy,
// the solver, and where the results go.
type searchJob struct {
	app *App
	// begin is when the command started: the moment the first run's clock shows 0.
	begin time.Time

	// task is that of every run but for the seed.
	task         record.Task
	study, model string
	versions     map[string]string
	query        *problem.Query
	space        *space.Space
	start        sdk.StartOptions // without the seed
	evaluator    *evaluate.Evaluator
	guards       []space.Predicate

	strategyName string
	strategy     sdk.Strategy
	needsRows    bool
	dataSHA256   string // of the rows in start
	solver       string // "none" without one
	newSeeder    func() search.Seeder

	budget search.Budget
	fast   *search.Fast // nil: paper mode
	runs   int
	out    string // CSV file, empty for none
}

// run searches as often as asked and reports; an interrupt keeps the runs so
// far, the one under way included. The error is the first run's that failed,
// or about a file that could not be written; the report stands beside it unless
// nothing was searched.
func (j *searchJob) run(ctx context.Context) (*searchReport, error) {
	report := &searchReport{
		Strategy: j.strategyName, Solver: j.solver, Mode: j.mode(), Study: j.study, Model: j.model, Seed: j.app.Seed,
		Epsilon: fairness.Exact(j.start.Epsilon), Budget: j.budget.String(), Out: j.out,
	}
	if j.fast != nil {
		report.Chains = j.fast.Chains
	}
	opened, err := j.app.openJournal()
	if err != nil {
		return nil, err
	}
	var csv *search.CSVFile
	if j.out != "" {
		if csv, err = search.CreateCSV(j.out, j.space); err != nil {
			if opened != nil {
				opened.Close() // nothing was written
			}
			return nil, usage(fmt.Errorf("--out: %w", err))
		}
	}
	loading := time.Since(j.begin)
	var failed error
	for i := range j.runs {
		begin := time.Now().Add(-loading)
		if i == 0 {
			begin = j.begin
		}
		stream, name := j.record(i, begin, opened, csv)
		r, faults := j.once(ctx, i, stream)
		report.add(name, j.app.Seed+int64(i), r, faults)
		if r.Err != nil && failed == nil {
			failed = r.Err
			if j.runs > 1 {
				failed = fmt.Errorf("run %d of %d: %w", i+1, j.runs, r.Err)
			}
		}
		if r.Interrupted {
			break
		}
	}
	report.finish(j.evaluator, j.space)
	report.Seconds = time.Since(j.begin).Seconds()
	badOption := errors.Is(failed, sdk.ErrInvalidOption)
	switch {
	case csv != nil && badOption:
		csv.Discard()
	case csv != nil:
		failed = errors.Join(failed, csv.Close())
	}
	if opened != nil {
		if report.Run != "" {
			report.Journal = opened.Path()
		}
		failed = errors.Join(failed, opened.Close())
	}
	if badOption {
		return nil, usage(failed)
	}
	return report, failed
}

// record begins run number i, counted from 0: its events' stream, and its name
// in the journal.
func (j *searchJob) record(i int, begin time.Time, opened *journal.Journal, csv *search.CSVFile) (*record.Stream, string) {
	this := j.task
	this.Seed = j.app.Seed + int64(i)
	stream, kept := j.app.record(opened, record.Started{
		Task: this, At: begin.UTC(), Features: j.space.Names(), Domains: record.Domains(j.space), Study: j.study, Model: j.model, Versions: j.versions, Machine: thisMachine(),
	})
	if csv != nil {
		csv.Start(i+1, this.Seed)
		stream.Sinks = append(stream.Sinks, csv.Add)
	}
	return stream, nameOf(kept)
}

// mode is paper or fast.
func (j *searchJob) mode() string {
	if j.fast != nil {
		return modeFast
	}
	return modePaper
}

// once is run number i, counted from 0. faults tell what was wrong with the
// solver's answers.
func (j *searchJob) once(ctx context.Context, i int, stream *record.Stream) (result *search.Result, faults []string) {
	seed := j.app.Seed + int64(i)
	config := search.Config{
		Space: j.space, Region: j.start.Region, Evaluator: j.evaluator, Guards: j.guards,
		Strategy: j.strategyName, Solver: j.solver, Seed: seed, Budget: j.budget, Fast: j.fast, Stream: stream,
		Start: func(ctx context.Context) (sdk.Session, error) {
			o := j.start
			o.Seed = seed
			if j.fast != nil {
				o.Chains = j.fast.Chains
			}
			return j.strategy.Start(ctx, j.space, o)
		},
	}
	if j.newSeeder != nil {
		config.Seeder = j.newSeeder()
	}
	if j.budget.Time > 0 {
		// One hard question must not eat the whole run.
		config.SeedLimit = max(time.Second, j.budget.Time/10)
	}
	line := newStatusLine(j.app)
	config.Progress = func(p search.Progress) { line.show(searchProgress(p, i, j.runs)) }
	defer line.clear()
	result = search.Run(ctx, config)
	if s, ok := config.Seeder.(*certify.Seeder); ok {
		result.Spurious += int64(s.Spurious) // points that its own replay refused
		faults = s.Faults[:min(len(s.Faults), maxFaults)]
	}
	return result, faults
}

// maxFaults bounds how many of a solver's faults are repeated in a report.
const maxFaults = 10

// searchProgress is one line about run number i, counted from 0, of n.
func searchProgress(p search.Progress, i, n int) string {
	best, done := "nothing found yet", fmt.Sprintf("%.1fs of %s", p.Elapsed.Seconds(), p.Budget)
	if p.MaxK > 0 {
		best = fmt.Sprintf("%d found, largest k %d", p.Found, p.MaxK)
	}
	switch {
	case p.Budget.Iter > 0:
		done = "of " + strconv.FormatInt(p.Budget.Iter, 10)
	case p.Budget.Evals > 0:
		done = fmt.Sprintf("%d of %d evaluations", p.Evaluations, p.Budget.Evals)
	}
	line := fmt.Sprintf("%d rounds · %s · %s", p.Iter, best, done)
	if n > 1 {
		line = fmt.Sprintf("run %d of %d · %s", i+1, n, line)
	}
	return line
}
