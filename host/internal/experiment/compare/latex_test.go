package compare

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/host/internal/view/tex"
	"github.com/hyfair/hyfair/internal/tier"
)

// A comparison is one table in a paper, with two arms side by side and with more one below the
// other, and a paper takes it as it is.
func TestLaTeX(t *testing.T) {
	tier.NeedLong(t)
	p, results := handmade(5)
	p.Arms = p.Arms[:2]
	two, err := Tabulate(p, these(results))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		of     *Comparison
		begins string
	}{"compare": {drawn(t, "z3"), `\begin{tabular}{llr`}, "compare-two": {two, `\begin{tabular}{lrrrrrrrr}`}} {
		var b strings.Builder
		if err := c.of.Document().Write(&b, view.LaTeX, view.Options{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), `\begin{tabular}`); n != 1 || !strings.Contains(b.String(), c.begins) {
			t.Errorf("%s: %d tables\n%s", name, n, &b)
		}
		tex.Check(t, name, b.String())
	}
}
