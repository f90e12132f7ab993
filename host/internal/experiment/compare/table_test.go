package compare

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/view"
)

var update = flag.Bool("update", false, "write the golden files again")

// asked is a subject of a network.
func asked(model string) experiment.Subject {
	return experiment.Subject{Study: "s", Model: model, Asks: &experiment.Asks{Protected: []string{"age"}, Rules: []string{"adult"}, Threshold: "0.5"}}
}

// handmade is a plan of three arms on two models and results whose tables can
// be checked by hand: "good" finds more, sooner and worse than "bad" in every
// run, "idle" finds no individual.
func handmade(runs int) (*Plan, map[string]*Result) {
	p := &Plan{
		Name: "handmade", Terms: experiment.Terms{Budget: "100s", Runs: runs, Seed: 5, Threads: 2, Memory: 1 << 30, Jobs: 2},
		Subjects: []Subject{{Subject: asked("A_1"), Notion: "score", Epsilon: "0.05", Yardstick: "10", Features: []string{"age", "", "job"}}, {Subject: asked("A_2"), Notion: "score", Epsilon: "0.05", Yardstick: "10", Features: []string{"age", "", "job"}}},
		Arms:     []Arm{{Name: "good", Solver: "z3"}, {Name: "bad", Solver: "highs"}, {Name: "idle", Solver: "highs", Notion: "logit", Epsilon: "0.2"}},
		Solvers:  map[string]experiment.Plugin{"z3": {Version: "1.0.0", Library: "Z3 4"}, "highs": {Version: "1.0.0"}},
	}
	results := map[string]*Result{}
	for _, e := range p.Entries() {
		run := float64(e.Seed - 5)
		r := &Result{Cost: experiment.Cost{Seconds: 100, CPU: 90 + run, Load: &[2]float64{run / 4, 1.5 + run}, MemoryHeld: true, MemoryPeak: 1 << 29}, Asked: 4, Solves: 3, Certified: 0.125, Fair: 1}
		n, k, at := 0, 0, 0.0
		switch e.Arm.Name {
		case "good":
			n, k, at = 10+int(run), 12, 1+run/8
		case "bad":
			n, k, at = 1+int(run), 3, 50+run
		}
		for i := range n {
			r.Individuals = append(r.Individuals, Individual{X: []float64{float64(i), 0, 0}, Seconds: at + float64(i), K: k + min(i, 1), Gap: 0.5, Logit1: 2, Logit2: -2})
		}
		if e.Arm.Name == "idle" {
			r.Error, r.Spurious, r.Killed = "the solver was lost\nat length", 2, true
		}
		results[e.Key] = r
	}
	return p, results
}

func TestTables(t *testing.T) {
	p, results := handmade(5)
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{view.Text, view.CSV, view.LaTeX} {
		var b strings.Builder
		if err := c.Document().Write(&b, format, view.Options{}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "handmade."+format)
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), b.String()); d != "" {
			t.Errorf("%s: %s", path, d)
		}
	}
}

func TestMeasures(t *testing.T) {
	p, results := handmade(5)
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	good, bad, idle := &c.Rows[0], &c.Rows[1], &c.Rows[2]
	if *good.ID.Mean != 12 || *good.ID.SD != math.Sqrt(2.5) || *good.T1st.Mean != 1.25 || *good.K1st.Mean != 12 || *good.MaxK.Mean != 13 || *good.MaxK.SD != 0 {
		t.Errorf("%+v", good)
	}
	// Without individuals: 0 found, and no time, first or largest k.
	if *idle.ID.Mean != 0 || idle.T1st.Mean != nil || idle.K1st.Mean != nil || idle.MaxK.Mean != nil || idle.Found != 0 || idle.Runs != 5 {
		t.Errorf("%+v", idle)
	}
	for _, m := range measures {
		if m.Beyond {
			continue
		}
		if !m.Cell(good).Bold || m.Cell(bad).Bold || m.Cell(idle).Bold {
			t.Errorf("%s: bold %v %v %v", m.Name, m.Cell(good).Bold, m.Cell(bad).Bold, m.Cell(idle).Bold)
		}
		for _, a := range m.Cell(good).Against {
			if a.A12 != 1 || a.PHolm < a.P || a.PHolm >= 0.05 {
				t.Errorf("%s: %+v", m.Name, a)
			}
		}
	}
	// The times of runs that found no individual count as the budget.
	if a := idle.T1st.Against[1]; a.Arm != "bad" || a.A12 != 0 || a.P >= 0.05 {
		t.Errorf("%+v", a)
	}
}

