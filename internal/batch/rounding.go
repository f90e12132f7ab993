package batch

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// If T exceeds 2¹⁰⁰, no bound is given: underflow and overflow would need an analysis,
// and no trained network comes near.

// Tables (tables.go) have more: where the lines of a ReLU come to no more than 2T + E, its table is of Σ |y_G| + Σ |κ_G|, which is at most
// 3T: Σ κ_G is the negative of y's constant, and each κ_G is a mean of y_G less a share of the mean of y, the constant included; the shares add up to 1. So 4T + E stand
// for 2T + E, and p has besides the inputs and the neurons whose tables are added up, for each layer, and 64: a hinge, the shares, groups (no more than
// inputs), and inputs that are up to 8 units in the last place away from what cells hold. 8γ(p)·T(logit) of these outweighs what tables,
// the least of several, and their sums are wrong by. Sides' forms as tables are sums of one term for each input, and the least of several of them: 4E cover both.

// tablesError is the E of tables; infinite where no bound is given.
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

// tooLarge is the T from which on bounds are refused.
const tooLarge = 0x1p100

// roundingErrors gives E of every neuron, by layer, for inputs of magnitudes up to most.
// The last layer has one neuron, the logit. ok is unset where no bound is given.
func roundingErrors(layers []layer, most []float64) (errs [][]float64, ok bool) {
	below := make([]float64, len(most)) // of what a layer reads: 2T + E, or X
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

// layer is a network.Layer with its bias as one more column in front, and a
// softmax head's two rows made one.
type layer struct {
	in, out int
	weights []float64 // out rows of 1+in
	relu    bool
}

func (l *layer) row(j int) []float64 { return l.weights[j*(l.in+1)+1:][:l.in] }
func (l *layer) bias(j int) float64  { return l.weights[j*(l.in+1)] }

// most is |b| + Σ|w|·below of neuron j.
func (l *layer) most(j int, below []float64) float64 {
	t := abs(l.bias(j))
	for i, w := range l.row(j) {
		t += abs(w) * below[i]
	}
	return t
}

// layersOf copies the network's. The difference of a softmax head's rows rounds
// once, which is among the roundings counted.
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
