package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/workers"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/client"
)

func init() { commands = append(commands, newWork) }

// processStart is the moment from which a worker's time counts: as early as a
// process can tell.
var processStart = time.Now()

func newWork(app *App) *cobra.Command {
	return &cobra.Command{
		Use:    "work",
		Short:  "Do one task (started by hyfair compare and hyfair ablate)",
		Hidden: true,
		Long: `Read one task as a line of JSON from standard input, do it, and write its events
to standard output, one JSON object a line. The end of standard input ends the
work. hyfair compare and hyfair ablate start one such process for each of their
tasks.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWork(cmd.Context(), app) },
	}
}

// workJob is the line that a worker reads: one of its fields is set.
type workJob struct {
	Compare *compare.Job    `json:"compare,omitempty"`
	Search  *search.Request `json:"search,omitempty"`
	// Threads and Memory are for the solver.
	Threads int   `json:"threads,omitempty"`
	Memory  int64 `json:"memory,omitempty"`
}

// workers starts this very program as workers.
func (a *App) workers() (*workers.Processes, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &workers.Processes{Program: self, Args: []string{"work", "--plugin-dir", a.PluginDir, "--log-level", a.LogLevel}}
	if slices.Contains([]string{"trace", "debug", "info"}, a.LogLevel) {
		p.Log = a.Stderr
	}
	return p, nil
}

// slots are the processors of each job, none where they do not suffice.
func (a *App) slots(jobs, threads int) [][]int {
	cores := workers.Cores()
	out := experiment.Slots(cores, jobs, threads)
	if jobs > 1 && out == nil {
		a.say(fmt.Sprintf("%d jobs of %d thread(s) cannot have cores of their own here (%d to be had): their times will be longer than alone", jobs, threads, len(cores)))
	}
	return out
}

// maxJob bounds the line that a worker reads.
const maxJob = 1 << 20

func runWork(ctx context.Context, app *App) error {
	// Ctrl-C reaches every process of a terminal; when to stop is for the one that
	// started this one to say.
	signal.Ignore(os.Interrupt)
	defer signal.Reset(os.Interrupt)
	in := bufio.NewReaderSize(app.Stdin, maxJob)
	job, err := readJob(in)
	if err != nil {
		return usage(err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	out := &eventWriter{out: json.NewEncoder(app.Stdout), failed: stop}
	if job.Search != nil {
		return searchWork(ctx, app, &job, out)
	}
	err = compare.Work(ctx, job.Compare, processStart, opener(app, job.Compare), out.write)
	return errors.Join(err, out.err)
}

// readJob reads a line that fits the reader's buffer.
func readJob(in *bufio.Reader) (job workJob, err error) {
	line, err := in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, &job)
	}
	if err == nil && (job.Compare == nil) == (job.Search == nil) {
		err = errors.New("it names none, or two")
	}
	if err != nil {
		return job, fmt.Errorf("a task is expected on standard input, as hyfair compare and hyfair ablate write it: %w", err)
	}
	return job, nil
}

// searchWork does one search, whose events go out. The error tells that the search
// is not what was asked for: its strategy or its solver was lost on the way.
func searchWork(ctx context.Context, app *App, job *workJob, out *eventWriter) error {
	flush := out.buffer(app.Stdout)
	defer flush()
	catalogue, err := app.catalogue()
	if err != nil {
		return err
	}
	s := &session.Session{Plugins: catalogue, Threads: job.Threads, Memory: job.Memory, Jobs: 1, Begun: processStart, Events: out.write}
	searcher, err := search.Open(ctx, s, *job.Search)
	if err != nil {
		return app.end(s, err)
	}
	defer searcher.Close()
	run, err := searcher.Begin(job.Search.Seed, processStart)
	if err != nil {
		return err
	}
	result, _ := searcher.Run(ctx, job.Search.Seed, run, "")
	return errors.Join(result.Err, result.SolverErr, out.err)
}

// opener starts the solver of a task.
func opener(app *App, job *compare.Job) compare.Open {
	return func(ctx context.Context) (*certify.Options, func(), error) {
		catalogue, err := app.catalogue()
		if err != nil {
			return nil, nil, err
		}
		p, err := catalogue.Open(ctx, client.Solver, job.Solver, job.Set)
		if err != nil {
			return nil, nil, err
		}
		return &certify.Options{Solver: p.Solver(), Description: p.Description(), Set: p.Options}, func() { p.Close() }, nil
	}
}

// eventWriter writes events until the reader is gone. Safe for concurrent use.
type eventWriter struct {
	mu     sync.Mutex
	out    *json.Encoder
	err    error
	failed func()
}

func (w *eventWriter) write(e record.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if w.err = w.out.Encode(e); w.err != nil {
			w.failed()
		}
	}
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