// Certified shares are compared if the arms prove the same claim and no individual refutes it.
func TestProofsOfOneThingAreCompared(t *testing.T) {
	for _, refuted := range []bool{false, true} {
		p, results := handmade(5)
		p.Arms[2].Notion, p.Arms[2].Epsilon = "", ""
		for _, e := range p.Entries() {
			r := results[e.Key]
			if e.Arm.Name == "good" {
				r.Certified = 0.5 + float64(e.Seed)/100
			}
		}
		c := rows(p, &p.Subjects[0], byArm(p, results), refuted, p.tests())
		if cell := c[0].Over["certified"]; cell.Bold == refuted || len(cell.Values) != 5 || cell.SD == nil || c[0].Over["asked"].Against != nil {
			t.Errorf("refuted %v: %+v", refuted, cell)
		}
		p.Arms[2].Notion = "logit"
		if c := rows(p, &p.Subjects[0], byArm(p, results), false, p.tests()); c[0].Over["certified"].Bold {
			t.Errorf("shares of different notions are compared: %+v", c[0].Over["certified"])
		}
	}
}

// What --json prints is all that the tables need: read back, it shows the same.
func TestStored(t *testing.T) {
	p, results := handmade(5)
	results["s/A_1 | bad | seed 5"].Proofs = []Proof{{Box: Box{{0, 3, 4}}, Limit: 0.05, Grade: "numerical"}}
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var stored Comparison
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][][]string{nil, {{"certified", "#ID"}}, {{"#K"}, {"ranking"}}} {
		c.Choose(columns)
		stored.Choose(columns)
		for _, format := range view.Formats() {
			var want, got strings.Builder
			if err := errors.Join(c.Document().Write(&want, format, view.Options{}), stored.Document().Write(&got, format, view.Options{})); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.String(), got.String()); d != "" {
				t.Errorf("%s: %s", format, d)
			}
		}
	}
}

// Chosen columns stand in one table, in their order, and the ranking is by them.
func TestChosenColumns(t *testing.T) {
	p, results := handmade(5)
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	c.Choose([][]string{{"certified", "#ID", "faults"}})
	for format, want := range map[string]string{
		view.Text:     "handmade: certified, #ID, faults\nmodel      arm    certified %          #ID  faults\n",
		view.Markdown: "| model | arm | certified % | #ID | faults |\n",
		view.LaTeX:    "certified \\% & \\#ID & faults & certified \\% & \\#ID & faults & certified \\% & \\#ID & faults \\\\",
	} {
		var b strings.Builder
		if err := c.Document().Write(&b, format, view.Options{}); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(text, want) || strings.Contains(text, "K.1st") || strings.Contains(text, "diversity  ") || !strings.Contains(text, "good comes first on ") || strings.Contains(text, "No proof was refuted") == (format == view.LaTeX) {
			t.Errorf("%s: no %q in\n%s", format, want, text)
		}
	}
	for _, name := range Columns() {
		c.Choose([][]string{{name}})
		if shown, ok := c.Document().Blocks[0].(*view.Table); ok && len(shown.Columns) != 3 || !ok && name != "ranking" && name != "effects" {
			t.Errorf("column %s: %v", name, c.Document().Blocks[0])
		}
	}
}

