package affine

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// trimmed bounds the share of a class's mass that is dropped at the ends of all its sums.
	trimmed = 2e-6
	// longest bounds the length of a sum, in steps. longestExact bounds it if all contributions are
	// multiples of the step.
	longest      = 1 << 23
	longestExact = 1 << 21
	// mostValues bounds the values of a cell that are enumerated.
	mostValues = 1 << 12
	// underflow exceeds the total mass of all products that are too small for float64.
	underflow = 1e-200
)

// convolution answers one question with shorter and shorter steps.
type convolution struct {
	q       *problem.Query
	affine  *affine
	parts   *parts
	people  *population.Population
	classes []population.Class
}

// side returns the distribution of the i-th feature in a class.
func side(c *population.Class, i int) *population.Side {
	return &c.Sides[slices.IndexFunc(c.Sides, func(s population.Side) bool { return s.Feature == i })]
}

// extent returns the number of a cell's values, or its length if the feature is real. one reports
// whether the cell is a single value.
func extent(f *space.Feature, iv space.Interval) (size float64, one bool) {
	if f.Discrete() {
		size = max(0, iv.Hi-iv.Lo+1)
		return size, size == 1
	}
	return iv.Hi - iv.Lo, iv.Hi == iv.Lo
}

// cells calls visit with the intersection of the box's side with each cell of the population's, and
// with the share of people in the intersection.
func cells(f *space.Feature, of *population.Side, box space.Interval, visit func(iv space.Interval, share float64)) {
	for k, cell := range of.Cells {
		common := cell.Intersect(box)
		if common.Empty() {
			continue
		}
		share := of.Shares[k]
		if whole, one := extent(f, cell); !one {
			size, _ := extent(f, common)
			share *= size / whole
		}
		if share > 0 {
			visit(common, share)
		}
	}
}

// combs returns a feature's contributions within a box's side, in steps. slack bounds the rounding of the arithmetic.
func (c *convolution) combs(i int, of *population.Side, box space.Interval, step float64) (out []comb, slack float64) {
	f := &c.q.Space.Features[i]
	if t := c.affine.table[i]; t != nil {
		cells(f, of, box, func(iv space.Interval, share float64) {
			size, _ := extent(f, iv)
			for v := iv.Lo; v <= iv.Hi; v++ {
				value, exact := t[int(v-f.Lo)].Float64()
				if value /= step; !exact {
					slack = max(slack, 0x1p-52*math.Abs(value))
				}
				out = append(out, comb{share: share / size, start: value, n: 1})
			}
		})
		return out, slack
	}
	a, exact := c.affine.slope[i].Float64()
	a /= step
	most := math.Abs(a) * max(math.Abs(box.Lo), math.Abs(box.Hi))
	if !exact || a != math.Trunc(a) || most > 1<<52 {
		slack = 0x1p-46 * most
	}
	cells(f, of, box, func(iv space.Interval, share float64) {
		size, one := extent(f, iv)
		switch {
		case one || a == 0:
			out = append(out, comb{share: share, start: a * iv.Lo, n: 1})
		case f.Discrete() && size <= mostValues && math.Abs(a)*size <= 4*base:
			for v := iv.Lo; v <= iv.Hi; v++ {
				out = append(out, comb{share: share / size, start: a * v, n: 1})
			}
		case f.Discrete() && math.Abs(a) >= 1:
			out = append(out, comb{share: share, start: a * iv.Lo, gap: a, n: int(size)})
		case f.Discrete(): // as a real number, which is at most ½ from the value
			out = append(out, comb{share: share, start: a * (iv.Lo - 0.5), gap: a * size, slack: math.Abs(a) / 2})
		default:
			out = append(out, comb{share: share, start: a * iv.Lo, gap: a * size})
		}
	})
	return out, slack
}

// exact returns a step of which all contributions are multiples, if sums are then short enough.
func (c *convolution) exact() (step float64, ok bool) {
	bits, width := 0, 0.0
	for _, p := range c.parts.all {
		for _, i := range p.features {
			f, iv := &c.q.Space.Features[i], c.q.RegionOrWhole().Box[i]
			if !f.Discrete() && iv.Lo != iv.Hi {
				return 0, false
			}
			values := []*big.Rat{c.affine.slope[i]}
			if t := c.affine.table[i]; t != nil {
				values = t
			}
			least, most := math.Inf(1), math.Inf(-1)
			for _, r := range values {
				v, exact := r.Float64()
				if !exact {
					return 0, false
				}
				bits = max(bits, model.FractionBits(v))
				least, most = min(least, v), max(most, v)
			}
			if !f.Discrete() {
				bits = max(bits, model.FractionBits(iv.Lo)+bits)
			}
			if width += most - least; c.affine.table[i] == nil {
				width += math.Abs(most) * (iv.Hi - iv.Lo)
			}
		}
	}
	step = math.Ldexp(1, -bits)
	return step, bits < model.MaxBits && width/step < longestExact
}

