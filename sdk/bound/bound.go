// Package bound encloses what a model computes over a region. Every bound
// is rounded outward, so it holds for the stored weights in exact arithmetic
// and may stand in a rigorous proof.
//
// The methods are for networks of ReLU layers. Any other model is enclosed by its own
// method Bounds if it is model.Bounded; if it is not, the bounds of its logit are infinite.
package bound

import (
	"math"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Bounds encloses a model over a region.
type Bounds struct {
	// Pre encloses each neuron's value before the activation, by layer and neuron;
	// nil for models that are not networks of ReLU layers.
	Pre [][]space.Interval
	// Logit encloses l0, or l1 − l0 for a softmax head (as one linear form,
	// tighter than the difference of the two outputs' intervals).
	Logit space.Interval
	// Difference encloses the difference of two copies of one individual; nil if
	// unknown. Methods do not know the copies and leave it nil.
	Difference *Difference
}

// Apart bounds the distance between the logits of two copies of one individual; +Inf if
// Difference is nil.
func (b *Bounds) Apart() float64 {
	if b.Difference == nil {
		return math.Inf(1)
	}
	return math.Max(math.Abs(b.Difference.Logit.Lo), math.Abs(b.Difference.Logit.Hi))
}

// Method is a named way to bound a model over a box of inputs.
type Method struct {
	Name    string
	Summary string
	Bound   func(model.Model, []space.Interval) *Bounds
}

// Methods is the register: a new method adds one line. All are rigorous.
var Methods = []Method{
	{"interval", "interval arithmetic, layer by layer", Intervals},
	{"linear", "back-substitution of linear forms (CROWN, DeepPoly)", Linear},
}

// Lookup finds a method by name. The error for an unknown name lists the known ones.
func Lookup(name string) (Method, error) {
	return named.Find(Methods, func(m Method) string { return m.Name }, "bounds", name)
}

// Inputs encloses the network inputs over a region, where protected features take
// all their values in it.
func Inputs(s *space.Space, r space.Region) []space.Interval {
	out := make([]space.Interval, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		values := r.Box[i]
		if f.IsProtected() {
			v := r.Values[i]
			values = space.Interval{Lo: v[0], Hi: v[len(v)-1]}
		}
		for k := range f.Inputs {
			in := &f.Inputs[k]
			out[in.Index] = inputRange(f, in, values, r.Values[i])
		}
	}
	return out
}

func inputRange(f *space.Feature, in *space.Input, values space.Interval, list []float64) space.Interval {
	if in.Table == nil {
		a := affine(in, values.Lo)
		b := affine(in, values.Hi)
		return space.Interval{Lo: math.Min(a.Lo, b.Lo), Hi: math.Max(a.Hi, b.Hi)}
	}
	out := space.Interval{Lo: math.Inf(1), Hi: math.Inf(-1)}
	note := func(v float64) {
		t := in.Table[int(v-f.Lo)]
		out.Lo, out.Hi = math.Min(out.Lo, t), math.Max(out.Hi, t)
	}
	if f.IsProtected() {
		for _, v := range list {
			note(v)
		}
	} else {
		for v := math.Ceil(values.Lo); v <= values.Hi; v++ {
			note(v)
		}
	}
	return out
}

// affine encloses Scale·v + Offset. A fused multiply-add rounds once, and not at
// all if Scale is 1 and Offset 0: the interval is then a point.
func affine(in *space.Input, v float64) space.Interval {
	y := math.FMA(in.Scale, v, in.Offset)
	if in.Scale == 1 && in.Offset == 0 {
		return space.Interval{Lo: y, Hi: y}
	}
	return space.Interval{Lo: down(y), Hi: up(y)}
}

// itself encloses a model that is not a network of ReLU layers, by the model's own
// bounds. Without such bounds, the interval is infinite at both ends.
func itself(m model.Model, inputs []space.Interval) *Bounds {
	if m, ok := m.(model.Bounded); ok {
		return &Bounds{Logit: m.Bounds(inputs)}
	}
	return &Bounds{Logit: space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}}
}