// good is the first on both networks by every measure. Arms that prove the same are ranked by
// the share certified, too, over the networks on which no proof was refuted.
func TestRanking(t *testing.T) {
	p, results := handmade(5)
	measured := func() (names []string, networks []int) {
		c, err := Tabulate(p, these(results))
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range c.Overall {
			names, networks = append(names, o.Measure), append(networks, o.Networks)
			if best := c.Ranking[i*len(p.Arms)]; best.Measure != o.Measure || best.Arm != "good" || *best.MeanRank != 1 || best.Wins != 2*o.Networks || *best.A12 != 1 {
				t.Errorf("%+v", best)
			}
		}
		return names, networks
	}
	if names, _ := measured(); !slices.Equal(names, []string{"#ID", "T.1st", "#K"}) {
		t.Errorf("arms that prove different things are ranked by %v", names)
	}
	p.Arms[2].Notion, p.Arms[2].Epsilon = "", ""
	for key, r := range results {
		if strings.Contains(key, "good") {
			r.Certified = 0.5
		}
	}
	results["s/A_1 | bad | seed 5"].Proofs = []Proof{{Box: Box{{0, 3, 4}}, Limit: 0.05, Grade: "numerical"}}
	if names, networks := measured(); !slices.Equal(names, []string{"#ID", "T.1st", "#K", "certified", "PAR-2"}) || !slices.Equal(networks, []int{2, 2, 2, 1, 2}) {
		t.Errorf("ranked by %v on %v networks", names, networks)
	}
	p.Arms = p.Arms[:1]
	if c, err := Tabulate(p, these(results)); err != nil || len(c.Ranking)+len(c.Overall) > 0 {
		t.Errorf("an arm alone is ranked: %+v", c)
	}
}

// byArm are the results on the first network.
func byArm(p *Plan, results map[string]*Result) map[*Arm][]run {
	out := map[*Arm][]run{}
	for _, e := range p.Entries() {
		if e.Subject == &p.Subjects[0] {
			out[e.Arm] = append(out[e.Arm], p.run(results[e.Key], e.Seed))
		}
	}
	return out
}

// Four runs are too few for significance, and an arm without rivals is never bold.
func TestBoldTakesFiveRunsAndARival(t *testing.T) {
	p, results := handmade(4)
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	p, results = handmade(5)
	p.Arms = p.Arms[:1]
	alone, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(c.Rows, alone.Rows...) {
		if r.ID.Bold || r.T1st.Bold || r.K1st.Bold || r.MaxK.Bold {
			t.Errorf("%+v", r)
		}
	}
}

