package ablate

import (
	"bytes"
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

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/view"
)

var update = flag.Bool("update", false, "write the golden files again")

func ptr(v float64) *float64 { return &v }

// result is that of a search which found n individuals with k from t seconds
// on, k less one being reached half-way; n = 0: none.
func result(n, k int, t float64) *Result {
	r := &Result{Measures: search.Measures{Iter: ptr(100), ID: ptr(float64(n)), SuccRate: ptr(float64(n))}, Cost: experiment.Cost{Seconds: 10, CPU: 9}}
	if n > 0 {
		r.Steps = []Step{{Seconds: t / 2, K: k - 1}, {Seconds: t, K: k}}
		r.Shannon, r.MinEntropy, r.Spread = ptr(float64(k)/3), ptr(float64(k)/4), ptr(0.25)
		r.Counts = map[int]int64{k - 1: 1, k: int64(n) - 1}
		m := &r.Measures
		m.T1st, m.K1st, m.MaxK, m.TMaxK = ptr(t/2), ptr(float64(k-1)), ptr(float64(k)), ptr(t)
		m.IDMaxK, m.AvgK = ptr(float64(n-1)), ptr((float64(k-1)+float64((n-1)*k))/float64(n))
	}
	return r
}

// on is a subject with this network.
func on(model string) Subject {
	return Subject{Epsilon: "0.05", Subject: experiment.Subject{Study: "s", Model: model, Asks: &experiment.Asks{Protected: []string{"age", "sex"}, Threshold: "0.5"}}}
}

// handmade is a plan of three arms on two networks and results whose tables can
// be checked by hand: "good" finds more and worse than "fair" in every run,
// though later, and "idle" finds no individual; one of its tasks failed.
func handmade(runs int) (*Plan, map[string]*Result) {
	p := &Plan{
		Name: "handmade", Terms: experiment.Terms{Budget: "10s", Runs: runs, Seed: 5, Threads: 2, Memory: 1 << 30, Jobs: 2},
		Subjects: []Subject{on("A_1"), on("A_2")},
		Arms: []Arm{
			{Name: "good", Strategy: "sa+knn", Mode: ModeFast, Chains: 8, Solver: NoSolver, Set: map[string]string{"p": "0.5"}},
			{Name: "fair", Strategy: "rw", Mode: ModePaper, Solver: "highs"}, {Name: "idle", Strategy: "rw", Mode: ModePaper, Solver: NoSolver},
		},
		Plugins: map[string]experiment.Plugin{"strategy sa+knn": {Name: "sa", Version: "1.1"}, "strategy rw": {Name: "rw", Version: "1.0"}, "solver highs": {Name: "highs", Version: "2.0", Library: "HiGHS 1.11"}},
	}
	results := map[string]*Result{}
	for _, e := range p.Entries() {
		run := int(e.Seed - 5)
		switch e.Arm.Name {
		case "good":
			results[e.Key] = result(20+run, 9, 6+float64(run)/4)
		case "fair":
			results[e.Key] = result(5+run, 4, 1+float64(run)/8)
		case "idle":
			results[e.Key] = result(0, 0, 0)
			if e.Subject.Model == "A_2" && run == 0 {
				results[e.Key] = &Result{Error: "strategy rw exited while proposing moves\nat length", Retried: "signal: killed"}
			}
		}
		if run == 1 && e.Arm.Name == "good" {
			results[e.Key].Retried = "signal: killed"
		}
		if r := results[e.Key]; r.Error == "" {
			r.Cores = []int{run % 2, 2 + run%2}
		}
	}
	return p, results
}

// these hands results to Tabulate.
func these(results map[string]*Result) func(Entry) (*Result, error) {
	return func(e Entry) (*Result, error) { return results[e.Key], nil }
}

