package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record/journal"
	"github.com/hyfair/hyfair/internal/tier"
)

// asUsersDo has a command line for every command that prints, and for every way
// of printing. They share a folder, DIR, and a journal, whose first search is RUN.
var asUsersDo = []string{
	"init ../../../studies/loan/applicants.csv ../../../studies/loan/network.json --out DIR/s.yaml", "init ../../../studies/loan/applicants.csv --out DIR/s.yaml --force --json",
	"inspect STUDY", "inspect STUDY --json", "certify STUDY", "certify STUDY --json", "certify STUDY --check fair --junit DIR/gates.xml", "certify STUDY --protected each --json",
	"certify STUDY --partition adaptive --all --json", "certify STUDY --where years=0 --certificate DIR/c.cert",
	"quantify STUDY", "quantify STUDY --json", "quantify STUDY --protected subsets", "search STUDY --budget 50it", "search STUDY --budget 50it --json",
	"audit STUDY DIR/rows.csv --encoded", "audit STUDY DIR/rows.csv --encoded --json", "diff STUDY STUDY DIR/rows.csv --encoded",
	"explain STUDY --budget 50it --strategy sa --samples 100 --test 10 --rules-out DIR/rules.json", "explain STUDY --budget 50it --strategy sa --samples 100 --test 10 --json",
	"guard STUDY DIR/rules.json --encoded", "guard STUDY DIR/rules.json --encoded --json", "guard export DIR/rules.json",
	"compare STUDY --solvers bnb --budget 1s --runs 1 --format csv", "compare STUDY --solvers bnb --budget 1s --runs 1 --json",
	"soundness", "soundness new DIR/bench --rungs 1", "soundness new DIR/other --rungs 1 --json", "soundness run DIR/bench --solver bnb --goals share", "soundness run DIR/bench --solver bnb --goals share --json",
	"ablate DIR/grid.yaml", "ablate DIR/grid.yaml --format latex", "check DIR/c.cert", "check DIR/c.cert --json", "export STUDY --format lp --out DIR/lp",
	"train ../question/study/testdata/people --out DIR/n.json --epochs 2", "mitigate ../question/study/testdata/people --arms original --budget 50it",
	"fetch --into DIR/data --base-url http://127.0.0.1:1 --retries 0", "plugins", "plugins --json",
	"plugin new search full --language python --dir DIR", "plugin test bnb --case describe", "plugin install DIR/hyfair-search-full", "plugin uninstall full", "export-helper sklearn", "export-helper sklearn --json", "fleet", "fleet status FLEET", "fleet status FLEET --json",
	"runs merge KEPT --into DIR/all.db", "runs merge KEPT --into DIR/all.db --json", "runs", "runs --json", "runs show RUN", "runs export RUN", "report RUN", "report --study STUDY --budget 5s", "runs delete RUN",
	"doctor", "version", "version --json", "completion bash", "completion fish", "completion powershell", "completion zsh", "--help", "help certify", "certify --help", "plugin",
}

// printNothing says why commands are not among these.
var printNothing = map[string]string{
	"hyfair fleet serve": "it has no result", "hyfair fleet join": "it has no result", "hyfair fleet keys": "its result is a folder",
	"hyfair fleet drain": "it needs a worker, and shows what it did as fleet status does",
}

