package runs

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/view"
)

// A run takes one line in the list, however many its error has.
func TestRunsTakeALineEach(t *testing.T) {
	r := Runs{Runs: []Run{{Name: "3f0", Verdict: "undecided", Error: "the solver was lost\nits last words\n"}, {Name: "3f1"}}}
	var text strings.Builder
	if err := r.Document().Write(&text, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(text.String()), "\n"); len(lines) != 3 || !strings.HasSuffix(lines[1], "undecided, the solver was lost") {
		t.Errorf("%q", lines)
	}
}
