package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/internal/tier"
)

// audited runs hyfair audit without a data root.
func audited(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Setenv("HYFAIR_DATA", "")
	args = append([]string{"audit"}, args...)
	code, stdout, stderr = hyfair(args...)
	validJSON(t, args, stdout)
	return code, stdout, stderr
}

// auditJSON is the object of an audit that must succeed.
// listed is a result with its people in a list.
type listed struct {
	audit.Result
	Rows []audit.Row `json:"rows"`
}

func auditJSON(t *testing.T, args ...string) (out listed) {
	t.Helper()
	code, stdout, stderr := audited(t, append(args, "--json")...)
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil || decoder.More() {
		t.Fatalf("not one JSON object: %v", err)
	}
	return out
}

func textFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAuditPrints compares the entire output of an audit with testdata/audit-loan.txt.
func TestAuditPrints(t *testing.T) {
	want, err := os.ReadFile("testdata/audit-loan.txt")
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := audited(t, "../../../studies/loan", "--top", "3")
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if d := cmp.Diff(string(want), stdout); d != "" {
		t.Errorf("(-testdata/audit-loan.txt +program):\n%s", d)
	}
}

// loanRows is a file of applicants: one in the planted cluster, one outside every domain, and
// one that a constraint forbids.
const loanRows = `sex,age,origin,income,credit_rating,debt_ratio,years_employed,loan_amount,purpose,housing
female,39,north,5,2,2,10,18,car,rent
male,39,east,50,2,2,10,18,car,rent
male,70,east,5,2,2,10,18,car,rent
male,65,east,5,2,2,10,1,business,rent
male,65,east,5,9,0,10,3,business,own
`

func TestAuditOfRows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.csv")
	r := auditJSON(t, "../../../studies/loan", textFile(t, "some.csv", loanRows), "--out", out)
	if r.Study != "loan" || r.Model != "network.json" || r.Epsilon != "0.05" || r.Out != out || !slices.Equal(r.Rules, []string{"no-tiny-business-loans"}) {
		t.Errorf("%+v", r)
	}
	s := r.Summary
	if d := cmp.Diff(map[string]int{"income": 1, "age": 1}, s.Outside); d != "" || s.Rows != 5 || s.People != 2 || s.Forbidden != 1 || len(r.Rows) != 2 {
		t.Errorf("%+v: %s", s, d)
	}
	worst := r.Rows[0]
	if worst.Index != 0 || worst.Line != 2 || worst.File != "some.csv" || worst.K < 15 || worst.N != 66 || !worst.Unfair {
		t.Errorf("%+v", worst)
	}
	// An own age of 39 joins 20, 25, …
	if worst.Z["age"] != 39 || worst.Labels["sex"] != "female" || worst.X["income"] != 5 || len(worst.X) != 7 {
		t.Errorf("%+v", worst)
	}
	if math.Abs(worst.High.Score-worst.Low.Score-worst.Gap) > 1e-6 || worst.Low.Score > worst.Score || worst.Score > worst.High.Score {
		t.Errorf("score %v from %v to %v, gap %v", worst.Score, worst.Low.Score, worst.High.Score, worst.Gap)
	}
	var names []string
	for _, a := range worst.Attributes {
		names = append(names, a.Name)
	}
	if !slices.Equal(names, []string{"sex", "age", "origin"}) || worst.Attributes[0].Best != "male" || worst.Attributes[0].Advantage >= 0 {
		t.Errorf("%+v", worst.Attributes)
	}
	if other := r.Rows[1]; other.Index != 4 || other.N != 60 {
		t.Errorf("%+v", other)
	}

	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(lines) != 6 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	at := func(line int, name string) string { return lines[line][slices.Index(lines[0], name)] }
	for i := range r.Rows {
		row := &r.Rows[i]
		gap, err := strconv.ParseFloat(at(i+1, "gap"), 64)
		if err != nil || gap != row.Gap || at(i+1, "k") != strconv.Itoa(row.K) || at(i+1, "line") != strconv.Itoa(row.Line) || at(i+1, "low.origin") != row.Low.Labels["origin"] || at(i+1, "age") != row.Labels["age"] {
			t.Errorf("line %d: %v", i+1, lines[i+1])
		}
	}
	for i, want := range []string{"outside the domain of income", "outside the domain of age", "forbidden by a constraint"} {
		if got := at(i+3, "skipped"); got != want || at(i+3, "line") != strconv.Itoa(i+3) {
			t.Errorf("line %d: skipped because %q, want %q", i+3, got, want)
		}
	}
}

