package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// explained is what the tests look at of an explanation's JSON.
type explained struct {
	Study, Nothing, Where string
	Notion, Epsilon       string
	Source                explain.Source
	InitK                 int `json:"init_k"`
	Individuals           []explain.Individual
	Seconds, Delta        float64
	Predicates            []struct {
		Text       string
		Conditions []json.RawMessage
		Size       int
		KIn        struct{ Mean, Low, High float64 } `json:"k_in"`
		KOut       struct{ Mean, Low, High float64 } `json:"k_out"`
		Diff       float64
		Coverage   struct{ Count string }
		Support    *struct{ Rows, Of int }
	}
	Tree json.RawMessage
}

// explainJSON runs hyfair explain --json.
func explainJSON(t *testing.T, plugins string, args ...string) explained {
	t.Helper()
	code, stdout, stderr := command(t, plugins, append([]string{"explain", "--json"}, args...)...)
	if code != ExitDone {
		t.Fatalf("%s: exit code %d: %s", args, code, stderr)
	}
	var e explained
	if err := json.Unmarshal([]byte(stdout), &e); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return e
}

const plantedText = "credit_rating <= 4 and loan_amount >= 12"

func TestExplain(t *testing.T) {
	tier.NeedUsual(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-climb": "plugins/search-climb", "hyfair-solver-bnb": "plugins/solver-bnb"})
	for _, c := range []struct {
		name string
		test func(t *testing.T, plugins string)
	}{
		{"search, guard and search again", testExplainGuardSearch},
		{"from the journal and from rows", testExplainSources},
		{"a file of studies", testExplainGrid},
		{"mistakes", testExplainMistakes},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, plugins) })
	}
}

