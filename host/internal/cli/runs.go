package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
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
	path := a.Journal
	if path == "" {
		var err error
		if path, err = journal.DefaultPath(); err != nil {
			return nil, err
		}
	}
	j, err := journal.OpenExisting(path)
	return j, usage(err)
}

// withRun does something with a run of the journal; a name that no run has is
// the user's mistake.
func withRun(a *App, do func(*journal.Journal) error) error {
	j, err := a.existingJournal()
	if err != nil {
		return err
	}
	err = do(j)
	if errors.Is(err, journal.ErrNoRun) {
		err = usage(err)
	}
	return errors.Join(err, j.Close())
}

func listRuns(app *App) error {
	j, err := app.existingJournal()
	if errors.Is(err, fs.ErrNotExist) && app.Journal == "" {
		return app.printRuns(runsJSON{Runs: []runJSON{}}) // nothing was run yet
	}
	if err != nil {
		return err
	}
	infos, err := j.Runs()
	list := runsJSON{Journal: j.Path(), Runs: make([]runJSON, len(infos))}
	for i := range infos {
		if err == nil {
			list.Runs[i], err = describeRun(j, &infos[i])
		}
	}
	if err := errors.Join(err, j.Close()); err != nil {
		return err
	}
	return app.printRuns(list)
}

func showRun(app *App, name string) error {
	var out runDetailsJSON
	err := withRun(app, func(j *journal.Journal) (err error) {
		d, err := j.Show(name)
		if err != nil {
			return err
		}
		out, err = describeDetails(j, d)
		return err
	})
	if err != nil {
		return err
	}
	if app.JSON {
		return app.printJSON(out)
	}
	return out.print(app.Stdout)
}

func exportRun(app *App, name string) error {
	if app.JSON {
		return usage(errors.New("runs export writes many JSON objects, one a line: leave out --json"))
	}
	return withRun(app, func(j *journal.Journal) error { return j.Export(name, app.Stdout) })
}

// deleteRuns deletes all or, where one of them cannot be, none.
func deleteRuns(app *App, names []string, force bool) error {
	deleted := deletedJSON{Deleted: []string{}}
	err := withRun(app, func(j *journal.Journal) error {
		for _, name := range names {
			d, err := j.Show(name)
			if err != nil {
				return err
			}
			if d.State == journal.Running && !force {
				return fmt.Errorf("run %s: %w; --force deletes it all the same", d.Name, journal.ErrLive)
			}
			deleted.add(d.Name)
		}
		for i, name := range deleted.Deleted {
			if _, err := j.Delete(name, force); err != nil {
				deleted.Deleted = deleted.Deleted[:i]
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case app.JSON:
		return app.printJSON(deleted)
	}
	for _, name := range deleted.Deleted {
		fmt.Fprintf(app.Stdout, "deleted %s\n", name)
	}
	return nil
}

// measuresOf are those that the run gave at its end; of one that gave none,
// because it was killed, those its events tell.
func measuresOf(j *journal.Journal, info *journal.Info) (map[string]*float64, error) {
	switch command := info.Started.Task.Command; {
	case info.Measures != nil:
		return info.Measures, nil
	case command == "search":
		return searchMeasures(j, info.Name)
	case command == "quantify":
		known, err := lastShares(j, info.Name)
		return known.measures(), err
	}
	return nil, nil
}

func searchMeasures(j *journal.Journal, run string) (map[string]*float64, error) {
	var events []record.Event
	err := j.Events(run, func(e record.Event) error {
		switch e.Kind {
		case record.KindFound:
			e.Found.X = nil // there may be millions
			events = append(events, e)
		case record.KindTally, record.KindProgress, record.KindFinished:
			events = append(events, e)
		}
		return nil
	})
	measures := search.Measure(events)
	return measures.Map(), err
}

// lastShares are what the events of a quantification tell, with the faults of the
// solver; before the first of them, nothing is proved.
func lastShares(j *journal.Journal, run string) (sharesJSON, error) {
	last := &record.Shares{Fair: "0", Unfair: "0"}
	var faults []string
	err := j.Events(run, func(e record.Event) error {
		switch e.Kind {
		case record.KindShares:
			last = e.Shares
		case record.KindFault:
			faults = append(faults, e.Fault.Error)
		}
		return nil
	})
	return sharesOf(last, faults), err
}

// runSeconds is how long a run took, or has taken until now (pauses before it
// was resumed included).
func runSeconds(info *journal.Info) float64 {
	if info.State == journal.Running {
		return max(info.Seconds, time.Since(info.Started.At).Seconds())
	}
	return info.Seconds
}
