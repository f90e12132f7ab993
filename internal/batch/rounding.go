package batch

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// How rounding is covered.
//
// A neuron's form is a polynomial: a sum of monomials such as w·λ·w'·λ'·x, w·λ·b and w·h
// (h = μ/2) over the paths that lead to the neuron. The lanes compute the form, and its
// bounds over a box, by sums, products and fused multiply-adds in a fixed order. So each
// monomial goes through at most p roundings, each of which multiplies it by 1 + δ with
// |δ| ≤ u = 2⁻⁵³, and the computed value differs from the exact one by at most
//
//	γ(p)·Σ|monomial|,  γ(p) = p·u/(1 − p·u)
//
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, lemma 3.1
// and section 3.1), plus 2⁻¹⁰⁷⁴ for each operation that underflows, times the weights that
// follow it.
//
// p is at most the sum over the layers of the number of terms that are added up there, plus
// a few. Σ|monomial| is bounded once for all boxes inside the root box, where |x[i]| ≤ X[i]
// and every λ ≤ 1:
//
//	T(neuron) = |b| + Σ|w|·X                 in the first layer,
//	T(neuron) = |b| + Σ|w|·(2·T(m) + E(m))   in the others, over the neurons m that it reads,
//
// since a ReLU contributes λ times its neuron's own monomials, at most T(m), and twice
// h ≤ max(|l|, |u|)/2, where l and u are computed bounds of that neuron, so that |l| and |u|
// are at most T(m) + E(m). With n inputs,
//
//	E(neuron) = (p + n + 16)·2⁻⁵²·T(neuron) + 2⁻⁹⁰⁰
//
// is more than twice the error. The rest covers the roundings of T and E themselves, of λ
// and μ (raised by 2⁻⁵⁰ of itself), and of adding E to a bound. A radius is computed along
// with its centre from the same monomials, and |centre| + radius ≤ X for every input, so one
// T serves both.
//
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
