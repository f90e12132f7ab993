package crosscheck

import (
	"math"
	"math/big"
	"testing"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// everyNeuron evaluates a network in integers and keeps what every neuron is
// before its activation. It shares no code with network.Exact, which gives the
// logit alone.
type everyNeuron struct {
	layers []integerLayer
	head   relu.Head
	values [][]big.Int // before the activation, by layer
	shifts []uint      // values[k] are over 2^shifts[k]
	term   big.Int
}

// integerLayer has weights and biases over 2^scale.
type integerLayer struct {
	in, out       int
	weights, bias []big.Int
	scale         uint
	relu          bool
}

// newEveryNeuron prepares n, which must have passed Validate.
func newEveryNeuron(n *relu.Network) *everyNeuron {
	e := &everyNeuron{head: n.Head}
	for k := range n.Layers {
		l := &n.Layers[k]
		scale := 0
		for _, row := range [][]float64{l.Weights, l.Bias} {
			for _, w := range row {
				if _, exponent := whole(w); w != 0 {
					scale = max(scale, -exponent)
				}
			}
		}
		e.layers = append(e.layers, integerLayer{
			in: l.In, out: l.Out, relu: l.ReLU, scale: uint(scale), weights: over(l.Weights, scale), bias: over(l.Bias, scale),
		})
		e.values, e.shifts = append(e.values, make([]big.Int, l.Out)), append(e.shifts, 0)
	}
	return e
}

// whole writes a number as mantissa·2^exponent with the smallest mantissa.
func whole(w float64) (mantissa int64, exponent int) {
	fraction, exponent := math.Frexp(w)
	mantissa, exponent = int64(math.Ldexp(fraction, 53)), exponent-53
	for mantissa != 0 && mantissa%2 == 0 {
		mantissa, exponent = mantissa/2, exponent+1
	}
	return mantissa, exponent
}

// over returns the numbers as integers over 2^scale.
func over(ws []float64, scale int) []big.Int {
	out := make([]big.Int, len(ws))
	for i, w := range ws {
		mantissa, exponent := whole(w)
		if mantissa != 0 {
			out[i].Lsh(big.NewInt(mantissa), uint(scale+exponent))
		}
	}
	return out
}

// at evaluates the network at the inputs x over 2^shift.
func (e *everyNeuron) at(x []int64, shift uint) {
	from := make([]big.Int, len(x))
	for i, v := range x {
		from[i].SetInt64(v)
	}
	positive := false // only a positive value passes the ReLU
	for k := range e.layers {
		l := &e.layers[k]
		to := e.values[k]
		for j := range to {
			sum := to[j].Lsh(&l.bias[j], shift)
			for i := range from {
				if s := from[i].Sign(); s > 0 || s < 0 && !positive {
					sum.Add(sum, e.term.Mul(&l.weights[j*l.in+i], &from[i]))
				}
			}
		}
		shift += l.scale
		e.shifts[k] = shift
		from, positive = to, l.relu
	}
}

// precision is more than enough for what is computed here to be exact, which
// exactly checks.
const precision = 8192

func newFloat() *big.Float { return new(big.Float).SetPrec(precision) }

func float(v float64) *big.Float { return newFloat().SetFloat64(v) }

// exactly fails where v was rounded.
func exactly(t testing.TB, v *big.Float) *big.Float {
	if v.Acc() != big.Exact {
		t.Helper()
		t.Fatal("rounded: raise the precision")
	}
	return v
}

// over2 is v over 2^shift.
func over2(t testing.TB, v *big.Int, shift uint) *big.Float {
	out := exactly(t, newFloat().SetInt(v))
	return out.SetMantExp(out, -int(shift))
}

// neuron is the exact value of a neuron before its activation.
func (e *everyNeuron) neuron(t testing.TB, layer, neuron int) *big.Float {
	return over2(t, &e.values[layer][neuron], e.shifts[layer])
}

// logit is the exact logit.
func (e *everyNeuron) logit(t testing.TB) *big.Float {
	last := len(e.layers) - 1
	l := e.neuron(t, last, 0)
	if e.head == relu.HeadSoftmax {
		l = exactly(t, newFloat().Sub(e.neuron(t, last, 1), l))
	}
	return l
}
