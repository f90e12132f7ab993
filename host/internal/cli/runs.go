package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/host/internal/session"
)

func init() { commands = append(commands, newRuns) }

func newRuns(app *App) *cobra.Command {
	var list runs.ListRequest
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List runs and their results; show, export and delete runs, merge journals",
		Long: `List the last runs in the journal, the newest first. The journal is the file that --journal
names, else journal.db in the folder for runs. A run whose process ended before the run did shows as
broken off. RUN is a run's name, or any beginning of it that no other name has.`,
		Example: `  hyfair runs
  hyfair runs --command certify --state finished --last 5
  hyfair runs show 3f0
  hyfair runs export 3f0 > events.jsonl
  hyfair runs delete 3f0 a81`,
		Args: noArgs,
	}
	fl := cmd.Flags()
	fl.IntVar(&list.Last, "last", lastRuns, "list this many of the newest runs; 0: all; with --json all are listed unless this flag is given")
	fl.StringVar(&list.Command, "command", "", "list runs of this command only")
	fl.StringVar(&list.Study, "study", "", "list runs about the study of this name only")
	fl.StringVar(&list.Model, "model", "", "list runs about the model of this file name only")
	fl.StringVar(&list.State, "state", "", "list runs in this state only: running, finished, interrupted, failed or broken off")
	cmd.RunE = asking(app, runs.List, &list, func([]string) {
		if app.lookBack(); app.JSON && !fl.Changed("last") {
			list.Last = 0
		}
	})
	run := ""
	cmd.AddCommand(&cobra.Command{
		Use:     "show RUN",
		Short:   "Show a run: settings, versions, machine, counts, measures, last witnesses",
		Example: "  hyfair runs show 3f0\n  hyfair runs show 3f0 --json",
		Args:    exactlyOne("RUN"),
		RunE: asking(app, runs.Show, &run, func(args []string) {
			app.lookBack()
			run = args[0]
		}),
	})
	cmd.AddCommand(&cobra.Command{
		Use:     "export RUN",
		Short:   "Write the events of a run to standard output, one JSON object per line",
		Example: "  hyfair runs export 3f0 > events.jsonl",
		Args:    exactlyOne("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if app.JSON {
				return usage(errors.New("runs export writes many JSON objects, one per line: leave out --json"))
			}
			return withRun(app, func(j *journal.Journal) error { return j.Export(args[0], app.Stdout) })
		},
	})
	var r runs.DeleteRequest
	remove := &cobra.Command{
		Use:   "delete RUN...",
		Short: "Delete runs with all their events and results, without confirmation",
		Long: `Delete runs with all their events and results, and list them. There is no confirmation.
If a name is wrong, or a process is writing one of the runs, nothing is deleted. --force
deletes such a run, too; what its process writes later is lost.`,
		Example: "  hyfair runs delete 3f0 a81",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("delete wants at least one RUN; hyfair runs lists them"))
			}
			return nil
		},
		RunE: asking(app, runs.Delete, &r, func(args []string) {
			app.lookBack()
			r.Runs = args
		}),
	}
	remove.Flags().BoolVar(&r.Force, "force", false, "delete a run even while a process is writing it")
	cmd.AddCommand(remove)
	var m runs.MergeRequest
	merge := &cobra.Command{
		Use:   "merge JOURNAL...",
		Short: "Merge journals, such as those of an experiment's shards, into one",
		Long: `Merge all runs of the journals into the journal of --into, which is created if needed.
Runs of the same tasks become one: the shards of an experiment, or the same experiment
on several machines. A task that two of them did counts once if the results differ in
times only; if they differ in more, nothing is written, and the tasks, fields and
journals are named (exit code 1). Within one journal the newest result counts. All other
runs are copied, except those that a process is writing; runs of the same plan by other
plugins or another hyfair stay separate. A second merge of the same journals changes
nothing. --from RUN --journal FILE then shows the tables.`,
		Example: `  hyfair runs merge shard1.db shard2.db shard3.db --into all.db
  hyfair ablate --from 3f0 --journal all.db`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("merge wants at least one JOURNAL"))
			}
			return nil
		},
		RunE: asking(app, runs.Merge, &m, func(args []string) {
			app.lookBack()
			m.Journals = args
		}),
	}
	merge.Flags().StringVar(&m.Into, "into", "", "journal to merge into; created if needed")
	cmd.AddCommand(merge)
	return cmd
}

// lastRuns is the default number of runs listed in a terminal.
const lastRuns = 20

// lookBack sets the session of a command that reads the journal and starts nothing.
func (a *App) lookBack() { a.current = &session.Session{JournalFile: a.Journal, Tell: a.say} }

// withRun calls the function with the journal, which must exist.
func withRun(a *App, do func(*journal.Journal) error) error {
	return usageIf((&session.Session{JournalFile: a.Journal}).Past(do))
}
