package crosscheck

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// individualsAsked is the number of random individuals, or points, of each network that are
// checked.
func individualsAsked(t testing.TB, usual int) int {
	text := os.Getenv(individualsVariable)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s: want a number", individualsVariable, text)
	}
	return n
}

// boxBits and offsetBits are the numbers of binary places of boxes' ends, and of points within
// a box. Domains up to 5000 leave their centres exact in float64, and points exact in int64.
const (
	boxBits    = 39
	offsetBits = 6
	pointBits  = boxBits + 1 + offsetBits
)

// TestBoundsEncloseExactValues evaluates the twenty public networks at points of
// random boxes in integers. Every neuron of every layer must lie within its
// enclosure, the logit within its own and above and below its linear forms, and
// the logits' differences between counterfactuals within theirs. Boxes are points,
// the whole domain, and all sizes between; points are corners, some of them those
// at which a form is least or greatest, and others.
func TestBoundsEncloseExactValues(t *testing.T) {
	eachNetwork(t, 4, tier.Count(40, 1000), func(c *enclosures, n *relu.Network) {
		c.agree(n)
		workspaces := map[int]*batch.Workspace{}
		for round := 0; c.left > 0; round++ {
			lanes := []int{8, 32, 56}[round%3]
			if c.w = workspaces[lanes]; c.w == nil {
				c.w = c.plan.NewWorkspace(lanes)
				workspaces[lanes] = c.w
				if lanes != 32 { // open neurons are bounded from both sides, too
					c.w.Few(1)
				}
			}
			c.group = []int{1, 2, 5, 8}[c.random.IntN(4)]
			c.round()
		}
	})
}

// eachNetwork checks the bounds of each of the twenty public networks at the given number of points.
func eachNetwork(t *testing.T, seed uint64, usual int, check func(c *enclosures, n *relu.Network)) {
	root, points := dataRoot(t), individualsAsked(t, usual)
	for _, sub := range subjects() {
		if len(sub.space.Forbidden) > 0 {
			continue // the same network again
		}
		t.Run(sub.name, func(t *testing.T) {
			n := sub.network(t, root)
			domain := make([]space.Interval, len(sub.space.Features))
			for i, f := range sub.space.Features {
				domain[i] = space.Interval{Lo: f.Lo, Hi: f.Hi}
			}
			plan, err := batch.New(n, domain)
			if err != nil {
				t.Fatal(err)
			}
			check(&enclosures{
				t: t, plan: plan, exact: newEveryNeuron(n), domain: domain, space: sub.space,
				random: rand.New(rand.NewPCG(seed, uint64(n.Parameters()))), left: points,
			}, n)
		})
	}
}

// TestTablesAreBelowExactValues evaluates the twenty public networks at points of random boxes of integers. Both sides' tables must be below the
// logit, or its negative, in their lanes, and the lowest of several lanes' below all of these, whatever groups the features are in.
func TestTablesAreBelowExactValues(t *testing.T) {
	eachNetwork(t, 54, tier.Count(40, 1500), func(c *enclosures, _ *relu.Network) {
		c.w = c.plan.NewWorkspace(16)
		for c.left > 0 {
			c.group = []int{1, 2, 8}[c.random.IntN(3)]
			for v := 0; v < c.w.Lanes(); v += c.group {
				c.fillIntegers(v)
			}
			c.w.Bound()
			c.w.Sides()
			c.w.LeaveOut()
			tables := c.w.NewTables(c.group)
			for v := 0; v < c.w.Lanes() && c.left > 0; v += c.group {
				c.tabulate(tables, v)
			}
		}
	})
}

// fillIntegers puts one random box of integers into the c.group lanes that begin at from, whose protected features have values.
func (c *enclosures) fillIntegers(from int) {
	kind := []int{1, 2, 4, 4}[c.random.IntN(4)]
	for i := range c.domain {
		lo, hi := c.side(kind, c.domain[i])
		lo, hi = min(lo, hi), max(lo, hi)
		for v := from; v < from+c.group; v++ {
			if values := c.space.Features[i].Protected; values != nil {
				lo = values[c.random.IntN(len(values))]
				hi = lo
			}
			c.w.Centre(i)[v], c.w.HalfWidth(i)[v] = (lo+hi)/2, (hi-lo)/2
		}
	}
}