// TestNoResultIsLost runs every command with a full disk as standard output: it
// fails, and says so once.
func TestNoResultIsLost(t *testing.T) {
	tier.NeedUsual(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	defer full.Close()
	binary, dir, study := program(t), t.TempDir(), tenureStudy(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-search-sa": "plugins/search-sa", "hyfair-solver-bnb": "plugins/solver-bnb"})
	for name, text := range map[string]string{
		"rows.csv":  "years,group,job\n7,a,cook\n",
		"grid.yaml": "studies: [{study: " + study + "}]\nbudget: 50it\nruns: 1\nsolver: none\nstrategies: [{name: sa}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept := filepath.Join(dir, "journal.db")
	tried := map[string]bool{}
	fleet := ""
	for _, line := range asUsersDo {
		if strings.Contains(line, "FLEET") && fleet == "" {
			fleet = serveFleet(t)
		}
		if strings.Contains(line, "RUN") {
			line = strings.ReplaceAll(line, "RUN", firstSearch(t, kept))
		}
		args := strings.Fields(strings.NewReplacer("STUDY", study, "DIR", dir, "FLEET", fleet, "KEPT", kept).Replace(line))
		command, _, err := newRoot(&App{}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		tried[command.CommandPath()] = true
		run := exec.Command(binary, append(args, "--plugin-dir", plugins, "--journal", kept)...)
		run.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR=", "XDG_DATA_HOME="+filepath.Join(dir, "home"))
		run.Stdin, run.Stdout = strings.NewReader("years,group,job\n7,a,cook\n"), full
		var stderr strings.Builder
		run.Stderr = &stderr
		run.Run()
		if code := run.ProcessState.ExitCode(); code != ExitFailed || strings.Count(stderr.String(), "standard output cannot be written") != 1 ||
			strings.Count(stderr.String(), "no space left on device") != 1 {
			t.Errorf("hyfair %s: exit code %d\n%s", line, code, &stderr)
		}
	}
	every(newRoot(&App{}), func(command *cobra.Command) {
		if name := command.CommandPath(); command.Runnable() && !command.Hidden && !tried[name] && printNothing[name] == "" {
			t.Errorf("%s was not tried", name)
		}
	})
}

// TestClosedStreamsLoseNothing: a closed standard output or input is an error of the command
// that needs it; /dev/null is valid.
func TestClosedStreamsLoseNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skipf("SKIPPED %s: no entry for %s", t.Name(), runtime.GOOS)
	}
	binary, dir, study := program(t), t.TempDir(), tenureStudy(t)
	plugins := plugintest.Folder(t, map[string]string{"hyfair-solver-bnb": "plugins/solver-bnb"})
	const lost = "standard output cannot be written: it is closed"
	for _, c := range []struct{ line, streams, says string }{
		{"certify STUDY", ">&-", lost}, {"certify STUDY --json", ">&-", lost}, {"certify STUDY --json", "<&- >&-", lost},
		{"inspect STUDY", ">&-", lost}, {"quantify STUDY --json", ">&-", lost}, {"version", ">&-", lost}, {"--help", ">&-", lost},
		{"certify --help", ">&-", lost}, {"completion bash", ">&-", lost}, {"plugins", ">&-", lost}, {"export-helper sklearn", ">&-", lost},
		{"inspect STUDY", "<&- >&- 2>&-", ""}, {"certify STUDY --junit nowhere", ">&-", "--junit"},
		{"inspect STUDY", "<&-", "-"}, {"inspect STUDY", "2>&-", "-"}, {"inspect STUDY", ">/dev/null", "-"}, {"inspect STUDY", "1<>/dev/null", "-"},
	} {
		args := append([]string{"-c", `exec "$0" "$@" ` + c.streams, binary}, strings.Fields(strings.ReplaceAll(c.line, "STUDY", study))...)
		run := exec.Command("sh", append(args, "--plugin-dir", plugins, "--journal", filepath.Join(dir, "journal.db"))...)
		run.Env = append(os.Environ(), "HYFAIR_PLUGIN_DIR=")
		var stderr strings.Builder
		run.Stderr = &stderr
		run.Run()
		code, want := run.ProcessState.ExitCode(), ExitFailed
		switch c.says {
		case "-":
			want = ExitDone
		case "--junit":
			want = ExitUsage
		}
		if code != want || c.says != "-" && !strings.Contains(stderr.String(), c.says) || c.says == lost && strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("hyfair %s %s: exit code %d\n%s", c.line, c.streams, code, &stderr)
		}
	}
}

// serveFleet serves a queue until the test ends, and returns its address.
func serveFleet(t *testing.T) (url string) {
	server := exec.Command(filepath.Join(plugintest.Folder(t, map[string]string{"hyfair-fleet": "host/fleet"}), "hyfair-fleet"), "-listen", "127.0.0.1:0", "-store", t.TempDir())
	stderr, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	said, err := bufio.NewReader(stderr).ReadString('\n')
	for word := range strings.FieldsFuncSeq(said, func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.HasPrefix(word, "nats://") {
			return word
		}
	}
	t.Fatalf("%v, the server says %q", err, said)
	return ""
}

// every visits a command and all below it.
func every(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		every(sub, visit)
	}
}

// TestAReaderThatLeavesEndsQuietly: as with other programs before head, there is
// nothing to tell; what goes elsewhere is written all the same.
func TestAReaderThatLeavesEndsQuietly(t *testing.T) {
	dir, study := t.TempDir(), tenureStudy(t)
	found, kept := filepath.Join(dir, "found.csv"), filepath.Join(dir, "journal.db")
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"inspect", study}, ExitPipe},
		{[]string{"search", study, "--budget", "50it", "--solver", "none", "--out", found, "--plugin-dir", shippedStrategies(t, "sa"), "--journal", kept, "--json"}, ExitPipe},
		{[]string{"audit", study, filepath.Join(dir, "nowhere.csv")}, ExitUsage},
	} {
		unread, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		unread.Close()
		var stderr strings.Builder
		code := Main(c.args, strings.NewReader(""), out, &stderr)
		if says := stderr.String(); code != c.code || (says != "") != (code == ExitUsage) {
			t.Errorf("hyfair %s: exit code %d\n%s", strings.Join(c.args, " "), code, says)
		}
	}
	if text, err := os.ReadFile(found); err != nil || !strings.HasPrefix(string(text), "run,") {
		t.Errorf("--out: %v, %.20q", err, text)
	}
	if info := onlyRun(t, kept); info.State != journal.Finished {
		t.Errorf("the journal has the run as %v", info.State)
	}
}

// firstSearch is the name of a journal's first search.
func firstSearch(t *testing.T, path string) string {
	j, err := journal.OpenExisting(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	runs, err := j.Runs()
	if err != nil {
		t.Fatal(err)
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if runs[i].Started.Task.Command == "search" {
			return runs[i].Name
		}
	}
	t.Fatal("the journal has no search")
	return ""
}