// TestAuditEncoded: the same people as feature values are audited alike.
func TestAuditEncoded(t *testing.T) {
	encoded := strings.NewReplacer("female", "0", "male", "1", "north", "0", "east", "2", "rent", "rent", "car", "0").Replace(loanRows)
	raw := auditJSON(t, "../../../studies/loan", textFile(t, "some.csv", loanRows))
	same := auditJSON(t, "../../../studies/loan", textFile(t, "some.csv", encoded), "--encoded")
	if d := cmp.Diff(raw.Rows, same.Rows); d != "" {
		t.Error(d)
	}
}

func TestAuditQuestions(t *testing.T) {
	rows := textFile(t, "some.csv", loanRows)
	all := auditJSON(t, "../../../studies/loan", rows)
	sex := auditJSON(t, "../../../studies/loan", rows, "--protected", "sex", "--rules", "none")
	if sex.Summary.People != 3 || sex.Rows[0].N != 2 || sex.Rows[0].K > 2 || len(sex.Rows[0].Attributes) != 1 || len(sex.Rows[0].Z) != 1 {
		t.Errorf("%+v", sex.Rows[0])
	}
	// By itself, an attribute does the same whether or not others are protected too.
	if got, want := sex.Rows[0].Attributes[0], all.Rows[0].Attributes[0]; got != want {
		t.Errorf("sex alone: %+v and %+v", got, want)
	}
	where := auditJSON(t, "../../../studies/loan", rows, "--where", "sex=female|male,age=30..45")
	if where.Summary.Excluded != 3 || where.Summary.People != 1 || where.Rows[0].N != 2*5*3 {
		t.Errorf("%+v", where.Summary) // ages 30, 35, 39, 40, 45
	}
	coarse := auditJSON(t, "../../../studies/loan", rows, "--epsilon", "0.5", "--top", "1")
	if len(coarse.Rows) != 1 || coarse.Rows[0].K != 2 || coarse.Epsilon != "0.5" || coarse.Summary.People != 2 {
		t.Errorf("%+v", coarse)
	}
	if none := auditJSON(t, "../../../studies/loan", rows, "--top", "0"); len(none.Rows) != 0 || none.Summary.People != 2 {
		t.Errorf("%+v", none)
	}
	code, stdout, stderr := audited(t, "../../../studies/loan", rows, "--top", "0", "--rules", "none", "--where", "income=50..")
	if code != ExitUsage || stdout != "" || !strings.Contains(stderr, "income") {
		t.Errorf("a cut that leaves nothing: %d, %s%s", code, stdout, stderr)
	}
}

func TestAuditRefuses(t *testing.T) {
	good := textFile(t, "good.csv", loanRows)
	header, _, _ := strings.Cut(loanRows, "\n")
	rows := func(text string) []string { return []string{"../../../studies/loan", textFile(t, "rows.csv", text)} }
	for want, args := range map[string][]string{
		"wants a STUDY":                         {},
		"got 3 arguments":                       {"a", "b", "c"},
		"no such file":                          {"nowhere.yaml"},
		"nowhere.csv: no such file":             {"../../../studies/loan", "nowhere.csv"},
		"--top -1":                              {"../../../studies/loan", "--top", "-1"},
		"--encoded describes ROWS.csv":          {"../../../studies/loan", "--encoded"},
		"asks several questions":                {"../../../studies/loan", good, "--protected", "each"},
		"--where:":                              {"../../../studies/loan", good, "--where", "height=3"},
		"--epsilon:":                            {"../../../studies/loan", good, "--epsilon", "2"},
		"--out:":                                {"../../../studies/loan", good, "--out", "no/such/folder/out.csv"},
		"rows.csv: the file has no header line": rows(""),
		"rows.csv: the file has no rows":        rows(header + "\n"),
		`column "origin", which does not`:       rows(strings.ReplaceAll(loanRows, "origin", "home")),
		`:2:1: column "sex"`:                    rows(header + "\nf,39,north,5,2,2,10,18,car,rent\n"),
		`:2:8: column "age"`:                    rows(header + "\nfemale,NaN,north,5,2,2,10,18,car,rent\n"),
		":3:1: got 9 cells, want 10":            rows(header + "\nmale,39,north,5,2,2,10,18,car,rent\nmale,39,north,5,2,2,10,18,car\n"),
		`quoted-field`:                          rows(header + "\n\"male,39\n"),
		"--min-share applies to rates of":       {tenureStudy(t), "--min-share", "5%"},
		"declares no data; name a file":         {tenureStudy(t)},
		"can be audited with --encoded":         {tenureStudy(t), good},
		`"x" is not among the categories a`:     {tenureStudy(t), textFile(t, "x.csv", "years,group,job\n3,x,cook\n"), "--encoded"},
	} {
		code, stdout, stderr := audited(t, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "hyfair:") != 1 {
			t.Errorf("%v: exit code %d, %s%s; want %s", args, code, stdout, stderr, want)
		}
	}
}

