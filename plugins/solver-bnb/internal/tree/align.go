package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/count/convolution"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/sdk/bound/batch"
)

// aligned is forms written as t plus what lies in mid ± rad, where t has slopes in
// common for all combinations of a box.
type aligned struct {
	form     batch.Form
	slopes   []float64 // in common, by box and feed
	mid, rad []float64 // by lane
}

// feed is an input that a dimension feeds.
type feed struct {
	*grid.Feed
	dim   int
	apart bool // it is another input in second copies, and has no slope in common
}

func (w *worker) newAligned() *aligned {
	n := w.space.Lanes()
	return &aligned{slopes: make([]float64, w.each*len(w.feeds)), mid: make([]float64, n), rad: make([]float64, n)}
}

// common takes slopes into the rows of box b's lanes.
func (w *worker) common(b int, slopes []float64) {
	lane := b * w.k
	for i := range w.feeds {
		row := w.space.CommonSlope(w.feeds[i].Input)[lane : lane+w.k]
		for z := range row {
			row[z] = slopes[i]
		}
	}
}

// alignMean aligns the logits' forms to their mean slopes.
func (w *worker) alignMean(to *aligned) {
	to.form = w.space.Logit()
	for b := range w.n {
		lane, slopes := b*w.k, to.of(w, b)
		for i := range w.feeds {
			if w.feeds[i].apart {
				continue
			}
			sum := 0.0
			for _, v := range to.form.Slope(w.feeds[i].Input)[lane : lane+w.k] {
				sum += v
			}
			slopes[i] = sum / float64(w.k)
		}
		w.common(b, slopes)
	}
	w.space.Align(&to.form, w.space.Slack(), to.mid, to.rad)
}

// of is the slopes in common of box b.
func (a *aligned) of(w *worker, b int) []float64 {
	return a.slopes[b*len(w.feeds) : (b+1)*len(w.feeds)]
}

// intervals puts what is left of the forms of the box in these lanes into lo and
// hi.
func (w *worker) intervals(a *aligned, lane int) {
	e := w.alignError()
	mid, rad := a.mid[lane:lane+w.k], a.rad[lane:lane+w.k]
	for z := range mid {
		r := rad[z] + e
		w.lo[z], w.hi[z] = mid[z]-r, mid[z]+r
	}
}

// around encloses t over box b.
func (w *worker) around(a *aligned, b int) (from, to float64) {
	mid, rad := 0.0, w.alignError()
	for i, slope := range a.of(w, b) {
		input := w.feeds[i].Input
		mid += slope * w.space.Centre(input)[b*w.k]
		rad += math.Abs(slope) * w.space.HalfWidth(input)[b*w.k]
	}
	return mid - rad, mid + rad
}

// alignError outweighs the rounding of Align and of sums over contributions; where
// a second copy's inputs are written as the first's and more, their magnitudes are
// twice as large.
func (w *worker) alignError() float64 {
	if w.relaxed != nil {
		return 8 * w.t.plan.Error()
	}
	return 4 * w.t.plan.Error()
}

// sum is t over a box's cells: start and what the dimensions contribute. In a cell
// of more than one value it may be less than that by below and more by beyond.
type sum struct {
	start         float64
	dims          []convolution.Dim
	below, beyond float64
}

// contributions fills in a sum with the slopes in common, by feed. values is room
// for dims.
func (w *worker) contributions(s *sum, box grid.Box, slopes, values []float64) {
	s.start, s.dims, s.below, s.beyond = 0, s.dims[:0], 0, 0
	for _, d := range w.idle {
		s.dims = append(s.dims, convolution.Dim{Cells: cellsOf(box, d)})
	}
	for i := 0; i < len(w.feeds); {
		d := w.feeds[i].dim
		dim := &w.g.Dims[d]
		from, to, cells := box[2*d], box[2*d+1], cellsOf(box, d)
		contribution := convolution.Dim{Cells: cells}
		if !dim.Even {
			contribution.Values, values = values[:cells], values[cells:]
			clear(contribution.Values)
		}
		var first, last float64
		for ; i < len(w.feeds) && w.feeds[i].dim == d; i++ {
			a, feed := slopes[i], &w.feeds[i]
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
