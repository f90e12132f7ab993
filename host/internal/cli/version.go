package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/session"
)

func init() { commands = append(commands, newVersion) }

func newVersion(app *App) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Long:    "Print the program's version and what it was built with. hyfair plugins lists the plugins' versions.",
		Example: "  hyfair version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if app.JSON {
				return app.printJSON(versionOutput{session.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
			}
			_, err := fmt.Fprintf(app.Stdout, "hyfair %s, %s, %s/%s\n", session.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// versionOutput is the JSON object of hyfair version.
type versionOutput struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}
