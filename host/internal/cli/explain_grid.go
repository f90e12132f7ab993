package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// explainFile is a file that lists studies, such as studies/rq3.yaml, and how
// each of their networks is explained. Flags that are given override it.
type explainFile struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Studies []struct {
		// Study is relative to the file's folder, where it is not absolute; Models is a pattern of networks
		// beside the study's own, empty for that one.
		Study  string `yaml:"study"`
		Models string `yaml:"models"`
	} `yaml:"studies"`
	// The rest are flags of the same names; empty leaves it to them.
	Strategy    string `yaml:"strategy"`
	Budget      string `yaml:"budget"`
	Individuals string `yaml:"individuals"`
	Samples     string `yaml:"samples"`
	Quantile    string `yaml:"quantile"`
	Delta       string `yaml:"delta"`
	Spread      string `yaml:"spread"`
	Lime        string `yaml:"lime"`
	Bound       string `yaml:"bound"`
}

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
	if err := grid.write(app, f); err != nil {
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

// readGrid reads the file, takes its settings where no flag was given, and
// lists the networks.
func (f *explainFlags) readGrid(app *App, file string) (name string, networks []explainNetwork, err error) {
	text, err := yamlfile.Read(file)
	if err != nil {
		return "", nil, err
	}
	var raw explainFile
	in, err := yamlfile.Decode(text, file, "a file of studies to explain", &raw)
	if err != nil {
		return "", nil, err
	}
	for _, setting := range []struct {
		flag, value string
		take        func(string) error
	}{
		{"strategy", raw.Strategy, func(s string) error { f.strategy = s; return nil }},
		{"budget", raw.Budget, func(s string) error { f.budget = s; return nil }},
		{"individuals", raw.Individuals, take(&f.individuals, strconv.Atoi)},
		{"samples", raw.Samples, take(&f.samples, strconv.Atoi)},
		{"quantile", raw.Quantile, take(&f.quantile, parseFloat)},
		{"delta", raw.Delta, take(&f.delta, parseFloat)},
		{"spread", raw.Spread, take(&f.spread, parseFloat)},
		{"lime", raw.Lime, take(&f.lime, strconv.ParseBool)},
		{"bound", raw.Bound, take(&f.bound, time.ParseDuration)},
	} {
		if setting.value == "" || f.changed(setting.flag) {
			continue
		}
		if err := setting.take(setting.value); err != nil {
			in.Fault("$."+setting.flag, "%q: %v", setting.value, err)
		}
	}
	if len(raw.Studies) == 0 {
		in.Fault("$.studies", "lists no study")
	}
	for i, s := range raw.Studies {
		of := filepath.FromSlash(s.Study)
		if !filepath.IsAbs(of) {
			of = filepath.Join(filepath.Dir(file), of)
		}
		models, err := f.models.of(app, of, s.Models)
		if err != nil {
			in.Fault(fmt.Sprintf("$.studies[%d]", i), "%v", err)
		}
		for _, model := range models {
			networks = append(networks, explainNetwork{Study: of, Model: model})
		}
	}
	if err := in.Err(); err != nil {
		return "", nil, err
	}
	if err := f.validate(true); err != nil {
		return "", nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(networks) == 0 {
		return "", nil, f.models.none()
	}
	if raw.Name == "" {
		raw.Name = filepath.Base(file)
	}
	return raw.Name, networks, nil
}

// take reads a setting into a flag.
func take[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*to, err = parse(text)
		return errors.Unwrap(err) // without the name of the function that parses
	}
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }
