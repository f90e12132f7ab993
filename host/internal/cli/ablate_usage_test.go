package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/record/journal"
)

// Mistakes end with exit code 2 before anything is run, and those of a grid
// name their place.
func testAblateUsage(t *testing.T, _, plugins string) {
	study := tenureStudy(t)
	good := grid(t, study, "solver: none\nstrategies: [{name: rw}]\nbudget: 10it\n")
	folder := t.TempDir()
	if err := os.Mkdir(folder+".csv", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		grid string
		args []string
		want string
	}{
		"no grid":          {"", nil, "GRID.yaml"},
		"absent":           {"", []string{"absent.yaml"}, "absent.yaml"},
		"format":           {"", []string{good, "--format", "docx"}, "latex"},
		"columns":          {"", []string{good, "--columns", "#ID,Max.k"}, `no column "Max.k"; did you mean "Max.K"? allowed: Iter, Max.K, bound`},
		"tidy":             {"", []string{good, "--tidy", "runs.xls"}, ".csv or .jsonl"},
		"plot format":      {"", []string{good, "--plot-format", "gif"}, "svg, png, pdf"},
		"column absent":    {"", []string{good, "--columns", " #ID ,N.first"}, `no column "N.first"`},
		"column of others": {"", []string{good, "--columns", "Max.K, bound"}, `no column "bound" in this experiment`},
		"plots of nothing": {"", []string{good, "--plot-format", "png"}, "give --plots"},
		"tidy nowhere":     {"", []string{good, "--tidy", "absent/runs.csv"}, "--tidy: "},
		"tidy a folder":    {"", []string{good, "--tidy", folder + ".csv"}, "it is a folder"},
		"out nowhere":      {"", []string{good, "--out", "absent/table.tex"}, "--out: "},
		"plots in a file":  {"", []string{good, "--plots", good + "/plots"}, "--plots: "},
		"one file for two": {"", []string{good, "--tidy", filepath.Join(folder, "x.csv"), "--out", folder + "/./x.csv"}, "the same file"},
		"bound again":      {"", []string{"--from", "x", "--bound", "1s"}, "leave out --bound"},
		"target":           {"", []string{good, "--target", "1"}, "--target 1"},
		"unknown arm":      {"", []string{good, "--arm", "sa"}, "which has rw"},
		"arm twice":        {"", []string{good, "--arm", "rw", "--arm", "rw"}, "twice"},
		"both":             {"", []string{good, "--resume", "--fresh"}, "exclude"},
		"nothing open":     {"", []string{good, "--resume"}, "no interrupted run"},
		"set":              {"", []string{good, "--set", "p=1"}, "--set"},
		"from with a grid": {"", []string{good, "--from", "x"}, "leave out"},
		"budget":           {"", []string{good, "--budget", "soon"}, "budget"},
		"runs":             {"", []string{good, "--runs", "0"}, "0 runs"},
		"jobs":             {"", []string{good, "--jobs", "0"}, "0 jobs"},
		"no such model":    {"", []string{good, "--models", "Z*"}, "Z*"},
		"where":            {"", []string{good, "--where", "age=1"}, "where"},
		"protected":        {"", []string{good, "--protected", "nobody"}, "nobody"},
		"model in grid":    {"studies: [{study: STUDY, models: Z*}]\nsolver: none\nstrategies: [{name: rw}]\n", nil, "grid.yml:1:19: models \"Z*\""},
		"unknown strategy": {"studies: [{study: STUDY}]\nsolver: none\nstrategies:\n  - name: absent\n", nil, "grid.yml:4:5: arm absent: "},
		"unknown solver":   {"studies: [{study: STUDY}]\nsolver: absent\nstrategies:\n  - name: rw\n", nil, "grid.yml:4:5: arm rw: "},
		"unknown option":   {"studies: [{study: STUDY}]\nsolver: none\nstrategies:\n  - {name: rw}\n  - name: sa\n    set: {colour: red}\n", nil, "grid.yml:5:5: arm sa: --set sa.colour"},
		"bad value":        {"studies: [{study: STUDY}]\nsolver: none\nstrategies:\n  - name: sa\n    grid: {p: [0.5, often]}\n", nil, "grid.yml:4:5: arm sa p=often: "},
		"refused at start": {"studies: [{study: STUDY}]\nsolver: none\nstrategies:\n  - {name: mortal, set: {seed: none}}\n", nil, "grid.yml:4:6: arm mortal: "},
		"no rows":          {"studies: [{study: STUDY}]\nsolver: none\nstrategies:\n  - name: sa+knn\n", nil, "grid.yml:4:5: arm sa+knn: "},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"ablate"}, c.args...)
			if c.grid != "" {
				path := filepath.Join(t.TempDir(), "grid.yml")
				if err := os.WriteFile(path, []byte(strings.ReplaceAll(c.grid, "STUDY", study)), 0o600); err != nil {
					t.Fatal(err)
				}
				args = append(args, path)
			}
			code, stdout, stderr := command(t, plugins, args...)
			if code != ExitUsage || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
		})
	}
	t.Run("from another command", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "journal.db")
		if code, _, stderr := command(t, plugins, "search", study, "--solver", "none", "--budget", "5it", "--journal", path); code != ExitDone {
			t.Fatal(stderr)
		}
		j, err := journal.OpenExisting(path)
		if err != nil {
			t.Fatal(err)
		}
		infos, err := j.Runs()
		j.Close()
		if err != nil || len(infos) != 1 {
			t.Fatal(infos, err)
		}
		if code, _, stderr := command(t, plugins, "ablate", "--from", infos[0].Name, "--journal", path); code != ExitUsage || !strings.Contains(stderr, "want a run of the command ablate") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}
