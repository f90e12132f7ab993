package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

func (f *ablateFlags) run(ctx context.Context, app *App, path string) error {
	p, err := f.plan(ctx, app, path)
	if err != nil {
		return err
	}
	processes, err := app.workers()
	if err != nil {
		return err
	}
	// Go's threads in workers and plugins alike; a solver's are told it.
	processes.Env = []string{"GOMAXPROCS=" + strconv.Itoa(p.Threads)}
	kept, err := f.open(app, p)
	if err != nil {
		return err
	}
	work := func(ctx context.Context, r *search.Request, cores []int, event func(record.Event) error) (workers.Usage, error) {
		return processes.Do(ctx, workers.Assignment{Job: workJob{Search: r, Threads: p.Threads, Memory: p.Memory}, Limit: p.Limit(), Cores: cores}, event)
	}
	line := newStatusLine(app)
	broken := ablate.Run(ctx, p, kept, work, app.slots(p.Jobs, p.Threads), func(s experiment.Progress) { line.show(s.String()) })
	var unproved error
	if broken == nil {
		unproved = ablate.Prove(ctx, p, app.current, kept, line.show)
	}
	line.clear()
	a, err := ablate.Tabulate(p, f.target, ablate.From(kept))
	if err != nil {
		return errors.Join(err, broken, kept.close())
	}
	failed := errors.Join(broken, unproved, a.TakeBounds(p, kept))
	if a.Failed > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d of %d tasks failed twice; the same command tries them again", a.Failed, a.Tasks))
	}
	end := record.Finished{Interrupted: session.Interrupted(ctx)}
	if failed != nil {
		end.Error = failed.Error()
	}
	failed = errors.Join(failed, kept.finish(end), kept.close())
	a.Run, a.Journal = kept.name()
	a.Interrupted = end.Interrupted
	if err := f.print(app, a); err != nil {
		return errors.Join(err, failed)
	}
	if a.Interrupted {
		return &exitError{ExitInterrupted, errors.New("interrupted; the tasks that were done are shown, and the same command goes on with the others")}
	}
	return failed
}

// open begins or resumes the run of a plan.
func (f *ablateFlags) open(app *App, p *ablate.Plan) (recorder, error) {
	t, err := p.Task()
	if err != nil {
		return nil, err
	}
	started := record.Started{Task: t, At: time.Now().UTC(), Versions: map[string]string{"hyfair": session.Version()}, Machine: session.Machine()}
	for i := range p.Subjects {
		addSubject(&started, p.Subjects[i].Study, p.Subjects[i].Model)
	}
	for key, plugin := range p.Plugins {
		started.Versions[key] = plugin.Version
		if plugin.Library != "" {
			started.Versions["library of "+plugin.Name] = plugin.Library
		}
	}
	var keys []string
	for _, e := range p.Entries() {
		keys = append(keys, e.Key)
	}
	how := goOn
	switch {
	case f.fresh:
		how = anew
	case f.resume:
		how = goOnOnly
	}
	return app.beginOrResume(started, keys, how)
}

// show renders an ablation of the journal again.
func (f *ablateFlags) show(app *App) error {
	var a *ablate.Ablation
	var refuted error
	err := withRun(app, func(j *journal.Journal) error {
		d, err := j.Show(f.from)
		if err != nil {
			return err
		}
		p, err := ablate.PlanOf(d.Started.Task)
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
		if a, err = ablate.Tabulate(p, f.target, ablate.From(done)); err != nil {
			return err
		}
		refuted = a.TakeBounds(p, done)
		a.Run, a.Journal, a.Interrupted = d.Name, j.Path(), d.State == journal.Interrupted
		return nil
	})
	if err != nil {
		return err
	}
	return errors.Join(f.print(app, a), refuted)
}

// print draws plots and shows the result.
func (f *ablateFlags) print(app *App, a *ablate.Ablation) error {
	if f.plots != "" {
		if err := a.Plot(f.plots, f.plotFormat); err != nil {
			return fmt.Errorf("--plots: %w", err)
		}
	}
	return f.shown.show(app, a)
}
