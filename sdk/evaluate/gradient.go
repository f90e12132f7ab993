package evaluate

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Gradient gives the slopes of counterfactuals' logits. For one goroutine.
type Gradient struct {
	space  *space.Space
	combos *combinations
	slopes func(inputs []float64) (logit float64, slopes []float64)
	point  []float64
	inputs []float64
}

// Gradient prepares slopes. It fails, by name, for a model that is not
// model.Differentiable.
func (e *Evaluator) Gradient() (*Gradient, error) {
	m, ok := e.model.(model.Differentiable)
	if !ok {
		return nil, sdk.Lacks(e.model, "gradient")
	}
	return &Gradient{
		space: e.space, combos: e.combos, slopes: m.Gradient(),
		point: make([]float64, len(e.space.Features)), inputs: make([]float64, e.space.Inputs),
	}, nil
}

// At gives the logit of x, an individual of the space, completed by protected
// combination c, and its slopes by network input, which the next call overwrites:
// space.Feature.Slope and Promise say what they mean for a feature. The slope of
// the score is score·(1−score) times that of the logit. Nothing here depends on the
// machine.
func (g *Gradient) At(x []float64, c int) (logit float64, slopes []float64) {
	copy(g.point, x)
	g.combos.complete(g.point, c)
	return g.slopes(g.space.NetworkInputs(g.inputs, g.point))
}
