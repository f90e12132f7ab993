package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestTreesAsUsersHaveThem: a study of a LightGBM model is certified and its certificate
// checked, and what needs a gradient says so before it begins.
func TestTreesAsUsersHaveThem(t *testing.T) {
	tier.NeedUsual(t)
	dir := t.TempDir()
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-grad": "plugins/search-grad", "hyfair-solver-bnb": "plugins/solver-bnb"})
	study := filepath.Join(dir, "study.yaml")
	for name, text := range map[string]string{
		"model.txt": `tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=1
objective=binary sigmoid:1
feature_names=age sex

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
threshold=40.5 0.5
decision_type=2 2
left_child=1 -1
right_child=-3 -2
leaf_value=-0.25 0.5 0.125

end of trees
`,
		"study.yaml": "model: model.txt\nfeatures:\n  age: {integer: 0..90}\n  sex: {categories: [f, m]}\nprotected: {sex: all}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (stdout, stderr string, code int) {
		t.Helper()
		var out, errs strings.Builder
		code = Main(append(args, "--plugin-dir", plugins, "--journal", filepath.Join(dir, "j.db")), strings.NewReader(""), &out, &errs)
		return out.String(), errs.String(), code
	}
	path := filepath.Join(dir, "trees.cert")
	stdout, stderr, code := run("certify", study, "--solver", "bnb", "--notion", "logit", "--maximize", "--certificate", path)
	if code != ExitDone || !strings.Contains(stdout, "largest logit gap: 0.75, proved") {
		t.Fatalf("certify: exit code %d\n%s%s", code, stdout, stderr)
	}
	stdout, stderr, code = checkRun(t, path, "--study", study)
	if code != ExitDone || !strings.Contains(stdout, "every individual's gap (logit) is at most 0.75") {
		t.Errorf("check: exit code %d\n%s%s", code, stdout, stderr)
	}
	if stdout, _, code = checkRun(t, path, "--study", "../../../studies/loan"); code == ExitDone || !strings.Contains(stdout, "the certificate's model is of the family trees, this one is of relu") {
		t.Errorf("check of another model: exit code %d\n%s", code, stdout)
	}
	stdout, stderr, code = run("search", study, "--strategy", "grad", "--budget", "1s")
	if code != ExitUsage || stdout != "" || !strings.Contains(stderr, "models of the family trees have no gradient") {
		t.Errorf("search: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestForestsAsUsersHaveThem: of a forest of scikit-learn's the score is its share, to every
// command that takes scores, without a word in the study.
func TestForestsAsUsersHaveThem(t *testing.T) {
	tier.NeedUsual(t)
	dir := t.TempDir()
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-climb": "plugins/search-climb", "hyfair-solver-bnb": "plugins/solver-bnb"})
	forest, err := os.ReadFile("../question/modelfile/testdata/trees/sklearn-forest.onnx")
	if err != nil {
		t.Fatal(err)
	}
	study, path := filepath.Join(dir, "study.yaml"), filepath.Join(dir, "forest.cert")
	rows := "a,b,c,d,e\n0,1,0,1,0\n3,-3,2,-2,1\n"
	for name, text := range map[string]string{
		"forest.onnx": string(forest), "people.csv": rows,
		"study.yaml": `model: forest.onnx
epsilon: 0.2
data: {files: [people.csv], header: true}
features: {a: {integer: -3..3}, b: {integer: -3..3}, c: {integer: -3..3}, d: {integer: -3..3}, e: {integer: 0..1}}
protected: {d: [-2, 0, 1, 3], e: all}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ command, want string }{
		{"inspect STUDY", "notion share"},
		{"certify STUDY --solver bnb --maximize --certificate CERT", "largest score gap: 0.243945184, proved (rigorous)"},
		{"certify STUDY --solver bnb --max-k", "Max.K = 2, certified"},
		{"certify STUDY --solver bnb --notion score --epsilon 0.25", "FAIR, grade rigorous"},
		{"quantify STUDY --solver bnb", "of 343 individuals"},
		{"search STUDY --strategy climb --mode fast --budget 2000ev --solver none", "The worst-treated individual: 2 different outcomes over 8 copies, scores from 0."},
		{"audit STUDY", "2 people were audited"},
		{"explain STUDY --budget 2000ev --samples 100 --test 100", "with k = 2 (search climb"},
		{"export STUDY --format mps --out MPS", "exactly the question"},
		{"check CERT --study STUDY", "every individual's gap (share) is at most 0.2439451"},
	} {
		args := strings.Fields(strings.NewReplacer("STUDY", study, "CERT", path, "MPS", filepath.Join(dir, "forest.mps")).Replace(c.command))
		if args[0] != "check" {
			args = append(args, "--plugin-dir", plugins, "--journal", filepath.Join(dir, "j.db"))
		}
		var out, errs strings.Builder
		if code := Main(args, strings.NewReader(""), &out, &errs); code != ExitDone || !strings.Contains(out.String(), c.want) || strings.Contains(errs.String(), "σ") {
			t.Errorf("%s: exit code %d, want %q\n%s%s", c.command, code, c.want, &out, &errs)
		}
	}
}

// TestOneClassOfAForest: of a forest of several classes the share of the one that the study names is the score;
// which of them wins is refused, and what a yes is is said.
func TestOneClassOfAForest(t *testing.T) {
	tier.NeedUsual(t)
	dir := t.TempDir()
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
	forest, err := os.ReadFile("../question/modelfile/testdata/trees/sklearn-classes.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"forest.onnx": string(forest), "people.csv": "a,b,c,d,e\n60,1,0,1,0\n30,3,1,-1,4\n",
		"study.yaml": `model: {file: forest.onnx, class: 2}
data: {files: [people.csv], header: true}
features: {a: {integer: 30..60}, b: {integer: 0..4}, c: {integer: 0..1}, d: {integer: -2..2}, e: {integer: 0..6}}
protected: {b: all}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		command   string
		code      int
		out, errs string
	}{
		{"certify STUDY --solver bnb --maximize", ExitDone, "proved (rigorous)", ""},
		{"certify STUDY --solver bnb --notion decision", ExitUsage, "", "from which it does not follow whether the class wins"},
		{"explain STUDY --notion decision", ExitUsage, "", "from which it does not follow whether the class wins"},
		{"audit STUDY", ExitDone, "2 people were audited", "a decision is positive if the share of the class is above ½"},
	} {
		args := append(strings.Fields(strings.ReplaceAll(c.command, "STUDY", filepath.Join(dir, "study.yaml"))), "--plugin-dir", plugins, "--journal", filepath.Join(dir, "j.db"))
		var out, errs strings.Builder
		if code := Main(args, strings.NewReader(""), &out, &errs); code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.errs) {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.command, code, c.code, &out, &errs)
		}
	}
}
