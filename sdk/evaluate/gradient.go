package evaluate

import (
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Gradient computes the slopes of counterfactuals' logits. It is not safe for
// concurrent use.
type Gradient struct {
	space  *space.Space
	combos *combinations
	slopes func(inputs []float64) (logit float64, slopes []float64)
	point  []float64
	inputs []float64
}

// Gradient returns a new Gradient, with its own memory. The error for a model that is not
// model.Differentiable names the model's family.
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

// At returns the logit of x, an individual of the space, with protected combination
// c, and the logit's slopes by network input, which the next call overwrites.
// space.Feature.Slope and Promise convert them to slopes by feature. The slope of
// the score is score·(1−score) times the logit's. The results are the same on every
// machine.
func (g *Gradient) At(x []float64, c int) (logit float64, slopes []float64) {
	copy(g.point, x)
	g.combos.complete(g.point, c)
	return g.slopes(g.space.NetworkInputs(g.inputs, g.point))
}
