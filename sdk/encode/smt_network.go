package encode

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// copyOf writes one copy of the model and returns its features and the
// position of its logit.
func (w *writer) copyOf(c int, shared []*smtFeature) ([]*smtFeature, int) {
	suffix := fmt.Sprintf("@%d", c+1)
	features := make([]*smtFeature, len(shared))
	v := make([]value, w.q.Space.Inputs)
	for i := range shared {
		f := shared[i]
		if f == nil {
			region := w.region
			if c == 0 {
				region = w.first
			}
			f = w.feature(i, suffix, region)
		}
		features[i] = f
		for k := range f.feature.Inputs {
			in := &f.feature.Inputs[k]
			v[in.Index] = f.input(in)
		}
	}
	var out value
	switch m := w.q.Model.(type) {
	case *relu.Network:
		out = w.network(m, suffix, v)
	case Script:
		terms := make([]string, len(v))
		for i := range v {
			if terms[i] = v[i].term; v[i].constant != nil {
				terms[i] = realText(v[i].constant)
			}
		}
		var text string
		text, out.term = m.Script(suffix, terms)
		w.text.WriteString(text)
	}
	if out.constant != nil {
		out.term = realText(out.constant)
	}
	name := "logit" + suffix
	logit := w.symbol(name, "Real", problem.RoleLogit)
	w.assert("(= " + name + " " + out.term + ")")
	return features, logit
}

// network writes a network of ReLU layers over its inputs' values.
func (w *writer) network(n *relu.Network, suffix string, v []value) value {
	layers := n.Layers
	reads := [][]value{v}
	for k := range layers[:len(layers)-1] {
		v = w.hidden(n, k, suffix, v)
		reads = append(reads, v)
	}
	if w.reads == nil {
		w.reads = reads
	}
	last := &layers[len(layers)-1]
	weights, bias := exactRow(last, 0)
	if n.Head == relu.HeadSoftmax {
		second, offset := exactRow(last, 1)
		for i := range weights {
			weights[i].Sub(second[i], weights[i])
		}
		bias.Sub(offset, bias)
	}
	return affine(weights, v, bias)
}

// hidden writes hidden layer k and returns its neurons' values.
func (w *writer) hidden(n *relu.Network, k int, suffix string, v []value) []value {
	l := &n.Layers[k]
	out := make([]value, l.Out)
	for j := range out {
		b := w.bounds.Pre[k][j]
		if l.ReLU && b.Hi <= 0 {
			out[j] = value{constant: new(big.Rat)}
			continue
		}
		if w.reads != nil && readsSame(l.Row(j), v, w.reads[k]) {
			out[j] = w.reads[k+1][j]
			continue
		}
		name := fmt.Sprintf("%d.%d%s", k+1, j+1, suffix)
		weights, bias := exactRow(l, j)
		y := w.define("y"+name, affine(weights, v, bias))
		switch {
		case !l.ReLU || y.constant == nil && b.Lo >= 0:
			out[j] = y
		case y.constant != nil:
			out[j] = y
			if y.constant.Sign() < 0 {
				out[j].constant = new(big.Rat)
			}
		default:
			out[j] = w.relu("n"+name, y.term, b)
		}
	}
	return out
}

// relu writes n = max(0, y) for an unstable neuron.
func (w *writer) relu(n, y string, b space.Interval) value {
	if w.relus == asIte {
		return w.define(n, value{term: "(ite (<= " + y + " 0.0) 0.0 " + y + ")"})
	}
	fmt.Fprintf(&w.text, "(declare-const %s Real)\n", n)
	w.assert(fmt.Sprintf("(and (>= %s 0.0) (>= %s %s) (or (<= %s 0.0) (<= %s %s)))", n, n, y, n, n, y))
	if !math.IsInf(b.Hi, 1) {
		w.assert("(<= " + n + " " + realText(exactly(b.Hi)) + ")")
	}
	return value{term: n}
}

// exactRow returns a neuron's weights and bias as exact fractions.
func exactRow(l *relu.Layer, j int) (weights []*big.Rat, bias *big.Rat) {
	weights = make([]*big.Rat, l.In)
	for i, w := range l.Row(j) {
		weights[i] = exactly(w)
	}
	return weights, exactly(l.Bias[j])
}
