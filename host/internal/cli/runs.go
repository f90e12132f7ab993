package cli

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/report"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

func init() { commands = append(commands, newRuns) }

func newRuns(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List what was run and what came of it; show, export and delete single runs",
		Long: `List the runs in the journal, the newest first: that of --journal, else journal.db
in the folder for runs. A run whose process is gone without a last word shows as
broken off. RUN is a run's name, or any beginning of it that no other name has.`,
		Example: `  hyfair runs
  hyfair runs show 3f0
  hyfair runs export 3f0 > events.jsonl
  hyfair runs delete 3f0 a81`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return listRuns(app) },
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run: settings, versions, machine, counts, measures, last witnesses",
		Example: "  hyfair runs show 3f0\n  hyfair runs show 3f0 --json",
		Args:    exactlyOne("RUN"),
		RunE:    func(_ *cobra.Command, args []string) error { return showRun(app, args[0]) },
	})
	cmd.AddCommand(&cobra.Command{
		Use:     "export RUN",
		Short:   "Write the events of a run to standard output, one JSON object a line",
		Example: "  hyfair runs export 3f0 > events.jsonl",
		Args:    exactlyOne("RUN"),
		RunE:    func(_ *cobra.Command, args []string) error { return exportRun(app, args[0]) },
	})
	force := false
	remove := &cobra.Command{
		Use:     "delete RUN...",
		Short:   "Delete runs with all their events and results, without asking",
		Example: "  hyfair runs delete 3f0 a81",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("delete wants at least one RUN; hyfair runs lists them"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return deleteRuns(app, args, force) },
	}
	remove.Flags().BoolVar(&force, "force", false, "delete a run even while a process is writing it")
	cmd.AddCommand(remove)
	return cmd
}

// existingJournal opens the journal to read, or says that there is none: an
// fs.ErrNotExist.
func (a *App) existingJournal() (*journal.Journal, error) {
	j, err := (&session.Session{JournalFile: a.Journal}).Existing()
	return j, usageIf(err)
}

// withRun does something with a run of the journal; a name that no run has, and a
// run that no report can be made of, are the user's mistakes.
func withRun(a *App, do func(*journal.Journal) error) error {
	err := usageIf((&session.Session{JournalFile: a.Journal}).Past(do))
	var none *report.NoReportError
	if errors.As(err, &none) {
		err = usage(err)
	}
	return err
}

func listRuns(app *App) error {
	j, err := app.existingJournal()
	if errors.Is(err, fs.ErrNotExist) && app.Journal == "" {
		err = nil // nothing was run yet
	}
	if err != nil {
		return err
	}
	list, err := report.List(j)
	if j != nil {
		err = errors.Join(err, j.Close())
	}
	if err != nil {
		return err
	}
	return app.show(list)
}

func showRun(app *App, name string) error {
	return withRun(app, func(j *journal.Journal) error {
		out, err := report.Show(j, name)
		if err != nil {
			return err
		}
		return app.show(out)
	})
}

func exportRun(app *App, name string) error {
	if app.JSON {
		return usage(errors.New("runs export writes many JSON objects, one a line: leave out --json"))
	}
	return withRun(app, func(j *journal.Journal) error { return j.Export(name, app.Stdout) })
}

func deleteRuns(app *App, names []string, force bool) error {
	return withRun(app, func(j *journal.Journal) error {
		out, err := report.Delete(j, names, force)
		if err != nil {
			return err
		}
		return app.show(out)
	})
}
