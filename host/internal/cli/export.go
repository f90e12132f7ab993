package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

func init() { commands = append(commands, newExport) }

type exportFlags struct {
	question question.Spec
	format   string
	encoding string
	bounds   string
	maximise bool
	out      string
}

func newExport(app *App) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export STUDY",
		Short: "Write the problem that a solver would get, for other tools",
		Long: `Write a study's question as a file: the rows and columns that a MILP solver plugin
gets (mps, lp), the script that an SMT solver plugin gets (smt2), or a property of
the two copies with their network as ONNX beside it (vnnlib). Comments at the top
say what was asked and what an answer proves. Where the two copies of the network
are not alike (relaxed queries, rules about one of them), two files ask both ways
round.`,
		Example: `  hyfair export studies/loan --format mps
  hyfair export studies/adult.yaml --model AC-8 --format smt2 --notion decision-strict --out ac8.smt2
  hyfair export studies/bank.yaml --format vnnlib --notion logit --epsilon 2 --out exported/ --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExport(cmd.Context(), app, &f, args[0]) },
	}
	addQuestion(cmd, &f.question)
	fl := cmd.Flags()
	fl.StringVar(&f.question.Notion, "notion", "", "score, logit, decision or decision-strict (default: the study's)")
	fl.StringVar(&f.format, "format", "", "smt2, mps, lp or vnnlib (default: what the name of --out ends in)")
	fl.StringVar(&f.encoding, "encoding", "", "lowering of the network (default: bigm for mps and lp, smt for smt2)")
	fl.StringVar(&f.bounds, "bounds", certify.DefaultBounds, "bounds of the neurons for the lowering: interval or linear")
	fl.StringSliceVar(&f.question.Relax, "relax", nil, `let a feature differ between the copies by at most so much: "hours-per-week=5"; may be repeated`)
	fl.IntVar(&f.question.K, "k", 0, "ask whether anybody's counterfactuals reach at least this many outcome bins, 3 or more")
	fl.BoolVar(&f.maximise, "maximize", false, "ask for the largest margin in place of any violation (not in the score notion)")
	fl.StringVar(&f.out, "out", "", "file to write, or folder to write into: one that is there, or a name that ends in / (default: here)")
	return cmd
}

// exportReport is the JSON object of export.
type exportReport struct {
	Study    string   `json:"study"`
	Model    string   `json:"model"`
	Seed     int64    `json:"seed"`
	Seconds  float64  `json:"seconds"`
	Format   string   `json:"format"`
	Notion   string   `json:"notion"`
	Epsilon  string   `json:"epsilon,omitempty"`
	K        int      `json:"k,omitempty"`
	Relax    []string `json:"relax,omitempty"`
	Encoding string   `json:"encoding,omitempty"`
	Bounds   string   `json:"bounds,omitempty"`
	// Fidelity, Meaning and Loose are of every problem written.
	Fidelity string         `json:"fidelity"`
	Meaning  []string       `json:"meaning"`
	Loose    []string       `json:"loose,omitempty"`
	Files    []exportedFile `json:"files"`
}

type exportedFile struct {
	Path  string `json:"path"`
	What  string `json:"what"`
	Bytes int64  `json:"bytes"`
}

func runExport(ctx context.Context, app *App, f *exportFlags, path string) error {
	start := time.Now()
	format, err := f.chosen()
	if err != nil {
		return usage(err)
	}
	if err := f.question.Validate(); err != nil {
		return usage(err)
	}
	if err := oneGoal(f.question.K, f.maximise); err != nil {
		return usage(err)
	}
	st, queries, err := app.queries(f.question, path, problem.Decide)
	if err != nil {
		return usage(err)
	}
	rep := &exportReport{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: app.Seed, Format: format.Name, K: f.question.K,
		Notion: queries[0].Notion.String(), Encoding: f.encoding, Bounds: f.bounds, Relax: f.question.Relax,
	}
	if queries[0].Epsilon != nil {
		rep.Epsilon = fairness.FormatRat(queries[0].Epsilon)
	}
	app.begin()
	stem, err := f.stem(st, queries[0], format)
	if err != nil {
		return err
	}
	for _, q := range queries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		name := stem
		if len(queries) > 1 {
			name += "-" + fileName(strings.Join(question.Protected(q.Space), "+"))
		}
		if err := rep.query(ctx, name, format, q, export.Options{Encoding: f.encoding, Bounds: f.bounds, Maximise: f.maximise}); err != nil {
			return err
		}
	}
	rep.Seconds = time.Since(start).Seconds()
	if app.JSON {
		return app.printJSON(rep)
	}
	rep.print(app.Stdout)
	return nil
}

// refused sorts a question that no file can say from what failed.
func refused(err error) error {
	if errors.Is(err, sdk.ErrInvalidOption) || errors.Is(err, sdk.ErrInvalidProblem) || errors.Is(err, sdk.ErrUnsupported) {
		return usage(err)
	}
	return err
}

// chosen is the format asked for, by --format or by what --out ends in; it
// fills in the encoding.
func (f *exportFlags) chosen() (export.Format, error) {
	name := cmp.Or(f.format, strings.TrimPrefix(filepath.Ext(f.out), "."))
	if name == "" {
		return export.Format{}, errors.New("--format is missing: smt2, mps, lp or vnnlib")
	}
	format, err := export.Lookup(name)
	if err != nil {
		return format, fmt.Errorf("--format: %w", err)
	}
	switch format.Form {
	case problem.FormMILP:
		f.encoding = cmp.Or(f.encoding, "bigm")
	case problem.FormSMT:
		f.encoding = cmp.Or(f.encoding, "smt")
	default:
		if f.encoding != "" {
			return format, fmt.Errorf("--encoding %s: a vnnlib property keeps the network as it is", f.encoding)
		}
		f.bounds = ""
	}
	return format, nil
}

// stem is the path of the files to write, without extension. A folder asked for
// is made.
func (f *exportFlags) stem(st *study.Study, q *problem.Query, format export.Format) (string, error) {
	name := st.Name + "-" + strings.TrimSuffix(filepath.Base(st.ModelPath), filepath.Ext(st.ModelPath)) + "-" + q.Notion.String()
	name = fileName(name)
	if f.out == "" {
		return name, nil
	}
	stat, err := os.Stat(f.out)
	switch folder := err == nil && stat.IsDir(); {
	case folder, strings.HasSuffix(f.out, "/"), strings.HasSuffix(f.out, string(filepath.Separator)):
		if err := os.MkdirAll(f.out, 0o755); err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
		return filepath.Join(f.out, name), nil
	}
	return strings.TrimSuffix(f.out, format.Extension), nil
}

// fileName takes from a name what a file's name cannot hold everywhere.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// query writes the problems of one question.
func (r *exportReport) query(ctx context.Context, stem string, f export.Format, q *problem.Query, o export.Options) error {
	type answer struct {
		lowered []export.Lowered
		err     error
	}
	a, heard := overtime.Within(ctx, func(context.Context) answer {
		lowered, err := export.Lower(q, f, o)
		return answer{lowered, err}
	})
	switch {
	case !heard:
		return ctx.Err()
	case a.err != nil:
		return refused(a.err)
	}
	lowered := a.lowered
	r.Fidelity, r.Meaning, r.Loose = lowered[0].Fidelity.String(), lowered[0].Meaning, lowered[0].Loose
	for i := range lowered {
		if err := r.write(ctx, stem+lowered[i].Suffix, f, q, &lowered[i]); err != nil {
			return err
		}
	}
	return nil
}

// write writes one problem, and the network that it speaks of.
func (r *exportReport) write(ctx context.Context, stem string, f export.Format, q *problem.Query, l *export.Lowered) error {
	comments := append([]string{r.question(q)}, l.Meaning...)
	if f.Form == problem.FormNetwork {
		network := stem + ".onnx"
		comments = append(comments, "over the network in "+filepath.Base(network))
		err := r.file(ctx, network, "the two copies as one network (ONNX)", func(w io.Writer) error {
			return export.WriteNetwork(w, l.Problem.Query)
		})
		if err != nil {
			return err
		}
	}
	return r.file(ctx, stem+f.Extension, f.Summary, func(w io.Writer) error {
		return export.Write(w, f, l.Problem, comments...)
	})
}

// file writes a file whole or not at all.
func (r *exportReport) file(ctx context.Context, path, what string, write func(io.Writer) error) error {
	out, err := files.Create(path)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	err = write(&stopped{ctx, out})
	stat, statErr := out.Stat()
	if err := out.Finish(errors.Join(err, statErr)); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	r.Files = append(r.Files, exportedFile{Path: path, What: what, Bytes: stat.Size()})
	return nil
}

// stopped writes nothing more once its context has ended.
type stopped struct {
	ctx context.Context
	to  io.Writer
}

// Write implements io.Writer.
func (s *stopped) Write(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.to.Write(b)
}

// question is what was asked, in a line.
func (r *exportReport) question(q *problem.Query) string {
	parts := []string{"hyfair: study " + r.Study, "network " + r.Model, "notion " + r.Notion, "protected " + strings.Join(question.Protected(q.Space), " ")}
	if r.Epsilon != "" {
		parts = append(parts, "epsilon "+r.Epsilon)
	}
	if r.K > 0 {
		parts = append(parts, fmt.Sprintf("k %d", r.K))
	}
	if len(r.Relax) > 0 {
		parts = append(parts, "relaxed "+strings.Join(r.Relax, " "))
	}
	if r.Encoding != "" {
		parts = append(parts, "encoding "+r.Encoding, "bounds "+r.Bounds)
	}
	return strings.Join(append(parts, r.Fidelity), ", ")
}

func (r *exportReport) print(w io.Writer) {
	for _, f := range r.Files {
		fmt.Fprintf(w, "%s\t%s, %s bytes\n", f.Path, f.What, view.Count(f.Bytes))
	}
	says := map[string]string{"exact": "exactly the question", "over-approximation": "allows more than the question", "under-approximation": "allows less than the question"}
	fmt.Fprintln(w, says[r.Fidelity])
	for _, text := range append(r.Loose, r.Meaning...) {
		fmt.Fprintf(w, "  %s\n", text)
	}
}
