package relu

import (
	"math"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relax"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// nodeWork is the largest number of coefficients of tableaus for a node: for both copies, and for each of
// them alone.
const nodeWork = 1 << 26

// Branching proves nodes by branching on ReLUs, on one thread.
type Branching struct {
	Prover *Prover
	// Requirements are alternatives; a value above Cutoff needs one of them.
	Requirements []notion.Requirement
	Cutoff       float64
	sides        [2]Side
	own          []bool
	// The current node.
	ws    *relax.Workspace
	box   grid.Box
	lane  int   // its first lane
	lanes []int // the possible lanes
	bin   int   // index of the current requirement
	known *Stats
	task  *Stats
	// Shown holds the proofs of the current node.
	Shown []sdk.CaseProof
}

// NewBranching returns a Branching for a problem. found, if not nil, receives the individuals nearest to optima of linear
// programs, by dimension.
func NewBranching(p *relax.Problem, stop func() bool, found func(x []float64)) *Branching {
	s := &Branching{Prover: New(p.Network)}
	s.Prover.Stop, s.own = stop, make([]bool, p.Query.Space.Inputs)
	for _, f := range p.Grid.Combinations[0].Inputs {
		s.own[f.Input] = true
	}
	s.Prover.Steps = make([]Step, p.Query.Space.Inputs)
	for d := range p.Grid.Dims {
		if dim := &p.Grid.Dims[d]; dim.Even {
			for i := range dim.Feeds {
				feed := &dim.Feeds[i]
				s.Prover.Steps[feed.Input] = StepOf(feed.Low(0), feed.Low(uint64(dim.Cells-1)), dim.Cells)
			}
		}
	}
	layers := p.Network.Layers()
	for i := range s.sides {
		side := &s.sides[i]
		side.Inputs = make([]space.Interval, p.Query.Space.Inputs)
		for _, l := range layers[:len(layers)-1] {
			side.Lo, side.Hi = append(side.Lo, make([]float64, l.Out)), append(side.Hi, make([]float64, l.Out))
		}
	}
	if found != nil {
		var x []float64
		s.Prover.Found = func(inputs []float64) {
			x = s.round(x[:0], inputs)
			found(x)
		}
	}
	return s
}

// Prove reports whether it proved that no individual of box, a part of the box in a workspace's slot, meets a requirement.
// known are the search's stats, task those of the task. raise reports whether individuals found meanwhile have raised
// Cutoff.
func (s *Branching) Prove(w *relax.Workspace, box grid.Box, slot int, possible []bool, known, task *Stats, raise func(cutoff float64) bool) bool {
	s.ws, s.box, s.lane, s.known, s.task = w, box, slot*w.Lanes, known, task
	s.lanes = s.lanes[:0]
	for z := range w.Lanes {
		if possible == nil || possible[z] {
			s.lanes = append(s.lanes, z)
		}
	}
	columns := 2 * s.unstable()
	if columns > known.Columns {
		return false
	}
	proved, left := false, [3]int{nodeWork, nodeWork, nodeWork}
	for again := true; again && left[both] > 0 && len(s.Requirements) > 0; {
		if proved = s.proveAll(&left); proved {
			break
		}
		again = raise(s.Cutoff)
	}
	task.Work += int64(3*nodeWork - left[higher] - left[lower] - left[both])
	if columns > known.Columns-nearLimit {
		if task.tried++; proved {
			task.proved++
		}
	}
	return proved
}

// proveAll reports whether it proved that no two lanes meet any requirement.
func (s *Branching) proveAll(left *[3]int) bool {
	s.Shown = nil
	for bin := range s.Requirements {
		s.bin = bin
		r := &s.Requirements[bin]
		if len(s.lanes) == 2 {
			if !s.proveInfeasible(r, s.lanes[:1], s.lanes[1:], left) || !s.proveInfeasible(r, s.lanes[1:], s.lanes[:1], left) {
				return false
			}
		} else if !s.proveInfeasible(r, s.lanes, s.lanes, left) {
			return false
		}
	}
	return true
}

// proveInfeasible reports whether it proved that no individual meets requirement r by two lanes, one from list a and one
// from list b. It tries three ways: no lane of a is beyond its own tangents, no lane of b is, or no pair of lanes is
// beyond those of both. left is the remaining work of each way. The lanes of a list are bounded together: each neuron
// between its least and greatest value in any of them.
func (s *Branching) proveInfeasible(r *notion.Requirement, a, b []int, left *[3]int) bool {
	if len(a) == 1 && len(b) == 1 && a[0] == b[0] || s.tooNear(r.Both, a, b) {
		return true
	}
	s.side(&s.sides[0], a)
	s.side(&s.sides[1], b)
	ways := []int{higher, lower, both}
	if known := &s.known.ways; known[lower].proved > known[higher].proved {
		ways[0], ways[1] = lower, higher
	}
	if s.Prover.Past { // for bins, optima of both copies are individuals with many bins; one copy alone does not help
		ways = ways[2:]
	}
	for _, way := range ways {
		if left[way] <= 0 || s.known.seldom(way) && s.task.Work > 0 {
			continue
		}
		sides, tangents := [2]*Side{&s.sides[0], &s.sides[1]}, r.Both
		if way != both {
			sides[1-way], tangents = nil, r.Alone[way]
		}
		s.task.ways[way].tried++
		proved, took := s.Prover.Prove(sides[0], sides[1], s.own, tangents, left[way])
		if left[way] -= took; proved {
			s.show(a, b)
			s.task.ways[way].proved++
			return true
		}
	}
	return false
}

// tooNear reports whether bounds of the logits alone prove that no two lanes, one from
// list a and one from list b, are beyond all tangents.
func (s *Branching) tooNear(tangents []notion.Tangent, a, b []int) bool {
	e := s.ws.Error
	mid, rad := s.ws.Batch.Mid()[s.lane:], s.ws.Batch.Rad()[s.lane:]
	most, least := math.Inf(-1), math.Inf(1)
	for _, z := range a {
		most = max(most, mid[z]+rad[z]+e)
	}
	for _, z := range b {
		least = min(least, mid[z]-rad[z]-e)
	}
	for _, t := range tangents {
		if v := t.Up*most - t.Down*least; v+0x1p-50*(math.Abs(most)+math.Abs(least)) < t.Beyond {
			return true
		}
	}
	return false
}

// enclose returns an interval with a centre and a radius, rounded outward.
func enclose(c, r float64) space.Interval {
	if r == 0 {
		return space.Interval{Lo: c, Hi: c}
	}
	return space.Interval{Lo: math.Nextafter(c-r, math.Inf(-1)), Hi: math.Nextafter(c+r, math.Inf(1))}
}

// side encloses the inputs and neurons of the current node, over the given lanes
// together.
func (s *Branching) side(to *Side, lanes []int) {
	g := s.ws.Grid
	for d := range g.Dims {
		for i := range g.Dims[d].Feeds {
			feed := &g.Dims[d].Feeds[i]
			to.Inputs[feed.Input] = enclose(feed.Enclose(s.box[2*d], s.box[2*d+1]))
		}
	}
	for _, f := range g.Fixed {
		to.Inputs[f.Input] = enclose(f.Centre, f.HalfWidth)
	}
	for n, z := range lanes {
		for _, f := range g.Combinations[s.ws.Combination(s.lane+z)].Inputs {
			iv := enclose(f.Centre, f.HalfWidth)
			if n > 0 {
				iv = space.Interval{Lo: min(iv.Lo, to.Inputs[f.Input].Lo), Hi: max(iv.Hi, to.Inputs[f.Input].Hi)}
			}
			to.Inputs[f.Input] = iv
		}
	}
	s.neurons(to, lanes)
}

// neurons encloses the hidden neurons of the current node over the given lanes together.
func (s *Branching) neurons(to *Side, lanes []int) {
	for k := range to.Lo {
		for j := range to.Lo[k] {
			mid, rad, e := s.ws.Batch.Neuron(k, j)
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, z := range lanes {
				m, r := mid[s.lane+z], rad[s.lane+z]+e
				lo, hi = min(lo, m-r), max(hi, m+r)
			}
			to.Lo[k][j], to.Hi[k][j] = lo, hi
		}
	}
}

// unstable counts the unstable neurons of the current node over all its lanes together.
func (s *Branching) unstable() int {
	s.neurons(&s.sides[0], s.lanes)
	return s.Prover.Unstable(&s.sides[0])
}

// show records the last proof for a checker. Its First copies are the lanes a, which
// have the higher logits; its Second copies are the lanes b.
func (s *Branching) show(a, b []int) {
	if !s.Prover.Shown {
		return
	}
	c := s.Prover.Proof()
	c.First.Copies, c.Second.Copies, c.Bin = slices.Clone(a), slices.Clone(b), s.bin
	c.Steps, _ = s.ofFeatures(c.Steps)
	s.Shown = append(s.Shown, c)
}

// ofFeatures returns the first tree of steps, in preorder, with cuts of inputs converted to cuts of features, and the
// steps that follow it.
func (s *Branching) ofFeatures(steps []sdk.CaseStep) (tree, rest []sdk.CaseStep) {
	step, rest := steps[0], steps[1:]
	if step.Kind == sdk.CaseEnd {
		return steps[:1:1], rest
	}
	low, rest := s.ofFeatures(rest)
	high, rest := s.ofFeatures(rest)
	if step.Kind == sdk.CaseCut {
		dim, feed := s.fed(step.Feature)
		cell := step.At
		if feed.Low(0) > feed.Low(uint64(dim.Cells-1)) { // the input decreases with the feature
			cell, low, high = -cell-1, high, low
		}
		step.Feature = dim.Feature
		step.At, _ = dim.Values(uint64(cell))
	}
	return slices.Concat([]sdk.CaseStep{step}, low, high), rest
}

// fed returns the dimension and feed of an input with steps.
func (s *Branching) fed(input int) (*grid.Dim, *grid.Feed) {
	for i := range s.ws.Feeds {
		if f := &s.ws.Feeds[i]; f.Input == input {
			return &s.ws.Grid.Dims[f.Dim], f.Feed
		}
	}
	panic("no feature feeds the input")
}

// round appends to x the individual of the node's box whose inputs are nearest to the
// given ones.
func (s *Branching) round(x, inputs []float64) []float64 {
	for d := range s.ws.Grid.Dims {
		dim := &s.ws.Grid.Dims[d]
		from, to := s.box[2*d], s.box[2*d+1]
		cell := from
		if len(dim.Feeds) > 0 && from < to {
			feed := &dim.Feeds[0]
			lo, hi := feed.Low(from), feed.Low(to)
			if share := (inputs[feed.Input] - lo) / (hi - lo); share > 0 {
				cell = from + uint64(math.Round(min(share, 1)*float64(to-from)))
			}
		}
		x = append(x, dim.Middle(cell))
	}
	return x
}
