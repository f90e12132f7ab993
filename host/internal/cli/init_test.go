package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/draft"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// What is drafted of the shipped study's data and network, and its inputs or scores for the rows, answers as that study does.
func TestInitShippedStudy(t *testing.T) {
	tier.NeedLong(t)
	st, err := study.Load(loanStudy, study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	var inputs, scores bytes.Buffer
	x := make([]float64, st.Space.Inputs)
	for _, p := range d.Points {
		text, err := json.Marshal(st.Space.NetworkInputs(x, p))
		if err != nil {
			t.Fatal(err)
		}
		inputs.WriteString(strings.Trim(string(text), "[]") + "\n")
		fmt.Fprintln(&scores, fairness.Sigmoid(st.Model.Logit(x)))
	}
	for option, text := range map[string]string{"--inputs": inputs.String(), "--scores": scores.String()} {
		t.Run(option, func(t *testing.T) { sameAnswers(t, option, textFile(t, "own.csv", text)) })
	}
}

// sameAnswers drafts the shipped study with what its owner has, and holds it against that study.
func sameAnswers(t *testing.T, option, own string) {
	drafted := filepath.Join(t.TempDir(), "study.yaml")
	args := []string{"init", loanStudy + "/applicants.csv", loanStudy + "/network.json", option, own, "--label", "approved", "--protected", "sex,origin", "--out", drafted}
	if code, stdout, stderr := command(t, t.TempDir(), args...); code != ExitDone || !strings.Contains(stdout, "solved from") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr := command(t, t.TempDir(), args...); code != ExitUsage || !strings.Contains(stderr, "--force") {
		t.Errorf("a study that was there: exit code %d: %s", code, stderr)
	}
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
	for _, question := range [][]string{
		{"certify", "--maximize", "--where", "credit_rating=3..4,loan_amount=10..12"}, {"quantify", "--where", "credit_rating=3,loan_amount=18.."},
	} {
		ask := func(study string) map[string]any {
			t.Helper()
			code, stdout, stderr := command(t, plugins, append([]string{question[0], study, "--rules", "none", "--protected", "sex,origin", "--json"}, question[1:]...)...)
			out := map[string]any{}
			if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitDone {
				t.Fatalf("%v: exit code %d: %s", question, code, stderr)
			}
			return out
		}
		want, got := ask(loanStudy), ask(drafted)
		for _, field := range []string{"verdict", "gap", "bound", "witness", "individuals", "exact", "sampled"} {
			a, _ := json.Marshal(want[field])
			b, _ := json.Marshal(got[field])
			if !bytes.Equal(a, b) {
				t.Errorf("%v: %s is %s, of the shipped study %s", question, field, b, a)
			}
		}
	}
}

// With --ask a person names what is protected, and takes or replaces what was found.
func TestInitAsks(t *testing.T) {
	data := textFile(t, "people.csv", "age,sex,hired,paid\n30,F,yes,no\n41,M,no,no\n52,F,yes,yes\n")
	for answers, want := range map[string][]string{
		"\n\n\n":            {"column: paid, positive: [\"yes\"]", "# protected:"},
		"hired\nsex, age\n": {"column: hired, positive: [\"yes\"]", "\nprotected:\n  sex: all\n  age: all\n"},
		"\nno\nsex\n":       {"column: paid, positive: [\"no\"]", "\nprotected:\n  sex: all\n"},
		"hired\nreligion\n": nil,
	} {
		out := filepath.Join(t.TempDir(), "study.yaml")
		var stdout, stderr bytes.Buffer
		code := Main([]string{"init", data, "--ask", "--out", out}, strings.NewReader(answers), &stdout, &stderr)
		text, _ := os.ReadFile(out)
		if want == nil {
			if code != ExitUsage || len(text) > 0 {
				t.Errorf("%q: exit code %d, %s", answers, code, &stderr)
			}
			continue
		}
		if !strings.Contains(stderr.String(), "columns to protect, such as age,sex []: ") || code != ExitDone {
			t.Errorf("%q: exit code %d, %s", answers, code, &stderr)
		}
		for _, says := range want {
			if !strings.Contains(string(text), says) {
				t.Errorf("%q: no %q in\n%s", answers, says, text)
			}
		}
	}
}

// Models that the libraries trained on the raw files of Adult and Bank: nothing has to be edited in the study for
// their own accuracy.
func TestInitPublicData(t *testing.T) {
	tier.NeedLong(t)
	root := os.Getenv("HYFAIR_DATA")
	if root == "" {
		t.Skipf("SKIPPED %s: HYFAIR_DATA names no folder with public data", t.Name())
	}
	adult, bank := filepath.Join(root, "adult", "adult.data"), filepath.Join(root, "bank", "bank-additional.csv")
	script, err := filepath.Abs("testdata/public.py")
	if err != nil {
		t.Fatal(err)
	}
	for library, packages := range map[string]string{
		"sklearn": libraries.Sklearn, "torch": libraries.Torch, "keras": libraries.Keras, "xgboost": libraries.XGBoost, "lightgbm": libraries.LightGBM,
	} {
		t.Run(library, func(t *testing.T) {
			folder := t.TempDir()
			cmd := libraries.Command(t, packages, script, library, adult, bank)
			var stderr bytes.Buffer
			cmd.Dir, cmd.Stderr = folder, &stderr
			text, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			var made []struct {
				Name, Model, Scores, Columns string
				Accuracy, AUC                float64
			}
			if err := json.Unmarshal(text, &made); err != nil || len(made) < 2 {
				t.Fatal(err, len(made))
			}
			for _, m := range made {
				data, protected := bank, "marital"
				if m.Columns != "" {
					data, protected = adult, "sex,race"
				}
				args := []string{"init", data, filepath.Join(folder, m.Model), "--protected", protected, "--out", filepath.Join(folder, m.Name+".yaml"), "--json"}
				if m.Columns != "" {
					args = append(args, "--columns", m.Columns)
				}
				if m.Scores != "" {
					args = append(args, "--scores", filepath.Join(folder, m.Scores))
				}
				code, stdout, stderr := command(t, t.TempDir(), args...)
				var out draft.Result
				if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitDone {
					t.Fatalf("%s: exit code %d: %s", m.Name, code, stderr)
				}
				out.Doubts = slices.DeleteFunc(out.Doubts, func(doubt string) bool {
					return strings.Contains(doubt, "does not say how") || strings.Contains(doubt, "does not say wh")
				}) // what no file holds
				if out.Accuracy == nil || math.Abs(*out.Accuracy-m.Accuracy) > 0.02 || len(out.Doubts) > 0 || m.Scores != "" && !out.Solved {
					t.Errorf("%s: the library's accuracy is %v: %s", m.Name, m.Accuracy, stdout)
				}
				var seen struct{ Accuracy, AUC float64 }
				code, stdout, stderr = command(t, t.TempDir(), "inspect", filepath.Join(folder, m.Name+".yaml"), "--json")
				if err := json.Unmarshal([]byte(stdout), &seen); err != nil || code != ExitDone || math.Abs(seen.Accuracy-m.Accuracy) > 0.02 || math.Abs(seen.AUC-m.AUC) > 1e-4 {
					t.Errorf("%s: exit code %d, accuracy %v and AUC %v, the library's are %v and %v: %s", m.Name, code, seen.Accuracy, seen.AUC, m.Accuracy, m.AUC, stderr)
				}
				t.Logf("%s: %.2f%%, AUC %.5f (the library's: %.2f%%, %.5f), %s", m.Name, seen.Accuracy, seen.AUC, m.Accuracy, m.AUC, out.Inputs)
			}
		})
	}
}
