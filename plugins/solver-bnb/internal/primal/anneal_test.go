package primal

import (
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
)

// Finding the incumbent again counts for it alone: a better one resets the count.
func TestAnnealingCountsAnew(t *testing.T) {
	again := params.Default().Anneal.Again
	a := Annealing{top: 0.5, again: again}
	if a.rise(0.5 + sameGap/2); a.again != again || a.top != 0.5 {
		t.Errorf("%+v after a gap that rounding cannot tell", a)
	}
	if a.rise(0.5 + 2*sameGap); a.again != 0 || a.top != 0.5+2*sameGap {
		t.Errorf("%+v after a larger gap", a)
	}
}
