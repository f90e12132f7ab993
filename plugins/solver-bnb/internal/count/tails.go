package count

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
)

// maxTail is the τ above which few enclosures would become narrower.
const maxTail = 5.5

// Tails bounds boxes except for a small excluded mass, which is bounded (batch.Workspace.Few) and subtracted. The zero
// value bounds them for all individuals.
//
// A box's individuals are all points of a lattice, so their features are independent. Over a dimension of n evenly spaced
// values, a form c·x takes evenly spaced values, too. For X uniform on n points at distance 1, E exp(t·(X−EX)) is
// sinh(n·t/2)/(n·sinh(t/2)) ≤ exp(t²(n²−1)/24); any X within a radius r has E exp(t·(X−EX)) ≤ exp(t²r²/2) (Hoeffding,
// "Probability inequalities for sums of bounded random variables", JASA 1963). So c·x is sub-Gaussian with σ² = Σ over
// dimensions of κ·(Σ |c[i]|·r[i])², κ = (n+1)/(3(n−1)) or 1. That is at most Σ c[i]²·m·κ·r[i]², with m the number of inputs
// of the dimension.
type Tails struct {
	// Neurons is the number of a box's neurons whose ends may be trimmed; 0 if bounds hold
	// for all individuals.
	Neurons float64
	tau     []float64 // by slot
}

// newTails enables trimmed bounds in a workspace.
func newTails(w *relax.Workspace) (t Tails) {
	t.Neurons = float64(w.Batch.Few(w.Lanes))
	t.tau = make([]float64, w.Slots)
	for i := range w.Grid.Inputs { // for inputs that do not vary within a box
		copy(w.Batch.Offset(i), w.Batch.HalfWidth(i))
	}
	return t
}

// ForAll makes bounds hold for all individuals from now on, as a checker needs.
func (c *Counter) ForAll() {
	if c.Neurons > 0 {
		c.Neurons = 0
		c.Batch.ForAll()
	}
}

// TailFor returns the τ for the halves of a box, by how many of its individuals are decided; 0 if bounds must hold for
// all.
func (c *Counter) TailFor(box grid.Box, decided float64) float64 {
	if c.Neurons == 0 {
		return 0
	}
	p, size := &c.Params, c.Grid.Size(box)
	if size <= p.Enumerate || !Countable(box, size) {
		return 0
	}
	if p.Count.Tail != 0 {
		return p.Count.Tail
	}
	tau := math.Sqrt(2 * math.Log(max(p.Count.LostPart, c.Neurons)*size/(size-decided)))
	if !(tau < maxTail) {
		return 0
	}
	return tau
}

// Tail returns the τ of the box in a slot; 0 if its bounds hold for all individuals.
func (c *Counter) Tail(slot int) float64 {
	if c.Neurons == 0 {
		return 0
	}
	return c.tau[slot]
}

// PlaceTail sets the τ of the box in a slot, and how the inputs spread over the box.
func (c *Counter) PlaceTail(box grid.Box, slot int, tau float64) {
	if c.Neurons == 0 { // there is no memory for it
		return
	}
	c.Batch.SetTail(slot, tau)
	if c.tau[slot] = tau; tau == 0 {
		return
	}
	lane := slot * c.Lanes
	for d := range c.Grid.Dims {
		dim := &c.Grid.Dims[d]
		from, to := box[2*d], box[2*d+1]
		n := float64(to-from) + 1
		factor := float64(len(dim.Feeds))
		if dim.Even && n > 1 {
			factor *= (n + 1) / (3 * (n - 1))
		}
		for f := range dim.Feeds {
			feed := &dim.Feeds[f]
			m, r := c.Batch.Centre(feed.Input)[lane], c.Batch.HalfWidth(feed.Input)[lane]
			variance, offset := factor*r*r, 0.0
			if n == 1 || r < batch.LeastSpread || r > 1/batch.LeastSpread {
				variance, offset = 0, r
			} else {
				offset = feed.Width + 0x1p-36*(math.Abs(m)+r)
				if !dim.Even {
					offset += math.Abs(feed.Mean(from, to) - m)
				}
			}
			v, o := c.Batch.Variance(feed.Input)[lane:lane+c.Lanes], c.Batch.Offset(feed.Input)[lane:lane+c.Lanes]
			for z := range v {
				v[z], o[z] = variance, offset
			}
		}
	}
}

// Excluded bounds the mass that the bounds of the box in a slot exclude; size is its number of
// individuals.
func (c *Counter) Excluded(slot int, size float64) float64 {
	tau := c.Tail(slot)
	if tau == 0 {
		return 0
	}
	// Each event excludes a whole number of individuals, so at most its share rounded
	// down.
	return float64(c.Batch.Moved(slot)) * math.Floor(math.Exp(-tau*tau/2)*size*(1+0x1p-30))
}
