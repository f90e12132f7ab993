package relax

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/space"
)

// Together is about the number of lanes bounded at a time: two to four octets keep the vector units busy and the forms in
// the first-level cache.
const Together = 32

// Layout says how a problem's boxes are placed in lanes. It is read-only.
type Layout struct {
	Lanes  int       // per box: one per combination, for both copies if they may differ
	Slots  int       // boxes bounded at a time
	Feeds  []Feed    // all inputs fed, dimension by dimension
	First  []int     // by dimension: the first of its Feeds
	Inputs [][]int32 // by dimension: the inputs fed
	Idle   []int     // dimensions that feed no input
}

// Feed is an input that a dimension feeds.
type Feed struct {
	*grid.Feed
	Dim   int
	apart bool // the second copies' input may differ, so it has no common slope
}

// Workspace bounds boxes of a network on one thread. NewWorkspace fixes which bounds it computes.
type Workspace struct {
	*Problem
	Layout
	Batch *batch.Workspace
	N     int // boxes placed
	// Lo and Hi are the enclosures, by lane, of the slot last asked for.
	Lo, Hi []float64
	// Branched is, by dimension, how wide lanes would be after a split.
	Branched    [][]float64
	Subset      *Subset      // the combinations of lanes; nil if each box has all
	Differences *Differences // nil if not computed
	Aligned     *Aligned     // nil if not computed
	shifts      shifts       // inputs of features that may differ between the copies
	// Shown are the tangents, by lane, of a box's joint bound; zero if there is none. The caller clears them before
	// each box.
	Shown []notion.Tangent
}

// Bounds says which bounds to compute in addition to each lane's own.
type Bounds struct{ Differences, Aligned bool }

// Differences are lanes' logits less the first lane's.
type Differences struct {
	inputs   []int32 // of protected features
	Mid, Rad []float64
}

// NewWorkspace returns a workspace for boxes of a number of lanes each.
func NewWorkspace(p *Problem, lanes int, of Bounds) *Workspace {
	g := p.Grid
	w := &Workspace{Problem: p, Lo: make([]float64, lanes), Hi: make([]float64, lanes), Shown: make([]notion.Tangent, lanes)}
	w.Lanes, w.Slots = lanes, max(1, Together/lanes)
	w.Batch = p.Network.NewWorkspace(w.Slots * lanes)
	p.FixInputs(w.Batch)
	if of.Differences && len(g.Relaxed) == 0 && len(g.Combinations[0].Inputs) > 0 { // differences need lanes with the same box
		w.Differences = &Differences{}
		for _, f := range g.Combinations[0].Inputs {
			w.Differences.inputs = append(w.Differences.inputs, int32(f.Input))
		}
	}
	for d := range g.Dims {
		dim := &g.Dims[d]
		var inputs []int32
		w.First = append(w.First, len(w.Feeds))
		for f := range dim.Feeds {
			inputs = append(inputs, int32(dim.Feeds[f].Input))
			w.Feeds = append(w.Feeds, Feed{&dim.Feeds[f], d, g.Apart(d, f)})
		}
		if len(inputs) == 0 {
			w.Idle = append(w.Idle, d)
		}
		w.Inputs, w.Branched = append(w.Inputs, inputs), append(w.Branched, make([]float64, w.Batch.Lanes()))
	}
	if p.Pairs {
		w.shifts = newShifts(w)
	}
	if of.Aligned {
		w.Aligned = newAligned(w)
	}
	return w
}

// Narrow returns a workspace with a number of lanes per box, whose combinations Assign
// chooses.
func Narrow(p *Problem, lanes int, of Bounds) *Workspace {
	w := NewWorkspace(p, lanes, of)
	w.Subset = &Subset{combinations: make([]int, w.Slots*lanes), possible: make([]bool, lanes), sure: make([]bool, lanes)}
	return w
}

// Place puts a box into a slot.
func (w *Workspace) Place(box grid.Box, slot int) {
	from, to, dims, in := slot*w.Lanes, (slot+1)*w.Lanes, w.Grid.Dims, w.Batch
	for d := range dims {
		first, last := box[2*d], box[2*d+1]
		for f := range dims[d].Feeds {
			feed := &dims[d].Feeds[f]
			c, r := feed.Enclose(first, last)
			centre, radius := in.Centre(feed.Input)[from:to], in.HalfWidth(feed.Input)[from:to]
			cut, h := in.SplitReduction(feed.Input)[from:to], r*halved(last-first+1)
			for z := range centre {
				centre[z], radius[z], cut[z] = c, r, h
			}
		}
	}
	w.shifts.place(w, box, slot)
}

// halved returns the share by which the radius of consecutive cells shrinks if they are split in two.
func halved(cells uint64) float64 {
	if cells == 1 {
		return 0
	}
	return float64(cells) / float64(2*(cells-1))
}

// Bound bounds the placed boxes. If forms are aligned, second copies' tied inputs are
// then replaced by the first copies'.
func (w *Workspace) Bound() {
	intervals := w.Batch.Intervals
	w.Batch.Bound()
	if w.N < w.Slots { // lanes with earlier boxes do not count
		w.Batch.Intervals = intervals
	}
	for d, inputs := range w.Inputs {
		w.shifts.cut(w, d)
		copy(w.Branched[d], w.Batch.SplitWidths(inputs))
	}
	if d := w.Differences; d != nil {
		d.Mid, d.Rad = w.Batch.Differences(w.Lanes, d.inputs)
	}
	if w.Aligned != nil {
		w.shifts.tie(w)
		w.Aligned.alignMean(w)
		w.shifts.addToAligned(w)
	}
}