// tabulate compares the tables of the box in the c.group lanes that begin at from with exact values at some of its points.
func (c *enclosures) tabulate(tables *batch.Tables, from int) {
	r := c.random
	type placed struct{ feature, least, cells, group, repeated int }
	var features []placed
	var sizes []int
	for _, i := range r.Perm(len(c.domain)) {
		if c.space.Features[i].Protected != nil {
			continue
		}
		centre, half := c.w.Centre(i)[from], c.w.HalfWidth(i)[from]
		f := placed{feature: i, least: int(centre - half), cells: int(2*half) + 1}
		if g := len(sizes) - 1; g >= 0 && r.IntN(3) > 0 && sizes[g]*f.cells <= 1000 {
			f.group, f.repeated = g, sizes[g]
			sizes[g] *= f.cells
		} else {
			f.group, f.repeated, sizes = len(sizes), 1, append(sizes, f.cells)
		}
		features = append(features, f)
	}
	tables.Shape(sizes)
	for _, f := range features {
		row, _ := tables.Feature(f.feature, f.group, false)
		for k := range row {
			row[k] = float64(f.least + min(k, sizes[f.group]-1)/f.repeated%f.cells)
		}
	}
	out := make([]float64, tables.Width())
	tables.Look(from / c.group)
	tables.Bound(from/c.group, float64(r.IntN(9)-4))
	for side := range 2 {
		among := make([]bool, c.group)
		lane := r.IntN(c.group)
		for z := range among {
			among[z] = z == lane || r.IntN(2) == 0
		}
		rest := tables.Lowest(side, among, out)
		for range 5 {
			x, at := make([]int64, len(c.domain)), make([]int, len(sizes))
			for i := range x {
				x[i] = int64(c.w.Centre(i)[from+lane])
			}
			for _, f := range features {
				k := r.IntN(f.cells)
				x[f.feature] = int64(f.least + k)
				at[f.group] += k * f.repeated
			}
			c.exact.at(x, 0)
			logit := c.exact.logit(c.t)
			if c.left--; side == 1 {
				logit = newFloat().Neg(logit)
			}
			above := exactly(c.t, newFloat().Sub(float(rest), logit))
			for g, k := range at {
				exactly(c.t, above.Add(above, float(out[tables.Point(g)+k])))
			}
			if above.Cmp(float(tables.Error(side))) > 0 {
				c.t.Fatalf("side %d of %v, in lane %d of groups of %d: the tables, of %d points, are %.17g above it, error %g", side, x, lane, c.group, sizes, above, tables.Error(side))
			}
		}
	}
}

// enclosures checks bounds of one network.
type enclosures struct {
	t      *testing.T
	plan   *batch.Plan
	w      *batch.Workspace
	exact  *everyNeuron
	domain []space.Interval
	space  *space.Space
	random *rand.Rand
	// group lanes have one box, but for the protected features.
	group int
	left  int // points to go
}

// agree compares the exact evaluation with network.Exact.
func (c *enclosures) agree(n *relu.Network) {
	x, inputs := make([]int64, len(c.domain)), make([]*big.Rat, len(c.domain))
	for i, iv := range c.domain {
		v := int64(iv.Lo) + c.random.Int64N(int64(iv.Hi-iv.Lo)+1)
		x[i], inputs[i] = v, new(big.Rat).SetInt64(v)
	}
	c.exact.at(x, 0)
	if got, _ := c.exact.logit(c.t).Rat(nil); got.Cmp(n.Exact().Logit(inputs)) != 0 {
		c.t.Fatalf("two exact evaluations of one point differ: %v", x)
	}
}

