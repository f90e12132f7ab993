package crosscheck

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hyfair/hyfair/host/internal/statistics"
)

var rewrite = flag.Bool("update", false, "write the tables of docs/developer/reproduction.md and studies/results/tables.md")

// The tables of the pages on the paper's experiments are those of studies/results, whose
// checksums are right: each stands between two comments that name it.
func TestReproduction(t *testing.T) {
	results := &results{t: t}
	sums, err := os.ReadFile("../../../studies/results/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if text, err := os.ReadFile(filepath.Join("../../../studies/results", name)); err != nil || fmt.Sprintf("%x", sha256.Sum256(text)) != sum {
			t.Errorf("studies/results/%s is not what SHA256SUMS says: %v", name, err)
		}
	}
	written := map[string]bool{}
	for _, page := range []string{"../../../docs/developer/reproduction.md", "../../../studies/results/tables.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		made := regexp.MustCompile(`(?s)<!-- table: ([\w ]+) -->\n.*?<!-- end -->`).ReplaceAllStringFunc(string(text), func(block string) string {
			head, _, _ := strings.Cut(block, "\n")
			name := strings.TrimSuffix(strings.TrimPrefix(head, "<!-- table: "), " -->")
			table := tables[name]
			if table == nil {
				t.Fatalf("%s: there is no table %q", page, name)
			}
			written[name] = true
			return head + "\n" + table(results) + "<!-- end -->"
		})
		if *rewrite {
			if err := os.WriteFile(page, []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if d := cmp.Diff(string(text), made); d != "" {
			t.Errorf("%s is not what studies/results say (make reproduction writes it):\n%s", page, d)
		}
	}
	for name := range tables {
		if !written[name] {
			t.Errorf("table %q is on no page", name)
		}
	}
}

// tables holds the tables of the pages by name.
var tables = map[string]func(*results) string{
	"rq1 paper": rq1Paper, "rq1 claims": rq1Claims, "rq1 arms": rq1Arms,
	"rq2": rq2Table, "rq2 searches": rq2Searches, "rq2 claims": rq2Claims, "rq3": rq3Table, "rq3 claims": rq3Claims,
	"rq4": rq4Table, "rq4 ways": rq4Ways, "rq4 claims": rq4Claims,
	"adf": adfTable, "runs": runsTable,
}

// results reads studies/results.
type results struct{ t *testing.T }

// row is a run of an experiment, or a line of the paper.
type row map[string]any

func (r row) text(name string) string { return fmt.Sprint(r[name]) }

// of returns a number; nil if there is none.
func (r row) of(name string) *float64 {
	if v, ok := r[name].(float64); ok {
		return &v
	}
	return nil
}

