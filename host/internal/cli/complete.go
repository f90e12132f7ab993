package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// values returns what a shell may complete a word to; nil if that is unknown.
type values func(app *App, args []string) []string

// completions holds the completions of flags, by name. addCompletions has those of arguments.
var completions = map[string]values{
	"solver":   func(app *App, _ []string) []string { return app.plugins(client.Solver) },
	"strategy": func(app *App, _ []string) []string { return app.strategies() },
	"notion": func(*App, []string) (out []string) {
		for _, n := range fairness.Notions {
			out = append(out, n.String())
		}
		return out
	},
	"model": func(app *App, args []string) []string {
		if len(args) == 0 {
			return nil
		}
		names, err := study.Models(args[0], study.Options{DataRoot: app.Data})
		if err != nil {
			return nil
		}
		return names
	},
	"from": func(app *App, _ []string) []string {
		return app.runs("search", "certify", "quantify", "explain", "mitigate", "compare", "ablate")
	},
	"mode":        words(search.Paper, search.FastMode),
	"check":       words("fair", "unfair"),
	"clock":       words(clock.WallTime, clock.CPUTime),
	"format":      words(append(view.Formats(), formatJSON)...),
	"plot-format": words(view.FigureFormats...),
	"progress":    words(progressLine, progressJSON),
	"log-level":   words("trace", "debug", "info", "warn", "error", "off"),
}

// words returns a function that offers the same completions whatever was typed before.
func words(list ...string) values { return func(*App, []string) []string { return list } }

// addCompletions has shells complete values of flags, names of runs, and files of studies.
func addCompletions(app *App, cmd *cobra.Command) {
	for name, complete := range completions {
		if cmd.Flag(name) == nil || cmd.LocalFlags().Lookup(name) == nil {
			continue
		}
		cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			list := complete(app, args)
			if cmd.Flag(name).Usage == loopSolverHelp {
				list = append(list, search.NoSolver)
			}
			if list != nil {
				return list, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault // a file, such as a network's
		})
	}
	switch use := cmd.Use + " "; {
	case strings.Contains(use, " RUN"):
		cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return app.runs(), cobra.ShellCompDirectiveNoFileComp
		}
	case strings.Contains(use, " STUDY ") || strings.Contains(use, " STUDY... "):
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt // and folders
		}
	}
	for _, sub := range cmd.Commands() {
		addCompletions(app, sub)
	}
}

// plugins returns the names of the plugins found.
func (a *App) plugins(kind client.Kind) (names []string) {
	c, err := discover.New(a.PluginDir, hclog.NewNullLogger())
	if err != nil {
		return nil
	}
	for _, f := range c.Plugins {
		if f.Kind == kind && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// strategies starts the strategy plugins and returns the names of those that run, and of their
// presets.
func (a *App) strategies() []string {
	c, err := discover.New(a.PluginDir, hclog.NewNullLogger())
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completing)
	defer cancel()
	return c.Strategies(ctx)
}

// completing bounds the time that a shell waits for plugins to list their presets.
const completing = 3 * time.Second

// runs returns the names of the runs of the given commands, or of all commands if none is given,
// each with its command and study.
func (a *App) runs(commands ...string) (out []string) {
	(&session.Session{JournalFile: a.Journal}).Past(func(j *journal.Journal) error {
		infos, err := j.Runs()
		for i := range infos {
			if s := &infos[i].Started; len(commands) == 0 || slices.Contains(commands, s.Task.Command) {
				out = append(out, cobra.CompletionWithDesc(infos[i].Name, strings.TrimSpace(s.Task.Command+" "+s.Study)))
			}
		}
		return err
	})
	return out
}
