package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
)

func init() { commands = append(commands, newAudit) }

func newAudit(app *App) *cobra.Command {
	var r audit.Request
	cmd := &cobra.Command{
		Use:   "audit STUDY [ROWS.csv]",
		Short: "Show, for every person in a data set, how much the protected attributes decide",
		Long: `Compare every person of a data set with the copies that differ in protected
attributes only: in how many different bins the scores fall (k), how far they
lie apart (gap), which copies get the highest and the lowest, what each
attribute does by itself, and whose decision would change. --notion says
what counts as unfair (default: a score gap above ε or, with bands, another band). The people are
those of the study's own data set, or of ROWS.csv, encoded in the same way.

A person's own protected values are added to those of the study: an age of 39
joins 15, 25, … --groups compares groups of people. docs/user/audit.md explains
the summary and the CSV file.

  --where: people outside are left out, and copies take only values that satisfy it.
  --notion: with logit, ε is a difference of logits, and bins are as wide as the study's ε, or 0.05
    if that is one of logits, too. With decision or decision-strict, ε is only the width of bins.`,
		Example: `  hyfair audit studies/loan
  hyfair audit studies/adult.yaml --model AC-4 --rules all --out people.csv
  hyfair audit studies/loan applicants.csv --protected sex --json
  hyfair audit studies/loan --groups --min-impact-ratio 0.8`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage(fmt.Errorf("audit wants a STUDY and perhaps one file of rows, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if app.JSON && !cmd.Flags().Changed("top") {
				r.Top = -1
			} else if r.Top < 0 {
				return usage(fmt.Errorf("--top %d: want 0 or more", r.Top))
			}
			if cmd.Flags().Changed("min-share") && !ofGroups(r.Groups, r.Gates) {
				return errMinShare
			}
			return runAudit(cmd.Context(), app, r, args)
		},
	}
	addQuestion(cmd, &r.Spec)
	app.addPictures(cmd, "histograms of k and of the gap, and what each attribute does,")
	app.addGates(cmd, &r.Gates)
	addShareGate(cmd, &r.Gates, "max-unfair", "largest share of people treated unfairly")
	addRatioGate(cmd, &r.Gates, audit.MinImpactRatio, "least impact ratio of the groups of each attribute, and of all together")
	addShareGate(cmd, &r.Gates, audit.MaxWorse, "with --baseline: largest share of people treated unfairly by the new model alone")
	fl := cmd.Flags()
	fl.StringVar(&r.Baseline, "baseline", "", "compare with this older model and show what has changed: a study with the same features, or a model's file for this study")
	fl.BoolVar(&r.Groups, "groups", false, "compare groups: selection and scoring rates, impact ratios with intervals, error rates, and what depends on the attribute itself")
	fl.StringVar(&r.MinShare, "min-share", audit.DefaultMinShare, "for rates by group: groups with a smaller share of the people are counted but not judged")
	fl.StringVar(&r.Favourable, "favourable", "", "the decision that is good for people, positive or negative (default: the study's, or else positive); with bands, the lowest band that is still good (default: the best band only)")
	fl.StringVar(&r.Notion, "notion", "", "what counts as unfair treatment: score, logit, decision or decision-strict (default: score; with bands: decision)")
	fl.BoolVar(&r.Encoded, "encoded", false, "ROWS.csv already has feature values, under the features' names")
	fl.IntVar(&r.Top, "top", 10, "how many people to show, the worst-treated first; with --json all are shown unless this flag is given")
	fl.StringVar(&r.Thresholds, "thresholds", "", "also count decisions at these thresholds: a list such as 0.2,0.3, or LO..HI (steps of 0.05), or LO..HI:STEP")
	fl.StringVar(&r.Out, "out", "", "write all people to this CSV file")
	return cmd
}

func runAudit(ctx context.Context, app *App, r audit.Request, args []string) error {
	r.Study, r.Data, r.Seed = args[0], app.Data, app.Seed
	if len(args) > 1 {
		r.File = args[1]
	}
	out, err := ask(ctx, app, audit.Answer, r)
	return app.interruptedIf(out != nil && out.Interrupted, err)
}
