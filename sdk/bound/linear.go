package bound

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Linear bounds every neuron by back-substitution: the neuron is written as a
// linear form over the layer before it, each ReLU there is replaced by a line
// below or above it, and so on down to the inputs. The lines are those of
// CROWN (Zhang et al., NeurIPS 2018) with the lower slope of DeepPoly (Singh
// et al., POPL 2019, section 2): 0 or 1, whichever leaves the smaller triangle.
// Every level's form is evaluated on the way, and the best of all levels and
// of interval arithmetic is kept, so Linear is never looser than Intervals.
func Linear(m model.Model, inputs []space.Interval) *Bounds {
	n, ok := m.(*relu.Network)
	if !ok {
		return itself(m, inputs)
	}
	b := &Bounds{Pre: make([][]space.Interval, len(n.Layers))}
	s := &substitution{n: n, post: [][]space.Interval{inputs}, pre: b.Pre}
	for k := range n.Layers {
		l := &n.Layers[k]
		pre := make([]space.Interval, l.Out)
		for j := range pre {
			pre[j] = enclose(l.Row(j), l.Bias[j], s.post[k], 0).Intersect(s.enclosed(k, l.Row(j), l.Bias[j], 0))
		}
		b.Pre[k] = pre
		if k == len(n.Layers)-1 {
			b.Logit = s.logit(l, pre)
			break
		}
		s.post = append(s.post, activate(l, pre))
	}
	return b
}

func activate(l *relu.Layer, pre []space.Interval) []space.Interval {
	if !l.ReLU {
		return pre
	}
	out := make([]space.Interval, len(pre))
	for j := range pre {
		out[j] = space.Interval{Lo: math.Max(0, pre[j].Lo), Hi: math.Max(0, pre[j].Hi)}
	}
	return out
}

// substitution carries the bounds found so far: post[k] encloses the values that
// layer k reads (post[0]: the inputs), pre[k] its neurons before the activation.
type substitution struct {
	n    *relu.Network
	post [][]space.Interval
	pre  [][]space.Interval
}

func (s *substitution) logit(last *relu.Layer, pre []space.Interval) space.Interval {
	if s.n.Head != relu.HeadSoftmax {
		return pre[0]
	}
	row, bias := difference(last)
	k := len(s.n.Layers) - 1
	return enclose(row, bias, s.post[k], 1).Intersect(s.enclosed(k, row, bias, 1))
}

// enclosed encloses Σ row·h + bias, where layer k reads h. extra counts relative
// roundings already in the row.
func (s *substitution) enclosed(k int, row []float64, bias float64, extra int) space.Interval {
	negative := make([]float64, len(row))
	for i, w := range row {
		negative[i] = -w
	}
	return space.Interval{Lo: s.lower(k, row, bias, extra), Hi: -s.lower(k, negative, -bias, extra)}
}

// lower is a lower bound on Σ c·h + constant.
//
// Rounding: the computed coefficients are carried down. Each contributes to err its
// largest error times the largest magnitude of the unit that it multiplies. A sum of
// m products has an error of at most γ(m) times the sum of their magnitudes (see
// enclose); the factor used is more than twice γ(m).
func (s *substitution) lower(k int, row []float64, constant float64, extra int) float64 {
	c := append([]float64(nil), row...)
	err := float64(extra) * 0x1p-52 * (math.Abs(constant) + weigh(c, s.post[k]))
	best := math.Inf(-1)
	for {
		if v := down(enclose(c, constant, s.post[k], 0).Lo - up(err)); v > best { // false if v is NaN
			best = v
		}
		if k == 0 {
			return best
		}
		k--
		l := &s.n.Layers[k]
		constant, err = s.relax(l, s.pre[k], c, constant, err)
		c, constant, err = through(l, c, constant, err, s.post[k])
		if math.IsNaN(err) || math.IsInf(err, 0) || math.IsNaN(constant) {
			return best
		}
	}
}

// relax replaces each ReLU of the layer by the line that bounds its term from
// below: c becomes the coefficients of the neurons before the activation.
func (s *substitution) relax(l *relu.Layer, pre []space.Interval, c []float64, constant, err float64) (float64, float64) {
	if !l.ReLU {
		return constant, err
	}
	for j := range c {
		lo, hi := pre[j].Lo, pre[j].Hi
		switch {
		case c[j] == 0 || lo >= 0:
		case hi <= 0:
			c[j] = 0
		case c[j] > 0:
			if hi <= -lo {
				c[j] = 0
			}
		default:
			// relu(y) ≤ t·(y − lo) on [lo, hi] for every t ≥ hi/(hi − lo).
			t := up(up(hi / (hi - lo)))
			c[j] *= t
			step := -c[j] * lo // a negative number: c < 0, lo < 0
			err += 0x1p-51 * math.Abs(c[j]) * (math.Max(-lo, hi) - lo)
			constant, err = add(constant, step, err)
		}
	}
	return constant, err
}

// through rewrites a linear form over a layer's neurons as a form over its inputs.
func through(l *relu.Layer, c []float64, constant, err float64, reads []space.Interval) ([]float64, float64, float64) {
	out := make([]float64, l.In)
	size := make([]float64, l.In) // Σ|c·w| for each input
	used := 0.0
	for j, cj := range c {
		if cj == 0 {
			continue
		}
		used++
		for i, w := range l.Row(j) {
			out[i] += cj * w
			size[i] += math.Abs(cj * w)
		}
		p := cj * l.Bias[j]
		err += 0x1p-52*math.Abs(p) + math.SmallestNonzeroFloat64
		constant, err = add(constant, p, err)
	}
	factor := (used + 4) * 0x1p-52
	for i := range size {
		most := math.Max(math.Abs(reads[i].Lo), math.Abs(reads[i].Hi))
		if size[i] > 0 {
			err += (factor*size[i] + used*math.SmallestNonzeroFloat64) * most
		}
	}
	// err is itself a sum of at most In + 2·Out positive terms.
	return out, constant, err * (1 + float64(l.In+2*l.Out+8)*0x1p-52)
}

// add returns constant + step, and err plus the rounding of that sum.
func add(constant, step, err float64) (float64, float64) {
	sum := constant + step
	return sum, err + 0x1p-52*math.Abs(sum)
}

// weigh is Σ|c|·max|v|.
func weigh(c []float64, v []space.Interval) float64 {
	sum := 0.0
	for i := range c {
		if c[i] != 0 {
			sum += math.Abs(c[i]) * math.Max(math.Abs(v[i].Lo), math.Abs(v[i].Hi))
		}
	}
	return sum
}