func tabulated(t *testing.T, p *Plan, aim int, results map[string]*Result) *Ablation {
	t.Helper()
	a, err := Tabulate(p, aim, these(results))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTables(t *testing.T) {
	p, results := handmade(6)
	a := tabulated(t, p, 0, results)
	for _, format := range []string{view.Text, view.CSV, view.LaTeX} {
		var b strings.Builder
		if err := a.Document().Write(&b, format, view.Options{}); err != nil {
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
		if format == "csv" {
			if _, err := csv.NewReader(strings.NewReader(b.String())).ReadAll(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestMeasures(t *testing.T) {
	p, results := handmade(6)
	a := tabulated(t, p, 0, results)
	good, fair, idle := &a.Cells[0], &a.Cells[1], &a.Cells[2]
	// 20 to 25 individuals: mean 22.5, variance 17.5/5.
	if *good.ID.Mean != 22.5 || *good.ID.SD != math.Sqrt(3.5) || *good.MaxK.Mean != 9 || *good.TMaxK.Mean != 6.625 || good.Found != 6 || good.Retried != 1 {
		t.Errorf("%+v", good)
	}
	// N/A without individuals, with a count of 0.
	if *idle.ID.Mean != 0 || idle.MaxK.Mean != nil || idle.T1st.Mean != nil || idle.Found != 0 || idle.Runs != 6 {
		t.Errorf("%+v", idle)
	}
	// A larger k later is better than a smaller one soon; the first find is not.
	if !good.TMaxK.Bold || fair.TMaxK.Bold || !fair.T1st.Bold || good.T1st.Bold || !good.ID.Bold || !good.IDMaxK.Bold {
		t.Errorf("bold: T.maxK %v %v, T.1st %v %v, #ID %v", good.TMaxK.Bold, fair.TMaxK.Bold, good.T1st.Bold, fair.T1st.Bold, good.ID.Bold)
	}
	if against := fair.T1st.Against; against[0].Arm != "good" || against[0].A12 != 1 || against[1].A12 != 1 {
		t.Errorf("%+v", against)
	}
	// All 18 runs: 6 reach 9, 12 reach 4, 18 reach 0. Half of them reach 4.
	if good.Target != 4 || good.Reached != 6 || *fair.TTarget.Mean != *fair.TMaxK.Mean || *good.TTarget.Mean != 6.625/2 || idle.Reached != 0 {
		t.Errorf("targets %d, %+v, %+v", good.Target, fair.TTarget, good.TTarget)
	}
	if aimed := tabulated(t, p, 9, results); aimed.Cells[0].Target != 9 || aimed.Cells[1].Reached != 0 || *aimed.Cells[0].TTarget.Mean != 6.625 || aimed.Cells[1].TTarget.Mean != nil {
		t.Errorf("%+v", aimed.Cells[0])
	}
	if a.Done != 35 || a.Failed != 1 || a.Tasks != 36 || a.Retried != 3 || a.Pinned != 35 || a.Cells[5].Failed != 1 || a.Cells[5].Runs != 5 {
		t.Errorf("%d done, %d failed, %d retried of %d; %+v", a.Done, a.Failed, a.Retried, a.Tasks, a.Cells[5])
	}
	if info := a.Arms[1]; info.SolverVersion != "2.0" || info.StrategyVersion != "1.0" || a.Arms[0].StrategyVersion != "1.1" {
		t.Errorf("%+v", a.Arms)
	}
}

// What --json prints is all that the tables need: read back, it shows the same.
func TestStored(t *testing.T) {
	for _, budget := range []string{"10s", "1000ev", "1000it"} {
		p, results := handmade(6)
		p.Budget = budget
		for _, r := range results {
			for i := range r.Steps {
				r.Steps[i].Evals, r.Steps[i].Iter = int64(100*(i+1)), int64(10*(i+1))
			}
		}
		a := tabulated(t, p, 0, results)
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var stored Ablation
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		for _, format := range view.Formats() {
			var want, got strings.Builder
			if err := errors.Join(a.Document().Write(&want, format, view.Options{}), stored.Document().Write(&got, format, view.Options{})); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want.String(), got.String()); d != "" {
				t.Errorf("%s, %s: %s", budget, format, d)
			}
		}
	}
}

// Times to different k have no mean; an arm alone has no rank; a task over its memory limit
// is reported even if it failed.
func TestWhatDoesNotCompare(t *testing.T) {
	p, results := handmade(6)
	for _, e := range p.Entries() {
		if e.Subject.Model == "A_2" && e.Arm.Name == "good" {
			results[e.Key] = result(20, 7, 1)
		}
		if e.Subject.Model == "A_2" && e.Arm.Name == "fair" {
			results[e.Key] = result(20, 6, 1)
		}
		if results[e.Key].Error != "" {
			results[e.Key].MemoryKilled = 2
		}
	}
	a := tabulated(t, p, 0, results)
	if a.Cells[0].Target == a.Cells[3].Target || a.MemoryExceeded != 1 {
		t.Fatalf("targets %d and %d, %d exceeded memory", a.Cells[0].Target, a.Cells[3].Target, a.MemoryExceeded)
	}
	var b strings.Builder
	if err := errors.Join(a.Choose([][]string{{"T.target"}}), a.Document().Write(&b, view.Text, view.Options{})); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nmean of 2  good                   –\n", "1 of 36 tasks used more than their 1024 MiB of memory"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	p.Arms = p.Arms[:1]
	if a := tabulated(t, p, 0, results); len(a.Ranking) > 0 || len(a.Overall) > 0 || a.Ranking == nil {
		t.Errorf("%+v, %+v", a.Ranking, a.Overall)
	}
}

// Chosen columns stand in one table; one that this budget has not is an error.
func TestChosenColumns(t *testing.T) {
	p, results := handmade(5)
	a := tabulated(t, p, 0, results)
	if err := a.Choose([][]string{{"Spread", "N.1st", "Max.K"}}); err == nil || !strings.Contains(err.Error(), `no column "N.1st" in this experiment; did you mean "T.1st"?`) {
		t.Error(err)
	}
	if err := a.Choose([][]string{{"Spread", "Max.K"}}); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	if err := a.Document().Write(&b, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"handmade: Spread, Max.K\nmodel      search         Spread       Max.K\n", "\nmean of 2  good            0.250         9.0\n", "\nMax.K  good ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if strings.Contains(b.String(), "T.target  ") || strings.Contains(b.String(), "on #ID") {
		t.Errorf("ranked by what is not shown:\n%s", &b)
	}
	if known := Columns(); len(known) != 24 || known[0] != "Iter" {
		t.Errorf("%v", known)
	}
}

// Every task has a row: a failed one says why and nothing else, a missing one nothing.
func TestTidy(t *testing.T) {
	p, results := handmade(2)
	delete(results, "s/A_1 | good | seed 6")
	a := tabulated(t, p, 0, results)
	var b strings.Builder
	if err := a.Records().Write(&b, view.JSONLines); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	for lines := json.NewDecoder(strings.NewReader(b.String())); lines.More(); {
		var row map[string]any
		if err := lines.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	status := map[any]int{}
	for _, row := range rows {
		status[row["status"]]++
		if len(row) != len(rows[0]) || (row["status"] == "done") != (row["#ID"] != nil) || (row["status"] == "failed") != (row["error"] != nil) {
			t.Errorf("%v", row)
		}
	}
	if d := cmp.Diff(map[any]int{"done": 10, "failed": 1, "missing": 1}, status); d != "" {
		t.Error(d)
	}
	if r := rows[0]; r["arm"] != "good" || r["set.p"] != "0.5" || r["chains"] != 8.0 || r["strategy"] != "sa+knn" || r["strategy_version"] != "1.1" || r["#ID"] != 20.0 || r["Max.K"] != 9.0 || r["T.target"] != 3.0 || r["target"] != 4.0 || r["seed"] != 5.0 || r["pinned"] != true {
		t.Errorf("%v", r)
	}
}

// By Max.K good is the first on both networks, fair the second, and each of
// them beats those below on both: 4, 2 and 0 wins. By the time to 4, fair is
// first.
func TestRanking(t *testing.T) {
	p, results := handmade(6)
	a := tabulated(t, p, 0, results)
	rank := func(measure, arm string, mean *float64, networks, wins, losses int, a12 *float64) experiment.Rank {
		return experiment.Rank{Measure: measure, Arm: arm, MeanRank: mean, Networks: networks, Wins: wins, Losses: losses, A12: a12}
	}
	want := []experiment.Rank{
		rank("Max.K", "good", ptr(1), 2, 4, 0, ptr(1)), rank("Max.K", "fair", ptr(2), 2, 2, 2, ptr(0.5)), rank("Max.K", "idle", ptr(3), 2, 0, 4, ptr(0)),
		rank("T.target", "fair", ptr(1), 2, 4, 0, ptr(1)), rank("T.target", "good", ptr(2), 2, 2, 2, ptr(0.5)), rank("T.target", "idle", ptr(3), 2, 0, 4, ptr(0)),
		rank("#ID", "good", ptr(1), 2, 4, 0, ptr(1)), rank("#ID", "fair", ptr(2), 2, 2, 2, ptr(0.5)), rank("#ID", "idle", ptr(3), 2, 0, 4, ptr(0)),
	}
	if d := cmp.Diff(want, a.Ranking); d != "" {
		t.Error(d)
	}
	// Two networks are too few for a p over networks, 2 · 2⁻² at best.
	if o := a.Overall[0]; o.Networks != 2 || len(o.Pairs) != 3 || *o.Friedman != 4 || o.Pairs[0] != (experiment.Pair{Arm: "good", Other: "fair", Ahead: 2, A12: 1, P: 0.5, PHolm: 1}) {
		t.Errorf("%+v", o)
	}
	// A network on which an arm has no run says nothing about ranks.
	for key := range results {
		if strings.Contains(key, "A_2 | fair") {
			delete(results, key)
		}
	}
	a = tabulated(t, p, 0, results)
	if got, want := a.Standings.Blocks("", "search", nil)[1].(view.Paragraph)[0], "good is best on Max.K: ahead of fair on 1 of 1 networks, A12 1.00, p = 0.0065; the other two differ significantly"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, r := range a.Ranking {
		if r.Networks != 1 {
			t.Errorf("%+v", r)
		}
	}
}

// Under a budget in evaluations the arm that takes fewer of them is the better one, though
// it is slower: evaluations take the place of times in tables, ranking and figures. So do
// iterations, and where a result of an earlier version lacks the counts, seconds stay.
func TestBudgetsAreJudgedInWhatTheyCount(t *testing.T) {
	for _, c := range []struct {
		budget, label, by, first string
		old                      bool
	}{
		{"1000ev", "evaluations", "N.target", "good", false}, {"1000it", "iterations", "N.target", "good", false},
		{"1000ev", "time (s)", "T.target", "fair", true}, {"10s", "time (s)", "T.target", "fair", false},
	} {
		p, results := handmade(6)
		p.Budget = c.budget
		for key, r := range results {
			for i := range r.Steps {
				if n := int64(100 * (i + 1)); strings.Contains(key, "fair") {
					r.Steps[i].Evals, r.Steps[i].Iter = 5*n, 3*n
				} else if !c.old {
					r.Steps[i].Evals, r.Steps[i].Iter = n, n
				}
			}
		}
		a := tabulated(t, p, 4, results)
		if best := a.Ranking[3]; best.Measure != c.by || best.Arm != c.first {
			t.Errorf("%s: %+v", c.budget, a.Ranking)
		}
		good, fair := &a.Cells[0], &a.Cells[1]
		if counted := c.by == "N.target"; counted {
			if !good.NTarget.Bold || !good.N1st.Bold || fair.NTarget.Bold || *good.N1st.Mean != 100 || *good.NMaxK.Mean != 200 {
				t.Errorf("%s: %+v, %+v", c.budget, good, fair)
			}
			if fair.T1st.Mean == nil || fair.T1st.Bold || fair.T1st.Against != nil || fair.TTarget.Against != nil {
				t.Errorf("%s: times are tested: %+v", c.budget, fair)
			}
		} else if good.N1st != nil || !fair.TTarget.Bold {
			t.Errorf("%s: %+v", c.budget, fair)
		}
		// The budget's axis, and time where that is another one.
		figures := figures(a)
		if f := figures["s-A_1-maxk"]; f.X.Label != c.label || c.by == "N.target" && f.X.Max != 1000 {
			t.Errorf("%s: %+v", c.budget, f.X)
		}
		time := figures["s-A_1-maxk-time"]
		if c.by == "N.target" {
			if time == nil || time.X.Label != "time (s)" || time.X.Max != 10 {
				t.Errorf("%s: %+v", c.budget, time)
			}
		} else if time != nil {
			t.Errorf("%s: %+v", c.budget, time)
		}
		var text strings.Builder
		if err := a.Document().Write(&text, view.Text, view.Options{}); err != nil {
			t.Fatal(err)
		}
		for _, title := range []string{"N.1st (" + strings.TrimPrefix(c.budget, "1000") + ")", "N.target (" + strings.TrimPrefix(c.budget, "1000") + ")"} {
			if strings.Contains(text.String(), title) != (c.by == "N.target") {
				t.Errorf("%s, %s:\n%s", c.budget, title, &text)
			}
		}
	}
}

// Ranks of equals are shared, and places of runs too.
func TestRanksOfEquals(t *testing.T) {
	p, results := handmade(2)
	for _, e := range p.Entries() {
		results[e.Key] = result(3, 3, 1)
	}
	a := tabulated(t, p, 0, results)
	for _, r := range a.Ranking {
		if *r.MeanRank != 2 || *r.A12 != 0.5 || r.Wins+r.Losses != 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestWorths(t *testing.T) {
	m := &measures[slices.IndexFunc(measures, func(m measure) bool { return m.Name == measureTMaxK })]
	arms := [][]run{
		{{Result: result(3, 5, 2)}, {Result: result(0, 0, 0)}},
		{{Result: result(9, 4, 1)}, {Result: result(3, 5, 1)}, {Result: result(1, 5, 2)}},
	}
	// From worse to better: none found, k 4, k 5 after 2 s (twice), k 5 after 1 s.
	if d := cmp.Diff([][]float64{{3.5, 1}, {2, 5, 3.5}}, m.Worths(arms)); d != "" {
		t.Error(d)
	}
}

// Tables without results or without runs are built.
func TestEmpty(t *testing.T) {
	p, results := handmade(5)
	for key, r := range results {
		if strings.Contains(key, "A_1") {
			delete(results, key)
		} else if r.Error == "" {
			results[key] = result(0, 0, 0)
		}
	}
	a := tabulated(t, p, 0, results)
	for _, format := range []string{view.Text, view.CSV, view.LaTeX} {
		var b strings.Builder
		if err := a.Document().Write(&b, format, view.Options{Colour: true}); err != nil {
			t.Error(err)
		}
		if format == view.Text && (!strings.Contains(b.String(), "INCOMPLETE: 14 of 30") || !strings.Contains(b.String(), "\x1b[31mFAILED A_2, idle: 1 of 5")) {
			t.Error(b.String())
		}
	}
	if _, err := json.Marshal(a); err != nil {
		t.Error(err)
	}
	figures, without := a.Figures()
	if err := a.Draw(t.TempDir(), "svg", figures); err != nil || len(a.Plots) != 0 || len(without) != 2 || without[0] != "no plots of s/A_1: nothing was found" {
		t.Error(a.Plots, without, err)
	}
}

// figures are an ablation's by name.
func figures(a *Ablation) map[string]*view.Figure {
	out := map[string]*view.Figure{}
	all, _ := a.Figures()
	for _, f := range all {
		out[f.Name] = f
	}
	return out
}

// The plan in the journal is enough for the same tables.
func TestPlanOf(t *testing.T) {
	p, results := handmade(3)
	tk, err := p.Frame().Task()
	if err != nil {
		t.Fatal(err)
	}
	again, err := experiment.PlanOf[Plan](tk, command, "ablation")
	if err != nil {
		t.Fatal(err)
	}
	var texts [2]bytes.Buffer
	for i, plan := range []*Plan{p, again} {
		if err := json.NewEncoder(&texts[i]).Encode(tabulated(t, plan, 0, results)); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(texts[0].String(), texts[1].String()); d != "" {
		t.Error(d)
	}
	tk.Command = "compare"
	if _, err := experiment.PlanOf[Plan](tk, command, "ablation"); err == nil {
		t.Error("a comparison is taken for an ablation")
	}
}

// Plots have a file for each network and kind, with every arm in it.
func TestPlots(t *testing.T) {
	p, results := handmade(5)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	a := tabulated(t, p, 0, results)
	figures, without := a.Figures()
	if err := a.Draw(dir, "svg", figures); err != nil || without != nil {
		t.Fatal(err, without)
	}
	var names []string
	for _, path := range a.Plots {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		names = append(names, name)
		if strings.HasPrefix(name, "critical-difference-") {
			for _, words := range []string{">good<", ">fair<", ">idle<", " over 2 networks<"} {
				if !strings.Contains(string(text), words) {
					t.Errorf("%s lacks %s", name, words)
				}
			}
			continue
		}
		want := map[string]string{"target": "share of runs with k ≥ 4", "maxk": "largest k: median and quartiles", "histogram": "individuals found, mean over runs"}
		kind := strings.TrimSuffix(name[strings.LastIndexByte(name, '-')+1:], ".svg")
		for _, words := range []string{">good<", ">fair<", ">idle<", ">handmade: s/A_", ">" + want[kind] + "<"} {
			if !strings.Contains(string(text), words) {
				t.Errorf("%s lacks %s", name, words)
			}
		}
	}
	if d := cmp.Diff([]string{
		"critical-difference-ID.svg", "critical-difference-Max.K.svg", "critical-difference-T.target.svg",
		"s-A_1-histogram.svg", "s-A_1-maxk.svg", "s-A_1-target.svg", "s-A_2-histogram.svg", "s-A_2-maxk.svg", "s-A_2-target.svg",
	}, names); d != "" {
		t.Error(d)
	}
}

// The curves' points, by hand.
func TestCurves(t *testing.T) {
	runs := []run{{Result: result(2, 5, 1)}, {Result: result(2, 5, 3)}, {Result: result(2, 4, 2)}, {Result: result(0, 0, 0)}}
	share := timeToTarget(runs, 5, 0.1, 10)
	if share[0].Y != 0 || share[1].X != 1 || share[1].Y != 0.25 || share[2].X != 3 || share[2].Y != 0.5 || share[3].X != 10 || share[3].Y != 0.5 || len(share) != 4 {
		t.Errorf("%v", share)
	}
	s := largestOver(runs, seconds, 0.1, 10)
	at := map[float64]int{}
	for i, p := range s.Steps {
		at[p.X] = i
	}
	// At 2 s the runs are at 5, 4 (since 1.5 s), 4 and 0; at the end at 5, 5, 4, 0.
	for x, want := range map[float64][3]float64{0.1: {0, 0, 0}, 2: {3, 4, 4.25}, 10: {3, 4.5, 5}} {
		i, ok := at[x]
		if got := [3]float64{s.Low[i], s.Steps[i].Y, s.High[i]}; !ok || got != want {
			t.Errorf("at %v s: %v, want %v", x, got, want)
		}
	}
	lines := histogram(append(runs, run{Result: &Result{Counts: map[int]int64{7: 5}}}))
	if d := cmp.Diff([][]view.Point{{{X: 3, Y: 0.2}, {X: 4, Y: 0.6}, {X: 5, Y: 0.4}}, {{X: 7, Y: 1}}}, lines); d != "" {
		t.Error(d)
	}
}
