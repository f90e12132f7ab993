package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
)

// points is a model whose score is the mean of a row, by which sex matters.
type points struct{}

func (points) Describe(context.Context) (sdk.Description, error) {
	return sdk.Description{Name: "points", Version: "1.0.0", Summary: "the mean", Features: []string{"income", "sex"}, Scale: sdk.ScaleShare}, nil
}

func (points) Score(_ context.Context, rows [][]float64) ([]float64, error) {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = (row[0] + 3*row[1]) / 13
	}
	return out, nil
}

// The end of --calls does not count as an interruption: the partial result is shown, with code 0.
// A command without a partial result fails.
func TestCallsAreSpent(t *testing.T) {
	t.Setenv("HYFAIR_RUNS_DIR", t.TempDir())
	rows, err := filepath.Abs("../../../studies/loan/applicants.csv")
	if err != nil {
		t.Fatal(err)
	}
	study := filepath.Join(t.TempDir(), "study.yaml")
	text := fmt.Sprintf("name: points\nmodel: {attach: %q}\ndata: {files: [%q]}\nfeatures:\n  income: {integer: 1..10}\n"+
		"  sex: {categories: [female, male]}\nprotected: {sex: all}\nepsilon: 0.05\n", plugintest.Attach(t, points{}), rows)
	if err := os.WriteFile(study, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"audit", study, "--calls", "9", "--groups"}, ExitDone, []string{"Ended early: ", "asked about 9 rows", "no rates of groups: the rows of --calls are spent"}},
		{[]string{"quantify", study, "--calls", "9"}, ExitDone, []string{"data set: not looked at, the rows of --calls are spent"}},
		{[]string{"audit", study, "--calls", "9", "--max-unfair", "99%", "--unchecked"}, ExitCheck, []string{"ended before everybody was audited"}},
		{[]string{"search", study, "--calls", "9", "--solver", "none", "--strategy", "rw", "--budget", "200it"}, ExitDone, nil},
		{[]string{"explain", study, "--calls", "9", "--strategy", "rw"}, ExitFailed, nil},
	} {
		args := c.args
		if c.says == nil {
			if !tier.Long() { // each waits for a second
				continue
			}
			args = append(args, "--plugin-dir", plugintest.Folder(t, map[string]string{"hyfair-search-rw": "plugins/search-rw"}))
		}
		code, stdout, stderr := hyfair(args...)
		if code != c.code || !strings.Contains(stderr, "the budget of rows is spent: --calls 9") && code != ExitCheck {
			t.Errorf("%v: exit code %d, %s; want %d", c.args, code, stderr, c.code)
		}
		for _, want := range c.says {
			if !strings.Contains(stdout+stderr, want) {
				t.Errorf("%v: nothing says %q:\n%s%s", c.args, want, stdout, stderr)
			}
		}
	}
}
