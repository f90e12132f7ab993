// Package observed is the family of models that are known by their answers only: those of a model
// plugin. The exact logit at a point is, by definition, the answer there. Nothing is known between points,
// so models of this family have no bounds, no rows and no script, and nothing can be proved about them.
package observed

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// Family is the name of the family.
const Family = "observed"

// Source gives answers. It is safe for concurrent use.
type Source interface {
	// Scores returns a finite score for each row, the same one every time: a multiple of 2^−256. It keeps and
	// modifies no row.
	Scores(rows [][]float64) []float64
	// String names the source.
	String() string
}

// bits is the b such that all logits are multiples of 2^−b.
const bits = 256

// Model has the answers of a source, whose rows are the model's first inputs. Its logit may be lowered.
type Model struct {
	source Source
	scale  sdk.Scale
	width  int // of a row
	// inputs are at least width; the rest are ignored but for the offset.
	inputs      int
	by          *model.Offset // nil: none
	fingerprint string
}

var (
	_ model.Observed = (*Model)(nil)
	_ model.Near     = (*Model)(nil)
	_ model.Lowering = (*Model)(nil)
	_ model.Sized    = (*Model)(nil)
)

// New returns the model of a source whose rows have that number of inputs. Models with equal fingerprints give
// the same answers.
func New(s Source, scale sdk.Scale, inputs int, fingerprint string) *Model {
	return &Model{source: s, scale: scale, width: inputs, inputs: inputs, fingerprint: fingerprint}
}

// Source implements model.Observed.
func (m *Model) Source() string { return m.source.String() }

// Family implements model.Model.
func (*Model) Family() string { return Family }

// Validate implements model.Model.
func (m *Model) Validate() error {
	if m.width < 1 {
		return fmt.Errorf("%d inputs, want at least 1", m.width)
	}
	return nil
}

// Inputs implements model.Model.
func (m *Model) Inputs() int { return m.inputs }

// Link implements model.Model.
func (m *Model) Link() fairness.Link {
	switch {
	case m.scale == sdk.ScaleLogit:
		return fairness.LinkSigmoid
	case m.scale == sdk.ScaleShare && m.by == nil:
		return fairness.LinkShare
	}
	return fairness.LinkLinear
}

// Parameters implements model.Model; none is known.
func (m *Model) Parameters() int { return 0 }

// Fingerprint implements model.Model.
func (m *Model) Fingerprint() string { return m.fingerprint }

// Size implements model.Sized.
func (m *Model) Size() string { return "unknown" }

// score is the source's answer at inputs.
func (m *Model) score(inputs []float64) float64 {
	return m.source.Scores([][]float64{inputs[:m.width]})[0]
}

// Logit implements model.Model.
func (m *Model) Logit(inputs []float64) float64 {
	logit := m.score(inputs)
	if m.scale == sdk.ScaleShare {
		logit -= fairness.Half
	}
	if m.by != nil {
		by, _ := m.lowered(inputs).Float64()
		logit -= by
	}
	return logit
}

// LogitError implements model.Model: there is no bound unless the inputs are exact, and none for a lowered
// logit, which LogitNear bounds.
func (m *Model) LogitError(_, off []float64) float64 {
	switch inexact := slices.ContainsFunc(off, func(v float64) bool { return v != 0 }); {
	case inexact || m.by != nil:
		return math.Inf(1)
	case m.scale == sdk.ScaleShare:
		return 0x1p-53 // of the difference in Logit, which is below 1
	}
	return 0
}

// LogitNear implements model.Near.
func (m *Model) LogitNear(inputs, off []float64) (logit, err float64) {
	if slices.ContainsFunc(off, func(v float64) bool { return v != 0 }) {
		return 0, math.Inf(1)
	}
	if logit, err = m.Logit(inputs), m.LogitError(nil, off); m.by != nil {
		err = 0x1p-51 * (1 + math.Abs(logit) + 2*math.Abs(m.score(inputs))) // of an offset and two differences
	}
	return logit, err
}

// Ahead implements model.Batched.
func (m *Model) Ahead(inputs [][]float64) {
	rows := make([][]float64, len(inputs))
	for i := range inputs {
		rows[i] = inputs[i][:m.width]
	}
	m.source.Scores(rows)
}

// Bits implements model.Lowering.
func (*Model) Bits([]int) (b int, ok bool) { return bits, true }

// Less implements model.Lowering.
func (m *Model) Less(by model.Offset) (model.Model, error) {
	if m.by != nil {
		return nil, fmt.Errorf("the logit of %s was lowered before", m.Source())
	}
	out := *m
	out.by, out.fingerprint = &by, fmt.Sprintf("%s less %v", m.fingerprint, by)
	return &out, nil
}

// Wider implements model.Lowering.
func (m *Model) Wider(inputs int) model.Model {
	out := *m
	out.inputs += inputs
	return &out
}

// lowered is what the logit is lowered by at inputs: that of the case with these values, or else of the last.
func (m *Model) lowered(inputs []float64) *big.Rat {
	for _, c := range m.by.Cases {
		here := true
		for k, at := range c.At {
			v, _ := at.Float64()
			here = here && inputs[m.by.Inputs[k]] == v
		}
		if here {
			return c.By
		}
	}
	return m.by.Cases[len(m.by.Cases)-1].By
}

// Exact implements model.Model.
func (m *Model) Exact() model.Exact { return exact{m} }

type exact struct{ of *Model }

var half = new(big.Rat).SetFloat64(fairness.Half)

// Logit implements model.Exact: the answer at the inputs, which are float64 numbers.
func (e exact) Logit(inputs []*big.Rat) *big.Rat {
	at := make([]float64, len(inputs))
	for i, v := range inputs {
		at[i], _ = v.Float64()
	}
	logit := new(big.Rat).SetFloat64(e.of.score(at))
	if e.of.scale == sdk.ScaleShare {
		logit.Sub(logit, half)
	}
	if e.of.by != nil {
		logit.Sub(logit, e.of.lowered(at))
	}
	return logit
}
