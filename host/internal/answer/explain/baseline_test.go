package explain

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view"
)

// The shown text covers features of every kind.
func TestExplainLIMEText(t *testing.T) {
	k, mean, sd, diff := 3.0, 2.5, 0.7, 6.5
	l := &LIME{
		Explanations: 4, Samples: 5000, R2: 0.512, K: 9,
		Union: LIMESet{Size: 4, PertK: &mean, PertKSD: &sd, Diff: &diff, Features: []LIMEFeature{
			{Name: "hours", Explanations: 4, K: &k}, {Name: "sex", Explanations: 3, Protected: true}, {Name: "floor", Explanations: 1},
		}},
		Intersection: LIMESet{Size: 1, PertK: &mean, Diff: &diff},
	}
	var text bytes.Buffer
	d := &view.Document{}
	l.show(d)
	if err := d.Write(&text, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text.String(), "\n")
	for _, want := range []string{
		"4 counterfactuals, 5,000 samples each, R² 0.51", "hours 4 3.0", "sex 3 protected", "floor 1 –", "union 4 9 2.5 ± 0.7 6.5", "intersection 1 9 2.5 6.5",
	} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(strings.Join(strings.Fields(line), " "), want) }) {
			t.Errorf("no line says %q:\n%s", want, text.String())
		}
	}
	if got := l.cells(); !slices.Equal(got, []string{"4", "9", "2.5 ± 0.7", "6.5", "1"}) {
		t.Errorf("%q", got)
	}
	if got := (*LIME)(nil).cells(); len(got) != 5 {
		t.Errorf("of nothing: %q", got)
	}
}
