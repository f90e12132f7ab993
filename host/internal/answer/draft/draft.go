// Package draft writes a study for a model and a CSV file: the file's format, the label's
// column, the contents of the columns, and how they become the model's inputs. For each guess,
// a comment in the study says how sure it is, and why.
package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/model"
)

// Request asks for a draft.
type Request struct {
	// Data is a CSV file, Model a model's file; empty: there is no model yet.
	Data  string `json:"data"`
	Model string `json:"model,omitempty"`
	// Output and Class select the model's output and class to ask about.
	Output string `json:"output,omitempty"`
	Class  *int   `json:"class,omitempty"`
	// Columns names the columns of a file without a header.
	Columns []string `json:"columns,omitempty"`
	// Label is the label's column, Positive the values that count as 1; empty: to be guessed.
	Label    string   `json:"label,omitempty"`
	Positive []string `json:"positive,omitempty"`
	// Protected lists the columns to protect; protection is never guessed.
	Protected []string `json:"protected,omitempty"`
	// Scores and Inputs are files with the scores and inputs that the user's pipeline makes
	// from the rows. With both, the arrangement solved from the inputs is checked against the
	// scores.
	Scores string `json:"scores,omitempty"`
	Inputs string `json:"inputs,omitempty"`
	// Out is the study to write; an existing file is replaced only with Force.
	Out   string `json:"out"`
	Force bool   `json:"force,omitempty"`
	Seed  int64  `json:"seed"`
}

// Result is the answer to a Request and the JSON object of hyfair init.
type Result struct {
	// The study file that was written.
	Study string `json:"study"`
	// The CSV file.
	Data string `json:"data"`
	// The model's file; absent without one.
	Model string `json:"model,omitempty"`
	// The number of rows kept.
	Rows int `json:"rows"`
	// The number of rows left out because a value is missing or the model does not take it.
	RowsLeft int `json:"rows_left_out,omitempty"`
	// The label's column; absent if none was found.
	Label string `json:"label,omitempty"`
	// The values of the label that count as 1; absent if the model predicts a number.
	Positive []string `json:"positive,omitempty"`
	// The features in the order of the model's inputs.
	Features []Feature `json:"features"`
	// How columns become the model's inputs, how sure that is, and why; absent without a model.
	Inputs string `json:"inputs,omitempty"`
	// The inputs were read from the model's file, or hold for every row of --inputs or --scores.
	Solved bool `json:"solved"`
	// The largest difference between a score of --scores and the model's.
	Worst *float64 `json:"worst,omitempty"`
	// The protected features.
	Protected []string `json:"protected"`
	// Other features whose names or values suggest protection.
	Candidates []string `json:"candidates"`
	// ε of the study if the model predicts a number: a twentieth of its range.
	Epsilon *float64 `json:"epsilon,omitempty"`
	// The accuracy in per cent, as in inspect; absent without a model or a label.
	Accuracy *float64 `json:"accuracy,omitempty"`
	// The share of the more frequent label in per cent, as in inspect.
	Majority *float64 `json:"majority,omitempty"`
	// The columns that are not used, each with the reason.
	Left []string `json:"left,omitempty"`
	// Guesses to verify.
	Doubts []string `json:"doubts,omitempty"`
	// Python code that writes the scores of your own pipeline; absent with --scores and without a model.
	ScoresBy string `json:"scores_by,omitempty"`
	// With --force, the new place of the replaced file.
	Kept string `json:"kept,omitempty"`
	// The value of --seed, which has no effect here.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// Grounds repeats Doubts in the form of later answers.
	question.Grounds
}

// Feature is a feature of the written study.
type Feature struct {
	// The feature's name.
	Name string `json:"name"`
	// The domain as the study states it, with "or missing" if a value may be missing.
	Domain string `json:"domain"`
	// The feature's inputs as the study states them; empty for the value as it is.
	Inputs string `json:"inputs"`
	// The reasons for the guess, and how sure it is.
	Why []string `json:"why"`
}

