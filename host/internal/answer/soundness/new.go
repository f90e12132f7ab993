package soundness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/export"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/onnx"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Request asks for a folder of instances. It is plain data.
type Request struct {
	// Rungs is the number of rungs of the ladder to write, from the first.
	Rungs int   `json:"rungs"`
	Seed  int64 `json:"seed"`
	// Out is the folder to write, which must be empty or not exist.
	Out string `json:"-"`
}

// Result is the answer to a Request and the JSON object of hyfair soundness new.
type Result struct {
	// The folder written.
	Folder string `json:"folder"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// The number of rungs.
	Rungs int `json:"rungs"`
	// The instances written.
	Instances []Instance `json:"instances"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
}

// Instance is an instance that was written.
type Instance struct {
	// The instance's folder.
	Name string `json:"name"`
	// The number of people in its space, in decimal digits.
	People string `json:"people"`
	// The number of combinations of protected values.
	Copies int `json:"copies"`
	// The number of ReLU neurons.
	Neurons int `json:"neurons"`
	// The number of people treated unfairly by scores, in decimal digits.
	Unfair string `json:"unfair"`
	// The largest k.
	K int `json:"k"`
	// The largest score gap.
	Gap float64 `json:"gap"`
	// The right answer to property.vnnlib: sat or unsat.
	Property string `json:"property"`
}

const (
	studyName    = "study.yaml"
	modelName    = "network.json"
	onnxName     = "network.onnx"
	propertyStem = "property"
	// listName has a line for each property, in the format of the verifier competition VNN-COMP.
	listName = "instances.csv"
	// listTime is the time limit in that list, in seconds.
	listTime = 100
)