// Retune makes Bound bound neurons by intervals, too, while that pays. With sharpens, it also bounds again, from both
// sides, those that trimmed bounds leave open. It is called before each task.
func (w *Workspace) Retune(sharpens bool) { w.Batch.Intervals, w.Batch.Sharpens = true, sharpens }

// Enclosures writes the enclosures of a slot's logits to Lo and Hi, and returns them.
func (w *Workspace) Enclosures(slot int) (lo, hi []float64) {
	w.put(w.Batch.Mid(), w.Batch.Rad(), slot, w.Error)
	return w.Lo, w.Hi
}

// FromFirst writes bounds of a slot's logits less its first lane's to Lo and Hi.
func (w *Workspace) FromFirst(slot int) { w.put(w.Differences.Mid, w.Differences.Rad, slot, 0) }

// put writes mid ± (rad + e) of a slot to Lo and Hi.
func (w *Workspace) put(mid, rad []float64, slot int, e float64) {
	lane := slot * w.Lanes
	mid, rad = mid[lane:lane+w.Lanes], rad[lane:lane+w.Lanes]
	for z := range mid {
		r := rad[z] + e
		w.Lo[z], w.Hi[z] = mid[z]-r, mid[z]+r
	}
}

// Spreads encloses the logits of a slot: whole the logits themselves, spread the logits less a common t. possible and sure
// are by lane.
func (w *Workspace) Spreads(slot int, possible, sure []bool) (whole, spread notion.Spread) {
	w.Enclosures(slot)
	whole = notion.Gather(w.Lo, w.Hi, possible, sure)
	spread = whole
	if w.Aligned != nil {
		w.Remainders(slot)
		spread = notion.Gather(w.Lo, w.Hi, possible, sure)
		spread.From, spread.To = w.Common(slot)
	}
	if w.Differences != nil {
		w.FromFirst(slot)
		differences := notion.Gather(w.Lo, w.Hi, possible, sure)
		spread.Apart = min(spread.Apart, differences.Apart)
	}
	whole.Apart = min(whole.Apart, spread.Apart)
	return whole, spread
}

// Relative visits the enclosures of a slot that hold after a common shift of all lanes; they are in Lo and Hi.
func (w *Workspace) Relative(slot int, visit func()) {
	if w.Aligned != nil {
		w.Remainders(slot)
		visit()
	}
	if w.Differences != nil {
		w.FromFirst(slot)
		visit()
	}
}

// BranchingFeature returns the dimension whose split leaves the narrowest enclosures of the copies, −1 if there
// is none.
func (w *Workspace) BranchingFeature(box grid.Box, slot int) int {
	cut, least, lane := -1, math.Inf(1), slot*w.Lanes
	for d, row := range w.Branched {
		if box[2*d] == box[2*d+1] {
			continue
		}
		width := 0.0
		for _, v := range row[lane : lane+w.Lanes] {
			width += v
		}
		if cut < 0 || width < least {
			cut, least = d, width
		}
	}
	return cut
}

// Width returns the mean width of the enclosures of a slot's logits.
func (w *Workspace) Width(slot int) (mean float64) {
	for _, r := range w.Batch.Rad()[slot*w.Lanes : (slot+1)*w.Lanes] {
		mean += 2 * r
	}
	return mean / float64(w.Lanes)
}

// AlignError bounds the rounding of aligned forms and of sums over contributions. If a second copy's input is written as
// the first's plus an amount, the magnitudes are twice as large.
func (w *Workspace) AlignError() float64 {
	if w.shifts != nil {
		return 8 * w.Network.Error()
	}
	return 4 * w.Network.Error()
}

// ClipError bounds twice the rounding of a form's value in a cell less its value in the bounded box.
func (w *Workspace) ClipError() float64 { return 2 * w.AlignError() }

// Within encloses the logit of a lane over a part of the bounded box, by the box's form.
func (w *Workspace) Within(part grid.Box, lane int) space.Interval {
	form := w.Batch.Logit()
	mid, rad := form.Base[lane], w.Batch.Slack()[lane]+w.AlignError()
	add := func(input int, c, r float64) {
		s := form.Slope(input)[lane]
		mid += s * c
		rad += math.Abs(s) * r
	}
	for d := range w.Grid.Dims {
		for i := range w.Grid.Dims[d].Feeds {
			feed := &w.Grid.Dims[d].Feeds[i]
			c, r := feed.Enclose(part[2*d], part[2*d+1])
			add(feed.Input, c, r)
		}
	}
	for _, f := range w.Grid.Fixed {
		add(f.Input, f.Centre, f.HalfWidth)
	}
	for _, f := range w.Grid.Combinations[lane%w.Lanes].Inputs {
		add(f.Input, f.Centre, f.HalfWidth)
	}
	return space.Interval{Lo: mid - rad, Hi: mid + rad}
}