// round fills all lanes with boxes, bounds them, and checks points of each.
func (c *enclosures) round() {
	for v := 0; v < c.w.Lanes(); v += c.group {
		c.fill(v, min(v+c.group, c.w.Lanes()))
	}
	c.w.Intervals = c.random.IntN(2) == 0
	c.w.Bound()
	c.w.Sides()
	var mid, rad []float64
	if c.group > 1 {
		var apart []int32
		for _, i := range c.space.Protected() {
			apart = append(apart, int32(i))
		}
		mid, rad = c.w.Differences(c.group, apart)
	}
	offsets := make([]int64, len(c.domain))
	for v := 0; v < c.w.Lanes() && c.left > 0; v += c.group {
		to := min(v+c.group, c.w.Lanes())
		c.aim(v+c.random.IntN(to-v), offsets)
		var first *big.Float
		for lane := v; lane < to; lane++ {
			logit := c.check(lane, offsets)
			if c.left--; lane == v {
				first = logit
			} else {
				difference := exactly(c.t, newFloat().Sub(logit, first))
				if !within(c.t, difference, mid[lane], rad[lane], 0) {
					c.fail(lane, offsets, "difference to lane %d %.17g, enclosed by %g ± %g", v, difference, mid[lane], rad[lane])
				}
				if above, below := c.w.Pair(lane, v, c.group), -c.w.Pair(v, lane, c.group); difference.Cmp(float(above)) > 0 || difference.Cmp(float(below)) < 0 {
					c.fail(lane, offsets, "difference to lane %d %.17g, as a pair from %g to %g", v, difference, below, above)
				}
				up, down := 1.0, float64(c.random.IntN(1<<10))/(1<<10)
				if c.random.IntN(2) == 0 {
					up, down = down, up
				}
				high, low := exactly(c.t, newFloat().Mul(float(up), logit)), exactly(c.t, newFloat().Mul(float(down), first))
				weighted := exactly(c.t, newFloat().Sub(high, low))
				if most := c.w.Joint(lane, v, c.group, c.random.IntN(2) == 0).Most(up, down); weighted.Cmp(float(most)) > 0 {
					c.fail(lane, offsets, "with the weights %g and %g %.17g above lane %d, bounded by %g", up, down, weighted, v, most)
				}
			}
		}
	}
}

// fill puts one random box into the lanes [from, to).
func (c *enclosures) fill(from, to int) {
	kind := c.random.IntN(6)
	for i := range c.domain {
		lo, hi := c.side(kind, c.domain[i])
		for v := from; v < to; v++ {
			if values := c.space.Features[i].Protected; values != nil && c.group > 1 {
				lo = values[c.random.IntN(len(values))]
				hi = lo
			}
			c.w.Centre(i)[v], c.w.HalfWidth(i)[v] = (lo+hi)/2, (hi-lo)/2
		}
	}
}

// side draws the ends of a box in one dimension.
func (c *enclosures) side(kind int, of space.Interval) (lo, hi float64) {
	r := c.random
	width := int64(of.Hi - of.Lo)
	integer := func(from, to int64) float64 { return of.Lo + float64(from+r.Int64N(to-from+1)) }
	switch kind {
	case 0: // a point
		lo = integer(0, width)
		return lo, lo
	case 1: // the domain
		return of.Lo, of.Hi
	case 2: // small, in a few dimensions
		from := r.Int64N(width + 1)
		to := from
		if r.IntN(3) == 0 {
			to = min(width, from+r.Int64N(width/16+2))
		}
		return of.Lo + float64(from), of.Lo + float64(to)
	case 3: // real ends
		const one = 1 << boxBits
		from := r.Int64N(width*one + 1)
		to := from + r.Int64N(width*one-from+1)
		return of.Lo + float64(from)/one, of.Lo + float64(to)/one
	}
	lo = integer(0, width) // anything
	return lo, integer(int64(lo-of.Lo), width)
}

