package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question/fetch"
	"github.com/hyfair/hyfair/host/internal/view"
)

func init() { commands = append(commands, newFetch) }

type fetchFlags struct {
	models  []string
	into    string
	baseURL string
	retries int
}

func newFetch(app *App) *cobra.Command {
	var f fetchFlags
	cmd := &cobra.Command{
		Use:   "fetch",
		Short: "Bring the public networks and data sets into the data root",
		Long: `Bring the 20 public networks of the Fairify repository and the two data sets they
were trained on from their public homes into the data root, where the shipped
studies look for them. Every file is checked against a pinned SHA-256 before it
takes its place. What is there already is left alone, and a download that was
interrupted goes on where it stopped. HTTPS_PROXY and its kin are respected.`,
		Example: `  hyfair fetch --into ~/hyfair-data
  hyfair fetch --models adult --data ~/hyfair-data --json
  hyfair fetch --base-url http://mirror.example/hyfair-data`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("fetch takes no arguments, got %q; --models names what to bring", args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runFetch(cmd.Context(), app, &f) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.models, "models", []string{"all"}, "what to bring, networks and data: "+strings.Join(fetch.Sets, ", ")+" or all")
	fl.StringVar(&f.into, "into", "", "folder to bring it into (default: --data, else $XDG_DATA_HOME/hyfair/data or ~/.local/share/hyfair/data)")
	fl.StringVar(&f.baseURL, "base-url", "", "take everything from this mirror, laid out like the data root")
	fl.IntVar(&f.retries, "retries", 4, "tries after a failure that may pass")
	return cmd
}

// fetchReport is the JSON object of fetch.
type fetchReport struct {
	Into    string        `json:"into"`
	Seconds float64       `json:"seconds"`
	Files   []fetchedFile `json:"files"`
}

type fetchedFile struct {
	Path    string      `json:"path"`
	State   fetch.State `json:"state"`
	Bytes   int64       `json:"bytes"`
	SHA256  string      `json:"sha256,omitempty"`
	Licence string      `json:"licence"`
	Error   string      `json:"error,omitempty"`
}

func runFetch(ctx context.Context, app *App, f *fetchFlags) error {
	start := time.Now()
	files, err := f.files()
	if err != nil {
		return usage(err)
	}
	if f.retries < 0 {
		return usage(fmt.Errorf("--retries %d is negative", f.retries))
	}
	into, err := f.folder(app)
	if err != nil {
		return usage(err)
	}
	line := newStatusLine(app)
	outcomes, err := fetch.Run(ctx, files, fetch.Options{
		Into: into, BaseURL: f.baseURL, Retries: f.retries,
		Progress: func(p fetch.Progress) { line.show(fetchProgress(p)) },
	})
	line.clear()
	if outcomes == nil {
		return err
	}
	rep := &fetchReport{Into: into, Seconds: time.Since(start).Seconds()}
	missing := 0
	for i := range outcomes {
		o := &outcomes[i]
		file := fetchedFile{Path: o.File.Path, State: o.State, Bytes: o.Bytes, SHA256: o.SHA256, Licence: o.File.Licence}
		if o.Missing() {
			missing++
		}
		if o.Err != nil {
			file.Error = o.Err.Error()
		}
		rep.Files = append(rep.Files, file)
	}
	if app.JSON {
		if err := app.printJSON(rep); err != nil {
			return err
		}
	} else {
		rep.print(app.Stdout, app.Data)
	}
	for _, file := range rep.Files {
		if file.Error != "" {
			fmt.Fprintf(app.Stderr, "hyfair: %s\n", file.Error)
		}
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{ExitInterrupted, errors.New("interrupted; run the same command again to go on")}
	case missing > 0:
		return &exitError{ExitFailed, fmt.Errorf("%d of %d files are missing; run the same command again to try once more", missing, len(rep.Files))}
	}
	return nil
}

// files are those that --models names.
func (f *fetchFlags) files() ([]fetch.File, error) {
	if slices.Equal(f.models, []string{"all"}) {
		return fetch.Files(), nil
	}
	for _, name := range f.models {
		if !slices.Contains(fetch.Sets, name) {
			return nil, fmt.Errorf("--models %q: want %s or all", name, strings.Join(fetch.Sets, ", "))
		}
	}
	if len(f.models) == 0 {
		return nil, errors.New("--models names nothing")
	}
	return fetch.Files(f.models...), nil
}

// folder is where the files go.
func (f *fetchFlags) folder(app *App) (string, error) {
	if f.into != "" {
		return f.into, nil
	}
	if app.Data != "" {
		return app.Data, nil
	}
	if home := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, "hyfair", "data"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home folder to bring the files into (%w); name a folder with --into", err)
	}
	return filepath.Join(home, ".local", "share", "hyfair", "data"), nil
}

func fetchProgress(p fetch.Progress) string {
	if p.Total < 0 {
		return fmt.Sprintf("%s · %s bytes", p.What, view.Count(p.Done))
	}
	return fmt.Sprintf("%s · %s of %s bytes", p.What, view.Count(p.Done), view.Count(p.Total))
}

// print writes the report for people; data is the data root in force.
func (r *fetchReport) print(w io.Writer, data string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FILE\tSTATE\tBYTES\tLICENCE")
	for _, f := range r.Files {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Path, f.State, view.Count(f.Bytes), f.Licence)
	}
	t.Flush()
	fmt.Fprintf(w, "\nin %s\n", r.Into)
	if data == r.Into {
		return
	}
	path := r.Into
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	fmt.Fprintf(w, "studies find it with --data %s, or once and for all with\n  export HYFAIR_DATA=%s\n", path, shellQuoted(path))
}

// shellQuoted is a path as a word of a POSIX shell.
func shellQuoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@", r)
	}
	if path != "" && strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