// An interrupted comparison shows the results so far, and says that it is incomplete.
func TestIncomplete(t *testing.T) {
	p, results := handmade(5)
	for key := range results {
		if !strings.Contains(key, "seed 5") || strings.Contains(key, "bad") {
			delete(results, key)
		}
	}
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := c.Document().Write(&table, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	if c.Rows[0].Runs != 1 || c.Rows[1].Runs != 0 || c.Rows[0].ID.SD != nil || c.Rows[1].ID.Mean != nil || !strings.Contains(table.String(), "INCOMPLETE: 4 of 30") {
		t.Errorf("%+v\n%s", c.Rows[:2], &table)
	}
}

// Every task has a row, with the arm as it ran and exact values, also one that has no
// result; what no run has is empty.
func TestTidy(t *testing.T) {
	p, results := handmade(2)
	p.Arms[1].Set, p.Arms[0].Soft = map[string]string{"presolve": "off"}, Duration(time.Minute)
	delete(results, "s/A_2 | bad | seed 6")
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(experiment.Kept{Source: experiment.Source{Run: "3f0", Journal: "j.db", Machine: &record.Machine{OS: "linux", Arch: "amd64", CPUs: 2}}})
	var b strings.Builder
	if err := c.Records().Write(&b, view.CSV); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := "experiment study model arm solver notion epsilon encoding bounds partition goal gap start soft set.presolve version library measured_epsilon where protected rules threshold budget clock threads jobs memory seed status " +
		"#ID T.1st #K.1st #K diversity regions certified T.proof PAR-2 left_open fair unfair undecided spurious asked solves cpu_seconds seconds reason nodes faults error run journal machine"
	if d := cmp.Diff(strings.Fields(want), rows[0]); d != "" || len(rows) != 13 {
		t.Errorf("%d rows\n%s", len(rows), d)
	}
	for i, want := range map[int]string{
		4:  "handmade,s,A_1,good,z3,score,0.05,,,,decide,,none,1m,,1.0.0,Z3 4,0.05,,age,adult,0.5,100s,,2,2,1073741824,6,done,11,1.125,12,13,,0,0.125,,1.125,,1,0,0,0,4,3,91,100,,0,0,,3f0,j.db,\"linux/amd64, 2 CPUs\"",
		6:  "handmade,s,A_1,idle,highs,logit,0.2,,,,decide,,none,,,1.0.0,,0.05,,age,adult,0.5,100s,,2,2,1073741824,6,killed,0,,,,,0,0.125,,200,,1,0,0,2,4,3,91,100,fault,0,0,\"the solver was lost",
		11: "handmade,s,A_2,bad,highs,score,0.05,,,,decide,,none,,off,1.0.0,,0.05,,age,adult,0.5,100s,,2,2,1073741824,6,missing,,,,,,,,,,,,,,,,,,,,,,,,,",
	} {
		if got := strings.Split(b.String(), "\nhandmade")[i]; "handmade"+strings.Split(strings.TrimSpace(got), "\nat length")[0] != want {
			t.Errorf("row %d: %s\nwant %s", i, got, want)
		}
	}
}

func TestDisagreements(t *testing.T) {
	p, results := handmade(2)
	prove := func(arm string, seed string, proof Proof) {
		r := results["s/A_1 | "+arm+" | seed "+seed]
		r.Proofs = append(r.Proofs, proof)
	}
	// Each individual found by good and bad has a score gap of σ(2) − σ(−2) = 0.76 and a logit
	// gap of 4.
	prove("bad", "5", Proof{Box: Box{{0, 3, 4}}, Limit: 0.05, Grade: "numerical"})   // refuted by two of good, by none of bad
	prove("bad", "6", Proof{Box: Box{{0, 20, 90}}, Limit: 0.05, Grade: "numerical"}) // no individual in it
	prove("bad", "6", Proof{Box: Box{{0, 0, 90}}, Limit: 0.8, Grade: "numerical"})   // true
	prove("good", "6", Proof{Box: Box{{0, 1, 1}}, Limit: 0.05, Grade: "exact"})      // refuted by bad of seed 6, and by itself
	prove("idle", "5", Proof{Box: Box{{0, 9, 9}}, Limit: 0.2, Grade: "numerical"})   // in logits
	prove("idle", "5", Proof{Box: Box{{0, 8, 8}}, Limit: 4, Grade: "numerical"})     // true: no more than 4
	c, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([][]int{{1, 1, 0}, {2, 0, 0}, {1, 0, 0}}, c.Matrix); d != "" {
		t.Error(d)
	}
	if len(c.Disagreements) != 4 || c.Disagreements[0].ProverSeed != 6 || c.Disagreements[3].Margin != 4 || c.Disagreements[3].Notion != "logit" ||
		c.Disagreements[3].Region != "age=9" || c.Disagreements[2].Region != "age=3..4" || c.Disagreements[3].X["age"] != 9 || len(c.Disagreements[3].X) != 2 {
		t.Errorf("%+v", c.Disagreements)
	}
	var table, csvText, latex strings.Builder
	if err := c.Document().Write(&table, view.Text, view.Options{Colour: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(table.String(), "\x1b[31mDISAGREEMENT s/A_1: ") != 4 {
		t.Errorf("no red lines:\n%s", &table)
	}
	if err := c.Document().Write(&csvText, view.CSV, view.Options{}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(csvText.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if at := slices.Index(rows[0], "refuted_by"); at < 0 || rows[2][at] != "good:2 bad:0 idle:0" || rows[5][at] != "good:0 bad:0 idle:0" {
		t.Errorf("%q", rows)
	}
	if err := c.Document().Write(&latex, view.LaTeX, view.Options{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(latex.String(), `bad & \textbf{2} & 0 & 0 \\`) {
		t.Error(latex.String())
	}
}
