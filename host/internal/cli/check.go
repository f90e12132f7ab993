package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/certificate"
)

func init() { commands = append(commands, newCheck) }

type checkFlags struct {
	study string
	model string
	rules []string
}

func newCheck(app *App) *cobra.Command {
	var f checkFlags
	cmd := &cobra.Command{
		Use:   "check CERT",
		Short: "Check a certificate in exact arithmetic, independently of the solver that wrote it",
		Long: `Check a certificate: that the leaves make up the region, each exactly once, and that
each of them proves the claim. Every bound is worked out again in rational arithmetic
by code that no solver shares, on all processors. A certificate holds the network and
the space it is about; --study and --model hold them against those in your hands.`,
		Example: `  hyfair check loan.cert.gz
  hyfair check ac8.cert.gz --study studies/adult.yaml --model AC-8
  hyfair check ac8.cert.gz --model ac8.h5 --json`,
		Args: exactlyOne("certificate"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCheck(cmd.Context(), app, &f, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.study, "study", "", "require that the certificate is about this study's space and network")
	fl.StringVar(&f.model, "model", "", "require that it is about this network: a file, or with --study a name beside the study's own")
	fl.StringSliceVar(&f.rules, "rules", nil, "with --study: constraints to switch on by name, or all, or none (default: as the study says)")
	return cmd
}

// checkReport is the JSON object of hyfair check; docs/cli.md lists its fields.
type checkReport struct {
	Certificate string `json:"certificate"`
	Accepted    bool   `json:"accepted"`
	// Claims are sentences about every individual of Region.
	Claims []string         `json:"claims"`
	Claim  claimJSON        `json:"claim"`
	Reason *checkRefusal    `json:"refusal,omitempty"`
	Region checkRegion      `json:"region"`
	Leaves checkedLeaves    `json:"leaves"`
	Sums   fingerprintsJSON `json:"sha256"`

	Producer string `json:"producer,omitempty"`
	Study    string `json:"study,omitempty"`
	Notion   string `json:"notion"`
	Epsilon  string `json:"epsilon,omitempty"`
	// Compared names what the certificate was held against: study, model.
	Compared []string `json:"compared,omitempty"`
	Seconds  float64  `json:"seconds"`
}

type claimJSON struct {
	Kind  string `json:"kind"`
	Bound string `json:"bound,omitempty"`
	K     int    `json:"k,omitempty"`
}

type checkRefusal struct {
	Reason string `json:"reason"`
	Leaf   int64  `json:"leaf,omitempty"`
	Line   int64  `json:"line,omitempty"`
}

type checkRegion struct {
	Protected    []string `json:"protected"`
	Combinations int      `json:"combinations"`
	// Points is exact and may be beyond what a JSON number holds.
	Points  string   `json:"points,omitempty"`
	Where   string   `json:"where,omitempty"`
	Require []string `json:"require,omitempty"`
	Forbid  []string `json:"forbid,omitempty"`
}

type checkedLeaves struct {
	Checked    int64 `json:"checked"`
	Bounds     int64 `json:"bounds"`
	Enumerated int64 `json:"enumerated"`
	Void       int64 `json:"void"`
}

type fingerprintsJSON struct {
	Network string `json:"network"`
	Space   string `json:"space"`
}

func runCheck(ctx context.Context, app *App, f *checkFlags, path string) error {
	begin := time.Now()
	if f.study == "" && len(f.rules) > 0 {
		return usage(errors.New("--rules are those of a study: name it by --study"))
	}
	r, err := certificate.Open(path)
	if err != nil {
		var file *fs.PathError
		if !errors.As(err, &file) {
			err = fmt.Errorf("%s: %w", path, err)
		}
		return usage(err)
	}
	defer r.Close()
	out := newCheckReport(path, r)
	refusal, err := out.compare(app, f, r.Statement())
	if err != nil {
		return err
	}
	if refusal == nil {
		if refusal, err = out.run(ctx, app, r); err != nil {
			return err
		}
	}
	out.Seconds = time.Since(begin).Seconds()
	if out.Accepted = refusal == nil; !out.Accepted {
		out.Reason = &checkRefusal{refusal.Reason, refusal.Leaf, refusal.Line}
	}
	if app.JSON {
		err = app.printJSON(out)
	} else {
		out.print(app.Stdout, refusal)
	}
	if err == nil && refusal != nil {
		return &exitError{code: ExitCheck}
	}
	return err
}

// compare holds the certificate's network and space against the user's.
func (out *checkReport) compare(app *App, f *checkFlags, st *certificate.Statement) (*check.Refusal, error) {
	switch {
	case f.study != "":
		of, err := study.Load(f.study, study.Options{DataRoot: app.Data, Model: f.model, Rules: f.rules})
		if err != nil {
			return nil, usage(err)
		}
		out.Compared = []string{"study", "model"}
		if err := check.SameNetwork(st.Network, of.Network); err != nil {
			return &check.Refusal{Reason: fmt.Sprintf("it is not about %s: %v", of.ModelPath, err)}, nil
		}
		// Which of the study's protected features vary is the certificate's choice.
		s, err := of.Space.Protect(question.Protected(st.Space)...)
		if err == nil {
			err = check.SameSpace(st.Space, s)
		}
		if err != nil {
			return &check.Refusal{Reason: fmt.Sprintf("it is not about the space of %s: %v", of.Path, err)}, nil
		}
	case f.model != "":
		n, _, err := modelfile.Read(f.model)
		if err != nil {
			return nil, usage(err)
		}
		out.Compared = []string{"model"}
		if err := check.SameNetwork(st.Network, n); err != nil {
			return &check.Refusal{Reason: fmt.Sprintf("it is not about %s: %v", f.model, err)}, nil
		}
	}
	return nil, nil
}

// run checks the leaves and counts them.
func (out *checkReport) run(ctx context.Context, app *App, r *certificate.Reader) (*check.Refusal, error) {
	status := newStatusLine(app)
	report, err := check.Run(ctx, r, check.Options{Progress: func(p check.Progress) {
		if p.Placed > 0 {
			status.show(fmt.Sprintf("%s leaves checked, %s found in their place", view.Count(p.Leaves), view.Count(p.Placed)))
		} else {
			status.show(fmt.Sprintf("%s leaves checked", view.Count(p.Leaves)))
		}
	}})
	status.clear()
	if err != nil {
		return nil, err
	}
	out.Leaves = checkedLeaves{report.Leaves, report.ByBounds, report.Enumerated, report.Void}
	return report.Refusal, nil
}