// drafter is the state of a draft.
type drafter struct {
	Request
	out     *Result
	table   *table
	model   model.Model
	info    modelfile.Info
	label   *column
	labels  []string // why this column is the label
	usable  []*column
	counts  []*column // columns whose missing values exclude a row, used or not
	left    []string  // columns that are not used, and why
	truth   truth
	chosen  arrangement
	lack    string      // why the model's inputs cannot be made; "": they can
	unnamed string      // the doubt about inputs whose names no column makes
	raw     bool        // the means and ranges of a .nnet file are not applied
	plain   model.Model // the network without the sigmoid that the scores imply; nil: they imply none
	absent  *float64    // the input that the model takes for a missing value
}

// Guess makes the guesses of Answer, but writes nothing.
func Guess(r Request) (*Result, error) {
	d, err := r.drafted()
	if err != nil {
		return nil, session.Mistake(err)
	}
	return d.out, nil
}

func (r Request) drafted() (*drafter, error) {
	d := &drafter{Request: r, out: &Result{Study: r.Out, Data: r.Data, Model: r.Model, Seed: r.Seed, Features: []Feature{}, Protected: []string{}, Candidates: []string{}}}
	return d, d.draft()
}

// Answer writes the draft and checks it against the model.
func Answer(ctx context.Context, s *session.Session, r Request) (*Result, error) {
	d, err := r.drafted()
	if err != nil {
		return nil, session.Mistake(err)
	}
	text, err := d.write()
	if err != nil {
		return nil, session.Mistake(err)
	}
	if d.out.Kept, err = keep(r.Out, text); err != nil {
		return nil, session.Mistake(err)
	}
	if err := files.Write(r.Out, func(f *os.File) error { _, err := f.WriteString(text); return err }); err != nil {
		return nil, session.Mistake(err)
	}
	if r.Model != "" {
		seen, err := inspect.Answer(ctx, s, inspect.Request{Path: r.Out, Seed: r.Seed})
		if err != nil {
			more := slices.Clone(d.out.Doubts)
			if len(d.left) > 0 {
				more = append(more, "not used: "+strings.Join(d.left, ", "))
			}
			if d.lack != "" {
				more = slices.DeleteFunc(more, func(doubt string) bool { return doubt == d.lack })
				err = session.Mistake(errors.New(d.lack))
			}
			return nil, fmt.Errorf("%s is written, but must be completed: %w%s", r.Out, err, strings.Join(append([]string{""}, more...), "\n"))
		}
		if seen.Rows != nil {
			d.out.Accuracy, d.out.Majority = seen.Accuracy, seen.Majority
		}
	}
	d.out.Seconds = time.Since(s.Begun).Seconds()
	return d.out, nil
}

