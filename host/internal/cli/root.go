// Package cli is the command line of hyfair, one file per command. docs/reference/cli.md says what
// scripts can rely on; docs/reference/commands.md and docs/reference/schema are generated from the
// commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/simd"
)

// Exit codes, as documented in docs/reference/cli.md.
const (
	ExitDone          = 0
	ExitFailed        = 1
	ExitUsage         = 2
	ExitCheck         = 3
	ExitContradiction = 4
	ExitInterrupted   = 130
	ExitPipe          = 141
)

// App is one run of the program: its streams and the flags every command has.
type App struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	JSON      bool
	Data      string
	Seed      int64
	Jobs      int
	Threads   int
	Memory    string
	Calls     int64
	PluginDir string
	Journal   string
	LogLevel  string
	Shard     record.Shard
	Set       []string
	CSVSafe   bool
	Progress  string
	Text      string

	// args are the arguments of the command line. page says where a result goes in addition to
	// standard output.
	args []string
	page pageFlags
	// current is the command's session, nil before its first use. line shows its progress.
	current *session.Session
	line    *statusLine
	// parted: a part of the result was shown. spent: --calls ended the work.
	parted, spent bool
	// working is set by begin; nil if no caller waits for it.
	working *atomic.Bool
	// interrupt ends the command as a signal does. Only Main sets it.
	interrupt func()
}

// begin records that the command has read its input: from now on it ends by itself
// when its context does, after it has finished or shown what it has.
func (a *App) begin() {
	if a.working != nil {
		a.working.Store(true)
	}
}

// exitError carries an exit code. If err is nil, no message is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as the user's: bad flags or bad input, exit code 2. An error of the
// machine, such as a full disk, is returned unchanged and keeps exit code 1.
func usage(err error) error {
	if err == nil || files.OfMachine(err) {
		return err
	}
	return &exitError{ExitUsage, err}
}

// patience is how long a command that has not begun to work may take to end after
// a signal: it may be waiting for a file.
const patience = time.Second

// sameSignal is how long after the first signal a second one counts as its duplicate.
const sameSignal = 500 * time.Millisecond

// Main runs the program and returns its exit code. SIGINT and SIGTERM cancel
// the command's context; a second one, half a second later or more, ends the
// process at once. Standard output is closed at the end.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, said := &output{to: stdout}, &diagnostics{stderr}
	// Writing to a pipe without a reader returns an error and does not end the run: the
	// journal and other files are still completed.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, interrupt := context.WithCancel(ctx)
	defer interrupt()
	app := &App{interrupt: interrupt, Stdin: &input{from: stdin, done: ctx.Done()}, Stdout: out, Stderr: said, args: args, working: &atomic.Bool{}}
	go func() {
		<-ctx.Done()
		// Programs that end others may signal a process and then its group: only
		// a signal that comes later has its default effect.
		time.Sleep(sameSignal)
		stop()
	}()
	root := newRoot(app)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(said)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	var err, lost error
	select {
	case err = <-ended:
		lost = out.close()
	case <-abandoned(ctx, app.working):
		err = ctx.Err()
	}
	err = without(err, lost) // some commands return it, others do not
	code := exitCode(ctx, err)
	if code == ExitInterrupted && errors.Is(err, context.Canceled) {
		err = errors.Join(errors.New("interrupted"), without(err, context.Canceled))
	}
	var exit *exitError
	if err != nil && !(errors.As(err, &exit) && exit.err == nil) {
		fmt.Fprintf(said, "hyfair: %s\n", message(err, args))
	}
	switch {
	case lost == nil:
	case files.Unread(lost):
		if code == ExitDone {
			return ExitPipe
		}
	default:
		fmt.Fprintf(said, "hyfair: %v\n", lost)
		if code != ExitInterrupted {
			return ExitFailed
		}
	}
	return code
}

// abandoned returns a channel. It is closed once ctx has been over for the time patience, if the
// command has not begun to work by then.
func abandoned(ctx context.Context, working *atomic.Bool) <-chan struct{} {
	out := make(chan struct{})
	context.AfterFunc(ctx, func() {
		time.Sleep(patience)
		if !working.Load() {
			close(out)
		}
	})
	return out
}

// exitCode returns the code of a command that ended with err. After a signal, an apparent failure or
// mistake counts as an interrupt.
func exitCode(ctx context.Context, err error) int {
	var exit *exitError
	switch coded := errors.As(err, &exit); {
	case errors.Is(err, session.ErrContradiction):
		return ExitContradiction
	case ctx.Err() != nil && !(coded && exit.code > ExitUsage):
		return ExitInterrupted
	case coded:
		return exit.code
	case err != nil:
		return ExitFailed
	}
	return ExitDone
}