// TestAuditOfNobody: if all rows are outside the space, the result is their count.
func TestAuditOfNobody(t *testing.T) {
	rows := textFile(t, "rows.csv", "years,group,job\n99,a,cook\n0.5,b,baker\n")
	code, stdout, stderr := audited(t, tenureStudy(t), rows, "--encoded")
	want := `Audit of tenure (model.json): group, ε = 0.05

inputs not checked against the model's own scores: hyfair inspect --scores checks them

0 people were audited: each was compared with copies that differ in group only.
Not audited, because a value lies outside its feature's domain: 2 by years.
`
	if d := cmp.Diff(want, stdout); code != ExitDone || stderr != "" || d != "" {
		t.Errorf("exit code %d: %s\n%s", code, stderr, d)
	}
}

// TestAuditInterrupted: the people audited before an interrupt are shown and written.
func TestAuditInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, asJSON := range []bool{false, true} {
		var stdout bytes.Buffer
		app := &App{Stdout: &stdout, Stderr: io.Discard, JSON: asJSON, LogLevel: "off"}
		err := runAudit(ctx, app, audit.Request{Out: out, Top: -1}, []string{"../../../studies/loan", textFile(t, "some.csv", loanRows)})
		var exit *exitError
		if !errors.As(err, &exit) || exit.code != ExitInterrupted {
			t.Errorf("%v", err)
		}
		want := "Ended early: 2 more were not audited."
		if asJSON {
			want = `"interrupted": true`
		}
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("%s\nwant %s", stdout.String(), want)
		}
		if text, err := os.ReadFile(out); err != nil || strings.Count(string(text), "\n") != 4 {
			t.Errorf("%s, %v; want the header and three rows outside the space", text, err)
		}
	}
}

// TestAuditByNotion: --notion says who counts as treated unfairly, whatever else is
// counted; without it that is a score gap above ε.
func TestAuditByNotion(t *testing.T) {
	tier.NeedUsual(t)
	plain := auditJSON(t, loanStudy)
	for _, c := range []struct {
		args          []string
		limit, column string
		unfair        int
	}{
		{[]string{"score"}, "", "gap > 0.05", plain.Summary.Unfair},
		{[]string{"decision"}, "", "decisions differ", plain.Summary.Flips},
		{[]string{"decision-strict"}, "", "decisions differ", plain.Summary.Flips},
		{[]string{"logit", "--epsilon", "2"}, "2", "logit gap > 2", 6390},
	} {
		args := append([]string{loanStudy, "--notion"}, c.args...)
		out := auditJSON(t, args...)
		if out.Notion != c.args[0] || out.Limit != c.limit || out.Epsilon != "0.05" || out.Summary.Unfair != c.unfair || out.Summary.MeanK != plain.Summary.MeanK {
			t.Errorf("%v: notion %q, limit %q, ε %s, %d unfair, mean k %v", c.args, out.Notion, out.Limit, out.Epsilon, out.Summary.Unfair, out.Summary.MeanK)
		}
		if c.args[0] == "decision-strict" {
			continue // the text of decision
		}
		if code, stdout, _ := audited(t, append(args, "--top", "1")...); code != ExitDone || !strings.Contains(stdout, "notion "+c.args[0]) || !strings.Contains(stdout, c.column) {
			t.Errorf("%v: exit code %d\n%s", c.args, code, stdout)
		}
	}
	if code, _, stderr := audited(t, loanStudy, "--notion", "equal"); code != ExitUsage || !strings.Contains(stderr, `--notion: unknown notion "equal"`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
