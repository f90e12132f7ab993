package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
)

func init() { commands = append(commands, newGuard) }

func newGuard(app *App) *cobra.Command {
	var r guard.Request
	cmd := &cobra.Command{
		Use:   "guard MODEL RULES",
		Short: "Answer rows from standard input, and refuse those for which a guardrail forbids an answer",
		Long: `Read rows from standard input and answer each as it comes: with the model's score
and decision or band, or, if a rule of the file RULES holds, with a refusal that names
the rule. MODEL is a study, whose network answers, or a network with the study
that says how its rows are encoded (--study). docs/user/mitigate.md describes RULES.

Without --json the answers are CSV: row, line, answer, score, decision, rule, why. A row
that cannot be used is answered "unusable", and the next one is read. The exit code is 2
if the rules do not fit the study, or if the rows after one cannot be read.`,
		Example: `  hyfair guard studies/loan rules.json < applicants.csv
  hyfair guard out/retrained.json rules.json --study studies/loan < applicants.csv
  hyfair guard export rules.json --language python --out guard.py`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage(fmt.Errorf("guard wants MODEL and RULES, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Model, r.Rules, r.Data, r.Seed = args[0], args[1], app.Data, app.Seed
			return runGuard(cmd.Context(), app, r)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Study, "study", "", "if MODEL is a network: the study that says how its rows are encoded")
	fl.StringVar(&r.Threshold, "threshold", "", thresholdHelp)
	fl.StringVar(&r.Bands, "bands", "", bandsHelp)
	fl.BoolVar(&r.Encoded, "encoded", false, "rows already have feature values, under the features' names")
	cmd.AddCommand(newGuardExport(app))
	return cmd
}

func runGuard(ctx context.Context, app *App, r guard.Request) error {
	s, err := app.session()
	if err != nil {
		return err
	}
	out, err := guard.Answer(ctx, s, r, app.Stdin, app.Stdout, app.JSON)
	err = app.end(s, err)
	if out != nil && !app.JSON {
		fmt.Fprintln(app.Stderr, &out.Summary)
	}
	return app.interruptedIf(out != nil && out.Summary.Interrupted, err)
}

func newGuardExport(app *App) *cobra.Command {
	var r guard.ExportRequest
	cmd := &cobra.Command{
		Use:   "export RULES",
		Short: "Write guardrails as a function in Python or Go that needs nothing else",
		Example: `  hyfair guard export rules.json --language python > guard.py
  hyfair guard export rules.json --language go --out guard/guard.go`,
		Args: exactlyOne("RULES"),
		RunE: asking(app, guard.AnswerExport, &r, func(args []string) { r.Rules = args[0] }),
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Language, "language", "python", "the function's language: "+strings.Join(guard.Languages(), " or "))
	fl.StringVar(&r.Out, "out", "", "file to write it to (default: standard output)")
	return cmd
}
