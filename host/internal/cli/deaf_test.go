package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// TestTimeLimitsHold: an unresponsive solver is killed soon after the time limit, for any
// question, and what is known by then is shown.
func TestTimeLimitsHold(t *testing.T) {
	tier.NeedUsual(t)
	binary, plugins, study := program(t), rogueFolder(t, "rogue"), tenureStudy(t)
	for _, args := range [][]string{
		{"certify", "--encoding", "network"}, {"certify", "--encoding", "smt"},
		{"certify", "--encoding", "bigm", "--maximize", "--relax", "years=1"},
		{"certify", "--encoding", "network", "--max-k"}, {"certify", "--encoding", "bigm", "--bounds", "lp"},
		{"quantify"},
	} {
		if args[0] == "certify" {
			args = append(args, "--climb=false")
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel() // what each does is wait
			args := append(args, study, "--solver", "rogue", "--set", "mode=deaf", "--epsilon", "0.9", "--timeout", "2s")
			code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), args...).wait(t)
			if code != ExitDone || !strings.Contains(stdout, "time limit") {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
}

// TestEveryCommandEndsWithItsTime: with a solver or a strategy that stops responding at the
// start, in a call or at the end, commands end by themselves, with their exit codes and with
// what they know.
func TestEveryCommandEndsWithItsTime(t *testing.T) {
	tier.NeedUsual(t)
	plugins := plugintest.Folder(t, map[string]string{
		"hyfair-solver-rogue": "host/internal/answer/certify/engine/testdata/rogue", "hyfair-search-deaf": "host/internal/cli/testdata/deaf",
		"hyfair-search-rw": "plugins/search-rw",
	})
	binary, study := program(t), tenureStudy(t)
	deaf := grid(t, study, "solver: none\nbudget: 500ms\nruns: 1\nstrategies: [{name: deaf}]\n")
	cert := filepath.Join(t.TempDir(), "c")
	for _, c := range []struct {
		args string
		code int
		want string // of both outputs
	}{
		{"certify LOAN --solver rogue --set mode=deaf --epsilon 0.985 --partition 100 --all --timeout 500ms", ExitDone, "UNDECIDED"},
		{"certify LOAN --solver rogue --set mode=deaf --epsilon 0.985 --partition adaptive --all --soft-timeout 100ms --timeout 500ms", ExitDone, "UNDECIDED"},
		{"certify STUDY --solver rogue --set mode=deaf --epsilon 0.98 --certificate " + cert + " --timeout 500ms", ExitFailed, "no certificate"},
		{"search STUDY --solver rogue --set rogue.mode=deaf --strategy rw --budget 500ms", ExitDone, "Max.K"},
		{"search STUDY --solver rogue --set rogue.mode=deaf --strategy rw --budget 500ms --mode fast", ExitDone, "Max.K"},
		{"search STUDY --solver none --strategy deaf --set in=start --budget 500ms", ExitFailed, "was used up"},
		{"search STUDY --solver none --strategy deaf --set in=later --budget 2s", ExitFailed, "no answer for"},
		{"search STUDY --solver none --strategy deaf --set in=close --budget 500ms", ExitDone, "Max.K"},
		{"explain STUDY --strategy deaf --set in=close --budget 500ms", ExitDone, ""},
		{"mitigate LOAN --strategy deaf --set in=close --solver none --arms original --budget 500ms", ExitDone, ""},
		{"compare STUDY --arm a=solver:rogue --set rogue.mode=deaf --epsilon 0.9 --budget 500ms --runs 1", ExitDone, ""},
		{"compare STUDY --arm a=solver:rogue --set rogue.mode=flood --epsilon 0.9 --budget 500ms --runs 1", ExitDone, ""},
		{"ablate " + deaf, ExitDone, "Max.K"},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.NewReplacer("STUDY", study, "LOAN", loanStudy).Replace(c.args))
			code, stdout, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), args...).wait(t)
			if code == ExitFailed && (strings.Contains(stderr, "was used up") || strings.Contains(stderr, "ended before")) {
				return // on a busy machine even a start takes that long
			}
			if c.want == "no certificate" && strings.Contains(stdout, "UNDECIDED") {
				c.code = ExitDone // not even the bounds were there in time, which is no failure
			}
			if code != c.code || !strings.Contains(stdout+stderr, c.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s%s", code, c.code, c.want, stdout, stderr)
			}
		})
	}
}
