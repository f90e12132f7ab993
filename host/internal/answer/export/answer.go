package export

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

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Request asks for a question's files. It is plain data.
type Request struct {
	question.Spec
	Options
	// Format names one of Formats; empty: the extension of Out.
	Format string `json:"format,omitempty"`
	Seed   int64  `json:"seed"`
	// Out is the file to write, or the folder to write into: an existing folder, or a name that
	// ends in a slash; empty: the working directory.
	Out string `json:"-"`
}

// Result is the answer to a Request and the JSON object of hyfair export.
type Result struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	// The value of --seed, which has no effect here.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The format: smt2, mps, lp or vnnlib.
	Format string `json:"format"`
	// The notion.
	Notion string `json:"notion"`
	// The rule of the question's decisions; absent for a score above ½, and for a notion with
	// ε.
	Decision *question.Decision `json:"decision,omitempty"`
	// ε, exact; absent for the decision notions.
	Epsilon string `json:"epsilon,omitempty"`
	// The value of --k.
	K int `json:"k,omitempty"`
	// The values of --relax.
	Relax []string `json:"relax,omitempty"`
	// The lowering; absent for vnnlib.
	Encoding string `json:"encoding,omitempty"`
	// The bounds of the neurons; absent for vnnlib.
	Bounds string `json:"bounds,omitempty"`
	// exact: the problem has the same points as the question. over-approximation: it has more,
	// so that only "infeasible" proves something. under-approximation: it has fewer, so that
	// only a point proves something.
	Fidelity string `json:"fidelity"`
	// The conclusions from an answer, as sentences.
	Meaning []string `json:"meaning"`
	// Parts of the question that the format cannot state.
	Loose []string `json:"loose,omitempty"`
	// The files written.
	Files []File `json:"files"`
}

// File is a written file.
type File struct {
	// The file.
	Path string `json:"path"`
	// The file's content, in words.
	What string `json:"what"`
	// The file's size in bytes.
	Bytes int64 `json:"bytes"`
}

// Answer writes the files.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	format, err := r.chosen()
	if err == nil {
		err = errors.Join(r.Validate(), r.OneGoal(r.Maximise))
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	st, queries, err := question.Queries(r.Spec, problem.Decide, s.Note)
	if err != nil {
		return nil, session.Mistake(err)
	}
	out := &Result{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Seed: r.Seed, Format: format.Name, K: r.K,
		Notion: question.NotionOf(queries[0]).String(), Encoding: r.Encoding, Bounds: r.Bounds, Relax: r.Relax,
	}
	if !question.NotionOf(queries[0]).UsesEpsilon() {
		out.Decision = question.DecisionOf(st)
	}
	if queries[0].Epsilon != nil && queries[0].Bands == nil {
		out.Epsilon = fairness.FormatRat(queries[0].Epsilon)
	}
	s.Work()
	stem, err := r.stem(fileName(out.Study+"-"+strings.TrimSuffix(out.Model, filepath.Ext(out.Model))+"-"+out.Notion), format)
	if err != nil {
		return nil, err
	}
	for _, q := range queries {
		name := stem
		if len(queries) > 1 {
			name += "-" + fileName(strings.Join(question.Protected(q.Space), "+"))
		}
		if err := out.query(ctx, name, format, q, r.Options); err != nil {
			return nil, err
		}
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	return out, nil
}

// chosen returns the requested format, and fills in the default encoding.
func (r *Request) chosen() (Format, error) {
	name := cmp.Or(r.Format, strings.TrimPrefix(filepath.Ext(r.Out), "."))
	if name == "" {
		return Format{}, errors.New("--format is missing: want smt2, mps, lp or vnnlib, or a file name with such an extension as --out")
	}
	format, err := Lookup(name)
	if err != nil {
		return format, fmt.Errorf("--format, or the extension of --out: %w", err)
	}
	switch format.Form {
	case problem.FormMILP:
		r.Encoding = cmp.Or(r.Encoding, "bigm")
	case problem.FormSMT:
		r.Encoding = cmp.Or(r.Encoding, "smt")
	default:
		if r.Encoding != "" {
			return format, fmt.Errorf("--encoding %s: leave it out, because a vnnlib property keeps the network as it is", r.Encoding)
		}
		r.Bounds = ""
	}
	return format, nil
}

// stem returns the path of the files to write, without extension. name is the file name if Out
// gives none. It creates a missing folder.
func (r *Request) stem(name string, format Format) (string, error) {
	if r.Out == "" {
		return name, nil
	}
	stat, err := os.Stat(r.Out)
	switch folder := err == nil && stat.IsDir(); {
	case folder, strings.HasSuffix(r.Out, "/"), strings.HasSuffix(r.Out, string(filepath.Separator)):
		if err := os.MkdirAll(r.Out, 0o755); err != nil {
			return "", fmt.Errorf("--out: %w", err)
		}
		return filepath.Join(r.Out, name), nil
	}
	return strings.TrimSuffix(r.Out, format.Extension), nil
}

// fileName replaces the characters of a name that some system's file names cannot hold.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}

// query writes the files of one question, and says in the result what an answer to them proves.
func (r *Result) query(ctx context.Context, stem string, f Format, q *problem.Query, o Options) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lowered []Lowered
	err, heard := overtime.Within(ctx, func(context.Context) (err error) {
		lowered, err = Lower(q, f, o)
		return err
	})
	switch {
	case !heard:
		return ctx.Err()
	case errors.Is(err, sdk.ErrUnsupported): // no file can state the question
		return session.Mistake(err)
	case err != nil:
		return err
	}
	r.Fidelity, r.Meaning, r.Loose = lowered[0].Fidelity.String(), lowered[0].Meaning, lowered[0].Loose
	if o.Each {
		r.Meaning = r.Meaning[1:] // without the sentence for all pairs
	}
	if f.Form == problem.FormNetwork { // shared by all properties
		err := r.file(ctx, stem+".onnx", "the two copies as one network (ONNX)", func(w io.Writer) error { return WriteNetwork(w, lowered[0].Problem.Query) })
		if err != nil {
			return err
		}
	}
	for i := range lowered {
		if err := r.write(ctx, stem, f, q, &lowered[i]); err != nil {
			return err
		}
	}
	return nil
}

