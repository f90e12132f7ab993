// Package count bounds from below how many individuals of an open node are fair, and how many are
// unfair.
package count

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count/convolution"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
)

// mostCells is the largest number of cells of a dimension that may be counted, because
// each may be visited.
const mostCells = grid.RealCells

// Countable reports whether a box may be counted; size is its number of individuals.
func Countable(box grid.Box, size float64) bool {
	for d := 0; d < len(box); d += 2 {
		if box[d+1]-box[d] >= mostCells {
			return false
		}
	}
	return size < 1<<53
}

// Counter bounds numbers of individuals in the boxes that a workspace has bounded. It serves one goroutine.
type Counter struct {
	*relax.Workspace
	convolution *convolution.Counter
	sum         sum
	values      []float64 // memory of sum's dimensions
	tables
	// Tails are the bounds that exclude a small mass.
	Tails
}

// New returns a Counter for the boxes of a workspace. With tails, bounds may exclude a
// small mass.
func New(w *relax.Workspace, tails bool) *Counter {
	cells, n := 0, len(w.Grid.Dims)
	for d := range w.Grid.Dims {
		if dim := &w.Grid.Dims[d]; !dim.Even {
			cells += min(dim.Cells, mostCells)
		}
	}
	c := &Counter{
		Workspace: w, convolution: convolution.NewCounter(w.Network.Kernel()), values: make([]float64, cells),
		tables: tables{
			only: make([]bool, w.Lanes), batch: w.Batch.NewTables(w.Lanes), pull: make([]float64, len(w.Grid.Inputs)),
			pulls: make([]float64, n), block: make([]int, n),
		},
	}
	if tails {
		c.Tails = newTails(w)
	}
	return c
}

// Bounded invalidates the tables. It is called after the workspace has bounded other
// boxes.
func (c *Counter) Bounded() { c.state = nothing }

// Count bounds from below how many individuals of box, a part of the box in a slot, are treated fairly, and how many are
// not. Bounds may fail for at most excluded of them. If the notion is not about signs, th are the thresholds of the
// aligned forms, and no two logits of an individual differ by more than apart. If pays is not set, tables are not worth
// their time.
func (c *Counter) Count(box grid.Box, slot int, excluded, apart float64, th notion.Thresholds, possible, sure []bool, pays bool) (fair, unfair float64) {
	if !c.Notion.Signs() && th.From < th.To && c.Aligned != nil {
		unfair = c.between(box, slot, th)
	}
	// Individuals with all logits above, or all below, a certain number are fair.
	if beyond := c.Notion.Beyond(apart); pays && !c.Off(params.Tables) && !math.IsInf(beyond, 1) && c.Tabulate(box, slot, beyond) {
		open := c.Uncertain(possible)
		for side := range 2 {
			fair += max(0, c.Beyond(side, possible, beyond, open)-excluded)
		}
		if c.Notion.Signs() {
			unfair = c.Opposite(box, sure)
		}
	}
	return fair, max(0, unfair-excluded)
}

// between bounds from below how many individuals have the t of their aligned forms
// between the thresholds.
func (c *Counter) between(box grid.Box, slot int, th notion.Thresholds) float64 {
	s := &c.sum
	c.contributions(s, box, c.Aligned.Slopes(slot))
	open := th.Above - th.Below - (th.To - th.From)
	only := notion.Thresholds{Above: math.Inf(1), Below: math.Inf(-1), From: th.From + s.below, To: th.To - s.beyond}
	_, _, n := c.convolution.Count(s.start, s.dims, only, open, c.AlignError())
	return n
}

// sum describes t over a box's cells: start plus the dimensions' contributions. A cell
// with more than one value contributes the lower ends of its inputs. The fields below and
// beyond bound by how much t may then be less, and more.
type sum struct {
	start         float64
	dims          []convolution.Dim
	below, beyond float64
}

// contributions sets s to describe t over a box, given the common slopes by feed.
func (c *Counter) contributions(s *sum, box grid.Box, slopes []float64) {
	s.start, s.dims, s.below, s.beyond = 0, s.dims[:0], 0, 0
	for _, d := range c.Idle {
		s.dims = append(s.dims, convolution.Dim{Cells: cellsOf(box, d)})
	}
	values := c.values
	for i := 0; i < len(c.Feeds); {
		d := c.Feeds[i].Dim
		dim := &c.Grid.Dims[d]
		from, to, cells := box[2*d], box[2*d+1], cellsOf(box, d)
		contribution := convolution.Dim{Cells: cells}
		if !dim.Even {
			contribution.Values, values = values[:cells], values[cells:]
			clear(contribution.Values)
		}
		var first, last float64
		for ; i < len(c.Feeds) && c.Feeds[i].Dim == d; i++ {
			a, feed := slopes[i], &c.Feeds[i]
			first += a * feed.Low(from)
			last += a * feed.Low(to)
			feed.AddLows(contribution.Values, a, from)
			s.below, s.beyond = s.below+max(-a*feed.Width, 0), s.beyond+max(a*feed.Width, 0)
		}
		switch {
		case contribution.Values != nil:
			s.dims = append(s.dims, contribution)
		case cells == 1:
			s.start += first
		default:
			s.start += first
			contribution.Step = (last - first) / float64(cells-1)
			s.dims = append(s.dims, contribution)
		}
	}
}

// cellsOf returns the number of cells of a box in a dimension.
func cellsOf(box grid.Box, d int) int { return int(box[2*d+1]-box[2*d]) + 1 }
