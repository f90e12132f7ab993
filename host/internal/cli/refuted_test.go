package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
)

// If hyfair refutes a solver's claim, every command ends with exit code 4, and its result lists
// the refutation.
func TestRefutedClaimsEndWithTheirCode(t *testing.T) {
	tier.NeedUsual(t)
	plugins, study := plugintest.Folder(t, map[string]string{
		"hyfair-solver-bnb": "host/internal/answer/certify/engine/testdata/rogue", "hyfair-solver-acme": "host/internal/answer/certify/engine/testdata/rogue",
		"hyfair-search-climb": "plugins/search-climb", "hyfair-search-sa": "plugins/search-sa",
	}), tenureStudy(t)
	text, err := os.ReadFile(study)
	if err != nil {
		t.Fatal(err)
	}
	wide := filepath.Join(filepath.Dir(study), "wide.yaml") // more people than are tried
	if err := os.WriteFile(wide, []byte(strings.Replace(string(text), "0..9", "0..99", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	grid := filepath.Join(filepath.Dir(study), "grid.yaml")
	if err := os.WriteFile(grid, []byte("bound: 5s\nbudget: 50it\nruns: 1\nstudies: [{study: wide.yaml}]\nstrategies: [{name: sa, strategy: sa, solver: none}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{} // commands that were asked for JSON
	for _, c := range []struct {
		lie, args string
	}{
		{"fair", "certify WIDE --timeout 20s --solver bnb --climb=false"},
		{"fair", "certify WIDE --timeout 20s --solver bnb --climb=false --encoding bigm"},
		{"fair", "certify WIDE --timeout 20s --solver bnb --climb=false --encoding smt"},
		{"fair", "certify WIDE --timeout 20s --solver bnb --maximize"},
		{"fair", "certify WIDE --timeout 20s --solver bnb --max-k"},
		{"fair", "certify WIDE --timeout 20s --solver bnb+acme --climb=false"},
		{"none", "certify WIDE --timeout 20s --solver bnb --climb=false"},
		{"fair", "quantify WIDE --timeout 20s --solver bnb"},
		{"fair", "search WIDE --strategy sa --solver none --budget 50it --bound 5s"},
		{"none", "search WIDE --strategy sa --solver bnb --budget 50it"},
		{"fair", "report --study WIDE --budget 6s"},
	} {
		t.Run(c.lie+" "+c.args, func(t *testing.T) {
			t.Setenv("HYFAIR_TEST_ROGUE", c.lie)
			args := strings.Fields(strings.Replace(c.args, "WIDE", wide, 1))
			code, stdout, stderr := command(t, plugins, args...)
			if code != ExitContradiction || !strings.Contains(stdout, "DISAGREEMENT ") || !strings.Contains(stderr, "proof was refuted by a replayed witness: ") {
				t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
			}
			if asked[args[0]] {
				return
			}
			asked[args[0]] = true
			code, stdout, _ = command(t, plugins, append(args, "--json")...)
			if code != ExitContradiction || !strings.Contains(stdout, `"disagreements":`) {
				t.Errorf("--json: exit code %d\n%s", code, stdout)
			}
		})
	}
	loan, err := filepath.Abs("../../../studies/loan/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for kind, text := range map[string]string{
		"ablate":   "",
		"explain":  "studies: [{study: wide.yaml}]\nbudget: 2000ev\nsamples: 1500\nbound: 5s\n",
		"mitigate": "studies: [{study: " + loan + "}]\narms: [original]\nbudget: 2000ev\nruns: 1\nsolver: none\nprove: 5s\n",
	} {
		t.Run(kind+" of a file", func(t *testing.T) {
			t.Setenv("HYFAIR_TEST_ROGUE", "fair")
			file := grid
			if text != "" {
				file = filepath.Join(filepath.Dir(study), kind+".yaml")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			journal := filepath.Join(t.TempDir(), "journal.db")
			code, stdout, stderr := startWith(t, program(t), plugins, journal, kind, file).wait(t)
			if code != ExitContradiction || !strings.Contains(stdout+stderr, map[bool]string{true: "DISAGREEMENT ", false: "a proof was refuted by a replayed witness: "}[kind == "ablate"]) {
				t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
			}
			_, runs, _ := startWith(t, program(t), plugins, journal, "runs", "--command", kind, "--json").wait(t)
			name := regexp.MustCompile(`"name": *"([0-9a-f]{12})"`).FindAllStringSubmatch(runs, -1)
			if name == nil {
				t.Fatal(runs)
			}
			if code, stdout, stderr := startWith(t, program(t), plugins, journal, kind, "--from", name[0][1]).wait(t); code != ExitContradiction {
				t.Errorf("--from: exit code %d\n%s\n%s", code, stdout, stderr)
			}
		})
	}
}
