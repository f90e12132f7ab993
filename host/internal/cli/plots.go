package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// plotFlags say where and how an experiment's figures are drawn.
type plotFlags struct {
	dir, format string
	flags       *pflag.FlagSet // of the command; nil for none
}

// add adds the flags for figures. Their help names the figures by the given text.
func (f *plotFlags) add(cmd *cobra.Command, what string) {
	f.flags = cmd.Flags()
	cmd.Flags().StringVar(&f.dir, "plots", "", "draw "+what+" into this folder")
	cmd.Flags().StringVar(&f.format, "plot-format", view.SVG, "format of the figures: "+strings.Join(view.FigureFormats, ", "))
}

func (f *plotFlags) validate() error {
	if f.format != "" && !slices.Contains(view.FigureFormats, f.format) {
		return fmt.Errorf("--plot-format %q: want %s", f.format, strings.Join(view.FigureFormats, ", "))
	}
	if f.dir == "" && f.flags != nil && f.flags.Changed("plot-format") {
		return errors.New("--plot-format applies to the figures of --plots: give --plots, or leave --plot-format out")
	}
	return nil
}

// ready creates the folder and checks that files can be written there.
func (f *plotFlags) ready() error {
	if f.dir == "" {
		return nil
	}
	err := os.MkdirAll(f.dir, 0o777)
	if err == nil {
		err = files.Try(filepath.Join(f.dir, "plot"))
	}
	if err != nil {
		return usage(fmt.Errorf("--plots: %w", err))
	}
	return nil
}

// pictured is a table with figures.
type pictured interface {
	Figures() (figures []*view.Figure, without []string)
	Draw(dir, format string, figures []*view.Figure) error
}

// shower returns a function that draws figures and shows the tables, the latter even if no
// figure can be written.
func (f *plotFlags) shower(app *App, show func(*App, experiment.Table) error) func(experiment.Table) error {
	return func(t experiment.Table) (failed error) {
		if f.dir != "" {
			p := t.(pictured)
			figures, without := p.Figures()
			for _, why := range without {
				app.say(why)
			}
			if err := p.Draw(f.dir, f.format, figures); err != nil {
				failed = fmt.Errorf("--plots: %w", err)
			}
		}
		return errors.Join(show(app, t), failed)
	}
}