func newRoot(app *App) *cobra.Command {
	root := &cobra.Command{
		Use:           "hyfair",
		Short:         "Find, certify and measure discrimination clusters in neural networks and trees",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			meant := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				meant = fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
			}
			return usage(fmt.Errorf("unknown command %q%s (hyfair --help lists them)", args[0], meant))
		},
		// simd.Check runs before every command: a command may continue after the error of an
		// optional step, such as a climb, and would hide this one.
		PersistentPreRunE: func(*cobra.Command, []string) error {
			view.SafeCSV(app.CSVSafe)
			if app.Progress != progressLine && app.Progress != progressJSON {
				return usage(fmt.Errorf("--progress %q: want %s or %s", app.Progress, progressLine, progressJSON))
			}
			if app.Text != "" {
				if err := files.Try(app.Text); err != nil {
					return usage(fmt.Errorf("--text: %w", err))
				}
			}
			return usage(simd.Check())
		},
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SuggestionsMinimumDistance: 2,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	f := root.PersistentFlags()
	f.BoolVar(&app.JSON, "json", false, "print one JSON object on standard output and nothing else there")
	f.StringVar(&app.Data, "data", os.Getenv("HYFAIR_DATA"), "folder that study files take data and models from (default $HYFAIR_DATA)")
	f.Int64Var(&app.Seed, "seed", 1, "seed of every random choice")
	f.IntVar(&app.Jobs, "jobs", 1, "tasks that run at the same time")
	f.IntVar(&app.Threads, "threads", 0, "threads a solver may use; 0: the usable cores, shared among --jobs, but one thread in compare, ablate and files of several studies")
	f.StringVar(&app.Memory, "memory", "", "memory a solver may use, such as 2GiB")
	f.Int64Var(&app.Calls, "calls", 0, "most rows that a model plugin is asked about; 0: no limit")
	f.StringVar(&app.PluginDir, "plugin-dir", "", "look for plugins in this folder first")
	f.StringVar(&app.Journal, "journal", "", "journal file that runs are kept in (default: journal.db in the folder for runs)")
	f.StringVar(&app.LogLevel, "log-level", "warn", "least severity of the messages logged: trace, debug, info, warn, error or off")
	f.StringVar(&app.Progress, "progress", progressLine, "how to show progress on standard error: line (one line, on a terminal only) or json (lines such as {\"progress\": …}, for programs)")
	f.StringVar(&app.Text, "text", "", "with --json: also write the result as text to this file")
	f.BoolVar(&app.CSVSafe, "csv-safe", false, "put an apostrophe before texts in CSV that a spreadsheet would read as formulas")
	f.StringArrayVar(&app.Set, "set", nil, "plugin option key=value; may be repeated")
	for _, add := range commands {
		root.AddCommand(add(app))
	}
	addHelp(app, root)
	addCompletions(app, root)
	return root
}

// commands is the register: each command's file adds itself in init.
var commands []func(*App) *cobra.Command

// threads returns the number of threads a solver may use: --threads, or the cores that
// this process may use, shared among --jobs.
func (a *App) threads() int {
	if a.Threads != 0 {
		return a.Threads
	}
	return max(1, runtime.GOMAXPROCS(0)/max(1, a.Jobs))
}

// compares gives solvers one thread unless --threads is given, so that a comparison does not depend
// on the machine's number of cores.
func (a *App) compares() {
	if a.Threads == 0 {
		a.Threads = 1
	}
}

// logger writes to standard error at the chosen level.
func (a *App) logger() (hclog.Logger, error) {
	level := hclog.LevelFromString(a.LogLevel)
	if level == hclog.NoLevel {
		return nil, usage(fmt.Errorf("--log-level %q: want trace, debug, info, warn, error or off", a.LogLevel))
	}
	return hclog.New(&hclog.LoggerOptions{Name: "hyfair", Level: level, Output: a.Stderr}), nil
}

// session returns the command's session, which the first call creates.
func (a *App) session() (*session.Session, error) {
	if a.current != nil {
		return a.current, nil
	}
	catalogue, err := a.catalogue()
	if err != nil {
		return nil, err
	}
	memory, err := a.memoryBytes()
	if err != nil {
		return nil, usage(err)
	}
	a.line = newStatusLine(a)
	a.current = &session.Session{
		Plugins: catalogue, Threads: a.threads(), ThreadsGiven: a.Threads != 0, Memory: memory, Jobs: a.Jobs, Begun: time.Now(),
		JournalFile: a.Journal, Shard: a.Shard, Progress: a.line.show, Tell: a.say, Part: a.part, Working: a.begin,
	}
	return a.current, nil
}

// part shows one answer, and its faults, before the entire result is ready. With --json it does
// nothing: the result is printed at the end.
func (a *App) part(d *view.Document, wrong []string) {
	if a.JSON {
		return
	}
	if a.line.clear(); d != nil {
		if a.parted {
			fmt.Fprintln(a.Stdout)
		}
		a.parted = true
		d.Write(a.Stdout, view.Text, a.screen()) // output keeps the error
	}
	for _, text := range wrong {
		a.say(text)
	}
}

// say writes a line for the user in addition to the result.
func (a *App) say(text string) {
	if a.line != nil {
		a.line.clear()
	}
	fmt.Fprintf(a.Stderr, "hyfair: %s\n", text)
}

// end closes a session and joins its error to err, the error of the work in that session. Errors of
// the request become usage errors.
func (a *App) end(s *session.Session, err error) error {
	if a.line != nil {
		a.line.end()
	}
	return usageIf(errors.Join(err, s.Close()))
}

// usageIf turns an error of the request into a usage error and returns every other error unchanged.
func usageIf(err error) error {
	if session.IsMistake(err) {
		return usage(err)
	}
	return err
}

// pluginOptions reads --set.
func (a *App) pluginOptions() (map[string]string, error) {
	out := map[string]string{}
	for _, s := range a.Set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return nil, usage(fmt.Errorf("--set %q: want key=value", s))
		}
		out[key] = value
	}
	return out, nil
}
