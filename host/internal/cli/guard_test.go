package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// plantedRules is a rules file that names the planted cluster of the loan study.
const plantedRules = `{
  "format": "hyfair-guard",
  "version": 1,
  "study": "loan",
  "features": [
    {"name": "credit_rating", "kind": "integer"},
    {"name": "loan_amount", "kind": "integer"}
  ],
  "rules": [
    {
      "name": "low rating, large loan",
      "why": "sex, age and origin decide there",
      "conditions": [
        {"feature": "credit_rating", "most": 4},
        {"feature": "loan_amount", "above": 11}
      ]
    }
  ]
}
`

// guardedRows runs hyfair guard on rows.
func guardedRows(t *testing.T, rows string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("HYFAIR_DATA", "")
	var out, err bytes.Buffer
	code = Main(append([]string{"guard"}, args...), strings.NewReader(rows), &out, &err)
	validJSON(t, append([]string{"guard"}, args...), out.String())
	return code, out.String(), err.String()
}

const guardRows = `sex,age,origin,income,credit_rating,debt_ratio,years_employed,loan_amount,purpose,housing
female,39,north,5,4,2,10,12,car,rent
male,39,east,5,5,2,10,12,car,own
male,39,west,5,9,2,10,18,car,own
male,39,east,50,9,2,10,11,car,own
`

func TestGuardAnswersRows(t *testing.T) {
	rules := textFile(t, "rules.json", plantedRules)
	code, stdout, stderr := guardedRows(t, guardRows, "../../../studies/loan", rules)
	if code != ExitDone || stderr != "4 rows: 2 predicted, 1 refused, 1 unusable\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	lines, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range lines {
		lines[i][3] = "" // scores are looked at below
	}
	want := [][]string{
		{"row", "line", "answer", "", "decision", "rule", "why"},
		{"1", "2", "refuse", "", "", "low rating, large loan", "sex, age and origin decide there"},
		{"2", "3", "predict", "", "1", "", ""},
		{"3", "4", "unusable", "", "", "", `cell 3: feature "origin": "west" is not among the categories north, south, east`},
		{"4", "5", "predict", "", "1", "", "income is 50, outside its domain 1 to 10"},
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
}

// TestGuardJSON: one object, whose answers are the network's own and the rules'.
func TestGuardJSON(t *testing.T) {
	st, err := study.Load("../../../studies/loan", study.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../../studies/loan/applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	rules := textFile(t, "rules.json", plantedRules)
	// The network beside its study is the study's own.
	code, stdout, stderr := guardedRows(t, string(text), "../../../studies/loan/network.json", rules, "--study", "../../../studies/loan", "--json")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var out guard.Result
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		t.Fatalf("not one JSON object: %v", err)
	}
	if out.Study != "loan" || out.Model != "network.json" || out.Rules != rules || len(out.Rows) != len(data.Points) {
		t.Fatalf("%s, %s, %s, %d rows", out.Study, out.Model, out.Rules, len(out.Rows))
	}
	rating, _ := st.Space.Index("credit_rating")
	amount, _ := st.Space.Index("loan_amount")
	refused := 0
	for i, row := range out.Rows {
		x := data.Points[i]
		if x[rating] <= 4 && x[amount] > 11 {
			refused++
			if row.Answer != "refuse" || row.Score != nil || row.Decision != nil || row.Rule != "low rating, large loan" {
				t.Fatalf("row %d: %+v", i, row)
			}
			continue
		}
		logit := st.Model.Logit(st.Space.NetworkInputs(nil, x))
		if row.Answer != "predict" || math.Abs(*row.Score-fairness.Sigmoid(logit)) > 1e-15 || (*row.Decision == 1) != (logit > 0) || row.Row != i+1 {
			t.Fatalf("row %d with logit %v: %+v", i, logit, row)
		}
	}
	if s := out.Summary; s.Rows != len(out.Rows) || s.Refused != refused || s.Predicted != len(out.Rows)-refused || refused < 3000 {
		t.Errorf("%+v, %d in the cluster", s, refused)
	}
}

// TestGuardEncoded: the same rows as feature values get the same answers.
func TestGuardEncoded(t *testing.T) {
	rules := textFile(t, "rules.json", plantedRules)
	_, raw, _ := guardedRows(t, guardRows, "../../../studies/loan", rules)
	encoded := strings.NewReplacer("female", "0", "male", "1", "north", "0", "east", "2").Replace(guardRows)
	code, stdout, _ := guardedRows(t, encoded, "../../../studies/loan", rules, "--encoded")
	if d := cmp.Diff(raw, stdout); code != ExitDone || d != "" {
		t.Errorf("exit code %d %s", code, d)
	}
}

