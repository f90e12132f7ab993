package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newAudit) }

type auditFlags struct {
	question question.Spec
	encoded  bool
	top      int
	out      string

	// all: --top was not given, so that --json has everybody.
	all bool
}

func newAudit(app *App) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit STUDY [ROWS.csv]",
		Short: "Say of every person in a data set how much the protected attributes decide",
		Long: `Compare every person of a data set with the copies that differ in protected
attributes only: in how many different bins the scores fall (k), how far they
lie apart (gap), which copies get the highest and the lowest, what each
attribute does by itself, and whose decision would be another. The people are
those of the study's own data set, or of ROWS.csv, encoded in the same way.

A person's own protected values join those of the study, so that an age of 39
stands beside 15, 25, … docs/audit.md explains the summary and the CSV file.`,
		Example: `  hyfair audit studies/loan
  hyfair audit studies/adult.yaml --model AC-4 --rules all --out people.csv
  hyfair audit studies/loan applicants.csv --protected sex --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage(fmt.Errorf("audit wants a STUDY and perhaps one file of rows, got %d arguments; see %s --help", len(args), cmd.CommandPath()))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.all = !cmd.Flags().Changed("top")
			return runAudit(cmd.Context(), app, &f, args)
		},
	}
	addQuestion(cmd, &f.question)
	fl := cmd.Flags()
	fl.BoolVar(&f.encoded, "encoded", false, "ROWS.csv has feature values already, below the features' names")
	fl.IntVar(&f.top, "top", 10, "how many people to show, the worst-treated first; with --json all unless this is given")
	fl.StringVar(&f.out, "out", "", "write everybody to this CSV file")
	return cmd
}

// auditJob is an audit with everything read.
type auditJob struct {
	study  *study.Study
	config audit.Config
	data   *people.Data
}

func runAudit(ctx context.Context, app *App, f *auditFlags, args []string) error {
	begin := time.Now()
	j, err := f.open(app, args)
	if err != nil {
		return usage(err)
	}
	var out *files.File
	if f.out != "" {
		if out, err = files.Create(f.out); err != nil {
			return usage(fmt.Errorf("--out: %w", err))
		}
	}
	line := newStatusLine(app)
	j.config.Progress = func(done, total int) {
		line.show(fmt.Sprintf("%s of %s people", view.Count(done), view.Count(total)))
	}
	result, err := audit.Run(ctx, j.config, j.data.Points)
	line.clear()
	if result == nil {
		if out != nil {
			out.Discard()
		}
		return usage(err)
	}
	var failed error
	if out != nil {
		if failed = out.Finish(result.WriteCSV(out, j.config.Space, j.data.Points, j.data.Where)); failed != nil {
			failed = fmt.Errorf("--out: %w", failed)
		}
	}
	report := j.report(result, f)
	report.Interrupted = err != nil
	report.Seed, report.Seconds = app.Seed, time.Since(begin).Seconds()
	if failed == nil {
		report.Out = f.out
	}
	if app.JSON {
		people := result.People
		if !f.all {
			people = people[:min(f.top, len(people))]
		}
		failed = errors.Join(failed, report.writeJSON(app.Stdout, len(people), func(i int) auditRow { return j.row(&people[i]) }))
	} else {
		for i := range result.People[:min(f.top, len(result.People))] {
			report.Rows = append(report.Rows, j.row(&result.People[i]))
		}
		failed = errors.Join(failed, report.print(app.Stdout))
	}
	if report.Interrupted && failed == nil {
		return &exitError{code: ExitInterrupted}
	}
	return failed
}

// open reads the study and the rows.
func (f *auditFlags) open(app *App, args []string) (*auditJob, error) {
	switch {
	case f.top < 0:
		return nil, fmt.Errorf("--top %d: want 0 or more", f.top)
	case f.encoded && len(args) < 2:
		return nil, errors.New("--encoded speaks of ROWS.csv, which is not given")
	}
	q, err := app.open(f.question, args[0])
	if err != nil {
		return nil, err
	}
	st, s, region := q.Study, q.Space, q.Region
	j := &auditJob{study: st, config: audit.Config{Network: st.Network, Space: s, Region: region}}
	if j.config.Epsilon, err = q.EpsilonFor(fairness.Score); err != nil {
		return nil, err
	}
	if j.config.Where, err = space.ParsePredicate(s, f.question.Where); err != nil {
		return nil, fmt.Errorf("--where: %w", err)
	}
	switch {
	case f.encoded:
		j.data, err = st.EncodedRows(args[1])
	case len(args) == 2:
		j.data, err = st.Rows(args[1])
	default:
		j.data, err = st.Data()
	}
	if errors.Is(err, study.ErrNoData) && len(args) == 2 {
		err = fmt.Errorf("%w; rows of feature values can be audited with --encoded", err)
	} else if errors.Is(err, study.ErrNoData) {
		err = fmt.Errorf("%w; name a file of rows", err)
	}
	return j, err
}

// report puts together what is shown.
func (j *auditJob) report(r *audit.Result, f *auditFlags) *auditReport {
	s := j.config.Space
	epsilon := fairness.FormatRat(j.config.Epsilon)
	sum := r.Summarise(s, j.config.Region, j.data.Points)
	out := &auditReport{
		Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Epsilon: epsilon,
		Protected: question.Protected(s), Where: f.question.Where, Rules: []string{},
		Summary: auditSummary{
			Rows: j.data.Read, Dropped: j.data.Dropped, Summary: *sum, Text: sum.Sentences(epsilon),
		},
		Rows: []auditRow{},
	}
	for _, rule := range j.study.Rules {
		if rule.On {
			out.Rules = append(out.Rules, rule.Name)
		}
	}
	if j.data.Dropped > 0 {
		out.Summary.Text = append(out.Summary.Text, fmt.Sprintf("Left out, because a value is missing: %s.", view.Count(j.data.Dropped)))
	}
	return out
}
