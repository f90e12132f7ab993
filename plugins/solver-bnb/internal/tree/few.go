package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// Where people are counted, boxes are bounded for all of their people but a few, whose number is
// known (batch.Workspace.Few), and these are taken off.
//
// A box's people are all of a lattice's points, so their features are independent. Over a dimension of n evenly
// spaced values, a form c·x takes evenly spaced values, too. For X uniform on n points that are 1 apart, E exp(t·(X−EX)) is
// sinh(n·t/2)/(n·sinh(t/2)) ≤ exp(t²(n²−1)/24); any X within a radius r has
// E exp(t·(X−EX)) ≤ exp(t²r²/2) (Hoeffding's lemma). So c·x is sub-Gaussian with
// σ² = Σ over dimensions of κ·(Σ |c[i]|·r[i])², κ = (n+1)/(3(n−1)) or 1, and that is
// no more than Σ c[i]²·m·κ·r[i]², with m the number of inputs of the dimension.

// lostPart: an end of a neuron's enclosure that is moved may lose one in so many of those whom a leaf has
// undecided, or where neurons are more, one in so many as these.
const lostPart = 300

// maxTail is the τ from which on hardly any enclosure would be narrower.
const maxTail = 5.5

// prepareFew makes room for bounds that hold for all but a few.
func (w *worker) prepareFew() {
	if w.t.pairs || !w.g.Countable {
		return
	}
	w.ends = float64(w.space.Few(w.k))
	w.tails = make([]float64, w.each)
	for i := range w.g.Inputs { // of those that do not vary within a box
		copy(w.space.Offset(i), w.space.HalfWidth(i))
	}
}

// forAll has every box bounded for all of its people, as a checker does.
func (w *worker) forAll() {
	if w.ends > 0 {
		w.ends = 0
		w.space.ForAll()
	}
}

// tail is the τ for the halves of a box of whom so many are settled; 0 for bounds that hold for all.
func (w *worker) tail(box grid.Box, settled float64) float64 {
	size := 0.0
	if w.ends > 0 && !(w.t.splits && w.t.begun) { // cases are about all people
		size = w.g.Size(box)
	}
	if size <= enumerable || !countable(box, size) {
		return 0
	}
	if w.t.tail != 0 {
		return w.t.tail
	}
	tau := math.Sqrt(2 * math.Log(max(lostPart, w.ends)*size/(size-settled)))
	if !(tau < maxTail) {
		return 0
	}
	return tau
}

// tailOf is the τ of box b of those in the lanes.
func (w *worker) tailOf(b int) float64 {
	if w.ends == 0 {
		return 0
	}
	return w.tails[b]
}

// spread fills in how the inputs spread over the box in the lanes of box b.
func (w *worker) spread(box grid.Box, b int, tail float64) {
	if w.ends == 0 { // nor is there room
		return
	}
	w.space.SetTail(b, tail)
	if w.tails[b] = tail; tail == 0 {
		return
	}
	lane := b * w.k
	for d := range w.g.Dims {
		dim := &w.g.Dims[d]
		from, to := box[2*d], box[2*d+1]
		n := float64(to-from) + 1
		factor := float64(len(dim.Feeds))
		if dim.Even && n > 1 {
			factor *= (n + 1) / (3 * (n - 1))
		}
		for f := range dim.Feeds {
			feed := &dim.Feeds[f]
			c, r := w.space.Centre(feed.Input)[lane], w.space.HalfWidth(feed.Input)[lane]
			variance, offset := factor*r*r, 0.0
			if n == 1 || r < batch.LeastSpread || r > 1/batch.LeastSpread {
				variance, offset = 0, r
			} else {
				offset = feed.Width + 0x1p-36*(math.Abs(c)+r)
				if !dim.Even {
					offset += math.Abs(feed.Mean(from, to) - c)
				}
			}
			v, o := w.space.Variance(feed.Input)[lane:lane+w.k], w.space.Offset(feed.Input)[lane:lane+w.k]
			for z := range v {
				v[z], o[z] = variance, offset
			}
		}
	}
}

// lost bounds how many people of bounded box b of so many its bounds do not hold for.
func (w *worker) lost(b int, size float64) float64 {
	tau := w.tailOf(b)
	if tau == 0 {
		return 0
	}
	// Of each event a whole number, so that no more than the part rounded down.
	return float64(w.space.Moved(b)) * math.Floor(math.Exp(-tau*tau/2)*size*(1+0x1p-30))
}

// again bounds the boxes that wait for bounds that hold for all.
func (w *worker) again() {
	n := 2 * len(w.g.Dims)
	for i := 0; i < len(w.strict); i += n {
		w.add(w.strict[i:i+n], nil, 0, false)
	}
	w.strict = w.strict[:0]
	w.flush()
}