// write writes one lowered problem, with the question and the problem's meaning as comments.
func (r *Result) write(ctx context.Context, stem string, f Format, q *problem.Query, l *Lowered) error {
	comments := append([]string{r.question(q)}, l.Meaning...)
	if f.Form == problem.FormNetwork {
		comments = append(comments, "over the network in "+filepath.Base(stem)+".onnx")
	}
	return r.file(ctx, stem+l.Suffix+f.Extension, f.Summary, func(w io.Writer) error {
		return l.Write(w, f, comments...)
	})
}

// file writes a complete file or none.
func (r *Result) file(ctx context.Context, path, what string, write func(io.Writer) error) error {
	out, err := files.Create(path)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	err = write(&stopped{ctx, out})
	stat, statErr := out.Stat()
	if err := out.Finish(errors.Join(err, statErr)); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	r.Files = append(r.Files, File{Path: path, What: what, Bytes: stat.Size()})
	return nil
}

// stopped fails every write once its context has ended.
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

// question states the question in one line.
func (r *Result) question(q *problem.Query) string {
	parts := []string{"hyfair: study " + r.Study, "model " + r.Model, "notion " + r.Notion, "protected " + strings.Join(question.Protected(q.Space), " ")}
	if q.Bands != nil {
		parts = append(parts, fmt.Sprintf("%d or more of the bands %s", q.Reach(), q.Bands))
	} else if r.Decision != nil {
		parts = append(parts, "positive decision: a score "+r.Decision.Rule().String()+", whose border is at the model's logit 0")
	}
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

// Document shows the result.
func (r *Result) Document() *view.Document {
	var written view.Paragraph
	for _, f := range r.Files {
		written = append(written, fmt.Sprintf("%s\t%s, %s bytes", f.Path, f.What, view.Count(f.Bytes)))
	}
	says := map[string]string{"exact": "states exactly the question", "over-approximation": "allows more than the question", "under-approximation": "allows less than the question"}
	meaning := &view.Facts{Title: says[r.Fidelity]}
	for _, text := range append(r.Loose, r.Meaning...) {
		meaning.Add(text)
	}
	return view.Of(written, view.Close{Block: meaning})
}
