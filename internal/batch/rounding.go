package batch

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// If T exceeds 2¹⁰⁰, no bound is given: underflow and overflow would need an analysis,
// and no trained network comes near.

// Tables (tables.go) need more. The lines of a ReLU have magnitudes up to 2T + E. Its table has Σ |y_G| + Σ |κ_G|, which is
// at most 3T: Σ κ_G is the negative of y's constant, and each κ_G is a mean of y_G less a share of the mean of y, the
// constant included; the shares add up to 1. So 4T + E replaces 2T + E. For each layer, p also counts the inputs, the
// neurons whose tables are added up, and 64 more: for a hinge, the shares, groups (no more than inputs), and inputs that
// are up to 8 ulps away from what cells hold. With this p, 8γ(p)·T(logit) exceeds the error of a table, of the least of
// several tables, and of their sums. The forms of Sides become tables by sums of one term per input, and minima of several
// such sums: 4E covers both.

// tablesError returns the error of Tables, infinite if no bound is given.
func tablesError(layers []layer, most []float64) float64 {
	below, all := most, len(most)
	for i := range layers {
		all += layers[i].out
	}
	p := 16.0
	for k := range layers {
		l := &layers[k]
		p += float64(l.in + all + 64)
		next := make([]float64, l.out)
		for j := range next {
			t := l.most(j, below)
			if !(t < tooLarge) {
				return math.Inf(1)
			}
			next[j] = t
			if k < len(layers)-1 {
				next[j] = (4 + p*0x1p-50) * t
			}
		}
		below = next
	}
	return p*0x1p-50*below[0] + 0x1p-900
}

// tooLarge is the least T at which bounds are refused.
const tooLarge = 0x1p100

// roundingErrors returns E of every neuron, by layer, for inputs of magnitudes up to
// most. The last layer has one neuron, the logit. ok is false if no bound is given.
func roundingErrors(layers []layer, most []float64) (errs [][]float64, ok bool) {
	below := make([]float64, len(most)) // 2T + E of the neurons that a layer reads, or X of the inputs
	for i, x := range most {
		below[i] = x * (1 + 0x1p-50)
	}
	p := 16.0
	for k := range layers {
		l := &layers[k]
		p += float64(l.in) + 4
		next, e := make([]float64, l.out), make([]float64, l.out)
		for j := range next {
			t := l.most(j, below)
			if !(t < tooLarge) {
				return nil, false
			}
			e[j] = (p+float64(len(most))+16)*0x1p-52*t + 0x1p-900
			next[j] = 2*t + e[j]
		}
		errs, below = append(errs, e), next
	}
	return errs, true
}

// layer is a layer of relu.Network with its bias as the first column. The two rows of a
// softmax head become their difference.
type layer struct {
	in, out int
	weights []float64 // out rows of 1+in
	relu    bool
}

func (l *layer) row(j int) []float64 { return l.weights[j*(l.in+1)+1:][:l.in] }
func (l *layer) bias(j int) float64  { return l.weights[j*(l.in+1)] }

// most returns |b| + Σ|w|·below of neuron j.
func (l *layer) most(j int, below []float64) float64 {
	t := abs(l.bias(j))
	for i, w := range l.row(j) {
		t += abs(w) * below[i]
	}
	return t
}

// layersOf copies a network's layers. The difference of a softmax head's rows rounds
// once; the counted roundings include it.
func layersOf(n *relu.Network) []layer {
	out := make([]layer, len(n.Layers))
	for k := range n.Layers {
		from := &n.Layers[k]
		l := layer{in: from.In, out: from.Out, relu: from.ReLU}
		for j := range from.Out {
			l.weights = append(append(l.weights, from.Bias[j]), from.Row(j)...)
		}
		if k == len(n.Layers)-1 && n.Head == relu.HeadSoftmax {
			for i := range l.in + 1 {
				l.weights[i] = l.weights[l.in+1+i] - l.weights[i]
			}
			l.out, l.weights = 1, l.weights[:l.in+1]
		}
		out[k] = l
	}
	return out
}

func abs(v float64) float64 { return max(v, -v) }
