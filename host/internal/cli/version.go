package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
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
			return app.show(&versionOutput{session.Build(), runtime.Version(), runtime.GOOS, runtime.GOARCH})
		},
	}
}

// versionOutput is the JSON object of hyfair version.
type versionOutput struct {
	// The version of hyfair; outside a release with the commit, or (devel) and the beginning of its file's
	// checksum.
	Version string `json:"version"`
	// The version of Go.
	Go string `json:"go"`
	// The operating system.
	OS string `json:"os"`
	// The architecture.
	Arch string `json:"arch"`
}

// Document shows the version.
func (v *versionOutput) Document() *view.Document {
	return view.Of(view.Paragraph{fmt.Sprintf("hyfair %s, %s, %s/%s", v.Version, v.Go, v.OS, v.Arch)})
}
