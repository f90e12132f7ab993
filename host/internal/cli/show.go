package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// result is what a command shows: as a document, or itself as JSON.
type result interface{ Document() *view.Document }

// formatJSON is the format of the result itself, next to those of its document.
const formatJSON = "json"

// showFlags say how and where a result is shown.
type showFlags struct{ format, out string }

// add adds --format, with the given prefix in its help.
func (f *showFlags) add(cmd *cobra.Command, of string) {
	cmd.Flags().StringVar(&f.format, "format", view.Text, of+strings.Join(view.Formats(), ", ")+" or "+formatJSON)
}

// addOut adds --out.
func (f *showFlags) addOut(cmd *cobra.Command, of string) {
	cmd.Flags().StringVar(&f.out, "out", "", of+"write the result in --format to this file, and the table to standard output")
}

func (f *showFlags) validate() error {
	if all := append(view.Formats(), formatJSON); !slices.Contains(all, f.format) {
		return fmt.Errorf("--format %q: want %s", f.format, strings.Join(all, ", "))
	}
	return nil
}

// show writes a result to standard output and, with --out, to a file.
func (f *showFlags) show(app *App, r result) error {
	if f.out == "" {
		return app.showAs(r, f.format)
	}
	file, err := files.Create(f.out)
	if err != nil {
		return usage(fmt.Errorf("--out: %w", err))
	}
	if err = file.Finish(write(file, r, f.format, view.Options{})); err != nil {
		err = fmt.Errorf("--out: %w", err)
	}
	return errors.Join(app.show(r), err)
}

// showable is a result, or the zero value for none.
type showable interface {
	comparable
	result
}

// answer is the function that answers a command's request, from a package in answer.
type answer[R any, P showable] func(context.Context, *session.Session, R) (P, error)

// ask answers a request in a session and shows the result, which may come with an
// error.
func ask[R any, P showable](ctx context.Context, app *App, answer answer[R, P], request R) (P, error) {
	return askAs(ctx, app, app.show, answer, request)
}

// askAs is ask for a command that shows results in its own way.
func askAs[R any, P showable](ctx context.Context, app *App, show func(result) error, answer answer[R, P], request R) (P, error) {
	var none P
	s, err := app.session()
	if err != nil {
		return none, err
	}
	out, err := scored(ctx, app, s, answer, request)
	if err = app.end(s, err); out == none {
		return out, app.gated(ctx, nil, err)
	}
	app.page.gates.hold(out)
	return out, app.gated(ctx, out, errors.Join(err, show(out)))
}

// asking returns the RunE of a command that only asks; set fills in the request from the
// arguments.
func asking[R any, P showable](app *App, answer answer[R, P], request *R, set func(args []string)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		set(args)
		_, err := ask(cmd.Context(), app, answer, *request)
		return err
	}
}

// interruptedIf returns err or, if the command was interrupted without an error, an error with the
// exit code of an interruption. The end of --calls does not count as one.
func (a *App) interruptedIf(interrupted bool, err error) error {
	if err == nil && interrupted && !a.spent {
		return &exitError{code: ExitInterrupted}
	}
	return err
}

// interruption returns the error of an interrupted command; failed, unless nil, joins it.
func interruption(text string, failed error) error {
	err := errors.New(text)
	if failed != nil && !errors.Is(failed, context.Canceled) {
		err = errors.Join(failed, err)
	}
	return &exitError{ExitInterrupted, err}
}

// show writes a result to standard output: for a person, or for --json.
func (a *App) show(r result) error { return a.showAs(r, view.Text) }

func (a *App) showAs(r result, format string) error {
	if a.JSON {
		format = formatJSON
	}
	err := write(a.Stdout, r, format, a.screen())
	if a.JSON && a.Text != "" {
		if failed := files.Write(a.Text, func(file *os.File) error { return write(file, r, view.Text, view.Options{}) }); failed != nil {
			err = errors.Join(err, fmt.Errorf("--text: %w", failed))
		}
	}
	return errors.Join(err, a.page.write(a, r))
}

func write(w io.Writer, r result, format string, o view.Options) error {
	if format == formatJSON {
		if large, ok := r.(interface{ WriteJSON(io.Writer) error }); ok {
			return large.WriteJSON(w)
		}
		return view.JSON(w, r, "  ")
	}
	return r.Document().Write(w, format, o)
}

// usualWidth is the width assumed of a terminal that does not report its own.
const usualWidth = 80

// screen returns how documents are written to standard output: in a terminal at its width, and with
// colours unless $NO_COLOR is set; elsewhere at any width and without colours.
func (a *App) screen() (o view.Options) {
	out, ok := a.Stdout.(*output)
	if !ok {
		return o
	}
	file, ok := out.to.(*os.File)
	if !ok || !isTerminal(file) {
		return o
	}
	o.Colour, o.Width = os.Getenv("NO_COLOR") == "", usualWidth
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		o.Width = width
	} else if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		o.Width = width
	}
	return o
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