// deviations returns approximations: for each feature the largest variance of its contribution in
// any class, and the largest standard deviation of a class's sum.
func (c *convolution) deviations() (variances []float64, sum float64) {
	variances = make([]float64, len(c.q.Space.Features))
	for k := range c.classes {
		all := 0.0
		for n := range c.classes[k].Sides {
			of := &c.classes[k].Sides[n]
			i := of.Feature
			f, a := &c.q.Space.Features[i], 0.0
			a, _ = c.affine.slope[i].Float64()
			var mass, first, second float64
			add := func(value, share, width float64) {
				mass, first, second = mass+share, first+share*value, second+share*(value*value+width*width/12)
			}
			cells(f, of, c.q.RegionOrWhole().Box[i], func(iv space.Interval, share float64) {
				t := c.affine.table[i]
				if t == nil {
					add(a*(iv.Lo+(iv.Hi-iv.Lo)/2), share, a*(iv.Hi-iv.Lo))
					return
				}
				size, _ := extent(f, iv)
				for v := iv.Lo; v <= iv.Hi; v++ {
					value, _ := t[int(v-f.Lo)].Float64()
					add(value, share/size, 0)
				}
			})
			if mass > 0 {
				v := max(0, second/mass-first/mass*first/mass)
				all, variances[i] = all+v, max(variances[i], v)
			}
		}
		sum = max(sum, math.Sqrt(all))
	}
	if sum == 0 {
		sum = 1
	}
	return variances, sum
}

// masses holds lower bounds of the masses of fair and unfair people, and an upper bound, all, of
// the mass of all people in question.
type masses struct {
	fair, unfair, all float64
	steps             int
}

// shares bounds the shares, with contributions rounded to multiples of the step. Classes run in
// parallel.
func (c *convolution) shares(ctx context.Context, step float64) (*Shares, error) {
	bands := make([]band, len(c.parts.states))
	for k, of := range c.parts.states {
		bands[k] = bandOf(c.q, of)
	}
	found, failed := make([]masses, len(c.classes)), make([]error, len(c.classes))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0)) // sums take memory
	for k := range c.classes {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			found[k], failed[k] = c.class(ctx, &c.classes[k], step, bands)
		})
	}
	wait.Wait()
	var sum masses
	for k, m := range found {
		if failed[k] != nil {
			return nil, failed[k]
		}
		sum.fair, sum.unfair, sum.all = sum.fair+m.fair, sum.unfair+m.unfair, sum.all+m.all
		sum.steps = max(sum.steps, m.steps)
	}
	out := &Shares{Individuals: c.count(), Steps: sum.steps}
	if sum.all > 2*underflow {
		less := 1 - float64(len(found)+8)*0x1p-51 - 2*c.people.Rounding()
		out.Fair, out.Unfair = sum.fair/sum.all*less, sum.unfair/sum.all*less
	}
	return out, nil
}

// sum is a distribution of sums with the errors of its terms.
type sum struct {
	row
	err   errorSum
	total float64 // its mass, before ends were left out
	// ops bounds the number of relative roundings of each mass. absolute bounds the sum of all
	// other rounding errors.
	ops, absolute float64
}

// plus adds the i-th feature's contribution to a sum, for its values within a side of a box. e and
// slack bound the error of the contribution.
func (c *convolution) plus(ctx context.Context, s sum, class *population.Class, i int, box space.Interval, step float64) (out sum, e rounded, slack float64, err error) {
	combs, slack := c.combs(i, side(class, i), box, step)
	width, share, least, most := 0.0, 0.0, math.Inf(1), math.Inf(-1)
	for _, b := range combs {
		share += b.share
		end := b.start + b.gap*float64(max(1, b.n-1))
		least, most = min(least, b.start, end), max(most, b.start, end)
	}
	if len(combs) > 0 {
		width = most - least
	}
	switch {
	case ctx.Err() != nil:
		return s, e, 0, ctx.Err()
	case !(float64(len(s.mass))+width < longest) || !(max(math.Abs(least), math.Abs(most)) < 1<<48) && len(combs) > 0:
		return s, e, 0, fmt.Errorf("%w: sums of %d steps or more, or contributions of 2^48 steps or more", ErrUnsuited, longest)
	case len(combs) == 0:
		return sum{row: row{0, []float64{0}}}, e, 0, nil
	}
	out = s
	var ops, absolute float64
	out.row, e, ops, absolute = convolve(&s.row, combs)
	out.ops, out.total, out.absolute = s.ops+ops, s.total*share, s.absolute*share+absolute*s.total
	out.trim(out.total * trimmed / float64(2*len(c.q.Space.Features)))
	return out, e, slack, nil
}

