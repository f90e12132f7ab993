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
		Short: "Bring the public networks and data sets into the data root",
		Long: `Bring the 20 public networks of the Fairify repository and the two data sets they
were trained on from their public homes into the data root, where the shipped
studies look for them. Every file is checked against a pinned SHA-256 before it
takes its place. What is there already is left alone, and a download that was
interrupted resumes where it stopped, from a .part file. HTTP_PROXY, HTTPS_PROXY and
NO_PROXY are respected. With exit code 1, standard error says for each missing file how
to bring it by hand. A mirror for --base-url is any web server on a data root.`,
		Example: `  hyfair fetch --into ~/hyfair-data
  hyfair fetch --models adult --data ~/hyfair-data --json
  hyfair fetch --base-url http://mirror.example/hyfair-data`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("fetch takes no arguments, got %q; --models names what to bring", args[0]))
			}
			return nil
		},
		RunE: asking(app, fetch.Answer, &r, func([]string) { r.Data = app.Data }),
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&r.Models, "models", []string{"all"}, "what to bring, networks and data: "+strings.Join(fetch.Sets, ", ")+" or all")
	fl.StringVar(&r.Into, "into", "", "folder to bring it into (default: --data, else $XDG_DATA_HOME/hyfair/data or ~/.local/share/hyfair/data)")
	fl.StringVar(&r.BaseURL, "base-url", "", "take everything from this mirror, laid out like the data root")
	fl.IntVar(&r.Retries, "retries", 4, "tries after a failure that may pass")
	return cmd
}
