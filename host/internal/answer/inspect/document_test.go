package inspect

import (
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/linear"
)

// Of a model that is no network its family is shown, and nothing that only networks have.
func TestAnotherFamily(t *testing.T) {
	info := modelfile.Info{Path: "unit.bin", Format: "toy", Summary: modelfile.Summarise(&linear.Unit{Weights: []float64{1, 2}})}
	var b strings.Builder
	if err := networkPart(info).Document().Write(&b, view.Text, view.Options{}); err != nil {
		t.Fatal(err)
	}
	const want = "model  unit.bin (toy, family linear)\nsize   2 inputs, 3 parameters\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
