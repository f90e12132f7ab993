package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
)

// explainGrid is the JSON object of hyfair explain with a file of studies.
type explainGrid struct {
	Name     string           `json:"name"`
	Networks []explainNetwork `json:"networks"`
	Seed     int64            `json:"seed"`
	Seconds  float64          `json:"seconds"`
	// Interrupted: not every network was reached, or not all was proved of the last.
	Interrupted bool `json:"interrupted,omitempty"`
}

// explainNetwork is one network of a file.
type explainNetwork struct {
	Study string `json:"study"`
	Model string `json:"model"`
	// Error says why there is no report, or why no more is proved in it; the others
	// go on.
	Error  string         `json:"error,omitempty"`
	Report *explainReport `json:"report"`
}

// name is the network's without its ending, or the study's for its own network.
func (n *explainNetwork) name() string {
	switch {
	case n.Model != "":
		return strings.TrimSuffix(n.Model, filepath.Ext(n.Model))
	case n.Report != nil:
		return n.Report.Study
	}
	return n.Study
}

// runGrid works through the networks of a file.
func (f *explainFlags) runGrid(ctx context.Context, app *App, file string) error {
	app.compares()
	begin := time.Now()
	name, networks, err := f.readGrid(app, file)
	if err != nil {
		return usage(err)
	}
	grid := explainGrid{Name: name, Networks: []explainNetwork{}, Seed: app.Seed}
	failures := 0
	for i, n := range networks {
		fmt.Fprintf(app.Stderr, "network %d of %d: %s\n", i+1, len(networks), n.name())
		n.Report, err = f.explainNetwork(ctx, app, n)
		grid.Interrupted = ctx.Err() != nil
		if grid.Interrupted && n.Report == nil {
			break
		}
		if err != nil {
			fmt.Fprintf(app.Stderr, "hyfair: %s: %v\n", n.name(), err)
			n.Error = err.Error()
			failures++
		}
		if grid.Networks = append(grid.Networks, n); grid.Interrupted {
			break
		}
	}
	grid.Seconds = time.Since(begin).Seconds()
	if err := f.shown.show(app, &grid); err != nil {
		return err
	}
	switch {
	case grid.Interrupted:
		return &exitError{code: ExitInterrupted}
	case failures > 0:
		return fmt.Errorf("%d of %d networks could not be explained, or what --bound asks not be proved", failures, len(networks))
	}
	return nil
}

// explainNetwork is one network on its own.
func (f *explainFlags) explainNetwork(ctx context.Context, app *App, n explainNetwork) (*explainReport, error) {
	begin := time.Now()
	one := *f
	one.question.Model = n.Model
	j, err := one.open(app, n.Study)
	if err != nil {
		return nil, err
	}
	r, err := j.run(ctx)
	if r != nil {
		r.Seconds = time.Since(begin).Seconds()
	}
	return r, err
}

// readGrid reads a file that lists studies, such as studies/rq3.yaml, takes its
// settings where no flag was given, and lists the networks.
func (f *explainFlags) readGrid(app *App, file string) (name string, networks []explainNetwork, err error) {
	settings := []string{"strategy", "budget", "individuals", "samples", "quantile", "delta", "spread", "lime", "bound"}
	in, err := gridfile.Open(file, "a file of studies to explain", settings...)
	if err != nil {
		return "", nil, err
	}
	takeSettings(in, f.flags, settings...)
	err = f.models.all(app, in, func(path, model string) {
		networks = append(networks, explainNetwork{Study: path, Model: model})
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
