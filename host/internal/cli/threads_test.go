package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// A solver gets the cores that the program may use; where arms or networks are
// compared it gets one, and what --threads says counts everywhere.
func TestThreads(t *testing.T) {
	tier.NeedLong(t)
	binary, plugins := program(t), plugintest.Folder(t, map[string]string{
		"hyfair-solver-rogue": "host/internal/answer/certify/engine/testdata/rogue", "hyfair-search-rw": "plugins/search-rw",
	})
	study, mode := tenureStudy(t), "--set=mode=threads"
	loan, err := filepath.Abs("../../../studies/loan")
	if err != nil {
		t.Fatal(err)
	}
	arms := filepath.Join(t.TempDir(), "arms.yaml")
	if err := os.WriteFile(arms, []byte("studies: [{study: "+study+"}]\narms: [{name: a, solver: rogue}]\nbudget: 5s\nruns: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	several := filepath.Join(t.TempDir(), "several.yaml")
	if err := os.WriteFile(several, []byte("studies: [{study: "+loan+"}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMAXPROCS", "6")
	searches := grid(t, study, "budget: 5it\nruns: 1\nstrategies: [{name: rw, solver: rogue, solver_set: {mode: threads}}]\n")
	mitigate := []string{"--arms", "original", "--strategy", "rw", "--solver", "rogue", mode, "--budget", "5it"}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"certify":          {[]string{"certify", study, "--solver", "rogue", "--climb=false", mode}, "6"},
		"certify in parts": {[]string{"certify", study, "--solver", "rogue", "--relax", "years=1", "--partition", "1", "--all", "--epsilon", "0.1", "--jobs", "2", mode}, "3"},
		"what is said":     {[]string{"certify", study, "--solver", "rogue", "--climb=false", mode, "--threads", "2"}, "2"},
		"quantify":         {[]string{"quantify", study, "--solver", "rogue", mode}, "6"},
		"search":           {[]string{"search", study, "--solver", "rogue", "--strategy", "rw", "--budget", "5it", mode}, "6"},
		"mitigate":         {append([]string{"mitigate", loan}, mitigate...), "6"},
		"several networks": {append([]string{"mitigate", several}, mitigate...), "1"},
		"compare":          {[]string{"compare", arms, mode}, "1"},
		"ablate":           {[]string{"ablate", searches}, "1"},
		"ablate as said":   {[]string{"ablate", searches, "--threads", "2"}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, stdout, stderr := startWith(t, binary, plugins, filepath.Join(t.TempDir(), "journal.db"), c.args...).wait(t)
			if !strings.Contains(stdout+stderr, "asked with "+c.want+" threads") {
				t.Errorf("want %s threads:\n%s%s", c.want, stdout, stderr)
			}
		})
	}
}
