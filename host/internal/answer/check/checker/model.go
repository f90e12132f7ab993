package checker

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// model is a network in integer arithmetic with one output, the logit.
type model struct {
	layers []layer
}

type layer struct {
	in, out       int
	shift         uint // weights and biases are the integers below divided by 2^shift
	weights, bias []big.Int
	relu          bool
}

// newModel converts a network that has passed Validate. The two units before a softmax
// become their difference.
func newModel(n *relu.Network) *model {
	m := &model{}
	for i := range n.Layers {
		l := &n.Layers[i]
		shift := max(fractions(l.Weights), fractions(l.Bias))
		m.layers = append(m.layers, layer{
			in: l.In, out: l.Out, relu: l.ReLU, shift: shift,
			weights: integers(l.Weights, shift), bias: integers(l.Bias, shift),
		})
	}
	if n.Head == relu.HeadSoftmax {
		last := &m.layers[len(m.layers)-1]
		for i := range last.in {
			last.weights[i].Sub(&last.weights[last.in+i], &last.weights[i])
		}
		last.bias[0].Sub(&last.bias[1], &last.bias[0])
		last.weights, last.bias, last.out = last.weights[:last.in], last.bias[:1], 1
	}
	return m
}

// maxScratch bounds the linear forms of one worker, in bytes.
const maxScratch = 2 << 30

// slopeBits is the number of binary places of a slope.
const slopeBits = 128

// fits checks that the forms of a box, for these numbers of variables and protected
// combinations, stay below maxScratch.
func (m *model) fits(variables, combinations int, inputBits uint) error {
	bits, width, total := float64(inputBits)+64, 1, 0.0
	for i := range m.layers {
		l := &m.layers[i]
		bits += float64(l.shift) + 64
		if l.relu {
			bits += slopeBits
			variables += l.out
		}
		width = max(width, l.out)
		total += float64(l.in*l.out) * (24 + bits/8)
	}
	total += 2 * float64(variables) * float64(width) * (24 + bits/8)
	total += 3 * float64(combinations) * float64(variables) * (24 + bits/8) // ranges, with two ends each
	if total > maxScratch {
		return fmt.Errorf("exact forms of this network over a box take about %.1f GiB; at most %d GiB are allowed",
			total/(1<<30), maxScratch>>30)
	}
	return nil
}

// apply computes the layer's weighted sums of forms. Coefficients of 0 cost nothing.
func (l *layer) apply(to, in *forms) {
	to.reset(l.out, len(in.coef), in.shift+l.shift)
	var product big.Int
	sum := func(row []big.Int, values []big.Int) {
		for i := range values {
			if values[i].Sign() == 0 {
				continue
			}
			for j := range row {
				if w := &l.weights[j*l.in+i]; w.Sign() != 0 {
					row[j].Add(&row[j], product.Mul(w, &values[i]))
				}
			}
		}
	}
	for j := range to.base {
		to.base[j].Lsh(&l.bias[j], in.shift)
	}
	sum(to.base, in.base)
	for v := range in.coef {
		sum(to.coef[v], in.coef[v])
	}
}

// forms are linear forms of the units of a layer: unit j is (base[j] + Σ coef[v][j]·e_v) /
// 2^shift with variables e_v between 0 and 1. The first variables are the position in a
// box: see frame. Each further one is the slack of a relaxed neuron.
type forms struct {
	shift uint
	base  []big.Int
	coef  [][]big.Int
	spare [][]big.Int // rows for reuse
}

// reset makes all forms zero, for these numbers of units and variables.
func (f *forms) reset(units, variables int, shift uint) {
	f.shift = shift
	f.base = zeros(f.base, units)
	for len(f.coef) > variables {
		f.spare = append(f.spare, f.coef[len(f.coef)-1])
		f.coef = f.coef[:len(f.coef)-1]
	}
	for v := range f.coef {
		f.coef[v] = zeros(f.coef[v], units)
	}
	for len(f.coef) < variables {
		f.add(units)
	}
}

// add appends a variable that no unit depends on, and returns its row.
func (f *forms) add(units int) []big.Int {
	var row []big.Int
	if n := len(f.spare); n > 0 {
		row, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	row = zeros(row, units)
	f.coef = append(f.coef, row)
	return row
}

// zeros is a slice of n zeros that reuses row's memory.
func zeros(row []big.Int, n int) []big.Int {
	row = slices.Grow(row[:0], n)[:n]
	for i := range row {
		row[i].SetInt64(0)
	}
	return row
}
