package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

func init() { commands = append(commands, newPlugin) }

func newPlugin(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Write, test and install a plugin",
		Long:  "Write, test, install and uninstall a plugin. hyfair plugins lists those that are found.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("unknown command %q (hyfair plugin --help lists them)", "plugin "+args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPluginNew(app), newPluginTest(app), newPluginInstall(app), newPluginUninstall(app))
	return cmd
}

// kindNames are the values of --kind.
var kindNames = map[string]client.Kind{"": 0, "solver": client.Solver, "search": client.Strategy}

func newPluginTest(app *App) *cobra.Command {
	var kind string
	var cases []string
	cmd := &cobra.Command{
		Use:   "test PATH|NAME",
		Short: "Run the conformance suite on a plugin, over the wire as the host would",
		Long: `Run the conformance suite on a plugin, over the wire as the host would: small
questions whose answers are known, with everything it says checked. PATH is a
plugin's program or folder, anywhere; NAME is a plugin that hyfair plugins lists.
What the plugin does not claim is skipped. The exit code is 0 if no case failed,
else 1.`,
		Example: `  hyfair plugin test highs
  hyfair plugin test ./hyfair-search-hop --set anywhere=0.3
  hyfair plugin test ./a.out --kind solver --case milp/equality --json`,
		Args: exactlyOne("PATH|NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, ok := kindNames[kind]
			if !ok {
				return usage(fmt.Errorf("--kind %q: want solver or search", kind))
			}
			found, err := app.pluginAt(args[0], k)
			if err != nil {
				return usage(err)
			}
			return app.testPlugin(cmd.Context(), found, cases)
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "solver or search, where the file's name does not say")
	cmd.Flags().StringSliceVar(&cases, "case", nil, "run only the cases of these names")
	return cmd
}

// pluginAt finds a plugin by its path, or else by its name.
func (a *App) pluginAt(arg string, kind client.Kind) (discover.Found, error) {
	if _, err := os.Stat(arg); err == nil || strings.ContainsRune(arg, os.PathSeparator) {
		if err != nil {
			return discover.Found{}, err
		}
		if f, ok := discover.At(arg, kind); ok {
			return f, nil
		}
		return discover.Found{}, fmt.Errorf("%s: its name does not begin with hyfair-solver- or hyfair-search-; say what it is with --kind", arg)
	}
	c, err := a.catalogue()
	if err != nil {
		return discover.Found{}, err
	}
	if kind != 0 {
		return c.Find(kind, arg)
	}
	solver, err := c.Find(client.Solver, arg)
	strategy, strategyErr := c.Find(client.Strategy, arg)
	switch {
	case errors.Is(strategyErr, discover.ErrNotFound):
		return solver, err
	case errors.Is(err, discover.ErrNotFound):
		return strategy, strategyErr
	}
	return solver, fmt.Errorf("%s is the name of a solver (%s) and of a strategy (%s); say which with --kind", arg, solver.Path, strategy.Path)
}

// testedJSON is what plugin test prints.
type testedJSON struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
	Path    string `json:"path"`
	// OK: no case failed, and at least one passed.
	OK      bool       `json:"ok"`
	Passed  int        `json:"passed"`
	Failed  int        `json:"failed"`
	Skipped int        `json:"skipped"`
	Cases   []caseJSON `json:"cases"`
	Seconds float64    `json:"seconds"`
}

type caseJSON struct {
	Name    string  `json:"name"`
	Doc     string  `json:"doc"`
	Verdict string  `json:"verdict"`
	Why     string  `json:"why,omitempty"`
	Seconds float64 `json:"seconds"`
}

