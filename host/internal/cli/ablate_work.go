package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment/ablate"
	"github.com/hyfair/hyfair/host/internal/record"
)

// ablateWork does one task of an ablation: a search, whose events go out. The
// error tells that the search is not the arm it was to be: its strategy or its
// solver was lost on the way.
func ablateWork(ctx context.Context, app *App, job *ablate.Job, out *eventWriter) error {
	flush := out.buffer(app.Stdout)
	defer flush()
	j, closePlugins, err := openTask(ctx, app, job, processStart)
	defer closePlugins()
	if err != nil {
		return err
	}
	this := j.task
	this.Seed = job.Seed
	stream := &record.Stream{Run: this.NewRun(processStart), Start: processStart, Sinks: []func(record.Event){out.write}}
	stream.Emit(record.Event{Kind: record.KindStarted, Started: &record.Started{
		Task: this, At: processStart.UTC(), Features: j.space.Names(), Domains: record.Domains(j.space), Study: j.study, Model: j.model, Versions: j.versions, Machine: thisMachine(),
	}})
	result, _ := j.once(ctx, 0, stream)
	return errors.Join(result.Err, result.SolverErr, out.err)
}

// openTask opens the search of a task as hyfair search would. The function it
// returns ends what was started, also after an error.
func openTask(ctx context.Context, app *App, job *ablate.Job, begin time.Time) (*searchJob, func(), error) {
	own := *app
	own.Seed, own.Threads, own.Data, own.JSON = job.Seed, job.Threads, job.Data, true
	own.Set, own.Memory = job.Arm.Options(job.StrategyPlugin), ""
	if job.Memory > 0 {
		own.Memory = strconv.FormatInt(job.Memory, 10)
	}
	f := &searchFlags{
		question: questionFlags{model: job.Model, epsilon: job.Epsilon, protected: job.Protected, where: job.Where, rules: job.Rules},
		strategy: job.Arm.Strategy, solver: job.Arm.Solver, mode: job.Arm.Mode, budget: job.Budget, runs: 1,
		chains: search.DefaultChains, keep: search.DefaultKeep,
	}
	if job.Arm.Chains > 0 {
		f.chains = job.Arm.Chains
	}
	j, closePlugins, err := openSearch(ctx, &own, f, job.Study)
	if err != nil {
		return nil, closePlugins, err
	}
	j.begin = begin
	if j.task.Study != job.StudySHA256 || j.task.Network != job.ModelSHA256 {
		return nil, closePlugins, fmt.Errorf("the study %s or its network was changed since the ablation began", job.Study)
	}
	if j.dataSHA256 != "" && j.dataSHA256 != job.DataSHA256 {
		return nil, closePlugins, fmt.Errorf("the data of %s were changed since the ablation began", job.Study)
	}
	return j, closePlugins, nil
}

// trySearch opens a task's search and its strategy's session and ends them.
func trySearch(ctx context.Context, app *App, job *ablate.Job) error {
	j, closePlugins, err := openTask(ctx, app, job, time.Now())
	defer closePlugins()
	if err != nil {
		return err
	}
	o := j.start
	o.Seed = job.Seed
	if j.fast != nil {
		o.Chains = j.fast.Chains
	}
	session, err := j.strategy.Start(ctx, j.space, o)
	if err != nil {
		return err
	}
	return session.Close()
}

// flushEvery is how long an event of a search may wait in a worker: a search
// makes many thousands a second.
const flushEvery = 100 * time.Millisecond

// buffer lets events wait a little and go out together. The function it returns
// sends what is left.
func (w *eventWriter) buffer(to io.Writer) (flush func()) {
	buffered := bufio.NewWriterSize(to, 64<<10)
	w.out = json.NewEncoder(buffered)
	send := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			if w.err = buffered.Flush(); w.err != nil {
				w.failed()
			}
		}
	}
	tick := time.NewTicker(flushEvery)
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-tick.C:
				send()
			case <-done:
				return
			}
		}
	})
	return func() {
		tick.Stop()
		close(done)
		group.Wait()
		send()
	}
}
