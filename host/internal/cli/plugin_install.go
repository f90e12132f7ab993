package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/discover"
)

func newPluginInstall(app *App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "install PATH",
		Short: "Copy a plugin to the user's data folder and pin it by its checksums",
		Long: `Copy a plugin, a program hyfair-solver-NAME or hyfair-search-NAME or a folder of
that name with a plugin.yaml, to the user's data folder, where every hyfair of
this user finds it, and note the checksum of each of its files in pins.json
there. The copy is started once, to see that it runs where it will stand. From
then on a plugin that is not what was installed is refused.
` + notInstalled(),
		Example: `  hyfair plugin install bin/hyfair-search-my-idea
  hyfair plugin install ./hyfair-search-my-idea --force`,
		Args: exactlyOne("PATH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := app.catalogue()
			if err != nil {
				return err
			}
			dir, err := discover.UserFolder()
			if err != nil {
				return err
			}
			if err := c.Free(args[0], dir); err != nil {
				return usage(err)
			}
			logger, err := app.logger()
			if err != nil {
				return err
			}
			app.begin()
			in, err := discover.Install(cmd.Context(), args[0], dir, force, logger)
			if err != nil {
				return err
			}
			return app.installed(in)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "replace the plugin of that name, whatever it is")
	return cmd
}

// mistake is usage for an error that is the user's, and the error itself for one
// that is the file system's, or an interrupt.
func mistake(err error) error {
	var file *fs.PathError
	var files *os.LinkError
	if errors.As(err, &file) || errors.As(err, &files) || errors.Is(err, context.Canceled) {
		return err
	}
	return usage(err)
}

// notInstalled is a sentence on the folders that stay behind.
func notInstalled() string {
	last := len(discover.NotInstalled) - 1
	return fmt.Sprintf("Of a folder, all is copied but its folders %s and %s.",
		strings.Join(discover.NotInstalled[:last], ", "), discover.NotInstalled[last])
}

// installedJSON is what plugin install prints.
type installedJSON struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Version  string `json:"version"`
	Path     string `json:"path"`
	State    string `json:"state"`
	Replaced bool   `json:"replaced"`
	Files    int    `json:"files"`
}

func (a *App) installed(in *discover.Installed) error {
	f := in.Found
	if a.JSON {
		return a.printJSON(installedJSON{f.Name, f.Kind.String(), in.Description.Version, f.Path, string(f.State), in.Replaced, in.Files})
	}
	word := "installed"
	if in.Replaced {
		word = "installed in place of another"
	}
	files := "1 file"
	if in.Files != 1 {
		files = fmt.Sprintf("%d files", in.Files)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s %s %s %s: %s, %s, %s\n", f.Kind, f.Name, in.Description.Version, word, f.Path, files, f.State)
	return err
}

func newPluginUninstall(app *App) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:     "uninstall NAME",
		Short:   "Remove an installed plugin and its pin",
		Long:    "Remove a plugin that plugin install has installed, changed or not, and its pin.",
		Example: "  hyfair plugin uninstall my-idea",
		Args:    exactlyOne("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, ok := kindNames[kind]
			if !ok {
				return usage(fmt.Errorf("--kind %q: want solver or search", kind))
			}
			dir, err := discover.UserFolder()
			if err != nil {
				return err
			}
			app.begin()
			f, err := discover.Uninstall(cmd.Context(), dir, k, args[0])
			if err != nil {
				return mistake(err)
			}
			if app.JSON {
				return app.printJSON(uninstalledJSON{f.Name, f.Kind.String(), f.Path})
			}
			_, err = fmt.Fprintf(app.Stdout, "%s %s uninstalled: %s\n", f.Kind, f.Name, f.Path)
			return err
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "solver or search, where both have the NAME")
	return cmd
}

// uninstalledJSON is what plugin uninstall prints.
type uninstalledJSON struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Path string `json:"path"`
}
