package joint

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/observed"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// first is a source whose score is a row's first value. It remembers the sizes of calls.
type first struct{ calls []int }

func (f *first) String() string { return "first" }

func (f *first) Scores(rows [][]float64) (out []float64) {
	f.calls = append(f.calls, len(rows))
	for _, row := range rows {
		out = append(out, row[0])
	}
	return out
}

// Two models are asked ahead for the rows of each, and networks are not.
func TestEitherAsksAhead(t *testing.T) {
	a, b := &first{}, &first{}
	m, ok := eitherOf(observed.New(a, sdk.ScaleLogit, 1, "a"), observed.New(b, sdk.ScaleLogit, 2, "b")).(model.Batched)
	if !ok {
		t.Fatal("it is not batched")
	}
	m.Ahead([][]float64{{1, 2, 3, Old}, {4, 5, 6, New}, {7, 8, 9, Old}})
	if len(a.calls) != 1 || a.calls[0] != 2 || len(b.calls) != 1 || b.calls[0] != 1 {
		t.Errorf("calls of %v and %v rows, want one of 2 and one of 1", a.calls, b.calls)
	}
	if old, new := m.Logit([]float64{1, 2, 3, Old}), m.Logit([]float64{1, 2, 3, New}); old != 1 || new != 2 {
		t.Errorf("logits %v and %v, want 1 and 2", old, new)
	}
	if _, ok := eitherOf(&relu.Network{}, &relu.Network{}).(model.Batched); ok {
		t.Error("networks are batched")
	}
}
