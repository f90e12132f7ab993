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
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/compare"
	"github.com/hyfair/hyfair/host/internal/task"
	"github.com/hyfair/hyfair/sdk/client"
)

func init() { commands = append(commands, newWork) }

// processStart is the moment from which a worker's time counts: as early as a
// process can tell.
var processStart = time.Now()

func newWork(app *App) *cobra.Command {
	return &cobra.Command{
		Use:    "work",
		Short:  "Do one task of a comparison (started by hyfair compare)",
		Hidden: true,
		Long: `Read one task as a line of JSON from standard input, do it, and write its events
to standard output, one JSON object a line. The end of standard input ends the
work. hyfair compare starts one such process for each of its tasks.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWork(cmd.Context(), app) },
	}
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
	err = compare.Work(ctx, job, processStart, func(ctx context.Context) (*compare.Opened, error) {
		return openForWork(ctx, app, job)
	}, out.write)
	return errors.Join(err, out.err)
}

// readJob reads a line that fits the reader's buffer.
func readJob(in *bufio.Reader) (*compare.Job, error) {
	job := &compare.Job{}
	line, err := in.ReadSlice('\n')
	if err == nil {
		err = json.Unmarshal(line, job)
	}
	if err != nil {
		return nil, fmt.Errorf("a task is expected on standard input, as hyfair compare writes it: %w", err)
	}
	return job, nil
}

// openForWork starts the solver of a task.
func openForWork(ctx context.Context, app *App, job *compare.Job) (*compare.Opened, error) {
	catalogue, err := app.catalogue()
	if err != nil {
		return nil, err
	}
	plugin, err := catalogue.Open(ctx, client.Solver, job.Arm.Solver, job.Set)
	if err != nil {
		return nil, err
	}
	return &compare.Opened{Solver: plugin.Solver(), Description: plugin.Description(), Set: plugin.Options, Close: func() { plugin.Close() }}, nil
}

// eventWriter writes events until the reader is gone. Safe for concurrent use.
type eventWriter struct {
	mu     sync.Mutex
	out    *json.Encoder
	err    error
	failed func()
}

func (w *eventWriter) write(e task.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		if w.err = w.out.Encode(e); w.err != nil {
			w.failed()
		}
	}
}
