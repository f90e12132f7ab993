package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/view"
)

// explainGrid is the JSON object of hyfair explain with a file of studies.
type explainGrid struct {
	Name     string            `json:"name"`
	Networks []explain.Network `json:"networks"`
	Seed     int64             `json:"seed"`
	Seconds  float64           `json:"seconds"`
	// Interrupted: not every network was reached, or not all was proved of the last.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Document shows the grid.
func (g *explainGrid) Document() *view.Document { return view.Of(explain.Table(g.Name, g.Networks)) }

// runGrid works through the networks of a file.
func (f *explainFlags) runGrid(ctx context.Context, app *App, file string) error {
	app.compares()
	begin := time.Now()
	name, networks, err := f.readGrid(app, file)
	if err != nil {
		return usage(err)
	}
	s, err := app.session()
	if err != nil {
		return err
	}
	if f.request.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	grid := explainGrid{Name: name, Networks: []explain.Network{}, Seed: app.Seed}
	failures := 0
	for i, n := range networks {
		fmt.Fprintf(app.Stderr, "network %d of %d: %s\n", i+1, len(networks), n.Name())
		r := f.request
		r.Study, r.Data, r.Model, r.Seed = n.Study, app.Data, n.Model, app.Seed
		n.Report, err = explain.Answer(ctx, s, r)
		app.line.clear()
		grid.Interrupted = ctx.Err() != nil
		if grid.Interrupted && n.Report == nil {
			break
		}
		if err != nil {
			fmt.Fprintf(app.Stderr, "hyfair: %s: %v\n", n.Name(), err)
			n.Error = err.Error()
			failures++
		}
		if grid.Networks = append(grid.Networks, n); grid.Interrupted {
			break
		}
	}
	grid.Seconds = time.Since(begin).Seconds()
	switch err := app.end(s, f.shown.show(app, &grid)); {
	case err != nil:
		return err
	case grid.Interrupted:
		return &exitError{code: ExitInterrupted}
	case failures > 0:
		return fmt.Errorf("%d of %d networks could not be explained, or what --bound asks not be proved", failures, len(networks))
	}
	return nil
}

// readGrid reads a file that lists studies, such as studies/rq3.yaml, takes its
// settings where no flag was given, and lists the networks.
func (f *explainFlags) readGrid(app *App, file string) (name string, networks []explain.Network, err error) {
	settings := []string{"strategy", "budget", "individuals", "samples", "quantile", "delta", "spread", "lime", "bound"}
	in, err := gridfile.Open(file, "a file of studies to explain", settings...)
	if err != nil {
		return "", nil, err
	}
	takeSettings(in, f.flags, settings...)
	err = f.models.all(app, in, func(path, model string) {
		networks = append(networks, explain.Network{Study: path, Model: model})
	})
	if err != nil {
		return "", nil, err
	}
	if err := f.validate(true); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(networks) == 0 {
		return "", nil, f.models.none()
	}
	if name = in.Setting("name"); name == "" {
		name = filepath.Base(file)
	}
	return name, networks, nil
}