// aim chooses a point of lane's box: centre + radius·offsets/2^offsetBits.
func (c *enclosures) aim(lane int, offsets []int64) {
	const end = 1 << offsetBits
	how := c.random.IntN(6)
	for i := range offsets {
		slope, towards := 0.0, int64(end)
		switch how {
		case 0, 1: // where the form is least, or greatest
			form := c.w.Logit()
			slope, towards = form.Slope(i)[lane], end*int64(2*how-1)
		case 2, 3: // where a side is least
			side := c.w.Side(how - 2)
			slope, towards = side.Slope(i)[lane], -end
		case 4: // any corner
			slope = float64(2*c.random.IntN(2) - 1)
		default: // anywhere
			slope, towards = 1, c.random.Int64N(2*end+1)-end
		}
		if offsets[i] = towards; slope < 0 {
			offsets[i] = -towards
		}
	}
}

// check compares a lane's bounds with the exact values at a point of its box, and
// returns the exact logit.
func (c *enclosures) check(lane int, offsets []int64) *big.Float {
	x := make([]int64, len(offsets))
	inputs := make([]*big.Float, len(offsets))
	for i, o := range offsets {
		const one = 1 << (boxBits + 1)
		centre, radius := int64(c.w.Centre(i)[lane]*one), int64(c.w.HalfWidth(i)[lane]*one)
		x[i] = centre<<offsetBits + radius*o
		inputs[i] = over2(c.t, big.NewInt(x[i]), pointBits)
	}
	c.exact.at(x, pointBits)
	for k := range len(c.exact.layers) - 1 {
		for j := range c.exact.values[k] {
			mid, rad, err := c.w.Neuron(k, j)
			if value := c.exact.neuron(c.t, k, j); !within(c.t, value, mid[lane], rad[lane], err) {
				c.fail(lane, offsets, "neuron %d of layer %d is %.17g, enclosed by %g ± %g, error %g", j, k, value, mid[lane], rad[lane], err)
			}
		}
	}
	logit, err := c.exact.logit(c.t), c.plan.Error()
	if mid, rad := c.w.Mid()[lane], c.w.Rad()[lane]; !within(c.t, logit, mid, rad, err) {
		c.fail(lane, offsets, "logit %.17g, enclosed by %g ± %g, error %g", logit, mid, rad, err)
	}
	off := c.beyond(logit, c.w.Logit(), lane, inputs)
	if !within(c.t, off, 0, c.w.Slack()[lane], err) {
		c.fail(lane, offsets, "logit %.17g, its form %.17g away with slack %g, error %g", logit, off, c.w.Slack()[lane], err)
	}
	for side, value := range []*big.Float{logit, newFloat().Neg(logit)} {
		off := c.beyond(value, c.w.Side(side), lane, inputs)
		if off.Cmp(float(-err)) < 0 {
			c.fail(lane, offsets, "logit %.17g, beyond side %d by %.17g, error %g", logit, side, off, err)
		}
	}
	return logit
}

// beyond is how far value is above a linear form.
func (c *enclosures) beyond(value *big.Float, form batch.Form, lane int, x []*big.Float) *big.Float {
	out := exactly(c.t, newFloat().Sub(value, float(form.Base[lane])))
	for i := range x {
		term := exactly(c.t, newFloat().Mul(float(form.Slope(i)[lane]), x[i]))
		exactly(c.t, out.Sub(out, term))
	}
	return out
}

// within reports |value − mid| ≤ rad + err.
func within(t *testing.T, value *big.Float, mid, rad, err float64) bool {
	off := exactly(t, newFloat().Sub(value, float(mid)))
	return off.Abs(off).Cmp(exactly(t, newFloat().Add(float(rad), float(err)))) <= 0
}

// fail reports what is wrong and how to reproduce it.
func (c *enclosures) fail(lane int, offsets []int64, format string, args ...any) {
	c.t.Helper()
	box := ""
	for i, o := range offsets {
		box += fmt.Sprintf("\n  input %d: %v ± %v, point at %d/%d of the radius", i, c.w.Centre(i)[lane], c.w.HalfWidth(i)[lane], o, 1<<offsetBits)
	}
	c.t.Fatalf("lane %d of %d, groups of %d: "+format+box, append([]any{lane, c.w.Lanes(), c.group}, args...)...)
}
