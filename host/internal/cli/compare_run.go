package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

func (f *compareFlags) run(ctx context.Context, app *App, args []string) error {
	if err := f.validate(); err != nil {
		return usage(err)
	}
	p, err := f.plan(ctx, app, args)
	if err != nil {
		return err
	}
	processes, err := app.workers()
	if err != nil {
		return err
	}
	kept, err := f.open(app, p)
	if err != nil {
		return err
	}
	work := func(ctx context.Context, job *compare.Job, cores []int, event func(record.Event) error) (workers.Usage, error) {
		return processes.Do(ctx, workers.Assignment{Job: workJob{Compare: job}, Limit: job.Timeout, Cores: cores}, event)
	}
	line := newStatusLine(app)
	failed := compare.Run(ctx, p, kept, work, app.slots(p.Jobs, p.Threads), func(s experiment.Progress) { line.show(s.String()) })
	line.clear()
	end := record.Finished{Interrupted: session.Interrupted(ctx)}
	if failed != nil {
		end.Error = failed.Error()
	}
	c, err := compare.Tabulate(p, compare.From(kept))
	failed = errors.Join(failed, kept.finish(end), kept.close())
	if err != nil {
		return errors.Join(err, failed)
	}
	c.Run, c.Journal = kept.name()
	c.Interrupted = end.Interrupted
	if err := f.shown.show(app, c); err != nil {
		return err
	}
	return compareExit(c, failed)
}

// compareExit turns the end of a comparison into an exit code.
func compareExit(c *compare.Comparison, failed error) error {
	switch n := len(c.Disagreements); {
	case n > 0:
		return &exitError{ExitContradiction, errors.Join(fmt.Errorf("%d pairs of arms contradict each other: a proof was refuted by a replayed witness", n), failed)}
	case c.Interrupted:
		return &exitError{ExitInterrupted, errors.New("interrupted; the tasks that were done are shown, and the same command goes on with the others")}
	}
	return failed
}

// show renders a comparison of the journal again.
func (f *compareFlags) show(app *App, args []string) error {
	if err := f.validate(); err != nil {
		return usage(err)
	}
	if len(args) > 0 {
		return usage(fmt.Errorf("--from shows a run of the journal, whose studies are known: leave out %s", strings.Join(args, " ")))
	}
	var c *compare.Comparison
	err := withRun(app, func(j *journal.Journal) error {
		d, err := j.Show(f.from)
		if err != nil {
			return err
		}
		p, err := compare.PlanOf(d.Started.Task)
		if err != nil {
			return usage(fmt.Errorf("--from %s: %w", f.from, err))
		}
		done := newKept()
		if err := j.Tasks(d.Name, func(t journal.Done) error {
			done.results[t.Key] = t.Result
			return nil
		}); err != nil {
			return err
		}
		if c, err = compare.Tabulate(p, compare.From(done)); err != nil {
			return err
		}
		c.Run, c.Journal, c.Interrupted = d.Name, j.Path(), d.State == journal.Interrupted
		return nil
	})
	if err != nil {
		return err
	}
	if err := f.shown.show(app, c); err != nil || len(c.Disagreements) == 0 {
		return err
	}
	return compareExit(c, nil)
}

// open begins or resumes the run of a plan.
func (f *compareFlags) open(app *App, p *compare.Plan) (recorder, error) {
	t, err := p.Task()
	if err != nil {
		return nil, err
	}
	started := record.Started{Task: t, At: time.Now().UTC(), Versions: map[string]string{"hyfair": session.Version()}, Machine: session.Machine()}
	for i := range p.Subjects {
		addSubject(&started, p.Subjects[i].Study, p.Subjects[i].Model)
	}
	for name, s := range p.Solvers {
		started.Versions["solver "+name] = s.Version
		if s.Library != "" {
			started.Versions["library of "+name] = s.Library
		}
	}
	var keys []string
	for _, e := range p.Entries() {
		keys = append(keys, e.Key)
	}
	how := goOn
	if f.fresh {
		how = anew
	}
	return app.beginOrResume(started, keys, how)
}
