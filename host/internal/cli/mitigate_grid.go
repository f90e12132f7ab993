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
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// mitigateFile is a file that lists studies, such as studies/rq4.yaml, and what
// to do with each of their networks. Flags that are given override it.
type mitigateFile struct {
	Name    string `yaml:"name"`
	Summary string `yaml:"summary"`
	Studies []struct {
		// Study is a path, from the file's folder where it is relative; Models is a pattern of networks
		// beside the study's own, empty for that one.
		Study  string `yaml:"study"`
		Models string `yaml:"models"`
	} `yaml:"studies"`
	Arms     []string `yaml:"arms"`
	Strategy string   `yaml:"strategy"`
	Solver   string   `yaml:"solver"`
	Mode     string   `yaml:"mode"`
	Budget   string   `yaml:"budget"`
	// Runs is a number of searches an arm; 0 leaves it to --runs.
	Runs int `yaml:"runs"`
}

// mitigateGrid is the JSON object of hyfair mitigate with a file of studies.
type mitigateGrid struct {
	Name        string            `json:"name"`
	Networks    []*mitigateReport `json:"networks"`
	Seed        int64             `json:"seed"`
	Seconds     float64           `json:"seconds"`
	Interrupted bool              `json:"interrupted,omitempty"`
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
	grid := mitigateGrid{Networks: []*mitigateReport{}, Seed: app.Seed}
	begin := time.Now()
	tasks, name, err := f.readGrid(app, cmd, file)
	if err != nil {
		return usage(err)
	}
	grid.Name = name
	var failed error
	var table []mitigate.Network
	for i, t := range tasks {
		one := *f
		one.search.Model = t.model
		if f.out != "" {
			one.out = filepath.Join(f.out, t.name())
		}
		fmt.Fprintf(app.Stderr, "network %d of %d: %s\n", i+1, len(tasks), t.name())
		report, outcomes, err := one.run(ctx, app, t.study)
		if report != nil {
			grid.Networks = append(grid.Networks, report)
			table = append(table, mitigate.Network{Name: t.name(), Outcomes: outcomes})
			if !app.JSON {
				err = errors.Join(err, report.print(app.Stdout, outcomes))
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
	if len(table) > 0 && f.out != "" {
		failed = errors.Join(failed, writeTables(f.out, mitigate.Table(table...)))
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
	if cmd.Flag("model").Changed || f.guardrails != "" {
		return nil, "", errors.New("--model and --guardrails are for a single study, not for a file of several")
	}
	text, err := yamlfile.Read(file)
	if err != nil {
		return nil, "", err
	}
	var raw mitigateFile
	in, err := yamlfile.Decode(text, file, "a file of studies to mitigate", &raw)
	if err != nil {
		return nil, "", err
	}
	for _, setting := range []struct {
		flag, value string
		to          *string
	}{
		{"strategy", raw.Strategy, &f.search.Strategy}, {"solver", raw.Solver, &f.search.Solver},
		{"mode", raw.Mode, &f.search.Mode}, {"budget", raw.Budget, &f.search.Budget},
	} {
		if setting.value != "" && !cmd.Flag(setting.flag).Changed {
			*setting.to = setting.value
		}
	}
	switch {
	case raw.Runs < 0:
		in.Fault("$.runs", "%d searches an arm; want 1 or more", raw.Runs)
	case raw.Runs > 0 && !cmd.Flag("runs").Changed:
		f.search.Runs = raw.Runs
	}
	if len(raw.Arms) > 0 && !cmd.Flag("arms").Changed {
		f.arms = raw.Arms
	}
	if len(raw.Studies) == 0 {
		in.Fault("$.studies", "lists no study")
	}
	for i, s := range raw.Studies {
		path := filepath.FromSlash(s.Study)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		models, err := f.models.of(app, path, s.Models)
		if err != nil {
			in.Fault(fmt.Sprintf("$.studies[%d]", i), "%v", err)
		}
		for _, model := range models {
			tasks = append(tasks, mitigateTask{path, model})
		}
	}
	if err := in.Err(); err != nil {
		return nil, "", err
	}
	if len(tasks) == 0 {
		return nil, "", f.models.none()
	}
	if raw.Name == "" {
		raw.Name = filepath.Base(file)
	}
	return tasks, raw.Name, nil
}
