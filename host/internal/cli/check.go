package cli

import (
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/check"
)

func init() { commands = append(commands, newCheck) }

func newCheck(app *App) *cobra.Command {
	var r check.Request
	cmd := &cobra.Command{
		Use:   "check CERT",
		Short: "Check a certificate in exact arithmetic, independently of the solver that wrote it",
		Long: `Check a certificate: that the leaves make up the region, each exactly once, and that
each of them proves the claim. Every bound is recomputed in rational arithmetic
by code that no solver shares, on all processors. A certificate contains the network and
the space it is about; --study and --model compare them with yours.

A refusal names the first leaf at fault and its line. The exit code is 0 for an accepted
certificate, 3 for a refused one, and 2 for a file without a statement to judge.
docs/reference/certificates.md has the format.`,
		Example: `  hyfair check loan.cert.gz
  hyfair check ac8.cert.gz --study studies/adult.yaml --model AC-8
  hyfair check ac8.cert.gz --model ac8.h5 --json`,
		Args: exactlyOne("certificate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Certificate, r.Data = args[0], app.Data
			out, err := ask(cmd.Context(), app, check.Answer, r)
			if err == nil && !out.Accepted {
				return &exitError{code: ExitCheck}
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&r.Study, "study", "", "require that the certificate is about this study's space and model")
	fl.StringVar(&r.Model, "model", "", "require that the certificate is about this model: a file, or with --study the name of a model next to the study's own")
	fl.StringVar(&r.Bands, "bands", "", "with --study, for a certificate about bands: the bands that it must be about (default: the study's)")
	fl.StringVar(&r.Threshold, "threshold", "", "with --study, for a certificate about decisions: the score above which a decision is positive (default: the study's, or else 0.5)")
	fl.StringSliceVar(&r.Rules, "rules", nil, "with --study: constraints to switch on by name, or all, or none (default: as the study says)")
	return cmd
}