// New writes a folder of instances, or nothing if one fails. The same request writes the same bytes.
func New(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	if r.Rungs < 1 || r.Rungs > MaxRungs {
		return nil, session.Mistake(fmt.Errorf("--rungs %d: want 1 to %d", r.Rungs, MaxRungs))
	}
	if there, err := os.ReadDir(r.Out); err == nil && len(there) > 0 {
		return nil, session.Mistake(fmt.Errorf("%s is not empty: want a new or an empty folder", r.Out))
	}
	err := os.MkdirAll(r.Out, 0o755)
	if err != nil {
		return nil, session.Mistake(err)
	}
	half, err := os.MkdirTemp(r.Out, ".half-*")
	if err != nil {
		return nil, session.Mistake(err)
	}
	defer os.RemoveAll(half)
	s.Work()
	out := &Result{Folder: r.Out, Seed: r.Seed, Rungs: r.Rungs, Instances: []Instance{}}
	var list strings.Builder
	for rung := 1; rung <= r.Rungs; rung++ {
		for _, kind := range kinds {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			in := draw(r.Seed, rung, kind)
			s.Show(in.name())
			t, err := in.write(ctx, s, half)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&list, "%s/%s,%s/%s,%d\n", t.Name, t.Property.Network, t.Name, t.Property.File, listTime)
			out.Instances = append(out.Instances, t.instance())
		}
	}
	err = write(filepath.Join(half, listName), func(w io.Writer) error {
		_, err := io.WriteString(w, list.String())
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, in := range out.Instances {
		if err == nil {
			err = os.Rename(filepath.Join(half, in.Name), filepath.Join(r.Out, in.Name))
		}
	}
	if err == nil {
		err = os.Rename(filepath.Join(half, listName), filepath.Join(r.Out, listName))
	}
	out.Seconds = time.Since(s.Begun).Seconds()
	return out, err
}

func write(path string, do func(io.Writer) error) error {
	return files.Write(path, func(f *os.File) error { return do(f) })
}

// write writes an instance's folder, with the truth last.
func (in *instance) write(ctx context.Context, s *session.Session, folder string) (*Truth, error) {
	n, d, err := in.disguised()
	if err != nil {
		return nil, err
	}
	t := in.truth(d)
	dir := filepath.Join(folder, t.Name)
	t.Study, t.Model = studyName, modelName
	err = errors.Join(os.Mkdir(dir, 0o755),
		write(filepath.Join(dir, studyName), in.study),
		write(filepath.Join(dir, modelName), func(w io.Writer) error { return modelfile.WriteJSON(w, n) }),
		write(filepath.Join(dir, onnxName), func(w io.Writer) error { return onnx.Write(w, n) }))
	if err != nil {
		return nil, err
	}
	q, err := question.Open(question.Spec{Study: filepath.Join(dir, studyName)})
	if err != nil {
		return nil, err
	}
	t.StudySHA256, t.ModelSHA256 = q.Spec.StudySHA256, q.Spec.ModelSHA256
	asked := t.Spec(folder, &Question{Notion: fairness.Logit.String(), Epsilon: t.Property.Epsilon})
	quiet := &session.Session{Begun: s.Begun}
	if _, err := export.Answer(ctx, quiet, export.Request{Spec: asked, Out: filepath.Join(dir, t.Property.File), Seed: in.seed}); err != nil {
		return nil, err
	}
	return t, write(filepath.Join(dir, TruthFile), func(w io.Writer) error {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetIndent("", "  ")
		if err := e.Encode(t); err != nil {
			return err
		}
		_, err := text.WriteTo(w)
		return err
	})
}

// study writes the instance's study file.
func (in *instance) study(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nsummary: A network with planted people, made by hyfair soundness new; truth.json says what is true of it.\nmodel: %s\n\nfeatures:\n", in.name(), modelName)
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	list := func(f *feature, text func(float64) string) string {
		var out []string
		for _, v := range f.values {
			out = append(out, text(v))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	for i := range in.features {
		f := &in.features[i]
		if f.categories {
			fmt.Fprintf(&b, "  %s: {categories: %s}\n", f.name, list(f, f.label))
		} else {
			fmt.Fprintf(&b, "  %s: {integer: %s..%s}\n", f.name, number(f.lo), number(f.hi))
		}
	}
	b.WriteString("\nprotected:\n")
	for _, i := range in.prot {
		f := &in.features[i]
		if f.categories {
			fmt.Fprintf(&b, "  %s: all\n", f.name)
		} else {
			fmt.Fprintf(&b, "  %s: %s\n", f.name, list(f, number))
		}
	}
	if rule := in.rule(number); rule != "" {
		fmt.Fprintf(&b, "\nconstraints:\n  planted: {forbid: %q}\n", rule)
	}
	fmt.Fprintf(&b, "\nepsilon: %s\n", epsilon)
	_, err := io.WriteString(w, b.String())
	return err
}

// label names a category.
func (f *feature) label(v float64) string { return fmt.Sprintf("c%g", v) }

// rule forbids the planted person of a guarded instance, or the hit copy of a forbidden one;
// it is empty for other kinds.
func (in *instance) rule(number func(float64) string) string {
	if in.kind != forbidden && in.kind != guarded {
		return ""
	}
	var parts []string
	s := &in.sites[0]
	for k, i := range in.free {
		parts = append(parts, in.features[i].name+"="+number(s.lo[k]))
	}
	for k, i := range in.prot {
		f, v := &in.features[i], s.hits[0].z[k]
		switch {
		case in.kind == guarded:
		case f.categories:
			parts = append(parts, f.name+"="+f.label(v))
		default:
			parts = append(parts, f.name+"="+number(v))
		}
	}
	return strings.Join(parts, ",")
}

// instance summarises a truth for a list.
func (t *Truth) instance() Instance {
	out := Instance{Name: t.Name, People: t.People, Copies: t.Copies, Neurons: t.Neurons, Property: t.Property.Answer}
	for i := range t.Questions {
		switch q := &t.Questions[i]; q.Goal {
		case Gap:
			out.Gap = q.Margin[0]
		case MaxK:
			out.K = q.K
		case Share:
			out.Unfair = q.People
		}
	}
	return out
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	t := &view.Table{Columns: view.Columns("instance", "people", "copies", "neurons", "unfair", "largest k", "largest gap", "property")}
	for _, i := range r.Instances {
		t.Add(i.Name, count(i.People), strconv.Itoa(i.Copies), strconv.Itoa(i.Neurons), count(i.Unfair), strconv.Itoa(i.K), strconv.FormatFloat(i.Gap, 'f', 6, 64), i.Property)
	}
	t.Notes = []string{
		"unfair: people whose copies' scores lie more than " + epsilon + " apart; property: the answer of property.vnnlib, which expresses neither integer features nor rules",
		fmt.Sprintf("%d instances in %s, seed %d; %s in each has the right answers", len(r.Instances), r.Folder, r.Seed, TruthFile),
	}
	return view.Of(t)
}

// count formats decimal digits for readers.
func count(digits string) string {
	n, ok := whole(digits)
	if !ok {
		return digits
	}
	return view.BigCount(n)
}
