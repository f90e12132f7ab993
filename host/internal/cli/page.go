package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/system/shell"
	"github.com/hyfair/hyfair/host/internal/view"
)

// pageFlags say where a result goes in addition to standard output: a page, and files of
// its figures.
type pageFlags struct {
	html  string
	plots plotFlags
	gates gateFlags
	title string
}

// addPage adds --html, and checks before the command runs that the page can be written.
func (a *App) addPage(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.page.html, "html", "", "write the result with its figures to this file, as a page for any browser")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		a.page.title = strings.Join(append(strings.Fields(cmd.CommandPath()), args...), " ")
		return a.page.ready()
	}
}

// addPictures adds --html and --plots to a command whose result has figures. The help names the
// figures by the given text.
func (a *App) addPictures(cmd *cobra.Command, what string) {
	a.addPage(cmd)
	a.page.plots.add(cmd, what)
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		a.page.plots.flags = cmd.Flags() // not those of the command that was added last
		return before(cmd, args)
	}
}

// ready checks that the files can be written.
func (f *pageFlags) ready() error {
	if f.html != "" {
		if err := files.Try(f.html); err != nil {
			return usage(fmt.Errorf("--html: %w", err))
		}
	}
	if err := f.plots.validate(); err != nil {
		return usage(err)
	}
	return f.plots.ready()
}

// commandLine returns the call of the program as a user would type it.
func (a *App) commandLine() string {
	words := []string{"hyfair"}
	for _, arg := range a.args {
		words = append(words, shell.Word(arg))
	}
	return strings.Join(words, " ")
}

// write writes the page and the figures of a result, if the user wants them.
func (f *pageFlags) write(app *App, r result) error {
	if f.html == "" && f.plots.dir == "" {
		return nil
	}
	d := r.Document()
	if p, ok := r.(interface{ Page() *view.Document }); ok {
		d = p.Page()
	}
	if f.plots.dir != "" {
		if _, err := view.Draw(f.plots.dir, f.plots.format, d.Pictures()); err != nil {
			return fmt.Errorf("--plots: %w", err)
		}
	}
	if f.html == "" {
		return nil
	}
	o := view.Options{
		Title: f.title, Made: []string{"Made by hyfair " + session.Version() + " with: " + app.commandLine()},
		Result: func(w io.Writer) error { return write(w, r, formatJSON, view.Options{}) },
	}
	if t, ok := r.(interface{ Title() string }); ok {
		o.Title = t.Title()
	}
	if err := files.Write(f.html, func(file *os.File) error { return d.Write(file, view.HTML, o) }); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}
