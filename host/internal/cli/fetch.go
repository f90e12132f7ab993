package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/fetch"
)

func init() { commands = append(commands, newFetch) }

func newFetch(app *App) *cobra.Command {
	var r fetch.Request
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Download the public networks and data sets into the data root",
		Long: `Download the 20 public networks of the Fairify repository and the two data sets they
were trained on from their public homes into the data root, where the shipped
studies look for them. Every file is checked against a pinned SHA-256 before it
gets its name. Existing files are left alone, and an interrupted download resumes
from its .part file. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected. If the exit
code is 1, standard error says how to download each missing file by hand. Any web
server that offers a data root can be the mirror of --base-url.`,
		Example: `  hyfair fetch --into ~/hyfair-data
  hyfair fetch --models adult --data ~/hyfair-data --json
  hyfair fetch --base-url http://mirror.example/hyfair-data`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("fetch takes no arguments, got %q; --models names what to download", args[0]))
			}
			return nil
		},
		RunE: asking(app, fetch.Answer, &r, func([]string) { r.Data = app.Data }),
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&r.Models, "models", []string{"all"}, "what to download, networks and data: "+strings.Join(fetch.Sets, ", ")+" or all")
	fl.StringVar(&r.Into, "into", "", "folder to download into (default: --data, else $XDG_DATA_HOME/hyfair/data or ~/.local/share/hyfair/data)")
	fl.StringVar(&r.BaseURL, "base-url", "", "download everything from this mirror, laid out like the data root")
	fl.IntVar(&r.Retries, "retries", 4, "retries after a temporary failure")
	return cmd
}