// A fresh search finds the planted cluster; the guardrails written keep
// mitigate's search to what the network does outside it; the same seed explains the
// same again.
func testExplainGuardSearch(t *testing.T, plugins string) {
	dir := t.TempDir()
	rules, svg := filepath.Join(dir, "rules.json"), filepath.Join(dir, "tree.svg")
	args := []string{loanStudy, "--budget", "20000ev", "--samples", "2000", "--seed", "4"}
	first := explainJSON(t, plugins, append(args, "--rules-out", rules, "--tree", svg)...)
	second := explainJSON(t, plugins, args...)
	if first.Source.Evaluations < 20000 || first.Source.Kind != "search" || first.Seconds <= 0 {
		t.Errorf("source %+v, %v s", first.Source, first.Seconds)
	}
	first.Seconds, second.Seconds, first.Source.Run, second.Source.Run = 0, 0, "", ""
	if d := cmp.Diff(first, second); d != "" {
		t.Errorf("the same seed explains otherwise:\n%s", d)
	}
	if len(first.Predicates) != 1 || first.InitK != 20 || len(first.Individuals) != 10 {
		t.Fatalf("%+v", first)
	}
	p := first.Predicates[0]
	if p.Text != plantedText || p.Size != 2 || len(p.Conditions) != 2 || p.Coverage.Count != "885600" || p.Support == nil || p.Support.Rows != 3900 {
		t.Errorf("%+v", p)
	}

	file, err := os.Open(svg)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for d := xml.NewDecoder(file); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}

	code, stdout, stderr := command(t, plugins, "mitigate", loanStudy, "--guardrails", rules, "--arms", "original,original+guards",
		"--mode", "fast", "--strategy", "climb", "--solver", "none", "--budget", "30000ev", "--json")
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var searched struct {
		Arms []struct {
			MaxK    *float64 `json:"Max.K"`
			Refused int      `json:"search_refused"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &searched); err != nil {
		t.Fatal(err)
	}
	// docs/user/loan.md: k is never above 11 outside the planted region.
	if a := searched.Arms; len(a) != 2 || *a[0].MaxK != 20 || *a[1].MaxK > 11 || a[1].Refused == 0 {
		t.Errorf("%s", stdout)
	}
}

// People come from a search in the journal, from the study's rows, and from
// files; each time the same cluster is found.
func testExplainSources(t *testing.T, plugins string) {
	journal := filepath.Join(t.TempDir(), "journal.db")
	code, stdout, stderr := command(t, plugins, "search", loanStudy, "--mode", "fast", "--solver", "none", "--budget", "20000ev", "--journal", journal, "--json")
	var run struct{ Run string }
	if err := json.Unmarshal([]byte(stdout), &run); code != ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	quick := []string{loanStudy, "--samples", "2000"}
	e := explainJSON(t, plugins, append(quick, "--from", run.Run, "--journal", journal)...)
	if e.Source.Kind != "journal" || e.Source.Run != run.Run || e.Predicates[0].Text != plantedText {
		t.Errorf("%+v", e)
	}
	if code, _, stderr := command(t, plugins, "explain", tenureStudy(t), "--from", run.Run, "--journal", journal); code != ExitUsage || !strings.Contains(stderr, "whose features differ") {
		t.Errorf("of another study: exit code %d: %s", code, stderr)
	}

	// Of two who may differ k is 1 or 2; what a quantification met, and the witness of a
	// verdict, will do.
	for asked, met := range map[string]int{"quantify": 2, "certify": 1} {
		code, stdout, stderr := command(t, plugins, asked, loanStudy, "--solver", "bnb", "--protected", "sex", "--where", "income=4..6", "--timeout", "60s", "--journal", journal, "--json")
		if err := json.Unmarshal([]byte(stdout), &run); code != ExitDone || err != nil {
			t.Fatalf("%s: exit code %d, %v: %s", asked, code, err, stderr)
		}
		e := explainJSON(t, plugins, append(quick, "--protected", "sex", "--from", run.Run, "--journal", journal)...)
		if e.Source.Run != run.Run || e.InitK != 2 || len(e.Individuals) < met || e.Delta != 0.25 || len(e.Predicates) == 0 {
			t.Errorf("%s: %+v", asked, e)
		}
	}
	// If a search finds no unfair individual, the data's rows are examined; the sentence for rows
	// that show nothing either holds for decisions, too.
	nobody := explainJSON(t, plugins, loanStudy, "--protected", "sex", "--where", "credit_rating=9..10", "--budget", "100ev", "--epsilon", "0.9")
	if nobody.Source.Rows != 6820 || nobody.InitK != 0 || !strings.HasPrefix(nobody.Nothing, "no individual was found whose copies fall into different bins of width 0.9; ") {
		t.Errorf("%+v", nobody)
	}

	// Decisions are outcomes, too: two, whatever ε is.
	decided := explainJSON(t, plugins, append(quick, "--notion", "decision", "--protected", "sex", "--budget", "5000ev")...)
	if decided.Notion != "decision" || decided.Epsilon != "0.5" || decided.InitK != 2 || decided.Delta > 0.25 || len(decided.Individuals) == 0 {
		t.Errorf("%+v", decided)
	}

	encoded := filepath.Join(t.TempDir(), "encoded.csv")
	text := "income,credit_rating,debt_ratio,years_employed,loan_amount,purpose,housing,sex,age,origin\n5,2,1,10,15,0,0,0,20,0\n5,9,1,10,5,0,0,0,20,0\n"
	if err := os.WriteFile(encoded, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	e = explainJSON(t, plugins, append(quick, "--rows", encoded, "--encoded")...)
	if e.Source.Kind != "rows" || e.Source.Rows != 2 || len(e.Individuals) != 1 || e.Individuals[0].X["loan_amount"] != 15 {
		t.Errorf("%+v", e)
	}
	e = explainJSON(t, plugins, append(quick, "--rows", encoded, "--encoded", "--row", "0", "--where", "loan_amount=10..")...)
	if e.Source.Rows != 1 || e.Where != "loan_amount=10.." || len(e.Predicates) == 0 {
		t.Errorf("%+v", e)
	}
	e = explainJSON(t, plugins, append(quick, "--rows", "../../../studies/loan/applicants.csv")...)
	if e.Source.Rows != 6820 || e.Predicates[0].Text != plantedText {
		t.Errorf("%+v", e)
	}

	// As text, too, with the table.
	code, stdout, _ = command(t, plugins, append([]string{"explain"}, append(quick, "--row", "0")...)...)
	for _, says := range []string{"Explanation of loan (network.json): sex, age, origin, ε = 0.05", "Pert.K", "The tree"} {
		if code != ExitDone || !strings.Contains(stdout, says) {
			t.Errorf("exit code %d, want %q in\n%s", code, says, stdout)
		}
	}
}

// A file of studies is worked through, its settings give way to flags, and a
// network that cannot be explained does not keep the others from it.
func testExplainGrid(t *testing.T, plugins string) {
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "grid.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fmt.Sprintf("name: two\nstudies: [{study: %q}, {study: %q}]\nbudget: 20000ev\nsamples: 1000\nindividuals: 3\ndelta: 3\nlime: false\n", loan, tenureStudy(t)))
	code, stdout, stderr := command(t, plugins, "explain", file, "--json", "--samples", "1500")
	var grid struct {
		Name     string
		Networks []struct {
			Error  string
			Report *struct {
				Study, Nothing string
				Individuals    []json.RawMessage
				Predicates     []struct{ Text string }
				Sample         struct{ N int }
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &grid); err != nil || code != ExitDone || grid.Name != "two" || len(grid.Networks) != 2 {
		t.Fatalf("exit code %d, %v: %s %s", code, err, stdout, stderr)
	}
	first, second := grid.Networks[0].Report, grid.Networks[1].Report
	if first.Predicates[0].Text != plantedText || first.Sample.N != 1500 || len(first.Individuals) != 3 {
		t.Errorf("%+v", first)
	}
	if second.Study != "tenure" || !strings.Contains(second.Nothing, "passed the test") { // k is at most 2
		t.Errorf("%+v", second)
	}

	for format, says := range map[string]string{"markdown": "| loan | 20 | 2 |", "csv": "loan,20,2,", "latex": `\begin{tabular}`, "table": "Pert.K", "json": `"networks"`} {
		if format != "csv" && format != "json" && !tier.Long() {
			continue
		}
		out := filepath.Join(t.TempDir(), "table")
		code, stdout, stderr := command(t, plugins, "explain", file, "--format", format, "--out", out)
		text, err := os.ReadFile(out)
		if err != nil || code != ExitDone || !bytes.Contains(text, []byte(says)) || !bytes.Contains(text, []byte("asked: the whole space; protected")) ||
			!strings.Contains(stdout, "tenure: none of") {
			t.Errorf("%s: exit code %d, %v: %s\n%s\n%s", format, code, err, stderr, text, stdout)
		}
	}

	for says, text := range map[string]string{
		"studies: lists no study":                      "studies: []\n",
		`3:10: samples: "many"`:                        "studies: [{study: s}]\nbudget: 1s\nsamples: many\n",
		`unknown key "spraed"; did you mean "spread"?`: "studies: [{study: s}]\nspraed: 3\n",
		"stat nowhere.yaml":                            "studies: [{study: nowhere.yaml}]\n",
		`models "Z*": the study has`:                   fmt.Sprintf("studies: [{study: %q, models: Z*}]\n", loan),
		"--individuals 0: want at least 1":             fmt.Sprintf("studies: [{study: %q}]\nindividuals: 0\n", loan),
		"quantile 2: want a number above 0":            fmt.Sprintf("studies: [{study: %q}]\nquantile: 2\n", loan),
	} {
		write(text)
		if says == "stat nowhere.yaml" {
			says = "stat " + filepath.Join(filepath.Dir(file), "nowhere.yaml")
		}
		if code, stdout, stderr := command(t, plugins, "explain", file); code != ExitUsage || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%s: exit code %d, %s; want %q", text, code, stderr, says)
		}
	}

	// One network fails, the other is explained.
	write(fmt.Sprintf("studies: [{study: %q}, {study: %q}]\nbudget: 5000ev\nsamples: 500\n", tenureStudy(t), loan))
	code, stdout, stderr = command(t, plugins, "explain", file, "--where", "years=1..9")
	if code != ExitFailed || !strings.Contains(stderr, "1 of 2 networks could not be explained") || !strings.Contains(stdout, "tenure") || !strings.Contains(stdout, "N/A") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
}

func testExplainMistakes(t *testing.T, plugins string) {
	for _, c := range []struct{ args, says string }{
		{"", "wants one STUDY"},
		{"STUDY --individuals 0", "--individuals 0"},
		{"STUDY --samples 1", "1 samples"},
		{"STUDY --quantile 1.5", "quantile 1.5"},
		{"STUDY --delta nan", "delta NaN"},
		{"STUDY --depth 0", "depth 0"},
		{"STUDY --alpha -1", "alpha -1"},
		{"STUDY --samples 99999999", "--samples 99999999, --test 2000: want at most"},
		{"STUDY --lime-samples 1", "--lime-samples 1"},
		{"STUDY --tree tree.png", ".svg or .json"},
		{"STUDY --row 3 --from x", "only one source"},
		{"STUDY --budget 1s --rows x.csv", "only one source"},
		{"STUDY --encoded", "--encoded"},
		{"STUDY --models AC-*", "--models is for a file of several studies"},
		{"STUDY --format csv", "--format is for a file of several studies"},
		{"STUDY --format word", `--format "word"`},
		{"STUDY --row 99999", "rows are counted from 0, and there are 6820"},
		{"STUDY --row 0 --where credit_rating=10,loan_amount=1", "outside the question's space or region"},
		{"STUDY --rows no-such.csv", "no-such.csv"},
		{"STUDY --strategy nope", "nope"},
		{"STUDY --budget 7", "--budget"},
		{"STUDY --epsilon 3", "--epsilon"},
		{"STUDY --notion logit", "want score or decision"},
		{"STUDY --notion decision --epsilon 0.1", "exclude each other"},
		{"no-such-study", "no-such-study"},
	} {
		args := append([]string{"explain"}, strings.Fields(strings.Replace(c.args, "STUDY", loanStudy, 1))...)
		code, stdout, stderr := command(t, plugins, args...)
		if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q; want 2 and %q", c.args, code, stdout, stderr, c.says)
		}
	}
}
