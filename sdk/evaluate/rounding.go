package evaluate

import (
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// How far a computed logit can be from the exact one.
//
// Let v̂ᵢ be the computed and vᵢ the exact inputs of a layer of n inputs, with
// |v̂ᵢ − vᵢ| ≤ eᵢ. A neuron sums n products and a bias. In whatever order the
// sum is taken, and with or without fused multiply-adds, each term passes
// through at most n + 1 roundings, so (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., SIAM 2002, lemma 3.1 and section 3.1)
//
//	|ŝ − (b + Σ wᵢv̂ᵢ)| ≤ γ(n+1)·(|b| + Σ|wᵢv̂ᵢ|),  γ(m) = m·u/(1 − m·u),  u = 2⁻⁵³,
//
// plus half of η = 2⁻¹⁰⁷⁴, the smallest positive number, for each product that underflows
// (section 2.2, model (2.8)); sums do not underflow. The inputs' errors add
// |Σ wᵢ(v̂ᵢ − vᵢ)| ≤ Σ|wᵢ|eᵢ. ReLU does not increase a difference.
// So each neuron's error is at most
//
//	e = γ(n+1)·(|b| + Σ|wᵢ||v̂ᵢ|) + Σ|wᵢ|eᵢ + n·η,
//
// which neuronError bounds from above, including its own roundings. careful applies
// it to the |v̂ᵢ| of one point; staticBound, for the kernel, applies it once to
// bounds over the entire domain.
//
// The kernel does not compute every neuron's value. What stands for neuron i in
// a column is an affine form, v̂ᵢ = αᵢ + Σ cᵢg·r̂g over G rows, with the computed
// α, c and r̂ but the sum in exact arithmetic. Let M be such that
//
//	|αᵢ| + Σ|cᵢg·r̂g| ≤ Mᵢ.
//
// The next layer's α' and c' are sums over its inputs, Σ wᵢαᵢ + b and Σ wᵢcᵢg,
// rounded as above, which moves its forms by at most γ(n+1)·(|b| + Σ|wᵢ|Mᵢ).
// Computing a form's values, for a row, takes G + 1 more roundings on the same
// magnitudes. So does finding its sign over the rows' ranges: a neuron may be set
// to zero, or kept, although ReLU does otherwise, and this error is at most the
// error of the form's bound. (In the first layer, ranges are themselves such
// bounds.) Together
//
//	e = γ(n + 3G + 8)·(|b| + Σ|wᵢ|Mᵢ) + Σ|wᵢ|eᵢ + n·η·(1 + Σ|r̂g|)
//
// for every neuron, and |b| + Σ|wᵢ|Mᵢ, enlarged by its own rounding, is the next
// layer's M. A product that underflows in c' is multiplied by the row, hence the
// last factor. In the first layer the rows are the protected inputs. If M is far
// from overflow, so are sums. A coefficient of a row of small numbers is bounded
// separately, by the sums of |w| over all paths from the row to the neuron.

// layer is a network layer; for a softmax head the last one is l1 − l0.
type layer struct {
	in, out int
	weights []float64 // out × in
	bias    []float64
	relu    bool
	// extra is the number of roundings that the weights carry already.
	extra int
}

// fold copies the network's layers and makes the head one logit. Rounding
// w1 − w0 costs each weight one more relative error u.
func fold(n *relu.Network) []layer {
	layers := make([]layer, len(n.Layers))
	for k := range n.Layers {
		l := &n.Layers[k]
		layers[k] = layer{in: l.In, out: l.Out, weights: l.Weights, bias: l.Bias, relu: l.ReLU}
	}
	if n.Head == relu.HeadSoftmax {
		last := &layers[len(layers)-1]
		difference := layer{in: last.in, out: 1, weights: make([]float64, last.in), bias: []float64{last.bias[1] - last.bias[0]}, extra: 1}
		for i := range difference.weights {
			difference.weights[i] = last.weights[last.in+i] - last.weights[i]
		}
		*last = difference
	}
	return layers
}

// neuronError bounds the error of a sum of n products and a bias, given
// magnitude ≥ |b| + Σ|wᵢ||v̂ᵢ| and carried ≥ Σ|wᵢ|eᵢ, both up to the rounding
// of sums of n + 1 terms. The factor is more than twice γ(n+1), for every n up to a
// few million, which also covers the rounding of magnitude; 2⁻⁵⁰ covers the
// rounding of e.
func neuronError(n int, magnitude, carried float64) float64 {
	factor := float64(n+4) * 0x1p-52
	tiny := float64(2*n+8) * math.SmallestNonzeroFloat64
	e := (factor*magnitude + (1+factor)*carried + tiny) * (1 + 0x1p-50)
	if !(magnitude < math.MaxFloat64/4) || math.IsNaN(e) {
		return math.Inf(1) // partial sums may have overflowed
	}
	return e
}

// inputError bounds the error of fl(fl(Scale·v) + Offset).
func (f *feed) inputError(v float64) float64 {
	if f.Table != nil || f.Scale == 1 && f.Offset == 0 {
		return 0
	}
	return (math.Abs(f.Scale)*math.Abs(v)+math.Abs(f.Offset))*0x1p-51 + 4*math.SmallestNonzeroFloat64
}

// staticBound bounds the error of every logit that the kernel computes over a
// region. It is infinite if the arithmetic could overflow.
func staticBound(layers []layer, s *space.Space, r space.Region) float64 {
	largest := make([]float64, s.Inputs) // Mᵢ
	errs := make([]float64, s.Inputs)
	inputs := bound.Inputs(s, r)
	m := newMapping(s)
	rows, reach := len(m.protected), 0.0 // G and Σ|r̂g| at most
	steepest := 1.0                      // largest coefficient of any form over a row
	for _, feeds := range [][]feed{m.shared, m.protected} {
		for i := range feeds {
			f := &feeds[i]
			v := math.Max(math.Abs(r.Box[f.feature].Lo), math.Abs(r.Box[f.feature].Hi))
			for _, p := range r.Values[f.feature] {
				v = math.Max(v, math.Abs(p))
			}
			errs[f.Index] = f.inputError(v)
			in := inputs[f.Index]
			largest[f.Index] = math.Max(math.Abs(in.Lo), math.Abs(in.Hi)) + errs[f.Index]
			reach += largest[f.Index]
		}
	}
	for k := range layers {
		l := &layers[k]
		nextLargest, nextErrs := make([]float64, l.out), make([]float64, l.out)
		n := l.in + l.extra + 3*rows + 8
		underflow := float64(2*n) * reach * math.SmallestNonzeroFloat64
		nextSteepest := 1.0
		for j := range l.out {
			magnitude, carried, slope := math.Abs(l.bias[j]), underflow, 0.0
			for i, w := range l.weights[j*l.in : (j+1)*l.in] {
				w = math.Abs(w)
				magnitude += w * largest[i]
				carried += w * errs[i]
				slope += w * steepest
			}
			nextErrs[j] = neuronError(n, magnitude, carried)
			nextSteepest = max(nextSteepest, slope)
			nextLargest[j] = magnitude + nextErrs[j]
			reach += nextLargest[j]
		}
		if !(nextSteepest < math.MaxFloat64/4) {
			return math.Inf(1)
		}
		rows = min(rows, maxForms) + l.out
		largest, errs, steepest = nextLargest, nextErrs, nextSteepest
	}
	return errs[0]
}

// careful evaluates one point (x completed by a combination) together with a bound of the
// error, from the magnitudes of intermediate values. If no bound exists, it returns 0 and an
// infinite bound.
func (e *Evaluator) careful(s *scratch, point []float64) (logit, err float64) {
	v, errs := s.values[0][:e.mapping.inputs], s.bounds[0][:e.mapping.inputs]
	for _, feeds := range [...][]feed{e.mapping.shared, e.mapping.protected} {
		apply(feeds, v, point)
		for i := range feeds {
			f := &feeds[i]
			errs[f.Index] = f.inputError(point[f.feature])
		}
	}
	if m, ok := e.model.(model.Near); ok {
		return m.LogitNear(v, errs)
	}
	if e.layers == nil {
		largest := s.values[1][:len(v)]
		for i := range v {
			largest[i] = math.Abs(v[i])
		}
		logit, err = e.model.Logit(v), e.model.LogitError(largest, errs)
		if !(err < math.Inf(1)) {
			return 0, math.Inf(1)
		}
		return logit, err
	}
	for k := range e.layers {
		l := &e.layers[k]
		next, nextErrs := s.values[(k+1)%2][:l.out], s.bounds[(k+1)%2][:l.out]
		for j := range l.out {
			sum := l.bias[j]
			magnitude, carried := math.Abs(sum), 0.0
			for i, w := range l.weights[j*l.in : (j+1)*l.in] {
				term := w * v[i]
				sum += term
				magnitude += math.Abs(term)
				carried += math.Abs(w) * errs[i]
			}
			nextErrs[j] = neuronError(l.in+l.extra, magnitude, carried)
			if l.relu && sum < 0 {
				sum = 0
			}
			next[j] = sum
		}
		v, errs = next, nextErrs
	}
	if math.IsInf(errs[0], 1) {
		return 0, errs[0]
	}
	return v[0], errs[0]
}