// Intervals propagates input ranges through the network by interval
// arithmetic. len(inputs) must be the model's number of inputs.
func Intervals(m model.Model, inputs []space.Interval) *Bounds {
	n, ok := m.(*relu.Network)
	if !ok {
		return itself(m, inputs)
	}
	b := &Bounds{Pre: make([][]space.Interval, len(n.Layers))}
	v := inputs
	for k := range n.Layers {
		l := &n.Layers[k]
		pre := make([]space.Interval, l.Out)
		for j := range pre {
			pre[j] = enclose(l.Row(j), l.Bias[j], v, 0)
		}
		b.Pre[k] = pre
		if k == len(n.Layers)-1 {
			b.Logit = logit(n, l, pre, v)
			break
		}
		v = activate(l, pre)
	}
	return b
}

func logit(n *relu.Network, last *relu.Layer, pre, v []space.Interval) space.Interval {
	if n.Head != relu.HeadSoftmax {
		return pre[0]
	}
	row, bias := difference(last)
	// Each difference carries one rounding, relative u: one more factor (1+δ).
	return enclose(row, bias, v, 1)
}

// difference is the linear form of l1 − l0 of a softmax head, each entry
// rounded once.
func difference(last *relu.Layer) (row []float64, bias float64) {
	w0, w1 := last.Row(0), last.Row(1)
	row = make([]float64, last.In)
	for i := range row {
		row[i] = w1[i] - w0[i]
	}
	return row, last.Bias[1] - last.Bias[0]
}

// enclose bounds Σ w·v + bias over the box v.
//
// With n products summed recursively in float64, in any order and with or
// without fused multiply-adds, the error of each end is at most γ(n+1)·Σ|w·v|,
// γ(k) = k·u/(1−k·u), u = 2⁻⁵³, plus 2⁻¹⁰⁷⁴ for each product that underflows
// (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections
// 3.1 and 2.1). The sum of magnitudes is itself rounded, so the factor is
// raised to (n+4+extra)·2u, which covers it for n below 2²⁰. extra counts
// further relative roundings already in the weights. If every product has a
// factor 0, nothing is rounded: the sum is the bias.
func enclose(w []float64, bias float64, v []space.Interval, extra int) space.Interval {
	lo, hi := bias, bias
	var absLo, absHi float64
	for i, c := range w {
		if c == 0 {
			continue // also keeps 0·Inf out
		}
		a, b := c*v[i].Lo, c*v[i].Hi
		if c < 0 {
			a, b = b, a
		}
		lo += a
		hi += b
		absLo += math.Abs(a)
		absHi += math.Abs(b)
	}
	if absLo == 0 && absHi == 0 && (extra == 0 || bias == 0) && allZero(w, v) {
		return space.Interval{Lo: bias, Hi: bias}
	}
	absLo += math.Abs(bias)
	absHi += math.Abs(bias)
	n := float64(len(w))
	factor := (n + 4 + float64(extra)) * 0x1p-52
	tiny := (n + 1) * math.SmallestNonzeroFloat64
	lo = down(lo - (factor*absLo + tiny))
	hi = up(hi + (factor*absHi + tiny))
	// An overflow makes an end infinite, and a sum of opposite infinities NaN.
	if math.IsNaN(lo) {
		lo = math.Inf(-1)
	}
	if math.IsNaN(hi) {
		hi = math.Inf(1)
	}
	return space.Interval{Lo: lo, Hi: hi}
}

// allZero reports whether each product w·v has a factor 0. A product that is computed as 0
// may also have underflowed.
func allZero(w []float64, v []space.Interval) bool {
	for i, c := range w {
		if c != 0 && v[i] != (space.Interval{}) {
			return false
		}
	}
	return true
}

func down(v float64) float64 { return math.Nextafter(v, math.Inf(-1)) }
func up(v float64) float64   { return math.Nextafter(v, math.Inf(1)) }
