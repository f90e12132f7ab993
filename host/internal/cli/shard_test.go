package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/runs"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
)

// merged has journals put together.
func merged(t *testing.T, into string, from ...string) (m runs.Merged) {
	t.Helper()
	code, stdout, stderr := command(t, t.TempDir(), append([]string{"runs", "merge", "--json", "--into", into}, from...)...)
	if code != ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// untimed are the columns of a table that are the same on every machine.
const untimed = "Iter,Max.K,Avg.K,#K.1st,#ID,Succ.rate,#ID.maxK,N.1st,N.maxK,N.target,Shannon,Spread,found"

// timeless is a table without what depends on the run, the machine and its load.
func timeless(table string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(table, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "load of the machine") || strings.HasPrefix(line, "run ") || strings.Contains(line, " tasks ran side by side")
	}), "\n")
}

// Three shards, one of them killed and resumed, make the table of one machine, byte for byte
// except for times; contradictions are refused.
func TestShards(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw", "hyfair-search-sa": "plugins/search-sa"})
	study := tenureStudy(t)
	file := grid(t, study, "solver: none\nbudget: 400it\nruns: 4\nstrategies: [{name: rw}, {name: sa, grid: {p: [0.5, 0.9]}}]\n")
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name+".db") }
	run := func(journal string, args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := startWith(t, binary, plugins, journal, append([]string{"ablate"}, args...)...).wait(t)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return stdout, stderr
	}
	one, _ := run(at("one"), file, "--columns", untimed)

	var shards []string
	var tasks int64
	for i := range 3 {
		shard := fmt.Sprintf("%d/3", i+1)
		path := at("shard" + shard[:1])
		if i == 1 {
			killed := startWith(t, binary, plugins, path, "ablate", file, "--shard", shard)
			until(t, "a task that is done", func() bool { return done(path) > 0 })
			killed.Process.Kill()
			killed.gone(t)
			until(t, "the end of the workers", func() bool { return len(left(t, binary)) == 0 })
		}
		if _, stderr := run(path, file, "--shard", shard); !strings.Contains(stderr, "shard "+shard+": ") {
			t.Errorf("shard %s: %s", shard, stderr)
		}
		if n := done(path); n == 0 || n == 12 {
			t.Errorf("shard %s did %d of 12 tasks", shard, n)
		} else {
			tasks += n
		}
		shards = append(shards, path)
	}
	if tasks != 12 {
		t.Errorf("the shards did %d of 12 tasks", tasks)
	}

	part := merged(t, at("all"), shards[:2]...)
	if r := part.Runs; len(r) != 1 || r[0].State != "interrupted" || r[0].Of != 12 || r[0].Tasks != r[0].New || !slices.Equal(r[0].Shards, []string{"1/3", "2/3"}) {
		t.Fatalf("%+v", part)
	}
	all := merged(t, at("all"), shards...)
	if r := all.Runs; len(r) != 1 || r[0].Name != part.Runs[0].Name || r[0].State != "finished" || r[0].Tasks != 12 || r[0].New != 12-part.Runs[0].New {
		t.Fatalf("%+v", all)
	}
	table, _ := run(at("all"), "--from", all.Runs[0].Name, "--columns", untimed)
	if timeless(table) != timeless(one) {
		t.Errorf("of three shards:\n%s\nof one machine:\n%s", table, one)
	}
	// The same again is the same.
	if again := merged(t, at("all"), append(shards, at("one"))...); again.Runs[0].New != 0 || again.Runs[0].Tasks != 12 || len(again.Runs) != 1 {
		t.Errorf("%+v", again)
	}
	// Events come along, so that a merged run can be read like any other.
	if code, stdout, stderr := command(t, t.TempDir(), "runs", "show", all.Runs[0].Name, "--journal", at("all")); code != ExitDone || !strings.Contains(stdout, " found") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}

	// An empty shard is no error.
	empty := grid(t, study, "solver: none\nbudget: 100it\nruns: 1\nstrategies: [{name: rw}]\n")
	none := 0
	for i := range 2 {
		path := at(fmt.Sprint("nothing", i))
		if run(path, empty, "--shard", fmt.Sprintf("%d/2", i+1)); done(path) == 0 {
			none++
		}
	}
	if r := merged(t, at("little"), at("nothing0"), at("nothing1")).Runs; none != 1 || len(r) != 1 || r[0].Tasks != 1 || r[0].State != "finished" {
		t.Errorf("%d of two shards have nothing, together %+v", none, r)
	}

	// Another result of the same task is refused, by name.
	forged := at("forged")
	key := forge(t, shards[0], forged)
	code, _, stderr := command(t, t.TempDir(), "runs", "merge", "--into", at("lie"), shards[0], forged)
	if code != ExitFailed || done(at("lie")) != 0 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"task " + key, shards[0], forged, "measures.Max.K", "1 task has two results: nothing was merged"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in %s", want, stderr)
		}
	}
	for _, wrong := range []string{"0/3", "4/3", "x", "1/0", "1/3/5", "-1/3"} {
		if code, _, stderr := command(t, t.TempDir(), "ablate", file, "--shard", wrong); code != ExitUsage || !strings.Contains(stderr, "part/of") {
			t.Errorf("--shard %s: exit code %d: %s", wrong, code, stderr)
		}
	}

	// A shard into which others are put is finished with the last of them.
	if r := merged(t, shards[0], shards[1]).Runs; len(r) != 1 || r[0].State != "interrupted" || r[0].Tasks >= 12 {
		t.Errorf("two of three shards: %+v", r)
	}
	if r := merged(t, shards[0], shards[2]).Runs; len(r) != 1 || r[0].State != "finished" || r[0].Tasks != 12 {
		t.Errorf("three of three shards: %+v", r)
	}
}

