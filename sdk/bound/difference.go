package bound

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Difference encloses, for two copies of one individual, the difference of
// every neuron's value before the activation (first copy minus second), by
// layer, and of the logits. Shared features cancel, so this is far tighter
// than the difference of the copies' own bounds.
type Difference struct {
	Pre   [][]space.Interval
	Logit space.Interval
}

// Differences encloses the differences of two copies over region r. The copies may
// differ in protected features, and in every other feature i by up to
// tolerance[i] (nil: not at all). r and b must enclose both copies. b tightens the
// result; it is the only bound for a model that is neither a network of ReLU layers
// nor model.Comparing.
//
// The difference is exactly 0 if no input that may differ reaches the logit through
// nonzero weights and neurons that may be active.
func Differences(m model.Model, s *space.Space, r space.Region, tolerance []float64, b *Bounds) *Difference {
	v := inputDifferences(s, r, tolerance)
	n, ok := m.(*relu.Network)
	if !ok {
		d := &Difference{Logit: spread(b.Logit)}
		if m, ok := m.(model.Comparing); ok {
			differs := make([]bool, len(v))
			for i := range v {
				differs[i] = v[i] != space.Interval{}
			}
			most := m.Apart(Inputs(s, r), differs)
			d.Logit = d.Logit.Intersect(space.Interval{Lo: -most, Hi: most})
		}
		return d
	}
	d := &Difference{Pre: make([][]space.Interval, len(n.Layers))}
	for k := range n.Layers {
		l := &n.Layers[k]
		pre := make([]space.Interval, l.Out)
		for j := range pre {
			pre[j] = enclose(l.Row(j), 0, v, 0).Intersect(spread(b.Pre[k][j]))
		}
		d.Pre[k] = pre
		if k == len(n.Layers)-1 {
			d.Logit = pre[0]
			if n.Head == relu.HeadSoftmax {
				row, _ := difference(l)
				d.Logit = enclose(row, 0, v, 1).Intersect(spread(b.Logit))
			}
			break
		}
		v = pre
		if l.ReLU {
			// ReLU is monotone and moves by no more than its argument; it does
			// not move at all if both copies are inactive.
			v = make([]space.Interval, len(pre))
			for j := range pre {
				if b.Pre[k][j].Hi > 0 {
					v[j] = space.Interval{Lo: math.Min(0, pre[j].Lo), Hi: math.Max(0, pre[j].Hi)}
				}
			}
		}
	}
	return d
}

// spread encloses the difference of any two numbers of an interval.
func spread(iv space.Interval) space.Interval {
	w := up(iv.Hi - iv.Lo)
	if math.IsNaN(w) {
		w = math.Inf(1)
	}
	return space.Interval{Lo: -w, Hi: w}
}

func inputDifferences(s *space.Space, r space.Region, tolerance []float64) []space.Interval {
	out := make([]space.Interval, s.Inputs)
	whole := Inputs(s, r)
	for i := range s.Features {
		f := &s.Features[i]
		apart := 0.0
		if !f.IsProtected() && tolerance != nil {
			apart = tolerance[i]
		}
		if f.IsProtected() && len(r.Values[i]) < 2 || !f.IsProtected() && apart == 0 {
			continue
		}
		for k := range f.Inputs {
			in := &f.Inputs[k]
			out[in.Index] = spread(whole[in.Index])
			if !f.IsProtected() && in.Table == nil && in.Scale != 0 {
				w := up(math.Abs(in.Scale) * apart)
				out[in.Index] = out[in.Index].Intersect(space.Interval{Lo: -w, Hi: w})
			}
		}
	}
	return out
}