func (d *drafter) draft() (err error) {
	if _, err := os.Lstat(d.Out); err == nil && !d.Force {
		return fmt.Errorf("%s exists: --force replaces it and keeps a copy, --out writes another file", d.Out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var wrong error // the model's error, reported after those of the data
	if d.Model != "" {
		d.model, d.info, wrong = modelfile.Read(d.Model, modelfile.Choice{Output: d.Output, Class: d.Class})
	} else if d.Scores != "" || d.Inputs != "" {
		wrong = errors.New("--scores and --inputs need a model: name its file after the data")
	}
	if d.table, err = (&table{path: d.Data, trim: !d.padded()}).read(d.Columns); err != nil {
		return err
	}
	if wrong != nil {
		return wrong
	}
	if d.model != nil {
		d.model = asShare(d.model)
	}
	d.table.group(d.Label)
	d.out.Doubts = append(d.out.Doubts, d.table.doubts...)
	if err := d.findStrangers(); err != nil {
		return fmt.Errorf("%s: %w", d.Data, err)
	}
	d.findCodes()
	d.findOddCells()
	if err := d.findLabel(); err != nil {
		return err
	}
	d.findUsable()
	if len(d.usable) == 0 {
		return fmt.Errorf("%s: no column can be a feature: want one besides the label; not used: [%s]", d.Data, strings.Join(d.left, ", "))
	}
	for _, name := range d.Protected {
		if !slices.ContainsFunc(d.usable, func(c *column) bool { return c.name == name }) {
			return fmt.Errorf("--protected %s: no column of this name can be a feature; want one of %s", name, d.names())
		}
	}
	if d.chosen, err = d.arrange(); err != nil {
		return err
	}
	if d.chosen.view.fill {
		d.chosen = d.chosen.narrowed()
		if len(d.chosen.view.rows) == 0 {
			return fmt.Errorf("%s: every row lacks a value that the model needs: fill these cells", d.Data)
		}
	}
	if d.forgets() && !(d.Scores != "" && d.out.Solved) && slices.ContainsFunc(d.chosen.features, func(f feature) bool { return f.lacks() }) {
		d.out.Doubts = append(d.out.Doubts, "the file sends missing values the same way in all comparisons: skl2onnx leaves out where scikit-learn's trees send them (docs/user/your-model.md shows how to keep it), and then scores of rows with missing values differ from the pipeline's")
	}
	d.face()
	rows, label := d.chosen.view.rows, d.label
	if d.truth.numbers != nil {
		d.left = append(d.left, d.label.name+" (what the model predicts)")
		d.label = nil
	}
	if d.label != nil && !slices.ContainsFunc(rows, func(row int) bool { return d.truth.labels[row] }) {
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("no row that is kept has the label %s = %s, so the study has no label", d.label.name, strings.Join(d.out.Positive, " or ")))
		d.left = append(d.left, d.label.name)
		d.label, d.out.Label, d.out.Positive = nil, "", nil
	}
	d.settle(label)
	d.out.Rows = len(d.chosen.view.rows)
	d.out.RowsLeft = d.table.rows - d.out.Rows
	d.out.Left = d.left
	d.doubtCodes()
	d.doubtOddCells()
	d.doubtValues()
	d.doubtAbsent()
	d.candidates()
	if d.model != nil && d.Scores == "" {
		d.out.ScoresBy = d.python()
	}
	return nil
}

// padded reports whether the model's file has names or categories with blanks around them.
func (d *drafter) padded() bool {
	known := slices.Clone(d.info.InputNames)
	for _, codes := range d.info.Codes {
		known = append(known, slices.Concat(codes.Lists...)...)
	}
	for _, v := range d.info.Vocabularies {
		known = append(known, v.Categories...)
	}
	return slices.ContainsFunc(known, func(name string) bool {
		return strings.TrimSpace(name) != name || strings.Contains(name, "_ ") || strings.Contains(name, "= ")
	})
}

// settle restores the rows that lack only values of unused columns, if every feature has a
// value for them. label is the guessed label.
func (d *drafter) settle(label *column) {
	a, own := d.chosen, d.chosen.view
	var used []*column
	for i := range a.features {
		used = append(used, a.features[i].from)
	}
	a.view = d.table.see(used, d.label, own.drop, own.fill)
	all := 0
	for _, row := range a.view.rows {
		if !slices.ContainsFunc(a.features, func(f feature) bool { return (f.from.numeric || own.drop) && f.unread(row) }) {
			all++
		}
	}
	if all == len(own.rows) {
		return
	}
	if a = a.narrowed(); len(a.view.rows) == all {
		d.chosen = a
	} else {
		d.counts = append(slices.Clone(d.usable), label)
	}
}

// keep copies the file that text replaces, since it may hold edits, to the first name next to
// it that is free or has the same contents. It returns that name, or "" if nothing would be
// lost.
func keep(path, text string) (string, error) {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(old) == text {
		return "", nil
	}
	for n := 1; err == nil; n++ {
		kept := fmt.Sprintf("%s.old%d", path, n)
		if before, failed := os.ReadFile(kept); failed == nil && bytes.Equal(before, old) {
			return kept, nil
		} else if errors.Is(failed, fs.ErrNotExist) {
			return kept, files.Write(kept, func(f *os.File) error { _, err := f.Write(old); return err })
		}
	}
	return "", err
}

func (d *drafter) names() string {
	var out []string
	for _, c := range d.usable {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

// longestName bounds the names of features: YAML mistakes longer keys for nesting.
const longestName = 300

// findUsable leaves out the columns that cannot become features.
func (d *drafter) findUsable() {
	for _, c := range d.table.columns {
		n := len(c.texts)
		foreign := ""
		if c.listed == nil && c.hot == nil && !d.knows(c, c.texts) {
			foreign = c.foreign()
		}
		switch {
		case c == d.label:
		case c.missing == d.table.rows && c.name == "":
			d.left = append(d.left, "the one without a name (empty)")
		case c.missing == d.table.rows:
			d.left = append(d.left, c.name+" (empty)")
		case foreign != "":
			d.left = append(d.left, c.name+" ("+foreign+")")
		case !c.numeric && (c.many || n > 50 && 2*n > d.table.rows):
			d.left = append(d.left, c.name+" (texts, nearly all different)")
		case len(scalar(c.name)) > longestName:
			d.left = append(d.left, fmt.Sprintf("%.40q… (its name is too long for a study)", c.name))
		case c.name == "":
			d.left = append(d.left, "the one without a name (the rows' numbers)")
		default:
			d.usable = append(d.usable, c)
		}
	}
}

// python returns a line of Python that writes the model's scores; X holds the model's inputs
// for the rows.
func (d *drafter) python() string {
	class := 1
	if d.Class != nil {
		class = *d.Class
	}
	score := fmt.Sprintf("model.predict_proba(X)[:, %d]", class)
	keras := strings.HasPrefix(d.info.Format, "keras")
	producer := strings.ToLower(d.info.Producer)
	switch {
	case strings.Contains(producer, "torch"):
		if score = "model(X).detach().numpy()"; d.info.Linear && d.truth.numbers == nil {
			score = "torch.sigmoid(model(X)).detach().numpy()"
		}
	case keras || strings.Contains(producer, "keras") || strings.Contains(producer, "tf2onnx"):
		if score = "model.predict(X)[:, -1]"; d.info.Linear && d.truth.numbers == nil {
			score = "1 / (1 + numpy.exp(-model.predict(X)[:, -1]))"
		}
	case d.truth.numbers != nil || regresses(d.model):
		score = "model.predict(X)"
	}
	return "pandas.DataFrame(" + score + ").to_csv(\"scores.csv\", index=False)"
}

// held records which columns the arrangement leaves out. A protected one among them is an
// error.
func (d *drafter) held(a arrangement) (arrangement, error) {
	var without []string
	for _, c := range d.usable {
		if slices.ContainsFunc(a.features, func(f feature) bool { return f.from == c }) {
			continue
		}
		without = append(without, c.name)
		d.left = append(d.left, c.name+" (the model does not take it)")
		if slices.Contains(d.Protected, c.name) && strings.HasPrefix(d.out.Inputs, "guess") {
			return a, fmt.Errorf("--protected %s: the best fit leaves it out (%s), but is a guess: give --inputs, or --scores if there are none", c.name, a.how)
		}
		if slices.Contains(d.Protected, c.name) {
			return a, fmt.Errorf("--protected %s: the model does not take it (%s), so copies that differ in it get the same score. Whether other columns are proxies for it is another question", c.name, a.how)
		}
	}
	if without != nil && d.Scores == "" && !strings.HasPrefix(a.how, "by the names") && strings.HasPrefix(d.out.Inputs, "guess") {
		d.out.Doubts = append(d.out.Doubts, "that the model does not take "+strings.Join(without, ", ")+" is a guess, by the number of its inputs")
	}
	if d.out.Inputs == "" {
		d.out.Inputs = d.sure() + ": " + a.how
	}
	return a, nil
}

// sure returns "certain" if the inputs are solved, else "guess".
func (d *drafter) sure() string {
	return map[bool]string{true: "certain", false: "guess"}[d.out.Solved]
}

// relative returns a path as the study file out names it: relative to the file's folder.
func relative(out, path string) string {
	folder, err1 := filepath.Abs(filepath.Dir(out))
	abs, err2 := filepath.Abs(path)
	if err1 != nil || err2 != nil {
		return path
	}
	rel, err := filepath.Rel(folder, abs)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) {
		return abs
	}
	return filepath.ToSlash(rel)
}