// TestGuardAnswersAtOnce: a row is answered before the next one comes.
func TestGuardAnswersAtOnce(t *testing.T) {
	in, feed, err1 := os.Pipe()
	answers, out, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute) // a failure must not wait for ever
	if err := answers.SetReadDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	done := make(chan int, 1)
	rules := textFile(t, "rules.json", plantedRules)
	go func() {
		code := Main([]string{"guard", "../../../studies/loan", rules}, in, out, io.Discard)
		out.Close()
		done <- code
	}()
	reader := csv.NewReader(answers)
	lines := strings.SplitAfter(guardRows, "\n")
	io.WriteString(feed, lines[0])
	for i, line := range lines[1 : len(lines)-1] {
		io.WriteString(feed, line)
		if i == 0 {
			if head, err := reader.Read(); err != nil || head[0] != "row" {
				t.Fatal(head, err)
			}
		}
		if answer, err := reader.Read(); err != nil || answer[0] != strconv.Itoa(i+1) {
			t.Fatal(answer, err)
		}
	}
	feed.Close()
	if code := <-done; code != ExitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestGuardRefusesToStart(t *testing.T) {
	rules := textFile(t, "rules.json", plantedRules)
	other := textFile(t, "other.json", strings.ReplaceAll(plantedRules, "credit_rating", "rating"))
	protected := textFile(t, "protected.json", strings.ReplaceAll(plantedRules, "credit_rating", "age"))
	for name, c := range map[string]struct {
		args []string
		rows string
		want string
	}{
		"no rules":                   {[]string{"../../../studies/loan"}, guardRows, "wants MODEL and RULES"},
		"rules that are not there":   {[]string{"../../../studies/loan", "nowhere.json"}, guardRows, "nowhere.json"},
		"another study's rules":      {[]string{"../../../studies/loan", other}, guardRows, `no feature "rating"`},
		"rules on the protected":     {[]string{"../../../studies/loan", protected}, guardRows, `"age" is protected`},
		"a network without a study":  {[]string{"../../../studies/loan/network.json", rules}, guardRows, "give --study STUDY"},
		"two studies":                {[]string{"../../../studies/loan", rules, "--study", "../../../studies/loan"}, guardRows, "is a study; --study goes with a network"},
		"no rows":                    {[]string{"../../../studies/loan", rules}, "", "no rows"},
		"a column missing":           {[]string{"../../../studies/loan", rules}, "sex,age\n1,2\n", "income"},
		"export to no such language": {[]string{"export", rules, "--language", "cobol"}, "", `--language "cobol": want go or python`},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := guardedRows(t, c.rows, c.args...)
			if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, %q on standard output: %s", code, stdout, stderr)
			}
		})
	}
}

// TestGuardDecidesAsAuditDoes: the first person's logit is exactly 0, a no, and 1
// in float64, a yes; the second's is 1 in both.
func TestGuardDecidesAsAuditDoes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"net.json": `{"format": "hyfair-network", "version": 1, "precision": 64, "head": "sigmoid", "layers": [{"name": "o", "inputs": 4, "units": 1,
			"activation": "linear", "weights": [[-1, 9007199254740992, 1, 2]], "bias": [-9007199254740992]}]}`,
		"study.yaml": "model: net.json\ndata: {files: [rows.csv], label: {column: y, positive: [1]}}\nfeatures:\n" +
			"  a: {integer: -1..1}\n  b: {integer: 0..1}\n  c: {integer: 0..1}\n  p: {integer: 0..1}\nprotected: {p: all}\nepsilon: 0.1\n",
		"rows.csv":   "a,b,c,p,y\n1,1,1,0,0\n-1,1,0,0,1\n",
		"rules.json": `{"format": "hyfair-guard", "version": 1, "features": [{"name": "b", "kind": "integer"}], "rules": [{"name": "b", "conditions": [{"feature": "b", "most": 0}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := guardedRows(t, "a,b,c,p\n1,1,1,0\n-1,1,0,0\n", dir, filepath.Join(dir, "rules.json"))
	if want := "row,line,answer,score,decision,rule,why\n1,2,predict,0.5,0,,\n2,3,predict,0.7310585786300049,1,,\n"; code != ExitDone || stdout != want {
		t.Errorf("exit code %d, %s\n%s", code, stderr, stdout)
	}
	report := auditJSON(t, dir)
	for _, person := range report.Rows {
		if person.Positive != (person.Index == 1) {
			t.Errorf("audit decides %v of row %d", person.Positive, person.Index)
		}
	}
	if stdout, _, _ := inspectRun(t, dir, "--json"); !strings.Contains(stdout, `"accuracy": 100`) {
		t.Errorf("inspect has both wrong: %s", stdout)
	}
}

// TestGuardExport: what export writes runs, and says of every applicant what
// hyfair guard says.
func TestGuardExport(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED TestGuardExport: there is no python3 here")
	}
	rules := textFile(t, "rules.json", plantedRules)
	dir := t.TempDir()
	file := filepath.Join(dir, "guard.py")
	code, stdout, stderr := guardedRows(t, "", "export", rules, "--out", file, "--json")
	var exported guard.ExportResult
	if err := json.Unmarshal([]byte(stdout), &exported); err != nil || code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if exported != (guard.ExportResult{Language: "python", Rules: 1, Out: file}) {
		t.Errorf("%+v", exported)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, direct, _ := guardedRows(t, "", "export", rules)
	if d := cmp.Diff(string(text), direct); d != "" {
		t.Errorf("the file and standard output differ: %s", d)
	}
	rows, err := os.ReadFile("../../../studies/loan/applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-B", "-c", `import csv, sys
import guard
for row in csv.DictReader(sys.stdin):
    refused = guard.refuses(credit_rating=int(row["credit_rating"]), loan_amount=int(row["loan_amount"]))
    print("refuse" if refused else "predict")
`)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(rows)
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	_, answers, _ := guardedRows(t, string(rows), "../../../studies/loan", rules)
	lines, err := csv.NewReader(strings.NewReader(answers)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, line := range lines[1:] {
		want.WriteString(line[2] + "\n")
	}
	if d := cmp.Diff(want.String(), string(said)); d != "" {
		t.Error(d)
	}
}
