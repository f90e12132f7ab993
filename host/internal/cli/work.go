package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

func init() { commands = append(commands, newWork) }

// processStart is the start of a worker's time, the earliest moment that the process can
// record.
var processStart = time.Now()

func newWork(app *App) *cobra.Command {
	return &cobra.Command{
		Use:    "work",
		Short:  "Do one task of an experiment (started by hyfair compare and other experiments)",
		Hidden: true,
		Long: `Read one request as a line of JSON from standard input, answer it, and write events
and the result to standard output, one JSON object per line. The end of standard input
ends the work. Commands that do an experiment (hyfair compare, ablate, soundness run, and
explain and mitigate with a file of studies) start one such process for each task.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWork(cmd.Context(), app) },
	}
}

// maxJob bounds the line that a worker reads.
const maxJob = 1 << 20

func runWork(ctx context.Context, app *App) error {
	// Ctrl-C reaches every process of a terminal; the process that started this one
	// decides when to stop.
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	in := bufio.NewReaderSize(app.Stdin, maxJob)
	job, err := readJob(in)
	if err != nil {
		return usage(err)
	}
	defer clock.Adopt()()
	files.Use(job.Copies)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	out := &eventWriter{out: json.NewEncoder(app.Stdout), failed: stop}
	return errors.Join(works[job.Kind](ctx, app, job, out), out.err)
}

// works holds what a worker can do, by kind of request. Files of other commands add their kinds in
// init.
var works = map[string]func(context.Context, *App, *experiment.Job, *eventWriter) error{
	"compare": func(ctx context.Context, app *App, job *experiment.Job, out *eventWriter) error {
		r, err := requestOf[compare.Job](job)
		if err != nil {
			return err
		}
		c, err := clock.Named(job.Clock, processStart)
		if err != nil {
			return err
		}
		return compare.Work(ctx, r, c, opener(app, r), out.write)
	},
	"search": searchWork,
}

// requestOf reads a job's request.
func requestOf[Q any](job *experiment.Job) (*Q, error) {
	r := new(Q)
	err := json.Unmarshal(job.Request, r)
	if l, ok := any(r).(interface{ Local() string }); ok && err == nil && job.Copies != nil && l.Local() != "" {
		err = fmt.Errorf("a task from another machine names the local file %s; want only files that come with the task", l.Local())
	}
	return r, usage(err)
}

// answers returns the worker's function for a kind of request: it answers the request, and writes
// progress, notes and the result to the eventWriter.
func answers[Q, R any](answer func(context.Context, *session.Session, Q) (*R, error)) func(context.Context, *App, *experiment.Job, *eventWriter) error {
	return func(ctx context.Context, app *App, job *experiment.Job, out *eventWriter) error {
		r, err := requestOf[Q](job)
		if err != nil {
			return err
		}
		catalogue, err := app.catalogue()
		if err != nil {
			return err
		}
		var budget *clock.Clock // nil for a budget in wall time
		if job.Clock != "" {
			if budget, err = clock.Named(job.Clock, processStart); err != nil {
				return err
			}
		}
		s := &session.Session{
			Clock: budget, Plugins: catalogue, Threads: job.Threads, ThreadsGiven: true, Memory: job.Memory, Jobs: 1, Begun: processStart, JournalFile: job.Journal,
			Progress: out.show, Tell: func(text string) { out.say(workers.Said{Note: text}) },
		}
		result, err := answer(ctx, s, *r)
		err = errors.Join(err, s.Close())
		if ctx.Err() != nil { // a partial answer must not count as a complete one
			result, err = nil, errors.New("the worker was interrupted")
		}
		said := workers.Said{Mistake: session.IsMistake(err), Refuted: errors.Is(err, session.ErrContradiction)}
		if err != nil {
			said.Error = err.Error()
		}
		if result != nil {
			var text bytes.Buffer
			if err := view.JSON(&text, result, ""); err != nil {
				return err
			}
			said.Result = text.Bytes()
		}
		out.say(said)
		return nil
	}
}

// readJob reads a line that fits the reader's buffer.
func readJob(in *bufio.Reader) (*experiment.Job, error) {
	job := &experiment.Job{}
	line, err := in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, job)
	}
	if err == nil && works[job.Kind] == nil {
		err = fmt.Errorf("its kind %q is unknown", job.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("a task is expected on standard input, as hyfair compare and other experiments write it: %w", err)
	}
	return job, nil
}

// searchWork runs one search and writes its events. It returns an error if the search lost
// its strategy or its solver.
func searchWork(ctx context.Context, app *App, job *experiment.Job, out *eventWriter) error {
	r, err := requestOf[search.Request](job)
	if err != nil {
		return err
	}
	flush := out.buffer(app.Stdout)
	defer flush()
	catalogue, err := app.catalogue()
	if err != nil {
		return err
	}
	c, err := clock.Named(job.Clock, processStart)
	if err != nil {
		return err
	}
	s := &session.Session{Plugins: catalogue, Threads: job.Threads, Memory: job.Memory, Jobs: 1, Begun: processStart, Clock: c, Events: out.write}
	searcher, err := search.Open(ctx, s, *r)
	if err != nil {
		return app.end(s, err)
	}
	defer searcher.Close()
	run, err := searcher.Begin(r.Seed, processStart)
	if err != nil {
		return err
	}
	result, _ := searcher.Run(ctx, r.Seed, run, "")
	return errors.Join(result.Err, result.SolverErr, out.err)
}

// opener starts the solver of a task.
func opener(app *App, job *compare.Job) compare.Open {
	return func(ctx context.Context) (*engine.Options, func(), error) {
		catalogue, err := app.catalogue()
		if err != nil {
			return nil, nil, err
		}
		plugins, err := catalogue.OpenSolvers(ctx, job.Solver, job.Set)
		if err != nil {
			return nil, nil, err
		}
		o := engine.OptionsFor(plugins, job.Encoding, job.Bounds)
		return &o, plugins.Close, nil
	}
}

// eventWriter writes events until the reader is gone. Safe for concurrent use.
type eventWriter struct {
	mu     sync.Mutex
	out    *json.Encoder
	err    error
	failed func()
	shown  time.Time
}

func (w *eventWriter) write(e record.Event) { w.send(e) }

// show writes a line of progress, but at most one per statusEvery.
func (w *eventWriter) show(text string) {
	w.mu.Lock()
	late := time.Since(w.shown) > statusEvery
	if late {
		w.shown = time.Now()
	}
	w.mu.Unlock()
	if late {
		w.say(workers.Said{Show: text})
	}
}

// say writes something that is not an event.
func (w *eventWriter) say(s workers.Said) { w.send(workers.Line{Said: &s}) }

func (w *eventWriter) send(line any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if w.err = w.out.Encode(line); w.err != nil {
			w.failed()
		}
	}
}

// flushEvery is how long an event of a search may wait in a worker: a search
// makes many thousands a second.
const flushEvery = 100 * time.Millisecond

// buffer collects events and writes them every flushEvery. The returned function stops that and
// writes the rest.
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
