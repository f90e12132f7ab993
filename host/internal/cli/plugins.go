package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

func init() { commands = append(commands, newPlugins) }

func newPlugins(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "plugins",
		Short: "List the solver and strategy plugins: what they serve, their options, where they were found",
		Long: `List the solver and strategy plugins that are found in --plugin-dir,
$HYFAIR_PLUGIN_DIR, the folder plugins beside this program, and
$XDG_DATA_HOME/hyfair/plugins, in that order. A plugin is an executable file
hyfair-solver-NAME or hyfair-search-NAME, or a folder of that name with a
plugin.yaml. A plugin that does not start is listed with its error. Where it
was found comes with its state: bundled (beside this program), pinned (as it was
installed), unpinned, or why it is not started.`,
		Example: "  hyfair plugins\n  hyfair plugins --plugin-dir ./mine --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := app.catalogue()
			if err != nil {
				return err
			}
			listings := c.List(cmd.Context())
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if app.JSON {
				return app.printJSON(pluginsJSON{Plugins: pluginList(listings), Searched: searched(c)})
			}
			printPlugins(app.Stdout, c, listings)
			return nil
		},
	}
}

// noArgs refuses arguments as a mistake of the user's.
func noArgs(cmd *cobra.Command, args []string) error { return usage(cobra.NoArgs(cmd, args)) }

// catalogue looks for plugins as the flags say.
func (a *App) catalogue() (*discover.Catalogue, error) {
	logger, err := a.logger()
	if err != nil {
		return nil, err
	}
	c, err := discover.New(a.PluginDir, logger)
	return c, usage(err)
}

type pluginsJSON struct {
	Plugins  []pluginJSON `json:"plugins"`
	Searched []placeJSON  `json:"searched"`
}

type placeJSON struct {
	Path   string `json:"path"`
	Source string `json:"source"`
	Exists bool   `json:"exists"`
}

// pluginJSON is a plugin as plugins and doctor print it. Where error is set,
// what the plugin would say of itself is missing.
type pluginJSON struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind"`
	Version   string        `json:"version"`
	Summary   string        `json:"summary"`
	Forms     []string      `json:"forms"`
	Serves    []servesJSON  `json:"serves"`
	Exactness string        `json:"exactness,omitempty"`
	Sets      bool          `json:"sets"`
	Needs     []string      `json:"needs"`
	Lag       int           `json:"lag"`
	Path      string        `json:"path"`
	Source    string        `json:"source"`
	State     string        `json:"state"`
	Language  string        `json:"language,omitempty"`
	Usable    bool          `json:"usable"`
	Options   []optionJSON  `json:"options"`
	Presets   []presetJSON  `json:"presets"`
	Libraries []libraryJSON `json:"libraries"`
	Error     string        `json:"error,omitempty"`
}

// servesJSON is a form and the goals that a solver answers in it.
type servesJSON struct {
	Form  string   `json:"form"`
	Goals []string `json:"goals"`
}

type optionJSON struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Help    string `json:"help"`
}

type presetJSON struct {
	Name    string            `json:"name"`
	Summary string            `json:"summary"`
	Options map[string]string `json:"options"`
}

type libraryJSON struct {
	Name    string `json:"name"`
	Found   bool   `json:"found"`
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Hint    string `json:"hint,omitempty"`
	Problem string `json:"problem,omitempty"`
}

func searched(c *discover.Catalogue) []placeJSON {
	out := []placeJSON{}
	for _, p := range c.Places {
		out = append(out, placeJSON{p.Path, p.Source, p.Exists})
	}
	return out
}

func pluginList(listings []discover.Listing) []pluginJSON {
	out := []pluginJSON{}
	for _, l := range listings {
		d := &l.Description
		p := pluginJSON{
			Name: l.Name, Kind: l.Kind.String(), Version: d.Version, Summary: d.Summary,
			Path: l.Path, Source: l.Source, State: string(l.State), Language: l.Language, Usable: l.Usable(),
			Forms: []string{}, Serves: serves(d), Sets: d.SOS1, Needs: needs(d), Lag: d.Lag, Options: []optionJSON{}, Presets: []presetJSON{}, Libraries: []libraryJSON{},
		}
		if l.Err != nil {
			p.Error = l.Err.Error()
		} else if l.Kind == client.Solver {
			p.Exactness = d.Exactness.String()
		}
		for _, f := range p.Serves {
			p.Forms = append(p.Forms, f.Form)
		}
		for _, o := range d.Options {
			p.Options = append(p.Options, optionJSON(o))
		}
		for _, q := range d.Presets {
			options := map[string]string{}
			for k, v := range q.Options {
				options[k] = v
			}
			p.Presets = append(p.Presets, presetJSON{q.Name, q.Summary, options})
		}
		for _, l := range d.Libraries {
			p.Libraries = append(p.Libraries, libraryJSON(l))
		}
		out = append(out, p)
	}
	return out
}

// serves groups what a solver answers by form.
func serves(d *sdk.Description) []servesJSON {
	out := []servesJSON{}
	for _, s := range d.Serves {
		i := slices.IndexFunc(out, func(f servesJSON) bool { return f.Form == s.Form.String() })
		if i < 0 {
			i = len(out)
			out = append(out, servesJSON{Form: s.Form.String()})
		}
		out[i].Goals = append(out[i].Goals, s.Goal.String())
	}
	return out
}

// needs lists what a strategy wants to be handed over.
func needs(d *sdk.Description) []string {
	out := []string{}
	if d.NeedsModel {
		out = append(out, "network")
	}
	if d.NeedsRows {
		out = append(out, "rows")
	}
	return out
}

func printPlugins(w io.Writer, c *discover.Catalogue, listings []discover.Listing) {
	for i, p := range pluginList(listings) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, strings.Join(strings.Fields(p.Kind+" "+p.Name+" "+p.Version), " "))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		line := func(label, text string) {
			if text != "" {
				fmt.Fprintf(t, "  %s\t%s\n", label, text)
			}
		}
		line("", p.Summary)
		line("error", strings.ReplaceAll(strings.TrimSpace(p.Error), "\n", "\n  \t"))
		for _, f := range p.Serves {
			line("serves", f.Form+": "+strings.Join(f.Goals, ", "))
		}
		line("proofs", p.Exactness)
		if p.Sets {
			line("takes", "special ordered sets")
		}
		line("needs", strings.Join(p.Needs, ", "))
		if p.Lag > 0 {
			line("lag", fmt.Sprint(p.Lag))
		}
		for _, l := range p.Libraries {
			line("library", l.text())
		}
		for _, q := range p.Presets {
			line("preset", q.Name+"\t"+q.Summary)
		}
		for _, o := range p.Options {
			line("option", o.Name+"="+o.Default+"\t"+o.Help)
		}
		line("found", fmt.Sprintf("%s (%s), %s", p.Path, p.Source, p.State))
		t.Flush()
	}
	if len(listings) == 0 {
		fmt.Fprintln(w, "No plugins were found. Looked in:")
		for _, p := range c.Places {
			there := ""
			if !p.Exists {
				there = ", not there"
			}
			fmt.Fprintf(w, "  %s (%s%s)\n", p.Path, p.Source, there)
		}
	}
}

// text is one line about a library.
func (l libraryJSON) text() string {
	if !l.Found {
		return l.Name + " not found; to install it: " + l.Hint
	}
	return strings.Join(strings.Fields(l.Name+" "+l.Version+" "+l.Path), " ")
}