// testPlugin runs the suite on a plugin's own processes.
func (a *App) testPlugin(ctx context.Context, f discover.Found, cases []string) error {
	began := time.Now()
	plugin, err := a.launchUsable(ctx, f)
	if err != nil {
		return err
	}
	defer plugin.Close()
	d := plugin.Description()
	out := &testedJSON{Name: d.Name, Kind: f.Kind.String(), Version: d.Version, Path: f.Path, Cases: []caseJSON{}}
	if !a.JSON {
		fmt.Fprintf(a.Stdout, "%s %s %s, %s\n", out.Kind, out.Name, out.Version, out.Path)
	}
	a.begin()
	report, err := a.conform(ctx, plugin, cases, func(o conformance.Outcome) {
		c := caseJSON{o.Case, o.Doc, o.Verdict.String(), o.Why, o.Elapsed.Seconds()}
		out.Cases = append(out.Cases, c)
		if !a.JSON {
			c.print(a.Stdout)
		}
	})
	out.Passed, out.Failed, out.Skipped = report.Count(conformance.Passed), report.Count(conformance.Failed), report.Count(conformance.Skipped)
	out.OK, out.Seconds = err == nil && report.OK(), time.Since(began).Seconds()
	if len(out.Cases) == 0 && err != nil && ctx.Err() == nil {
		return usage(err) // names of cases that are none
	}
	if a.JSON {
		err = errors.Join(err, a.printJSON(out))
	} else {
		fmt.Fprintf(a.Stdout, "%d passed, %d failed, %d skipped in %s\n", out.Passed, out.Failed, out.Skipped, view.Seconds(out.Seconds))
	}
	if err == nil && !out.OK {
		return &exitError{code: ExitFailed}
	}
	return err
}

// launchUsable starts a plugin, which must have its libraries: without them the
// suite would skip nearly everything and prove nothing.
func (a *App) launchUsable(ctx context.Context, f discover.Found) (*discover.Plugin, error) {
	logger, err := a.logger()
	if err != nil {
		return nil, err
	}
	options, err := a.pluginOptions()
	if err != nil {
		return nil, err
	}
	p, err := f.Launch(ctx, logger)
	if err != nil {
		return nil, err
	}
	if err := discover.Configure(options, p); err != nil {
		p.Close()
		return nil, usage(err)
	}
	for _, l := range p.Description().Libraries {
		if !l.Found {
			p.Close()
			return nil, fmt.Errorf("%s cannot be tested: %s", p, strings.TrimSpace(libraryJSON(l).text()+"\n"+l.Problem))
		}
	}
	return p, nil
}

// conform runs the suite of the plugin's kind. What compares two processes
// starts more of them, which end with the run.
func (a *App) conform(ctx context.Context, p *discover.Plugin, cases []string, each func(conformance.Outcome)) (*conformance.Report, error) {
	var mu sync.Mutex // a case that hung may still be starting one
	var more []*discover.Plugin
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		for _, p := range more {
			p.Close()
		}
	}()
	another := func(ctx context.Context) (*discover.Plugin, error) {
		next, err := a.launchUsable(ctx, p.Found)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			more = append(more, next)
		}
		return next, err
	}
	o := conformance.Options{Set: p.Options, Only: cases}
	if p.Found.Kind == client.Strategy {
		o.NewStrategy = func(ctx context.Context) (sdk.Strategy, error) {
			next, err := another(ctx)
			if err != nil {
				return nil, err
			}
			return next.Strategy(), nil
		}
		return conformance.CheckStrategy(ctx, p.Strategy(), o, each)
	}
	o.NewSolver = func(ctx context.Context) (sdk.Solver, error) {
		next, err := another(ctx)
		if err != nil {
			return nil, err
		}
		return next.Solver(), nil
	}
	return conformance.CheckSolver(ctx, p.Solver(), o, each)
}

// print writes one line; --json has the whole reason.
func (c *caseJSON) print(w io.Writer) {
	word := map[string]string{conformance.Passed.String(): "pass", conformance.Failed.String(): "FAIL"}[c.Verdict]
	if word == "" {
		word = "skip"
	}
	line := word + "  " + c.Name
	if why, _, _ := strings.Cut(c.Why, "\n"); why != "" {
		line += ": " + why
	}
	fmt.Fprintln(w, line)
}
