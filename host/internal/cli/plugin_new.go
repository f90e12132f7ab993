package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/scaffold"
	"github.com/hyfair/hyfair/sdk/client"
)

func newPluginNew(app *App) *cobra.Command {
	var r scaffold.Request
	var language string
	cmd := &cobra.Command{
		Use:   "new search|solver NAME",
		Short: "Write a new plugin that builds, passes the conformance suite and is found",
		Long: `Write a new strategy (search) or solver, small and whole: it builds, passes the
conformance suite, and is found. Its idea is a simple one, for yours to take its
place. The next commands are printed: build, test, compare.

A Go plugin is built against the sources of hyfair: those around the folder, or
those that this program was built from, or those of --sdk. Within these sources
it becomes plugins/search-NAME, a part of their module; elsewhere search-NAME is a
module of its own, which needs nothing from the network. A Python plugin is a
folder hyfair-search-NAME that is started as it stands.`,
		Example: `  hyfair plugin new search my-idea
  hyfair plugin new solver my-solver --language python --dir ~/plugins`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(fmt.Errorf("want search or solver, and a NAME; got %d arguments", len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			kind, ok := kindNames[args[0]]
			if !ok || kind == 0 {
				return usage(fmt.Errorf("%q: want search or solver", args[0]))
			}
			switch r.Language = scaffold.Language(language); r.Language {
			case scaffold.Go, scaffold.Python:
			default:
				return usage(fmt.Errorf("--language %q: want go or python", language))
			}
			r.Kind, r.Name = kind, args[1]
			if err := app.unoffered(kind, r.Name); err != nil {
				return usage(err)
			}
			p, err := scaffold.Write(r, thisProgram())
			if err != nil {
				return mistake(err)
			}
			return app.written(p)
		},
	}
	cmd.Flags().StringVar(&language, "language", "go", "go or python")
	cmd.Flags().StringVar(&r.Dir, "dir", "", "folder in which the plugin's own folder is made (default: plugins in hyfair's sources, else the working directory)")
	cmd.Flags().StringVar(&r.SDK, "sdk", "", "folder of hyfair's sources to build against")
	return cmd
}

// unoffered refuses a name that a plugin has already.
func (a *App) unoffered(kind client.Kind, name string) error {
	c, err := a.catalogue()
	if err != nil {
		return err
	}
	for _, f := range c.Plugins {
		if f.Kind == kind && f.Name == name {
			return fmt.Errorf("there is a %s %s already, %s, and a name offered twice is an error: choose another", kind, name, f.Path)
		}
	}
	return nil
}

// thisProgram is this program as a shell in any folder finds it.
func thisProgram() string {
	exe, err := os.Executable()
	if err != nil {
		return "hyfair"
	}
	if found, err := exec.LookPath("hyfair"); err == nil {
		there, err1 := filepath.EvalSymlinks(found)
		here, err2 := filepath.EvalSymlinks(exe)
		if err1 == nil && err2 == nil && there == here {
			return "hyfair"
		}
	}
	return scaffold.Shell(exe)
}

// newPluginJSON is what plugin new prints.
type newPluginJSON struct {
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Language string     `json:"language"`
	Path     string     `json:"path"`
	Files    []string   `json:"files"`
	SDK      string     `json:"sdk,omitempty"`
	Steps    []stepJSON `json:"steps"`
}

type stepJSON struct {
	Command string `json:"command"`
	Purpose string `json:"purpose,omitempty"`
}

func (a *App) written(p *scaffold.Project) error {
	out := newPluginJSON{Name: p.Name, Kind: p.Kind.String(), Language: string(p.Language), Path: p.Path, Files: p.Files, SDK: p.SDK}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, stepJSON(s))
	}
	if a.JSON {
		return a.printJSON(out)
	}
	fmt.Fprintf(a.Stdout, "%s %s, in %s: %s\n\nNext:\n", out.Kind, out.Name, out.Path, strings.Join(out.Files, ", "))
	t := tabwriter.NewWriter(a.Stdout, 0, 0, 3, ' ', 0)
	for _, s := range out.Steps {
		if s.Purpose != "" {
			s.Command += "\t# " + s.Purpose
		}
		fmt.Fprintf(t, "  %s\n", s.Command)
	}
	return t.Flush()
}
