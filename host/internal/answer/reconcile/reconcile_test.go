package reconcile_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/inspect"
	"github.com/hyfair/hyfair/host/internal/answer/reconcile"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// copyOfLoan is a copy of the loan study in a folder of its own, which stores checks.
func copyOfLoan(t *testing.T) string {
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../../../../studies/loan")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestScores: scores with few digits equal the network's. A different one is reported with its row,
// scores of the other class are recognised, and a file without a score for every row is an error.
func TestScores(t *testing.T) {
	loan := copyOfLoan(t)
	st, err := study.Load(loan, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	decider := individual.New(st.Model, st.Space, fairness.Rule{})
	var scores []float64
	for _, point := range data.Points {
		v, _ := decider.At(point)
		scores = append(scores, v)
	}
	ask := func(head string, change func(i int, v float64) float64, n int) (*reconcile.Result, error) {
		text := head
		for i, v := range scores[:n] {
			text += fmt.Sprintf("%d,%.6f\n", i, change(i, v))
		}
		path := filepath.Join(t.TempDir(), "scores.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return reconcile.Answer(t.Context(), &session.Session{}, reconcile.Request{Request: inspect.Request{Path: loan}, Scores: path})
	}
	same := func(_ int, v float64) float64 { return v }
	for _, head := range []string{"", "id,score\n"} {
		if out, err := ask(head, same, len(scores)); err != nil || out.Scores.Differ != 0 || out.Scores.Worst > 1e-6 || out.Accuracy == nil || out.Scores.Reversed {
			t.Errorf("%q: %+v, %v", head, out, err)
		}
	}
	out, err := ask("id,score\n", func(i int, v float64) float64 {
		if i == 17 {
			return 1 - v
		}
		return v
	}, len(scores))
	if err != nil || out.Scores.Differ != 1 || out.Scores.Decisions != 1 || len(out.Scores.First) != 1 || out.Scores.Reversed {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, line := data.Where(17); out.Scores.First[0].Line != line || out.Scores.First[0].Ours != scores[17] {
		t.Errorf("%+v, want line %d", out.Scores.First[0], line)
	}
	if out, err := ask("", func(_ int, v float64) float64 { return 1 - v }, len(scores)); err != nil || !out.Scores.Reversed || out.Scores.Differ == 0 || len(out.Scores.First) != 10 {
		t.Errorf("%+v, %v", out, err)
	}
	for says, ask := range map[string]func() (*reconcile.Result, error){
		"6,818 scores": func() (*reconcile.Result, error) { return ask("id,score\n", same, len(scores)-2) },
		"from 0 to 1": func() (*reconcile.Result, error) {
			return ask("", func(_ int, v float64) float64 { return 2 + v }, len(scores))
		},
	} {
		if _, err := ask(); err == nil || !session.IsMistake(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// TestCheckIsKept: matching scores mark a study as checked for later commands. Another ε keeps the mark;
// other inputs, rows or models lose it; contradicting scores remove it.
func TestCheckIsKept(t *testing.T) {
	folder := copyOfLoan(t)
	path := filepath.Join(folder, "study.yaml")
	check := func() *study.InputCheck {
		st, err := study.Load(folder, study.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return st.InputCheck()
	}
	st, err := study.Load(folder, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	decider := individual.New(st.Model, st.Space, fairness.Rule{})
	hold := func(change float64) {
		t.Helper()
		text := "score\n"
		for _, point := range data.Points {
			v, _ := decider.At(point)
			text += fmt.Sprintln(math.Abs(v - change))
		}
		scores := filepath.Join(folder, "scores.csv")
		if err := os.WriteFile(scores, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := reconcile.Answer(t.Context(), &session.Session{}, reconcile.Request{Request: inspect.Request{Path: folder}, Scores: scores})
		if err != nil || out.InputCheck.Checked != (change == 0) {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	edit := func(file, old, new string) (undo func()) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%s: no %q, %v", file, old, err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Remove(study.CheckPath(path)); err != nil {
		t.Fatal(err)
	}
	if c := check(); c.Checked || c.Why != "" {
		t.Errorf("without a check: %+v", c)
	}
	hold(0)
	if c := check(); !c.Checked || c.Rows != len(data.Points) || c.By != study.ByScores || c.Worst > 1e-12 {
		t.Errorf("checked: %+v", c)
	}
	for _, c := range []struct{ file, old, new, why string }{
		{"study.yaml", "epsilon: 0.05", "epsilon: 0.1", ""},
		{"study.yaml", "categories: [female, male]", "categories: [male, female]", "the study's inputs were"},
		{"study.yaml", "scale: 0.5, offset: -5.25", "scale: 0.5, offset: -5.5", "the study's inputs were"},
		{"applicants.csv", "\n", "\n1,1,0,0,3,car,own,female,20,north,0\n", "the rows were"},
		{"network.json", "-0.35375714", "-0.35375715", "the model was"},
	} {
		undo := edit(filepath.Join(folder, c.file), c.old, c.new)
		if got := check(); got.Checked != (c.why == "") || !strings.HasPrefix(got.Why, c.why) {
			t.Errorf("%s with %q: %+v, want %q", c.file, c.new, got, c.why)
		}
		undo()
	}
	hold(0.01)
	if c := check(); c.Checked || !strings.Contains(c.Why, "of 6,820 scores differ from those of") {
		t.Errorf("contradicted: %+v", c)
	}
	hold(0)
	if err := os.WriteFile(study.CheckPath(path), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := check(); c.Checked || !strings.Contains(c.Why, "study.checked.json") {
		t.Errorf("a broken file: %+v", c)
	}
}

// TestCategoriesOfTheModel: without scores, init takes categories in the order of the model's file, and all scores
// equal the library's. A study with another order or column is refused on load.
func TestCategoriesOfTheModel(t *testing.T) {
	files, err := filepath.Abs("../../question/modelfile/testdata/categories")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model, scores string
		same          bool
	}{
		{"lightgbm.txt", "lightgbm.csv", true},
		{"xgboost.json", "xgboost.csv", false}, // the file has lost town's categories
		{"xgboost.ubj", "xgboost.csv", false},
	} {
		out := filepath.Join(t.TempDir(), "study.yaml")
		drafted, err := reconcile.Draft(t.Context(), &session.Session{}, draft.Request{
			Data: filepath.Join(files, "people.csv"), Model: filepath.Join(files, c.model), Protected: []string{"sex"}, Out: out,
		})
		if err != nil {
			t.Fatalf("%s: %v", c.model, err)
		}
		if told := strings.Contains(strings.Join(drafted.Doubts, "\n"), "each category of town"); told == c.same {
			t.Errorf("%s: %q", c.model, drafted.Doubts)
		}
		held, err := reconcile.Answer(t.Context(), &session.Session{}, reconcile.Request{Request: inspect.Request{Path: out}, Scores: filepath.Join(files, c.scores)})
		if err != nil || (held.Scores.Differ == 0) != c.same {
			t.Errorf("%s: %+v, %v", c.model, held, err)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for from, says := range map[string]string{
			"categories: [low, medium, high]":      "takes the code of one of low, medium, high",
			"categories: [woman, man]":             "takes the code of one of woman, man",
			`categories: ["3", "1", "2"]`:          "takes the code of one of 3, 1, 2",
			"  kids: {integer: 0..2}\n":            `which the model calls "kids"`,
			`  zone: {categories: ["3", "1", "2"]`: "takes the code of one of 3, 1, 2",
		} {
			if !strings.Contains(string(text), from) {
				t.Errorf("%s: no %q in\n%s", c.model, from, text)
				continue
			}
			var to string
			switch {
			case strings.HasPrefix(from, "categories: [low"):
				to = "categories: [high, low, medium]"
			case strings.HasPrefix(from, "categories: [woman"):
				to = "categories: [man, woman]"
			case strings.HasPrefix(from, "categories: "):
				to = `categories: ["1", "2", "3"]`
			case strings.HasPrefix(from, "  kids"):
				to = "  other: {column: hours, integer: 10..59}\n"
			default:
				to = "  zone: {integer: 1..3, encode: {map: {x: 1}}"
			}
			changed := strings.Replace(string(text), from, to, 1)
			if strings.HasPrefix(from, "  kids") { // swaps kids and hours
				changed = strings.Replace(changed, "  hours: {integer: 10..59}\n", "  kids: {integer: 0..2}\n", 1)
			}
			if err := os.WriteFile(out, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := study.Load(out, study.Options{}); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %s for %s: %v, want %q", c.model, to, from, err, says)
			}
		}
	}
}
