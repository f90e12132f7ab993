package ablate

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/host/internal/view/tex"
	"github.com/hyfair/hyfair/internal/tier"
)

// An ablation is one table in a paper, or those that were chosen, and a paper takes each as it is.
func TestLaTeX(t *testing.T) {
	tier.NeedLong(t)
	p, results := handmade(6)
	for name, c := range map[string]struct {
		of     *Ablation
		chosen [][]string
		tables int
	}{
		"ablate":         {tabulated(t, p, 0, results), nil, 1},
		"ablate-control": {drawn(t, "1000ev", "rw"), nil, 1},
		"ablate-chosen":  {drawn(t, "10s", ""), [][]string{{"Max.K", "T.target"}, {"Shannon", "unsolved"}, {"ranking"}, {"effects"}}, 4},
	} {
		if err := c.of.Choose(c.chosen); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := c.of.Document().Write(&b, view.LaTeX, view.Options{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), `\begin{tabular}`); n != c.tables {
			t.Errorf("%s: %d tables, want %d", name, n, c.tables)
		}
		tex.Check(t, name, b.String())
	}
}
