package joint

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// either holds two models of any families; its last input selects the one to evaluate.
type either struct{ old, new model.Model }

var _ model.Near = (*either)(nil)

// eitherOf holds two models. It is a model.Batched if one of them is.
func eitherOf(old, new model.Model) model.Model {
	e := &either{old, new}
	for _, m := range []model.Model{old, new} {
		if _, ok := m.(model.Batched); ok {
			return ahead{e}
		}
	}
	return e
}

// ahead is an either of which at least one model is a model.Batched.
type ahead struct{ *either }

// Ahead implements model.Batched.
func (e ahead) Ahead(inputs [][]float64) {
	parts := map[model.Model][][]float64{}
	for _, x := range inputs {
		m, of := e.which(x)
		parts[m] = append(parts[m], of(x))
	}
	for m, part := range parts {
		if m, ok := m.(model.Batched); ok {
			m.Ahead(part)
		}
	}
}

// Family implements model.Model.
func (e *either) Family() string { return e.old.Family() + " or " + e.new.Family() }

// Validate implements model.Model.
func (e *either) Validate() error { return nil }

// Inputs implements model.Model.
func (e *either) Inputs() int { return e.old.Inputs() + e.new.Inputs() + 1 }

// Link implements model.Model.
func (e *either) Link() fairness.Link {
	if e.old.Link() != e.new.Link() {
		return fairness.LinkLinear
	}
	return e.old.Link()
}

// Parameters implements model.Model.
func (e *either) Parameters() int { return e.old.Parameters() + e.new.Parameters() }

// Fingerprint implements model.Model.
func (e *either) Fingerprint() string { return e.old.Fingerprint() + e.new.Fingerprint() }

// which selects a model by the last input. It returns the model, and a function that cuts the
// model's part from a list of all inputs.
func (e *either) which(inputs []float64) (model.Model, func(all []float64) []float64) {
	n, m := e.old.Inputs(), len(inputs)-1
	if inputs[m] == Old {
		return e.old, func(all []float64) []float64 { return all[:n] }
	}
	return e.new, func(all []float64) []float64 { return all[n:m] }
}

// Logit implements model.Model.
func (e *either) Logit(inputs []float64) float64 {
	m, of := e.which(inputs)
	return m.Logit(of(inputs))
}

// LogitNear implements model.Near.
func (e *either) LogitNear(inputs, off []float64) (logit, err float64) {
	m, of := e.which(inputs)
	inputs, off = of(inputs), of(off)
	if near, ok := m.(model.Near); ok {
		return near.LogitNear(inputs, off)
	}
	largest := make([]float64, len(inputs))
	for i := range inputs {
		largest[i] = math.Nextafter(math.Abs(inputs[i])+off[i], math.Inf(1))
	}
	return m.Logit(inputs), m.LogitError(largest, off)
}

// LogitError implements model.Model.
func (e *either) LogitError(largest, off []float64) float64 {
	n, m := e.old.Inputs(), e.Inputs()-1
	return math.Max(e.old.LogitError(largest[:n], off[:n]), e.new.LogitError(largest[n:m], off[n:m]))
}

// Exact implements model.Model.
func (e *either) Exact() model.Exact { return &exactly{e, e.old.Exact(), e.new.Exact()} }

type exactly struct {
	of       *either
	old, new model.Exact
}

// Logit implements model.Exact.
func (e *exactly) Logit(inputs []*big.Rat) *big.Rat {
	n := e.of.old.Inputs()
	if inputs[len(inputs)-1].Sign() == Old {
		return e.old.Logit(inputs[:n])
	}
	return e.new.Logit(inputs[n : len(inputs)-1])
}
