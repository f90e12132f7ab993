package encode

import (
	"math"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// sensitivity propagates one unit of error in every row, bound, integer value
// and set of a copy to its logit, by products of |W| from the output backwards. A phase
// counts with its big-M, by which x moves if the phase is off by one unit. In a
// set the smaller part may be one unit, and the ReLU is then off by as much.
func (e *reluRows) sensitivity() float64 {
	n := e.n
	last := &n.Layers[len(n.Layers)-1]
	gain := make([]float64, last.In)
	for i := range gain {
		gain[i] = math.Abs(last.Row(0)[i])
		if n.Head == relu.HeadSoftmax {
			gain[i] = math.Abs(last.Row(1)[i] - last.Row(0)[i])
		}
	}
	return e.carried(gain, len(n.Layers)-2)
}

// carried bounds how far one unit of error in every row, bound, integer value and
// set up to layer k moves a form over that layer's neurons. gain bounds the form's
// weights. (The inputs are layer −1.)
func (e *reluRows) carried(gain []float64, k int) float64 {
	n, total := e.n, 0.0
	for ; k >= 0; k-- {
		l := &n.Layers[k]
		next := make([]float64, l.In)
		for j, g := range gain {
			pre := e.bounds.Pre[k][j]
			if l.ReLU && pre.Hi <= 0 {
				continue
			}
			own := 1.0
			switch {
			case !l.ReLU || pre.Lo >= 0:
			case e.sets:
				own++
			default:
				own += math.Max(pre.Hi, -pre.Lo)
			}
			total += g * own
			for i, w := range l.Row(j) {
				next[i] += g * math.Abs(w)
			}
		}
		gain = next
	}
	for i, g := range gain {
		total += g * e.inputGain[i]
	}
	return total
}
