package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
)

// mitigateGrid is the JSON object of hyfair mitigate with a file of studies.
type mitigateGrid struct {
	Name        string             `json:"name"`
	Networks    []*mitigate.Result `json:"networks"`
	Seed        int64              `json:"seed"`
	Seconds     float64            `json:"seconds"`
	Interrupted bool               `json:"interrupted,omitempty"`
}

// mitigateTask is one network of a file; model is empty for the study's own.
type mitigateTask struct{ study, model string }

// name is what the network is called, in messages and as a folder.
func (t *mitigateTask) name() string {
	if t.model != "" {
		return t.model
	}
	return strings.TrimSuffix(filepath.Base(t.study), filepath.Ext(t.study))
}

// runGrid works through the networks of a file and shows each as it is done.
func (f *mitigateFlags) runGrid(ctx context.Context, app *App, cmd *cobra.Command, file string) error {
	app.compares()
	grid := mitigateGrid{Networks: []*mitigate.Result{}, Seed: app.Seed}
	begin := time.Now()
	tasks, name, err := f.readGrid(app, cmd, file)
	if err != nil {
		return usage(err)
	}
	grid.Name = name
	s, err := f.open(app)
	if err != nil {
		return err
	}
	var failed error
	var table []mitigate.Network
	for i, t := range tasks {
		r := f.Request
		r.Search.Study, r.Search.Model = t.study, t.model
		if f.Out != "" {
			r.Out = filepath.Join(f.Out, t.name())
		}
		fmt.Fprintf(app.Stderr, "network %d of %d: %s\n", i+1, len(tasks), t.name())
		out, err := mitigate.Answer(ctx, s, r)
		app.line.clear()
		if out != nil {
			grid.Networks = append(grid.Networks, out)
			table = append(table, mitigate.Network{Name: t.name(), Result: out})
			if !app.JSON {
				err = errors.Join(err, app.show(out))
				fmt.Fprintln(app.Stdout)
			}
		}
		if err != nil {
			failed = fmt.Errorf("%s: %w", t.name(), err)
			break
		}
		if ctx.Err() != nil {
			break
		}
	}
	failed = app.end(s, failed)
	if len(table) > 0 && f.Out != "" {
		failed = errors.Join(failed, mitigate.WriteTables(f.Out, mitigate.Table(table...)))
	}
	grid.Seconds, grid.Interrupted = time.Since(begin).Seconds(), ctx.Err() != nil
	if app.JSON && (len(grid.Networks) > 0 || failed == nil) {
		failed = errors.Join(failed, app.printJSON(grid))
	}
	if failed == nil && grid.Interrupted {
		return &exitError{code: ExitInterrupted}
	}
	return failed
}

// readGrid reads the file, takes its settings where no flag was given, and
// lists the networks.
func (f *mitigateFlags) readGrid(app *App, cmd *cobra.Command, file string) (tasks []mitigateTask, name string, err error) {
	if cmd.Flag("model").Changed || f.Guardrails != "" {
		return nil, "", errors.New("--model and --guardrails are for a single study, not for a file of several")
	}
	settings := []string{"arms", "strategy", "solver", "mode", "budget", "runs"}
	in, err := gridfile.Open(file, "a file of studies to mitigate", settings...)
	if err != nil {
		return nil, "", err
	}
	if runs := in.Root.Get("runs"); runs != nil {
		if v, ok := runs.Float(); ok && v < 1 {
			in.Fault(runs, "%v searches an arm; want 1 or more", v)
		}
	}
	takeSettings(in, cmd.Flags(), settings...)
	err = f.models.all(app, in, func(path, model string) { tasks = append(tasks, mitigateTask{path, model}) })
	if err != nil {
		return nil, "", err
	}
	if len(tasks) == 0 {
		return nil, "", f.models.none()
	}
	if name = in.Setting("name"); name == "" {
		name = filepath.Base(file)
	}
	return tasks, name, nil
}
