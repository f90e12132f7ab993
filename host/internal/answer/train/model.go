package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// model is a network in training: all weights and biases in one flat vector,
// in the order of the layers, each layer's weights (row-major) before its
// biases, with buffers for one row's forward and backward pass.
type model struct {
	parameters []float64
	layers     []layer
}

type layer struct {
	in, out int
	offset  int       // of the layer's weights in the flat vector
	values  []float64 // the layer's outputs for the last row, after its ReLU
	slopes  []float64 // derivative of the loss by those values
}

func (l *layer) weights(flat []float64) []float64 {
	return flat[l.offset : l.offset+l.in*l.out]
}

func (l *layer) bias(flat []float64) []float64 {
	start := l.offset + l.in*l.out
	return flat[start : start+l.out]
}

// newModel draws the weights as He et al. (ICCV 2015) do, uniformly within
// ±√(6/inputs), which has variance 2/inputs; biases start at zero.
func newModel(inputs int, hidden []int, rng *rand.Rand) *model {
	m := shape(inputs, hidden)
	for k := range m.layers {
		l := &m.layers[k]
		width := 2 * math.Sqrt(6/float64(l.in))
		weights := l.weights(m.parameters)
		for i := range weights {
			weights[i] = width * (float64(rng.Float64()) - 0.5)
		}
	}
	return m
}

// shape returns a model whose parameters are all 0.
func shape(inputs int, hidden []int) *model {
	m := &model{}
	size, in := 0, inputs
	for _, out := range append(append([]int(nil), hidden...), 1) {
		m.layers = append(m.layers, layer{
			in: in, out: out, offset: size,
			values: make([]float64, out), slopes: make([]float64, out),
		})
		size += (in + 1) * out
		in = out
	}
	m.parameters = make([]float64, size)
	return m
}

// logit is the forward pass of one row; it sets every layer's values.
func (m *model) logit(row []float64) float64 {
	in := row
	last := len(m.layers) - 1
	for k := range m.layers {
		l := &m.layers[k]
		weights, bias := l.weights(m.parameters), l.bias(m.parameters)
		for j := range l.values {
			sum := bias[j]
			for i, w := range weights[j*l.in : (j+1)*l.in] {
				sum += float64(w * in[i])
			}
			if k < last && sum < 0 {
				sum = 0
			}
			l.values[j] = sum
		}
		in = l.values
	}
	return in[0]
}

// addGradient adds slope times the derivative of the logit by each parameter
// to gradient, for the row that logit was last called with. The derivative of
// a ReLU at 0 is taken as 0.
func (m *model) addGradient(gradient, row []float64, slope float64) {
	last := len(m.layers) - 1
	m.layers[last].slopes[0] = slope
	for k := last; k >= 0; k-- {
		l := &m.layers[k]
		in, back := row, []float64(nil)
		if k > 0 {
			in, back = m.layers[k-1].values, m.layers[k-1].slopes
			clear(back)
		}
		weights := l.weights(m.parameters)
		weightGradient, biasGradient := l.weights(gradient), l.bias(gradient)
		for j, s := range l.slopes {
			if s == 0 || (k < last && l.values[j] == 0) {
				continue
			}
			biasGradient[j] += s
			forward := weights[j*l.in : (j+1)*l.in]
			sums := weightGradient[j*l.in : (j+1)*l.in]
			for i, x := range in {
				sums[i] += float64(s * x)
			}
			for i := range back {
				back[i] += float64(s * forward[i])
			}
		}
	}
}

// addPenalty adds the gradient of (strength/2)·‖weights‖² to gradient; biases
// are not penalised.
func (m *model) addPenalty(gradient []float64, strength float64) {
	for k := range m.layers {
		sums := m.layers[k].weights(gradient)
		for i, w := range m.layers[k].weights(m.parameters) {
			sums[i] += float64(strength * w)
		}
	}
}

// network makes a validated network from the parameters, which must be float32
// values.
func (m *model) network() (*relu.Network, error) {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 32}
	for k := range m.layers {
		l := &m.layers[k]
		name := fmt.Sprintf("hidden %d", k+1)
		if k == len(m.layers)-1 {
			name = "output"
		}
		n.Layers = append(n.Layers, relu.Layer{
			Name: name, In: l.in, Out: l.out, ReLU: k < len(m.layers)-1,
			Weights: slices.Clone(l.weights(m.parameters)), Bias: slices.Clone(l.bias(m.parameters)),
		})
	}
	if err := n.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDiverged, err)
	}
	return n, nil
}

// rounded returns the nearest float32 values.
func rounded(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = float64(float32(v))
	}
	return out
}