// class bounds the masses of the fair and the unfair people of one class, given the thresholds by
// state.
func (c *convolution) class(ctx context.Context, class *population.Class, step float64, bands []band) (out masses, err error) {
	s := sum{row: row{0, []float64{class.Weight}}, total: class.Weight, ops: 16}
	last := len(c.parts.all) - 1
	for _, p := range c.parts.all[:last] {
		boxes := make([]int, len(p.boxes))
		for k := range boxes {
			boxes[k] = k
		}
		if s, err = c.part(ctx, s, class, &p, boxes, step); err != nil {
			return out, err
		}
		out.steps = max(out.steps, len(s.mass))
	}
	p := &c.parts.all[last]
	for of := range bands {
		var boxes []int
		for k := range p.boxes {
			if p.boxes[k].state == of {
				boxes = append(boxes, k)
			}
		}
		t, err := c.part(ctx, s, class, p, boxes, step)
		if err != nil {
			return out, err
		}
		out.steps = max(out.steps, len(t.mass))
		fair, unfair := bands[of].masses(&t, c.affine.at, step)
		less := 1 - (t.ops+float64(len(t.mass)))*0x1p-52
		out.fair += max(0, fair*less-t.absolute-underflow)
		out.unfair += max(0, unfair*less-t.absolute-underflow)
		out.all += t.total*(1+t.ops*0x1p-52) + underflow
	}
	return out, nil
}

// part adds the features of p to a sum, for individuals in the given boxes of p. Without boxes the
// result is empty.
func (c *convolution) part(ctx context.Context, s sum, class *population.Class, p *part, boxes []int, step float64) (sum, error) {
	if len(boxes) == 0 {
		return sum{row: row{0, []float64{0}}}, nil
	}
	var rows []sum
	var errs []rounded
	var m mix
	slack, ops, total, absolute := 0.0, 0.0, 0.0, 0.0
	lo, hi := math.MaxInt, math.MinInt
	for _, k := range boxes {
		t, of, off := s, rounded{}, 0.0
		for n, i := range p.features {
			next, e, more, err := c.plus(ctx, t, class, i, p.boxes[k].sides[n], step)
			if err != nil {
				return s, err
			}
			if len(p.features) == 1 || len(boxes) > 1 {
				of = of.plus(e)
			} else {
				errs = append(errs, e)
			}
			t, off = next, off+more
		}
		if t.total == 0 {
			continue
		}
		rows = append(rows, t)
		m.add(of, t.total)
		slack, ops, total, absolute = max(slack, off), max(ops, t.ops), total+t.total, absolute+t.absolute
		lo, hi = min(lo, t.from), max(hi, t.from+len(t.mass))
	}
	if len(rows) == 0 {
		return sum{row: row{0, []float64{0}}}, nil
	}
	out := sum{row: row{lo, make([]float64, hi-lo)}, err: s.err, total: total, ops: ops + float64(len(rows)) + 4, absolute: absolute}
	for k := range rows {
		out.add(&rows[k].row, 0, 1)
	}
	out.err.slack += slack
	out.err.add(m.of())
	for _, e := range errs {
		out.err.add(e)
	}
	return out, nil
}

// masses returns the masses of people who are surely fair and surely unfair, once the constant is
// added to the sums. It does not allow for the rounding of the masses themselves.
func (b *band) masses(s *sum, at *big.Rat, step float64) (fair, unfair float64) {
	if b.constant {
		all := s.between(math.MinInt/2, math.MaxInt/2)
		if b.always {
			return 0, all
		}
		return all, 0
	}
	lo, hi, lost := s.err.bounds()
	lost *= s.total
	// cut returns the last sum that is surely below an edge, and the first that is surely above.
	cut := func(e edge) (below, above int) {
		v := new(big.Rat).Sub(e.at, at)
		v.Quo(v, new(big.Rat).SetFloat64(step))
		under := new(big.Rat).Sub(v, new(big.Rat).SetFloat64(hi))
		over := v.Sub(v, new(big.Rat).SetFloat64(lo))
		if e.closed {
			return floor(under), -floor(over.Neg(over))
		}
		return -floor(under.Neg(under)) - 1, floor(over) + 1
	}
	_, from := cut(b.unfair[0])
	to, _ := cut(b.unfair[1])
	unfair = max(0, s.between(from, to)-lost)
	below, _ := cut(b.fair[0])
	_, above := cut(b.fair[1])
	fair = s.between(math.MinInt/2, below)
	return max(0, fair+s.between(max(above, below+1), math.MaxInt/2)-lost), unfair
}

// floor rounds down to an integer, and clamps it to ±2^60.
func floor(r *big.Rat) int {
	n := new(big.Int).Div(r.Num(), r.Denom()) // Euclidean: rounds down, as denominators are positive
	if !n.IsInt64() || n.BitLen() > 60 {
		return n.Sign() << 60
	}
	return int(n.Int64())
}

// count counts the individuals; nil if a feature is real.
func (c *convolution) count() *big.Int {
	if c.q.Space.HasReals() {
		return nil
	}
	all := big.NewInt(1)
	for _, p := range c.parts.all {
		boxes := new(big.Int)
		for _, b := range p.boxes {
			one := big.NewInt(1)
			for _, iv := range b.sides {
				one.Mul(one, big.NewInt(int64(iv.Hi-iv.Lo)+1))
			}
			boxes.Add(boxes, one)
		}
		all.Mul(all, boxes)
	}
	return all
}
