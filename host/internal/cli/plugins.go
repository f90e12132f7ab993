package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/plugins"
	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/host/internal/plugin/scaffold"
)

func init() { commands = append(commands, newPlugins, newPlugin, newDoctor) }

func newPlugins(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "plugins",
		Short: "List the plugins: solvers, strategies and models, what they serve, their options, where they were found",
		Long: `List the solver, strategy and model plugins that are found in --plugin-dir,
$HYFAIR_PLUGIN_DIR, the folder plugins next to this program, and
$XDG_DATA_HOME/hyfair/plugins, in that order. A plugin is an executable file
hyfair-solver-NAME, hyfair-search-NAME or hyfair-model-NAME, or a folder of that
name with a plugin.yaml. A plugin that does not start is listed with its error. Each has its
place and its state: bundled (next to this program), pinned (unchanged since it
was installed), unpinned, or why it is not started.`,
		Example: "  hyfair plugins\n  hyfair plugins --plugin-dir ./mine --json",
		Args:    noArgs,
		RunE:    asking(app, plugins.List, &struct{}{}, func([]string) {}),
	}
}

func newDoctor(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check whether this machine can run hyfair, and show how to install what is missing",
		Long: `Check whether this machine can run hyfair, and show the plugins that start, the
native libraries they need, found or not, the command that installs each missing
one, and the folder of the data. The exit code is 0 if at least one solver can be
used, else 1.`,
		Example: "  hyfair doctor\n  hyfair doctor --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := ask(cmd.Context(), app, plugins.Diagnose, plugins.Checkup{Data: app.Data})
			return failedUnless(out != nil && out.OK, err)
		},
	}
}

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

func newPluginNew(app *App) *cobra.Command {
	var r plugins.NewRequest
	cmd := &cobra.Command{
		Use:   "new search|solver|model NAME",
		Short: "Write a new plugin that builds, passes the conformance suite and is found",
		Long: `Write a new strategy (search), solver or model, small but complete: it builds, passes
the conformance suite, and is found. It implements a simple idea, for you to replace by
yours. The next commands are printed: build, test, compare or audit.

Within the sources of hyfair a Go plugin becomes plugins/search-NAME, a part of
their module. Elsewhere search-NAME is a module of its own. Its go.mod names the
version of this hyfair. With --sdk, a replace directive points to those sources on this
machine. For a development build, whose version cannot be fetched, the module contains a
copy of the SDK in its folder hyfair, and so builds on any machine. A Python plugin is a
folder hyfair-search-NAME that needs no build.

NAME consists of lower-case letters, digits and single dashes, begins with a letter, and
must not be the name of a plugin. An existing folder is not changed.`,
		Example: `  hyfair plugin new search my-idea
  hyfair plugin new solver my-solver --language python --dir ~/plugins
  hyfair plugin new model my-model`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(fmt.Errorf("want search, solver or model, and a NAME; got %d arguments", len(args)))
			}
			return nil
		},
		RunE: asking(app, plugins.New, &r, func(args []string) { r.Kind, r.Name = args[0], args[1] }),
	}
	fl := cmd.Flags()
	fl.StringVar((*string)(&r.Language), "language", string(scaffold.Go), "language of the plugin: go or python")
	fl.StringVar(&r.Dir, "dir", "", "folder in which the plugin's own folder is made (default: plugins in hyfair's sources, else the working directory)")
	fl.StringVar(&r.SDK, "sdk", "", "folder of hyfair's sources to build against")
	return cmd
}