// runs returns the runs of an experiment, all of which must be done.
func (r *results) runs(experiment string) (out []row) {
	file, err := os.Open(filepath.Join("../../../studies/results", experiment+".jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer file.Close()
	for d := json.NewDecoder(file); ; {
		var one row
		if err := d.Decode(&one); err == io.EOF {
			return out
		} else if err != nil {
			r.t.Fatalf("%s: run %d: %v", experiment, len(out)+1, err)
		}
		if one["status"] == "missing" {
			r.t.Fatalf("%s: run %d is missing", experiment, len(out)+1)
		}
		out = append(out, one)
	}
}

// paper are the lines of one of its tables.
func (r *results) paper(table string) []row {
	text, err := os.ReadFile("../../../studies/results/paper.json")
	if err != nil {
		r.t.Fatal(err)
	}
	var all map[string][]row
	if err := json.Unmarshal(text, &all); err != nil {
		r.t.Fatal(err)
	}
	return all[table]
}

// names are the values of a column in their order.
func names(rows []row, column string) (out []string) {
	for _, r := range rows {
		if name := r.text(column); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// mean returns the mean of a measure over the runs with a value; nil without any.
func mean(rows []row, model, arm, measure string) *float64 {
	var values []float64
	for _, r := range rows {
		if v := r.of(measure); r.text("model") == model && r.text("arm") == arm && v != nil {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return new(statistics.Mean(values))
}

// number formats a value with the given number of decimals.
func number(v *float64, digits int) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", digits, *v)
}

// markdown is a table; the first row is its head, and numbers stand on the right.
func markdown(rows ...[]string) string {
	var b strings.Builder
	for i, cells := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("--:|", len(cells)-1))
		}
	}
	return b.String()
}

// better compares two means of a measure, of which larger ones are better or, negated,
// smaller ones: nil is the worst.
func better(a, b *float64, less bool) bool {
	if a == nil || b == nil {
		return a != nil
	}
	return *a > *b != less && *a != *b
}

// best are the arms of a model that share the best mean.
func best(of map[string]*float64, less bool) (out []string) {
	for arm, v := range of {
		if v != nil && !slices.ContainsFunc(slices.Collect(maps.Values(of)), func(o *float64) bool { return better(o, v, less) }) {
			out = append(out, arm)
		}
	}
	slices.Sort(out)
	return out
}

// share is a count of networks.
func share(n, of int) string {
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}

func rq1Paper(r *results) string {
	runs := r.runs("rq1")
	out := [][]string{{"network", "SMT #ID", "paper", "MILP #ID", "paper", "SMT T.1st", "paper", "MILP T.1st", "paper", "SMT #K", "paper", "MILP #K", "paper"}}
	for _, p := range r.paper("rq1") {
		model := p.text("model")
		line := []string{model}
		for _, m := range []struct {
			measure, paper string
			digits         int
		}{{"#ID", "id", 1}, {"T.1st", "t1st", 1}, {"#K", "max_k", 1}} {
			line = append(line, number(mean(runs, model, "fairify", m.measure), m.digits), number(p.side("fairify").of(m.paper), m.digits),
				number(mean(runs, model, "paper-milp", m.measure), m.digits), number(p.side("hyfair").of(m.paper), m.digits))
		}
		out = append(out, line)
	}
	return markdown(out...)
}

func rq1Claims(r *results) string {
	runs, paper := r.runs("rq1"), r.paper("rq1")
	out := [][]string{{"claim of the paper", "the paper's table", "here", "the same question: HiGHS against Z3", "best MILP solver against best SMT solver"}}
	smt, milp := []string{"z3", "cvc5", "yices"}, []string{"highs", "scip", "ortools", "gurobi", "lpsolve"}
	for _, c := range []struct {
		claim, measure, paper string
		less                  bool
	}{
		{"MILP finds more individuals (17 of 20, 85 %)", "#ID", "id", false},
		{"MILP reaches a larger k (80 %)", "#K", "max_k", false},
		{"MILP finds the first one sooner (90 %)", "T.1st", "t1st", true},
	} {
		var counts [4]int
		for _, p := range paper {
			model := p.text("model")
			bestOf := func(arms []string) *float64 {
				of := map[string]*float64{}
				for _, arm := range arms {
					of[arm] = mean(runs, model, arm, c.measure)
				}
				if first := best(of, c.less); len(first) > 0 {
					return of[first[0]]
				}
				return nil
			}
			for i, pair := range [][2]*float64{
				{p.side("hyfair").of(c.paper), p.side("fairify").of(c.paper)},
				{mean(runs, model, "paper-milp", c.measure), mean(runs, model, "fairify", c.measure)},
				{mean(runs, model, "highs", c.measure), mean(runs, model, "z3", c.measure)},
				{bestOf(milp), bestOf(smt)},
			} {
				if better(pair[0], pair[1], c.less) {
					counts[i]++
				}
			}
		}
		line := []string{c.claim}
		for _, n := range counts {
			line = append(line, share(n, len(paper)))
		}
		out = append(out, line)
	}
	return markdown(out...)
}

// rq1Arms has a line for each arm over all networks.
func rq1Arms(r *results) string {
	runs := r.runs("rq1")
	models, arms := names(runs, "model"), names(runs, "arm")
	out := [][]string{{"arm", "networks with an individual", "individuals a network, mean", "seconds to the first, median", "largest k, mean", "first or equal by #ID", "by T.1st", "space proved, mean"}}
	for _, arm := range arms {
		found, first, soonest := 0, 0, 0
		var ids, times, ks, proved []float64
		for _, model := range models {
			byID, byTime := map[string]*float64{}, map[string]*float64{}
			for _, a := range arms {
				if n := mean(runs, model, a, "#ID"); n != nil && *n > 0 {
					byID[a] = n
				}
				byTime[a] = mean(runs, model, a, "T.1st")
			}
			if slices.Contains(best(byID, false), arm) {
				first++
			}
			if slices.Contains(best(byTime, true), arm) {
				soonest++
			}
			if n := mean(runs, model, arm, "#ID"); n != nil {
				ids = append(ids, *n)
			}
			if share := mean(runs, model, arm, "certified"); share != nil {
				proved = append(proved, *share)
			}
			if at := byTime[arm]; at != nil {
				found++
				times = append(times, *at)
				ks = append(ks, *mean(runs, model, arm, "#K"))
			}
		}
		line := []string{arm, fmt.Sprint(found), number(new(statistics.Mean(ids)), 1), "–", "–", fmt.Sprint(first), fmt.Sprint(soonest), number(new(100*statistics.Mean(proved)), 1) + " %"}
		if found > 0 {
			slices.Sort(times)
			line[3], line[4] = number(new(statistics.Median(times)), 2), number(new(statistics.Mean(ks)), 1)
		}
		out = append(out, line)
	}
	return markdown(out...)
}

var searches = []string{"rw", "sa", "sa+knn"}

func rq2Table(r *results) string {
	runs, paper := r.runs("rq2"), r.paper("rq2")
	out := [][]string{{"network", "search", "Max.K", "paper", "Avg.K", "paper", "#ID", "paper", "Succ.rate", "paper", "#ID.maxK", "paper", "rounds to the first", "to Max.K"}}
	for _, model := range names(runs, "model") {
		for i, arm := range searches {
			p := paperRow(paper, map[string]string{"model": model, "search": arm})
			name := ""
			if i == 0 {
				name = model
			}
			line := []string{name, arm}
			for _, m := range []struct{ measure, paper string }{{"Max.K", "max_k"}, {"Avg.K", "avg_k"}, {"#ID", "id"}, {"Succ.rate", "success_rate"}, {"#ID.maxK", "id_max_k"}} {
				line = append(line, number(mean(runs, model, arm, m.measure), 1), number(p.of(m.paper), 1))
			}
			out = append(out, append(line, number(mean(runs, model, arm, "N.1st"), 0), number(mean(runs, model, arm, "N.maxK"), 0)))
		}
	}
	return markdown(out...)
}

// rq2Searches has a line for each search: means over the networks of which the paper has a number too.
func rq2Searches(r *results) string {
	runs, paper := r.runs("rq2"), r.paper("rq2")
	out := [][]string{{"search", "Max.K", "paper", "Avg.K", "paper", "#ID", "paper", "Succ.rate", "paper", "#ID.maxK", "paper", "networks"}}
	for _, arm := range searches {
		line, of := []string{arm}, 0
		for _, m := range []struct{ measure, paper string }{{"Max.K", "max_k"}, {"Avg.K", "avg_k"}, {"#ID", "id"}, {"Succ.rate", "success_rate"}, {"#ID.maxK", "id_max_k"}} {
			var pair overNetworks
			for _, model := range names(runs, "model") {
				pair.add(mean(runs, model, arm, m.measure), paperRow(paper, map[string]string{"model": model, "search": arm}).of(m.paper))
			}
			line, of = append(line, pair.cells(1)...), len(pair.here)
		}
		out = append(out, append(line, fmt.Sprint(of)))
	}
	return markdown(out...)
}

// overNetworks are values of networks that have one both here and in the paper.
type overNetworks struct{ here, paper []float64 }

func (o *overNetworks) add(here, paper *float64) {
	if here != nil && paper != nil {
		o.here, o.paper = append(o.here, *here), append(o.paper, *paper)
	}
}

// cells are both means.
func (o *overNetworks) cells(digits int) []string {
	if len(o.here) == 0 {
		return []string{"–", "–"}
	}
	return []string{number(new(statistics.Mean(o.here)), digits), number(new(statistics.Mean(o.paper)), digits)}
}

func rq2Claims(r *results) string {
	runs, paper := r.runs("rq2"), r.paper("rq2")
	out := [][]string{{"best or equal by", "the paper's text", "the paper's table", "rw here", "sa here", "sa+knn here", "networks"}}
	for _, c := range []struct {
		measure, paper, claim string
		less                  bool
	}{
		{"Max.K", "max_k", "SA 94 %", false}, {"#ID", "id", "SA 56 %, RW 50 %", false}, {"#ID.maxK", "id_max_k", "SA 50 %, RW 39 %, SA+KNN 10 %", false},
		{"Avg.K", "avg_k", "SA+KNN 56 %, SA 33 %, RW 17 %", false}, {"N.maxK", "t_max_k", "(T.maxK) SA 50 %, RW 39 %, SA+KNN 10 %", true}, {"N.1st", "t1st", "(T.1st) SA 72 %", true},
	} {
		count := func(rows []row, arm, measure string) (counts map[string]int, of int) {
			counts = map[string]int{}
			for _, model := range names(rows, "model") {
				means := map[string]*float64{}
				for _, one := range rows {
					if name := one.text(arm); one.text("model") == model && means[name] == nil {
						if arm == "search" {
							means[name] = one.of(measure)
						} else {
							means[name] = mean(rows, model, name, measure)
						}
					}
				}
				first := best(means, c.less)
				if len(first) > 0 {
					of++
				}
				for _, name := range first {
					counts[name]++
				}
			}
			return counts, of
		}
		theirs, n := count(paper, "search", c.paper)
		ours, of := count(runs, "arm", c.measure)
		line := []string{c.measure, c.claim, fmt.Sprintf("RW %d, SA %d, SA+KNN %d of %d", theirs["rw"], theirs["sa"], theirs["sa+knn"], n)}
		for _, arm := range searches {
			line = append(line, fmt.Sprintf("%d (%.0f %%)", ours[arm], 100*float64(ours[arm])/float64(max(of, 1))))
		}
		out = append(out, append(line, fmt.Sprint(of)))
	}
	return markdown(out...)
}

// paperRow is the line of the paper's table with these values; nil without one.
func paperRow(paper []row, values map[string]string) row {
	for _, line := range paper {
		all := true
		for column, value := range values {
			all = all && line.text(column) == value
		}
		if all {
			return line
		}
	}
	return nil
}

// side is a part of a line: the paper has two tools in one.
func (r row) side(name string) row {
	part, _ := r[name].(map[string]any)
	return part
}

// meanOf is the mean of a measure over the runs of a model that have one, in any arm.
func meanOf(runs []row, model, measure string) *float64 {
	var values []float64
	for _, r := range runs {
		if v := r.of(measure); v != nil && r.text("model") == model {
			values = append(values, *v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	return new(statistics.Mean(values))
}

func rq3Table(r *results) string {
	runs, paper := r.runs("rq3"), r.paper("rq3")
	out := [][]string{{"network", "Init.K", "paper", "LIME Size", "paper", "LIME Diff", "paper", "Size", "paper", "K", "paper", "Pert.K", "paper", "Diff", "paper", "runs with a predicate"}}
	for _, model := range names(runs, "model") {
		p := paperRow(paper, map[string]string{"model": model})
		line := []string{model}
		for _, m := range []struct {
			measure string
			theirs  *float64
		}{
			{"init_k", p.of("init_k")}, {"lime.union.size", p.side("lime").of("size")}, {"lime.union.diff", p.side("lime").of("diff")},
			{"predicate.size", p.side("hyfair").of("size")}, {"predicate.k_in.mean", p.side("hyfair").of("k")},
			{"predicate.k_out.mean", p.side("hyfair").of("pert_k")}, {"predicate.diff", p.side("hyfair").of("diff")},
		} {
			line = append(line, number(meanOf(runs, model, m.measure), 1), number(m.theirs, 1))
		}
		kept, of := 0, 0
		for _, one := range runs {
			if one.text("model") == model {
				of++
				if one.of("predicate.diff") != nil {
					kept++
				}
			}
		}
		out = append(out, append(line, fmt.Sprintf("%d of %d", kept, of)))
	}
	return markdown(out...)
}

func rq3Claims(r *results) string {
	runs, paper := r.runs("rq3"), r.paper("rq3")
	theirs, ours, of := [3]int{}, [3]int{}, 0
	for _, p := range paper {
		for i, yes := range []bool{
			better(p.side("hyfair").of("diff"), p.side("lime").of("diff"), false), !better(p.side("lime").of("size"), p.side("hyfair").of("size"), true),
			better(p.side("hyfair").of("coverage"), p.side("lime").of("coverage"), false),
		} {
			if yes {
				theirs[i]++
			}
		}
	}
	for _, model := range names(runs, "model") {
		diff, size, coverage := meanOf(runs, model, "predicate.diff"), meanOf(runs, model, "predicate.size"), meanOf(runs, model, "predicate.coverage.share")
		if diff == nil {
			continue
		}
		of++
		for i, yes := range []bool{
			better(diff, meanOf(runs, model, "lime.union.diff"), false), !better(meanOf(runs, model, "lime.union.size"), size, true), coverage != nil && *coverage > 0,
		} {
			if yes {
				ours[i]++
			}
		}
	}
	out := [][]string{{"claim of the paper", "the paper's table", "here, of the networks with a predicate"}}
	for i, claim := range []string{"predicates have the larger difference (78 %)", "predicates are as small or smaller", "predicates cover more than LIME, which covers one person (all)"} {
		out = append(out, []string{claim, share(theirs[i], len(paper)), share(ours[i], max(of, 1))})
	}
	return markdown(out...)
}

var ways = []string{"original", "original+guards", "retrained", "retrained+guards", "consistent", "consistent+guards", "iterated", "blind"}

// way is the mean of a measure over a network's runs of a way to mitigate.
func way(runs []row, model, name, measure string) *float64 {
	return meanOf(slices.DeleteFunc(slices.Clone(runs), func(r row) bool { return r.text("way") != name }), model, measure)
}

func rq4Table(r *results) string {
	runs, paper := r.runs("rq4"), r.paper("rq4")
	out := [][]string{{"network", "way", "accuracy (%)", "paper", "refused (%)", "Max.K", "paper", "Avg.K", "paper", "#ID", "paper", "Succ.rate", "paper"}}
	percent := func(v *float64) *float64 {
		if v == nil {
			return nil
		}
		return new(100 * *v)
	}
	for _, model := range names(runs, "model") {
		for i, name := range ways {
			p := paperRow(paper, map[string]string{"model": model, "arm": name})
			line := []string{"", name}
			if i == 0 {
				line[0] = model
			}
			line = append(line, number(percent(way(runs, model, name, "quality.accuracy")), 2), number(p.of("accuracy"), 2), number(percent(way(runs, model, name, "quality.refused")), 1))
			for _, m := range []struct{ measure, paper string }{{"Max.K", "max_k"}, {"Avg.K", "avg_k"}, {"#ID", "id"}, {"Succ.rate", "success_rate"}} {
				line = append(line, number(way(runs, model, name, m.measure), 1), number(p.of(m.paper), 1))
			}
			out = append(out, line)
		}
	}
	return markdown(out...)
}

// rq4Ways has a line for each way: means over the networks on which it has numbers.
func rq4Ways(r *results) string {
	runs := r.runs("rq4")
	out := [][]string{{"way", "accuracy (%)", "refused (%)", "treated unfairly (%)", "Max.K", "Avg.K", "#ID", "Succ.rate", "networks"}}
	for _, name := range ways {
		line, of := []string{name}, 0
		for _, m := range []struct {
			measure string
			factor  float64
			digits  int
		}{{"quality.accuracy", 100, 2}, {"quality.refused", 100, 1}, {"quality.unfair", 100, 1}, {"Max.K", 1, 1}, {"Avg.K", 1, 1}, {"#ID", 1, 1}, {"Succ.rate", 1, 1}} {
			var values []float64
			for _, model := range names(runs, "model") {
				if v := way(runs, model, name, m.measure); v != nil {
					values = append(values, m.factor**v)
				}
			}
			cell := "–"
			if len(values) > 0 {
				cell = number(new(statistics.Mean(values)), m.digits)
			}
			if line = append(line, cell); m.measure == "#ID" {
				of = len(values)
			}
		}
		out = append(out, append(line, fmt.Sprint(of)))
	}
	return markdown(out...)
}

func rq4Claims(r *results) string {
	runs, paper := r.runs("rq4"), r.paper("rq4")
	four := ways[:4]
	out := [][]string{{"least or equal by", "the paper's text", "the paper's table", "original", "original+guards", "retrained", "retrained+guards", "networks"}}
	for _, c := range []struct{ measure, paper, claim string }{
		{"Max.K", "max_k", "guards 67 %, retrained 11 %, both 22 %"}, {"Succ.rate", "success_rate", "guards 67 %, both 28 %"}, {"Avg.K", "avg_k", "guards 39 %, both 39 %"},
	} {
		count := func(models []string, of func(model, arm string) *float64) (counts [4]int, n int) {
			for _, model := range models {
				means := map[string]*float64{}
				for _, arm := range four {
					if v := of(model, arm); v != nil {
						means[arm] = v
					}
				}
				first := best(means, true)
				if len(first) > 0 {
					n++
				}
				for i, arm := range four {
					if slices.Contains(first, arm) {
						counts[i]++
					}
				}
			}
			return counts, n
		}
		theirs, n := count(names(paper, "model"), func(model, arm string) *float64 {
			return paperRow(paper, map[string]string{"model": model, "arm": arm}).of(c.paper)
		})
		// A search without finds has no k, which is the least.
		ours, of := count(names(runs, "model"), func(model, arm string) *float64 {
			v := way(runs, model, arm, c.measure)
			if v == nil && way(runs, model, arm, "#ID") != nil {
				v = new(0.0)
			}
			return v
		})
		line := []string{c.measure, c.claim, fmt.Sprintf("%d, %d, %d, %d of %d", theirs[0], theirs[1], theirs[2], theirs[3], n)}
		for _, k := range ours {
			line = append(line, fmt.Sprintf("%d (%.0f %%)", k, 100*float64(k)/float64(max(of, 1))))
		}
		out = append(out, append(line, fmt.Sprint(of)))
	}
	return markdown(out...)
}

// adfTable holds the networks trained in the paper's encoding against the paper's own.
func adfTable(r *results) string {
	runs, paper, accuracies := r.runs("rq2-adf"), r.paper("rq2"), r.paper("rq4")
	out := [][]string{{"network", "Max.K of rw", "paper", "sa", "paper", "sa+knn", "paper", "accuracy here (%)", "paper (%)"}}
	trained := r.runs("census-adf")
	for _, model := range names(runs, "model") {
		line := []string{model}
		for _, arm := range searches {
			line = append(line, number(mean(runs, model, arm, "Max.K"), 1), number(paperRow(paper, map[string]string{"model": model, "search": arm}).of("max_k"), 1))
		}
		line = append(line, number(paperRow(trained, map[string]string{"model": model}).of("accuracy"), 2),
			number(paperRow(accuracies, map[string]string{"model": model, "arm": "original"}).of("accuracy"), 2))
		out = append(out, line)
	}
	return markdown(out...)
}

// runsTable returns the table of what each experiment cost.
func runsTable(r *results) string {
	out := [][]string{{"experiment", "hyfair", "machine", "budget of a task", "tasks", "processor hours", "hours on two cores"}}
	for _, name := range []string{"rq1", "rq2", "rq3", "rq4", "rq2-adf"} {
		text, err := os.ReadFile(filepath.Join("../../../studies/results", name+".version.json"))
		if os.IsNotExist(err) {
			continue
		}
		var version struct{ Version string }
		if err == nil {
			err = json.Unmarshal(text, &version)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		runs := r.runs(name)
		cpu, wall, jobs := 0.0, 0.0, 1.0
		tasks := map[string]bool{}
		for _, one := range runs {
			task := one.text("model") + one.text("arm") + one.text("seed")
			if tasks[task] {
				continue // a way to mitigate of a task that has counted
			}
			tasks[task] = true
			if v := one.of("cpu_seconds"); v != nil {
				cpu += *v
			}
			wall, jobs = wall+*one.of("seconds"), *one.of("jobs")
		}
		hours := "–"
		if cpu > 0 {
			hours = fmt.Sprintf("%.1f", cpu/3600)
		}
		budget := runs[0].text("budget")
		if runs[0]["budget"] == nil {
			budget = "see the file"
		}
		out = append(out, []string{name, version.Version, runs[0].text("machine"), budget, fmt.Sprint(len(tasks)), hours, fmt.Sprintf("%.1f", wall/jobs/3600)})
	}
	return markdown(out...)
}