// forge copies a run's tasks, one of them with another result, and says which.
func forge(t *testing.T, from, to string) (key string) {
	t.Helper()
	source := keptIn(t, from)
	target, err := journal.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	infos, err := source.Runs()
	if err != nil {
		t.Fatal(err)
	}
	run, err := target.Begin(infos[0].Started)
	if err == nil {
		err = source.Tasks(infos[0].Name, func(d journal.Done) error {
			var result map[string]any
			if err := json.Unmarshal(d.Result, &result); err != nil {
				return err
			}
			result["seconds"] = 12.5 // which does not matter
			if key == "" {
				key = d.Key
				result["measures"].(map[string]any)["Max.K"] = 99
			}
			return run.Complete(d.Key, result, 1)
		})
	}
	if err == nil {
		err = target.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// The parts of a question that three shards decided, put together, are the answer of one
// machine.
func TestShardsOfParts(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins, study := program(t), plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"}), tenureStudy(t)
	folder := t.TempDir()
	ask := func(journal string, args ...string) inParts {
		t.Helper()
		code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(folder, journal), append([]string{"certify", study, "--partition", "2", "--all", "--json"}, args...)...).wait(t)
		if code != ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		return partsOf(t, stdout)
	}
	one := ask("one.db")
	decided := 0
	var shards []string
	for i := range 3 {
		name := fmt.Sprintf("shard%d.db", i+1)
		p := ask(name, "--shard", fmt.Sprintf("%d/3", i+1)).Partitions
		if p.Total != one.Partitions.Total || p.Undecided == 0 {
			t.Errorf("shard %d: %+v", i+1, p)
		}
		decided += p.Fair + p.Unfair
		shards = append(shards, filepath.Join(folder, name))
	}
	merged(t, filepath.Join(folder, "all.db"), shards...)
	all := ask("all.db")
	if p := all.Partitions; decided != p.Total || p.Resumed != p.Total || p.Fair != one.Partitions.Fair || p.Unfair != one.Partitions.Unfair || all.Verdict != one.Verdict || p.Total < 10 {
		t.Errorf("%d decided, together %+v, of one machine %+v", decided, all, one)
	}
	for _, wrong := range [][]string{{"certify", study, "--shard", "1/2"}, {"certify", study, "--partition", "adaptive", "--shard", "1/2"}} {
		if code, _, stderr := command(t, plugins, wrong...); code != ExitUsage || !strings.Contains(stderr, "--partition") {
			t.Errorf("%v: exit code %d: %s", wrong, code, stderr)
		}
	}
}

// Shards of files of studies make the tables of one machine, which the journal shows again.
func TestShardsOfSeries(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-search-climb": "plugins/search-climb", "hyfair-search-rw": "plugins/search-rw"})
	loan, err := filepath.Abs(loanStudy)
	if err != nil {
		t.Fatal(err)
	}
	for command, text := range map[string]string{
		"explain":  "budget: 2000ev\nsamples: 200\ngrid: {epsilon: [0.05, 0.1], seed: [1, 2]}\n",
		"mitigate": "budget: 2000ev\nstrategy: rw\nsolver: none\narms: [original, blind]\ngrid: {epsilon: [0.05, 0.1], seed: [1, 2]}\n",
	} {
		folder := t.TempDir()
		run := func(journal string, args ...string) string {
			t.Helper()
			code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(folder, journal), append([]string{command}, args...)...).wait(t)
			if code != ExitDone {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			return stdout
		}
		file := textFile(t, "grid.yaml", "studies: [{study: "+loan+"}]\n"+text)
		run("one.db", file)
		var shards []string
		for i := range 3 {
			name := fmt.Sprintf("shard%d.db", i+1)
			run(name, file, "--shard", fmt.Sprintf("%d/3", i+1))
			shards = append(shards, filepath.Join(folder, name))
		}
		all := merged(t, filepath.Join(folder, "all.db"), shards...).Runs
		at := slices.IndexFunc(all, func(r runs.MergedRun) bool { return r.Command == command })
		if at < 0 || all[at].State != "finished" || all[at].Tasks != 4 {
			t.Fatalf("%+v", all)
		}
		one := run("one.db", "--from", seriesIn(t, filepath.Join(folder, "one.db"), command))
		if table := run("all.db", "--from", all[at].Name); timeless(table) != timeless(one) || len(one) < 100 {
			t.Errorf("of three shards:\n%s\nof one machine:\n%s", table, one)
		}
		if code, _, stderr := startWith(t, binary, plugins, filepath.Join(folder, "all.db"), command, "--from", all[at].Name, "--fresh").wait(t); code != ExitUsage || !strings.Contains(stderr, "leave out --fresh") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	}
}

// seriesIn is the run of a command that a journal has.
func seriesIn(t *testing.T, path, command string) string {
	t.Helper()
	infos, err := keptIn(t, path).Runs()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(infos, func(i journal.Info) bool { return i.Started.Task.Command == command })
	if at < 0 {
		t.Fatalf("no run of %s", command)
	}
	return infos[at].Name
}

// Shares of a question that was answered in parts, by three shards, are those of the whole.
func TestShardsOfShares(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
	folder := t.TempDir()
	type shares struct {
		Exact       struct{ Fair, Unfair, Undecided string }
		Individuals string
		Complete    bool
		Reason, Run string
		Sampled     struct{ Share float64 }
		Parts       *struct{ Total, Complete, Resumed int }
	}
	ask := func(journal string, args ...string) (out shares) {
		t.Helper()
		code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(folder, journal), append([]string{"quantify", loanStudy, "--json"}, args...)...).wait(t)
		if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != ExitDone {
			t.Fatalf("exit code %d, %v: %s", code, err, stderr)
		}
		return out
	}
	const chunks = "loan_amount=10,credit_rating=4"
	whole := ask("whole.db")
	one := ask("one.db", "--partition", chunks)
	if one.Parts == nil || one.Parts.Total < 6 || one.Parts.Complete != one.Parts.Total || one.Exact != whole.Exact || one.Individuals != whole.Individuals || !one.Complete || one.Sampled != whole.Sampled {
		t.Fatalf("in parts %+v %+v, as a whole %+v", one, one.Parts, whole)
	}
	var shards []string
	for i := range 3 {
		name := fmt.Sprintf("shard%d.db", i+1)
		part := ask(name, "--partition", chunks, "--shard", fmt.Sprintf("%d/3", i+1))
		if part.Complete || part.Parts.Complete == 0 || part.Exact.Undecided == "0" || !strings.Contains(part.Reason, "parts are not complete") {
			t.Errorf("shard %d: %+v %+v", i+1, part, part.Parts)
		}
		shards = append(shards, filepath.Join(folder, name))
	}
	merged(t, filepath.Join(folder, "all.db"), shards...)
	if all := ask("all.db", "--partition", chunks); all.Exact != whole.Exact || all.Parts.Resumed != all.Parts.Total || !all.Complete {
		t.Errorf("of three shards %+v %+v, as a whole %+v", all, all.Parts, whole)
	}
	for _, wrong := range [][]string{{"--shard", "1/2"}, {"--partition", "adaptive"}, {"--fresh"}, {"--partition", "2", "--map", "m.csv"}, {"--partition", "nothing=2"}} {
		if code, _, stderr := command(t, plugins, append([]string{"quantify", loanStudy}, wrong...)...); code != ExitUsage || !strings.Contains(stderr, "partition") {
			t.Errorf("%v: exit code %d: %s", wrong, code, stderr)
		}
	}
}
