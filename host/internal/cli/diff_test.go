package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/diff"
	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/internal/reference"
	"github.com/hyfair/hyfair/internal/tier"
)

// retrained writes the study's network with another bias of its output, and a file of all 60 individuals.
func retrained(t *testing.T) (study, model, rows string) {
	t.Helper()
	study = tenureStudy(t)
	_, n := reference.Tenure()
	n.Layers[len(n.Layers)-1].Bias[0] += 2
	folder := filepath.Dir(study)
	model, rows = filepath.Join(folder, "new.json"), filepath.Join(folder, "rows.csv")
	file, err := os.Create(model)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := modelfile.WriteJSON(file, n); err != nil {
		t.Fatal(err)
	}
	text := "years,group,job\n"
	for i := range 60 {
		text += fmt.Sprintf("%d,%s,%s\n", i%10, []string{"a", "b"}[i/10%2], []string{"baker", `"clerk, junior"`, "cook"}[i/20])
	}
	if err := os.WriteFile(rows, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return study, model, rows
}

func TestDiff(t *testing.T) {
	plugins := bnbFolder(t)
	study, model, rows := retrained(t)
	code, stdout, stderr := command(t, plugins, "diff", study, model, rows, "--encoded", "--json", "--timeout", "0")
	var out diff.Result
	if err := json.Unmarshal([]byte(stdout), &out); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	// All people are in the file, so that what is proved of all must be what was counted of the rows.
	if s, c := out.Shares, out.Change; !s.Complete || s.Grade != "rigorous" || s.Discriminated.AtLeast != strconv.Itoa(c.Changed) || s.Discriminated.AtMost != s.Discriminated.AtLeast ||
		c.People != 60 || c.Changed == 0 || c.Changed != c.ToYes || c.Better == 0 || out.Left != 0 {
		t.Errorf("%+v of rows, %+v of all", c, s)
	}
	code, stdout, stderr = command(t, plugins, "audit", study, rows, "--encoded", "--model", model, "--notion", "decision", "--baseline", study, "--json")
	var audited audit.Result
	if err := json.Unmarshal([]byte(stdout), &audited); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	a, b := audited.Change, out.Change
	if a.Changed != b.Changed || a.Worse != b.Worse || a.Better != b.Better || a.Most.Line != b.Most.Line {
		t.Errorf("audit says %+v, diff %+v", a, b)
	}
}

// TestDiffAsksAsOld: of NEW, a study with its features in another order, other protected attributes, constraints,
// population and another ε, the model and its inputs alone count. What is out of time costs no row and no gate.
func TestDiffAsksAsOld(t *testing.T) {
	plugins := bnbFolder(t)
	study, model, rows := retrained(t)
	other := filepath.Join(filepath.Dir(study), "other.yaml")
	text := `name: tenure
model: other.json
epsilon: 0.5
features:
  job: {categories: [baker, "clerk, junior", cook]}
  years: {integer: 0..9}
  group: {categories: [a, b]}
protected:
  job: all
constraints:
  few: {forbid: "years=0..6,job=cook"}
population: {classes: 3}
`
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, n := reference.Tenure()
	n.Layers[len(n.Layers)-1].Bias[0] += 2
	first := &n.Layers[0]
	job := s.Features[2].Inputs
	if len(job) != 1 && len(job) != 3 {
		t.Fatalf("job feeds %d inputs", len(job))
	}
	for j := range first.Out { // the inputs of job come first
		row := first.Weights[j*first.In : (j+1)*first.In]
		copy(row, slices.Concat(row[first.In-len(job):], row[:first.In-len(job)]))
	}
	file, err := os.Create(filepath.Join(filepath.Dir(study), "other.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := modelfile.WriteJSON(file, n); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{}, {"--notion", "score", "--epsilon", "0.02"}, {"--notion", "score"}} {
		var out [2]diff.Result
		for i, new := range []string{model, other} {
			code, stdout, stderr := command(t, plugins, append([]string{"diff", study, new, rows, "--encoded", "--json", "--timeout", "0"}, more...)...)
			if err := json.Unmarshal([]byte(stdout), &out[i]); code != ExitDone || err != nil {
				t.Fatalf("%v: exit code %d, %v: %s%s", more, code, err, stdout, stderr)
			}
			out[i].Shares.Boxes = 0
		}
		if d := cmp.Diff(out[0].Change, out[1].Change); d != "" {
			t.Errorf("%v: (-model +study)\n%s", more, d)
		}
		if d := cmp.Diff(out[0].Shares, out[1].Shares); d != "" {
			t.Errorf("%v: (-model +study)\n%s", more, d)
		}
	}
	code, stdout, stderr := command(t, plugins, "diff", study, other, rows, "--encoded", "--timeout", "1ns", "--max-worse", "0", "--unchecked")
	if code != ExitDone || !strings.Contains(stdout, "60 people were audited") || !strings.Contains(stdout, "--max-worse 0: passed") || !strings.Contains(stderr, "and not of that of "+other+", classes:3") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

func TestDiffRefuses(t *testing.T) {
	plugins := bnbFolder(t)
	study, model, rows := retrained(t)
	other := filepath.Join(t.TempDir(), "other.yaml")
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(strings.Replace(string(text), "0..9", "0..8", 1), "model.json", model, 1)
	if err := os.WriteFile(other, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"feature years is integer from 0 to 9 in one study, integer from 0 to 8 in the other": {"diff", study, other},
		"--max-worse compares with an old model: name it with --baseline":                     {"audit", study, rows, "--encoded", "--max-worse", "1%"},
		"diff wants OLD, NEW": {"diff", study},
		"--baseline: ":        {"audit", study, rows, "--encoded", "--baseline", "nowhere.json"},
	} {
		code, stdout, stderr := command(t, plugins, args...)
		if code != ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, want %d and %q: %s%s", args, code, ExitUsage, want, stdout, stderr)
		}
	}
}

// TestDiffAsDocumented: docs/user/diff.md shows what the program prints.
func TestDiffAsDocumented(t *testing.T) {
	tier.NeedUsual(t)
	text, err := os.ReadFile("../../../docs/user/diff.md")
	if err != nil {
		t.Fatal(err)
	}
	block := strings.Split(string(text), "```")[1]
	shown := strings.Split(strings.TrimSpace(block), "\n$ hyfair ")
	if len(shown) != 2 {
		t.Fatalf("the page shows %d commands, want 2", len(shown))
	}
	plugins, model := bnbFolder(t), filepath.Join(t.TempDir(), "new.json")
	for i, part := range []string{strings.TrimPrefix(shown[0], "$ hyfair "), shown[1]} {
		line, want, _ := strings.Cut(part, "\n")
		args := strings.Fields(line)
		for j, arg := range args {
			switch arg {
			case "studies/loan":
				args[j] = "../../../studies/loan"
			case "new.json":
				args[j] = model
			}
		}
		code, stdout, stderr := command(t, plugins, args...)
		if wantCode := []int{ExitDone, ExitCheck}[i]; code != wantCode {
			t.Fatalf("%s: exit code %d: %s", line, code, stderr)
		}
		if d := cmp.Diff(want, strings.TrimSpace(stdout)); i == 1 && d != "" {
			t.Errorf("%s (-docs/user/diff.md +program):\n%s", line, d)
		}
	}
}
