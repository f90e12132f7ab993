package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/search/runreport"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/record/journal"
)

func init() { commands = append(commands, newReport) }

func newReport(app *App) *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Make the tables of a search or a quantification again from the journal, without running anything",
		Long: `Print what the journal tells of a search: the measures, the seconds to each k, how
many individuals have which k, how spread out they are, and the entropies of their
outcomes; and of a quantification the shares. Nothing is run, and neither the study
nor its network is needed. A run that was killed is reported with what it had
written. RUN is a run's name, or any beginning of it that no other name has; hyfair
runs lists them.`,
		Example: `  hyfair report 3f0
  hyfair report 3f0 --format latex > table.tex
  hyfair report 3f0 --json`,
		Args: exactlyOne("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return usage(err)
			}
			out, err := makeReport(app, args[0])
			if err != nil {
				return err
			}
			return f.show(app, out)
		},
	}
	f.add(cmd, "")
	return cmd
}

// reportedRun is what every report says of its run.
type reportedRun struct {
	Journal  string            `json:"journal"`
	Run      string            `json:"run"`
	Study    string            `json:"study"`
	Model    string            `json:"model"`
	Seed     int64             `json:"seed"`
	Where    string            `json:"where,omitempty"`
	Settings map[string]string `json:"settings"`
	Started  time.Time         `json:"started"`
	// State is as hyfair runs has it.
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Error   string  `json:"error,omitempty"`
}

// runReport is the JSON object of hyfair report on a search.
type runReport struct {
	reportedRun
	Strategy string `json:"strategy"`
	runreport.Report
}

// makeReport reads the journal.
func makeReport(app *App, name string) (out result, err error) {
	err = withRun(app, func(j *journal.Journal) error {
		d, err := j.Show(name)
		if err != nil {
			return err
		}
		s := &d.Started
		run := reportedRun{
			Journal: j.Path(), Run: d.Name, Study: s.Study, Model: s.Model, Seed: s.Task.Seed, Where: s.Task.Region,
			Settings: s.Task.Settings, Started: s.At, State: string(d.State), Seconds: runSeconds(&d.Info), Error: d.Error,
		}
		switch s.Task.Command {
		case "search":
			maker := runreport.NewMaker()
			if err := j.Events(d.Name, func(e record.Event) error { maker.Add(e); return nil }); err != nil {
				return err
			}
			out = &runReport{run, s.Task.Arm, *maker.Report()}
		case "quantify":
			known, err := lastShares(j, d.Name)
			if err != nil {
				return err
			}
			out = &sharesReport{run, s.Task.Arm, known}
		default:
			return usage(elsewhere(d))
		}
		return nil
	})
	return out, err
}

// elsewhere says which command reports on another's run.
func elsewhere(d *journal.Details) error {
	switch command := d.Started.Task.Command; command {
	case "compare", "ablate":
		return fmt.Errorf("run %s is of hyfair %s, which makes its tables again with hyfair %s --from %s", d.Name, command, command, d.Name)
	default:
		return errors.New("run " + d.Name + " is of hyfair " + command + ", and only searches and quantifications have a report; see hyfair runs show " + d.Name)
	}
}
