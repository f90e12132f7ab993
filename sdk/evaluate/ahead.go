package evaluate

import (
	"iter"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Ahead lets a model.Batched prepare the evaluation at points, in batches. It does nothing for other models. The
// sequence may reuse a point's memory.
func Ahead(m model.Model, s *space.Space, points iter.Seq[[]float64]) {
	b, ok := m.(model.Batched)
	if !ok {
		return
	}
	var inputs [][]float64
	for point := range points {
		if inputs = append(inputs, s.NetworkInputs(nil, point)); len(inputs) == batch {
			b.Ahead(inputs)
			inputs = inputs[:0]
		}
	}
	if len(inputs) > 0 {
		b.Ahead(inputs)
	}
}
