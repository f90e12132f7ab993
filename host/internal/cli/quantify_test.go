package cli

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// bnbFolder is a plugin folder with the real solver-bnb and nothing else.
func bnbFolder(t *testing.T) string {
	t.Helper()
	return plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
}

func quantified(t *testing.T, plugins string, args ...string) (out quantify.Result) {
	t.Helper()
	code, stdout, stderr := command(t, plugins, append([]string{"quantify", "--json"}, args...)...)
	if code != ExitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil || strings.TrimSpace(stdout[d.InputOffset():]) != "" {
		t.Fatalf("%v in %s", err, stdout)
	}
	if sum := *out.Fair + *out.Unfair + *out.Undecided; sum != 1 {
		t.Errorf("the shares add up to %v", sum)
	}
	if out.Interval.Lo != *out.Unfair || out.Interval.Hi != 1-*out.Fair {
		t.Errorf("interval %+v of %+v", out.Interval, out)
	}
	return out
}

// TestQuantifyTenure: of years 0 to 9 and three jobs, the logits of the groups
// are 4 and 4 − years.
func TestQuantifyTenure(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	out := quantified(t, plugins, study, "--notion", "logit", "--epsilon", "2.5", "--seed", "4")
	if *out.Exact != (quantify.Fractions{Fair: "3/10", Unfair: "7/10", Undecided: "0"}) || *out.Undecided != 0 || out.Individuals != "30" || !out.Complete || out.Reason != "" || out.Grade != "rigorous" ||
		out.Solver.Name != "bnb" || out.Epsilon != "2.5" || out.Notion != "logit" || out.Study != "tenure" || out.Seed != 4 || len(out.Protected) != 1 || out.Map != nil || out.Rows != nil {
		t.Errorf("%+v", out)
	}
	if s := out.Sampled; !reflect.DeepEqual(*s, quantify.SampledShare{Share: 0.7, Lo: 0.7, Hi: 0.7, N: 30, All: true, Method: "enumeration", Confidence: 1}) {
		t.Errorf("%+v", s)
	}
	if s := quantified(t, plugins, study, "--notion", "logit", "--epsilon", "2.5", "--samples", "29").Sampled; s.N != 29 || s.All || !(s.Lo < 0.7 && 0.7 < s.Hi) {
		t.Errorf("%+v", s)
	}
	out = quantified(t, plugins, study, "--notion", "decision", "--where", "years=3..6,job=baker|cook", "--samples", "0", "--solver", "bnb")
	if *out.Exact != (quantify.Fractions{Fair: "1/4", Unfair: "3/4", Undecided: "0"}) || out.Sampled != nil || out.Where == "" {
		t.Errorf("two jobs of three, margin 0 at four years: %+v", out)
	}
	code, stdout, stderr := command(t, plugins, "quantify", study, "--notion", "logit", "--epsilon", "2.5")
	for _, want := range []string{"tenure, model model.json: how many individuals", "fair         30.00 %", "unfair       70.00 %", "21 of 30 individuals (70.00 %) are discriminated against", "all 30 individuals, evaluated exactly: 70.00 %", "data set: not looked at", "boxes"} {
		if code != ExitDone || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, does not say %q: %s%s", code, want, stdout, stderr)
		}
	}
}

