package cli

import (
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/report"
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return usage(err)
			}
			app.lookBack()
			_, err := askAs(cmd.Context(), app, func(r result) error { return f.show(app, r) }, report.Of, args[0])
			return err
		},
	}
	f.add(cmd, "")
	return cmd
}