func newPluginTest(app *App) *cobra.Command {
	var r plugins.TestRequest
	cmd := &cobra.Command{
		Use:   "test PATH|NAME",
		Short: "Run the conformance suite on a plugin, over the wire as the host would",
		Long: `Run the conformance suite on a plugin, over the wire as the host would: small
questions, and checks of everything it says. PATH is a
plugin's program or folder, anywhere; NAME is a plugin that hyfair plugins lists.
What the plugin does not claim is skipped. --set sets options of the plugin for the entire
run. In the patterns of --case and --exclude, * matches anything except a slash; a pattern
that matches no case is an error.

Each case has a line: pass, FAIL, INCONCLUSIVE (the case could not judge the plugin) or
skip, and its time. The exit code is 0 if no case failed and at least one passed, else 1, also for a file
that does not start, is not a plugin, or lacks a native library.`,
		Example: `  hyfair plugin test highs
  hyfair plugin test ./hyfair-search-hop --set anywhere=0.3
  hyfair plugin test ./a.out --kind solver --case milp/equality --json
  hyfair plugin test highs --case 'milp/*' --exclude '*/time-limit'`,
		Args: exactlyOne("PATH|NAME"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			r.Plugin = args[0]
			if r.Set, err = app.pluginOptions(); err != nil {
				return err
			}
			out, err := ask(cmd.Context(), app, plugins.Test, r)
			return failedUnless(out != nil && out.OK, err)
		},
	}
	cmd.Flags().StringVar(&r.Kind, "kind", "", "kind of the plugin, solver, search or model, if the file's name does not say")
	cmd.Flags().StringSliceVar(&r.Cases, "case", nil, "run only these cases: names, or patterns such as 'milp/*'")
	cmd.Flags().StringSliceVar(&r.Exclude, "exclude", nil, "leave out these cases: names, or patterns such as '*/time-limit'")
	return cmd
}

func newPluginInstall(app *App) *cobra.Command {
	var r plugins.InstallRequest
	last := len(discover.NotInstalled) - 1
	cmd := &cobra.Command{
		Use:   "install PATH",
		Short: "Copy a plugin to the user's data folder and pin it by its checksums",
		Long: `Copy a plugin, a program hyfair-solver-NAME, hyfair-search-NAME or hyfair-model-NAME or a
folder of that name with a plugin.yaml, to the user's data folder, where every hyfair of
this user finds it, and record the checksum of each of its files in pins.json
there. The copy is started once, to check that it runs there. From then on the
plugin is refused if its files have changed.
All of a folder is copied, except for its folders ` + strings.Join(discover.NotInstalled[:last], ", ") + " and " + discover.NotInstalled[last] + ".",
		Example: `  hyfair plugin install bin/hyfair-search-my-idea
  hyfair plugin install ./hyfair-search-my-idea --force`,
		Args: exactlyOne("PATH"),
		RunE: asking(app, plugins.Install, &r, func(args []string) { r.Path = args[0] }),
	}
	cmd.Flags().BoolVar(&r.Force, "force", false, "replace the plugin of the same name, if one is installed")
	return cmd
}

func newPluginUninstall(app *App) *cobra.Command {
	var r plugins.UninstallRequest
	cmd := &cobra.Command{
		Use:     "uninstall NAME",
		Short:   "Remove an installed plugin and its pin",
		Long:    "Remove a plugin that hyfair plugin install installed, and its pin. This works even if the plugin's files have changed since.",
		Example: "  hyfair plugin uninstall my-idea",
		Args:    exactlyOne("NAME"),
		RunE:    asking(app, plugins.Uninstall, &r, func(args []string) { r.Name = args[0] }),
	}
	cmd.Flags().StringVar(&r.Kind, "kind", "", "kind of the plugin, solver, search or model, if one of each is called NAME")
	return cmd
}

// noArgs refuses arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error { return usage(cobra.NoArgs(cmd, args)) }

// failedUnless returns err, or exit code 1 without a message if what was shown is not ok.
func failedUnless(ok bool, err error) error {
	if err == nil && !ok {
		return &exitError{code: ExitFailed}
	}
	return err
}

// catalogue returns the plugins found with the user's flags.
func (a *App) catalogue() (*discover.Catalogue, error) {
	logger, err := a.logger()
	if err != nil {
		return nil, err
	}
	c, err := discover.New(a.PluginDir, logger)
	return c, usage(err)
}