// TestStudyWhere: a study's predicate restricts each question without one, and the rows of an audit.
func TestStudyWhere(t *testing.T) {
	plugins, whole := bnbFolder(t), tenureStudy(t)
	study := filepath.Join(filepath.Dir(whole), "some.yaml")
	if err := os.WriteFile(study, []byte("extends: study.yaml\nname: tenure\nwhere: years=3..6,job=baker|cook\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := textFile(t, "rows.csv", "years,group,job\n3,a,cook\n2,a,cook\n4,b,baker\n")
	answer := func(args ...string) map[string]any {
		_, stdout, stderr := command(t, plugins, append(args, "--json")...)
		out := map[string]any{}
		if err := json.Unmarshal([]byte(stdout), &out); err != nil {
			t.Fatalf("%v: %v%s", args, err, stderr)
		}
		for _, name := range []string{"seconds", "run", "journal"} {
			delete(out, name)
		}
		return out
	}
	for _, args := range [][]string{{"quantify"}, {"certify"}, {"audit", rows, "--encoded"}} {
		got := answer(append([]string{args[0], study}, args[1:]...)...)
		want := answer(append([]string{args[0], whole, "--where", "years=3..6,job=baker|cook"}, args[1:]...)...)
		if got["where"] == nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: of the study\n%v\nasked\n%v", args, got, want)
		}
	}
	if got := answer("quantify", study, "--where", "all"); got["individuals"] != "30" {
		t.Errorf("--where all: %v", got)
	}
}

// TestQuantifyRates: the group with logits of 4 always gets a yes, the other one in years 0 to 3 of 10.
func TestQuantifyRates(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	code, stdout, stderr := command(t, plugins, "quantify", study, "--groups", "--min-impact-ratio", "0.8", "--unchecked", "--json")
	var out quantify.Rates
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitCheck || len(out.Attributes) != 1 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	a := &out.Attributes[0]
	lowest := slices.MinFunc(a.Groups, func(g, h quantify.RatedGroup) int { return cmp.Compare(g.Rate.Lo, h.Rate.Lo) })
	near := func(i *quantify.Interval, v float64) bool {
		return math.Abs(i.Lo-v) < 1e-12 && math.Abs(i.Hi-v) < 1e-12
	}
	if !near(lowest.Rate, 0.4) || !near(a.ImpactRatio, 0.4) || !near(a.Difference, 0.6) || out.Gates[0].Outcome != gate.Failed {
		t.Errorf("%+v", out)
	}
	code, stdout, stderr = command(t, plugins, "report", lowest.Run, "--journal", out.Journal)
	if want := "of the group get a positive decision."; code != ExitDone || !strings.Contains(stdout, want) || !strings.Contains(stdout, "(40.00 %)") {
		t.Errorf("exit code %d, does not say %q: %s%s", code, want, stdout, stderr)
	}
	code, stdout, stderr = command(t, plugins, "quantify", study, "--min-impact-ratio", "0.4", "--unchecked")
	if code != ExitDone || !strings.Contains(stdout, "least impact ratio: 0.400") || !strings.Contains(stdout, "Each combination of the other features' values counts once") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	cells := filepath.Join(t.TempDir(), "cells.csv") // as Excel writes it, without people of group b
	if err := os.WriteFile(cells, []byte("\ufeffgroup,weight\na,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = command(t, plugins, "quantify", study, "--min-impact-ratio", "0.4", "--unchecked", "--population", "weights:"+cells, "--json")
	out = quantify.Rates{}
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitCheck || len(out.Attributes) != 1 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if a := &out.Attributes[0]; a.Groups[0].Rate == nil || a.Groups[1].Rate != nil || a.ImpactRatio != nil || out.Gates[0].Outcome != gate.Undecided {
		t.Errorf("%+v", out)
	}
	if code, _, stderr := command(t, plugins, "quantify", study, "--groups", "--max-unfair", "1%"); code != ExitUsage || !strings.Contains(stderr, "--max-unfair does not apply to --groups") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestQuantifyPopulationOfStudy: the study's people are asked about unless the command names others.
func TestQuantifyPopulationOfStudy(t *testing.T) {
	plugins, study := bnbFolder(t), tenureStudy(t)
	text, err := os.ReadFile(study)
	for name, content := range map[string]string{study: string(text) + "population: {weights: cells.csv}\n", filepath.Join(filepath.Dir(study), "cells.csv"): "years,weight\n2..3,1\n4,3\n"} {
		if err == nil {
			err = os.WriteFile(name, []byte(content), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"75.00 % of people (2 weighted cells of cells.csv": nil, "(60.00 %) are discriminated against": {"--population", "uniform"}, "impact ratio: 0.250": {"--groups"},
	} {
		code, stdout, stderr := command(t, plugins, append([]string{"quantify", study, "--notion", "decision"}, args...)...)
		if code != ExitDone || !strings.Contains(stdout, want) {
			t.Errorf("%v: exit code %d, does not say %q: %s%s", args, code, want, stdout, stderr)
		}
	}
	page := filepath.Join(t.TempDir(), "page.html")
	code, stdout, stderr := command(t, plugins, "quantify", study, "--notion", "decision", "--html", page, "--map", filepath.Join(t.TempDir(), "map.csv"))
	html, err := os.ReadFile(page)
	if code != ExitDone || err != nil || !strings.Contains(stdout, "The map counts every combination of values once") || !bytes.Contains(html, []byte("Plausible people: 2 weighted cells")) {
		t.Errorf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--partition", "5", "add --population uniform"},
		{"--population", "weights:nowhere.csv", "--population: nowhere.csv: "},
		{"--population", "", filepath.Base(study) + ": population: "},
	} {
		if c.value == "" {
			if err := os.Remove(filepath.Join(filepath.Dir(study), "cells.csv")); err != nil {
				t.Fatal(err)
			}
		}
		if code, _, stderr := command(t, plugins, "quantify", study, c.flag, c.value); code != ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("exit code %d, does not say %q: %s", code, c.want, stderr)
		}
	}
}

// TestQuantifyThresholds: at one half the decision flips from year 4 on, at 0.3 from year 5 on.
func TestQuantifyThresholds(t *testing.T) {
	plugins, study, page := bnbFolder(t), tenureStudy(t), filepath.Join(t.TempDir(), "page.html")
	code, stdout, stderr := command(t, plugins, "quantify", study, "--thresholds", "0.3,0.5", "--html", page)
	text := strings.Join(strings.Fields(stdout), " ")
	for _, want := range []string{"different decisions (decision), by the threshold", "0.3 50.00 % 50.00 % 0.00 %", "0.5 40.00 % 60.00 % 0.00 %", "The fewest flip at 0.3: 50.00 %."} {
		if code != ExitDone || !strings.Contains(text, want) {
			t.Errorf("exit code %d, does not say %q: %s%s", code, want, stdout, stderr)
		}
	}
	want := "No decision flips at 0.001. Of the other thresholds, the fewest flip at 0.3: 50.00 %."
	if _, stdout, _ := command(t, plugins, "quantify", study, "--thresholds", "0.001,0.3,0.5"); !strings.Contains(stdout, want) {
		t.Errorf("does not say %q: %s", want, stdout)
	}
	if html, err := os.ReadFile(page); err != nil || strings.Count(string(html), "by the threshold") < 2 {
		t.Errorf("%v: no curve", err)
	}
	for _, more := range [][]string{{"--threshold", "0.3"}, {"--notion", "score"}, {"--map", "x.csv"}} {
		if code, _, stderr := command(t, plugins, append([]string{"quantify", study, "--thresholds", "0.3,0.5"}, more...)...); code != ExitUsage || !strings.Contains(stderr, "--thresholds") {
			t.Errorf("%v: exit code %d: %s", more, code, stderr)
		}
	}
}

// TestQuantifyMap writes both formats and adds the boxes up.
func TestQuantifyMap(t *testing.T) {
	tier.NeedUsual(t)
	plugins, study := bnbFolder(t), "../../../studies/loan"
	where := []string{study, "--where", "credit_rating=..5,purpose=car|education"}
	path := filepath.Join(t.TempDir(), "map.csv")
	out := quantified(t, plugins, append(where, "--map", path)...)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums := [2]*big.Int{new(big.Int), new(big.Int)}
	for _, line := range lines[1:] {
		for k := range sums {
			n, ok := new(big.Int).SetString(line[1+k], 10)
			if !ok {
				t.Fatalf("line %q", line)
			}
			sums[k].Add(sums[k], n)
		}
	}
	all := new(big.Int).Add(sums[0], sums[1])
	if all.String() != out.Individuals || new(big.Rat).SetFrac(sums[0], all).RatString() != out.Exact.Fair || new(big.Rat).SetFrac(sums[1], all).RatString() != out.Exact.Unfair {
		t.Errorf("the boxes have %v fair and %v unfair individuals; %+v", sums[0], sums[1], out)
	}
	if m := out.Map; m.File != path || m.Covered != 1 || len(m.Features) != 7 || m.Pieces["fair"]+m.Pieces["unfair"]+m.Pieces["undecided"]+m.Pieces["outside"] != int64(len(lines)-1) {
		t.Errorf("%+v", m)
	}
	for _, f := range out.Map.Features {
		for _, v := range f.Values {
			if math.Abs(v.Fair+v.Unfair+v.Undecided-1) > 1e-9 || v.Undecided > 1e-9 || v.Label == "" {
				t.Errorf("%s: %+v", f.Name, v)
			}
		}
		if f.Name == "purpose" && (len(f.Values) != 2 || f.Values[1].Label != "education") || f.Name == "credit_rating" && len(f.Values) != 5 {
			t.Errorf("%+v", f)
		}
	}
	if r := out.Rows; r == nil || r.N == 0 || r.Outside == 0 || r.Unfair > r.N || r.Share != float64(r.Unfair)/float64(r.N) {
		t.Errorf("rows %+v", out.Rows)
	}

	path = filepath.Join(t.TempDir(), "map.jsonl")
	again := quantified(t, plugins, append(where, "--map", path)...)
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != len(lines)-1 || *again.Exact != *out.Exact {
		t.Errorf("%v, %d lines, want %d", err, strings.Count(string(text), "\n"), len(lines)-1)
	}
	code, stdout, _ := command(t, plugins, append([]string{"quantify", "--map", path}, where...)...)
	if code != ExitDone || !strings.Contains(stdout, "education") || !strings.Contains(stdout, "map: ") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// A limit leaves what was proved by then.
func TestQuantifyTimeout(t *testing.T) {
	plugins := bnbFolder(t)
	out := quantified(t, plugins, "../../../studies/loan", "--rules", "none", "--epsilon", "0.01", "--timeout", "300ms", "--samples", "100")
	if !out.Complete && (out.Reason != "time limit" || *out.Undecided == 0) {
		t.Errorf("%+v", out)
	}
}

func TestQuantifyUsage(t *testing.T) {
	plugins, study := plugintest.Folder(t, map[string]string{"hyfair-solver-lpsolve": "plugins/solver-lpsolve"}), tenureStudy(t)
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"no study":          {nil, ExitUsage, []string{"STUDY"}},
		"negative timeout":  {[]string{study, "--timeout", "-1s"}, ExitUsage, []string{"--timeout"}},
		"no groups":         {[]string{study, "--min-share", "5%"}, ExitUsage, []string{"--min-share", "add --groups"}},
		"negative samples":  {[]string{study, "--samples", "-1"}, ExitUsage, []string{"--samples"}},
		"k of two":          {[]string{study, "--k", "2"}, ExitUsage, []string{"--k 2", "3 or more"}},
		"k without bins":    {[]string{study, "--k", "3", "--notion", "logit"}, ExitUsage, []string{"--k", "logit"}},
		"a map of no kind":  {[]string{study, "--map", "boxes.txt"}, ExitUsage, []string{"boxes.txt", ".csv or .jsonl"}},
		"a map nowhere":     {[]string{study, "--map", filepath.Join(study, "map.csv")}, ExitUsage, []string{"--map"}},
		"several maps":      {[]string{"../../../studies/loan", "--protected", "each", "--map", "boxes.csv"}, ExitUsage, []string{"--map", "--protected each"}},
		"a word and a name": {[]string{"../../../studies/loan", "--protected", "each,sex"}, ExitUsage, []string{"each cannot be combined with others"}},
		"unknown notion":    {[]string{study, "--notion", "fair"}, ExitUsage, []string{"--notion"}},
		"unknown solver":    {[]string{study, "--solver", "absent"}, ExitUsage, []string{"absent"}},
		"another solver":    {[]string{study, "--solver", "lpsolve"}, ExitUsage, []string{"lpsolve does not quantify"}},
		"no solver":         {[]string{study}, ExitFailed, []string{"bnb: not installed", "lpsolve: "}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := plugins
			if strings.HasPrefix(name, "a map nowhere") {
				folder = bnbFolder(t)
			}
			code, stdout, stderr := command(t, folder, append([]string{"quantify"}, c.args...)...)
			if code != c.code || stdout != "" {
				t.Errorf("exit code %d, want %d; %s%s", code, c.code, stdout, stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("does not say %q: %s", want, stderr)
				}
			}
		})
	}
}

// TestQuantifyWithoutTime: a time that is over before a solver has started leaves everything undecided, and is no
// error.
func TestQuantifyWithoutTime(t *testing.T) {
	code, stdout, stderr := command(t, bnbFolder(t), "quantify", "../../../studies/loan", "--timeout", "1ns")
	if code != ExitDone || !strings.Contains(stdout, "undecided") || !strings.Contains(stdout, "time limit") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}
