package affine

import (
	"maps"
	"math"
	"slices"
)

// row is the distribution of a sum that is rounded to multiples of a step: mass[k] is the mass of from + k steps.
type row struct {
	from int
	mass []float64
}

// rounded describes the rounding error of a term, in steps: what rounding took away is between lo
// and hi, with this mean and mean square.
type rounded struct{ lo, hi, mean, square float64 }

// plus returns the error of the sum of two independent terms.
func (e rounded) plus(f rounded) rounded {
	return rounded{e.lo + f.lo, e.hi + f.hi, e.mean + f.mean, e.square + f.square + 2*e.mean*f.mean}
}

// off returns an error that is known exactly.
func off(by float64) rounded { return rounded{by, by, by, by * by} }

// mix accumulates the error of a mixture. mean and square are sums weighted by the parts' weights,
// which add up to all.
type mix struct {
	rounded
	all float64
}

func (m *mix) add(e rounded, weight float64) {
	if m.all == 0 {
		m.lo, m.hi = e.lo, e.hi
	}
	m.lo, m.hi = min(m.lo, e.lo), max(m.hi, e.hi)
	m.mean += weight * e.mean
	m.square += weight * e.square
	m.all += weight
}

func (m *mix) of() rounded {
	if m.all == 0 {
		return rounded{}
	}
	return rounded{m.lo, m.hi, m.mean / m.all, m.square / m.all}
}

// comb describes the contributions, in steps, of a share of a feature's values: start + gap·j for j
// from 0 to n−1, all equally likely. If n is 0, it is the uniform distribution between start and
// start + gap. slack bounds a further error, whose mean is 0.
type comb struct {
	share, start, gap float64
	n                 int
	slack             float64
}

// base is the base in which a comb's index j is written. Its digits are independent, so they are
// added one by one.
const base = 16

// add adds the masses of src, each times a factor, to the row at places shifted up by some steps.
// The row must be long enough.
func (r *row) add(src *row, by int, times float64) {
	out := r.mass[src.from+by-r.from:]
	out = out[:len(src.mass)]
	for k, m := range src.mass {
		out[k] += times * m
	}
}

// room returns a row without mass for sums of a term in src and a number of steps between lo and
// hi.
func room(src *row, lo, hi int) row {
	return row{src.from + lo, make([]float64, len(src.mass)+hi-lo)}
}

// nearest returns the nearest whole number of steps, and x less that number.
func nearest(x float64) (steps int, rest float64) {
	v := math.RoundToEven(x)
	return int(v), x - v
}

// direct returns the sum of src and gap·j, with j uniform between first and first+n−1. It takes n
// passes over src.
func direct(src *row, gap float64, first, n int) (row, rounded) {
	a, _ := nearest(gap * float64(first))
	b, _ := nearest(gap * float64(first+n-1))
	out := room(src, min(a, b), max(a, b))
	var m mix
	for j := first; j < first+n; j++ {
		by, rest := nearest(gap * float64(j))
		out.add(src, by, 1/float64(n))
		m.add(off(rest), 1)
	}
	return out, m.of()
}

// spread returns the sum of src and gap·j, with j uniform between 0 and n−1. It adds j digit by
// digit; values of j beyond the last multiple of the base are added directly.
func spread(src *row, gap float64, n int) (row, rounded) {
	if n <= 2*base {
		return direct(src, gap, 0, n)
	}
	digit, e := direct(src, gap, 0, base)
	out, more := spread(&digit, gap*base, n/base)
	e = e.plus(more)
	left := n % base
	if left == 0 {
		return out, e
	}
	whole := n - left
	rest, f := direct(src, gap, whole, left)
	both := row{from: min(out.from, rest.from)}
	both.mass = make([]float64, max(out.from+len(out.mass), rest.from+len(rest.mass))-both.from)
	both.add(&out, 0, float64(whole)/float64(n))
	both.add(&rest, 0, float64(left)/float64(n))
	var m mix
	m.add(e, float64(whole))
	m.add(f, float64(left))
	return both, m.of()
}

// window is a part of a feature's values whose contributions are uniform over the steps from first
// to last. each is the share of one step.
type window struct {
	first, last int
	each        float64
}

// bins rounds numbers that are uniform between start and start + gap to whole steps. The steps
// between the two ends get equal shares and are returned as the window; single is called for the
// ends.
func (c *comb) bins(single func(by int, share float64)) (w window, e rounded) {
	lo, hi := min(c.start, c.start+c.gap), max(c.start, c.start+c.gap)
	first, _ := nearest(lo)
	last, _ := nearest(hi)
	part := func(k int) float64 { return (min(hi, float64(k)+0.5) - max(lo, float64(k)-0.5)) / (hi - lo) }
	e = rounded{lo: max(-0.5, lo-float64(last)), hi: min(0.5, hi-float64(first)), square: 1.0 / 12}
	// The errors at the two ends have a mean of their own, and squares of at most ¼.
	for _, k := range slices.Compact([]int{first, last}) {
		at := (min(hi, float64(k)+0.5)+max(lo, float64(k)-0.5))/2 - float64(k)
		e.mean += part(k) * at
		e.square += part(k) * (0.25 - 1.0/12)
		single(k, c.share*part(k))
	}
	return window{first + 1, last - 1, c.share / (hi - lo)}, e
}

// sums returns the prefix sums of the masses, each with a relative error of at most 2⁻⁵¹, by the
// algorithm of Kahan and Babuška.
func (r *row) sums() []float64 {
	out := make([]float64, len(r.mass)+1)
	sum, low := 0.0, 0.0
	for k, m := range r.mass {
		t := sum + m
		if sum >= m {
			low += (sum - t) + m
		} else {
			low += (m - t) + sum
		}
		sum = t
		out[k+1] = sum + low
	}
	return out
}

// slide adds to out the sum of the row and a uniform number of steps in the window. sums holds the
// row's prefix sums.
func (r *row) slide(out *row, sums []float64, w window) {
	n, width := len(r.mass), w.last-w.first+1
	to := out.mass[r.from+w.first-out.from:]
	to = to[:n+width-1]
	for k := range to {
		to[k] += w.each * max(0, sums[min(k+1, n)]-sums[max(0, k+1-width)])
	}
}

// convolve returns the sum of src and a feature with these combs, and the error e of the feature's
// contribution. ops bounds the number of relative roundings of each mass. The other rounding errors
// add up to at most absolute times the mass of src.
func convolve(src *row, combs []comb) (out row, e rounded, ops, absolute float64) {
	single := map[int]float64{} // shares of single contributions, by their steps
	lo, hi := math.MaxInt, math.MinInt
	reach := func(from, to int) { lo, hi = min(lo, from), max(hi, to) }
	one := func(by int, share float64) {
		single[by] += share
		ops += 2
	}
	type part struct {
		row   row
		by    int
		share float64
	}
	var m mix
	var parts []part
	var windows []window
	for _, c := range combs {
		by, rest := nearest(c.start)
		f := off(rest)
		ops += 4
		switch {
		case c.n == 1:
			one(by, c.share)
		case c.n == 0 && c.start+c.gap == c.start: // the gap is less than the slack
			one(by, c.share)
		case c.n == 0:
			var w window
			if w, f = c.bins(one); w.last >= w.first {
				width := float64(w.last - w.first + 1)
				absolute += c.share * 0x1p-49 * (float64(len(src.mass)) + width) / width
				windows = append(windows, w)
				reach(src.from+w.first, src.from+w.last+len(src.mass))
			}
		default:
			wide, g := spread(src, c.gap, c.n)
			f = f.plus(g)
			ops += 3 * base * (2 + math.Log2(float64(c.n)))
			parts = append(parts, part{wide, by, c.share})
			reach(wide.from+by, wide.from+by+len(wide.mass))
		}
		most := math.Sqrt(f.square) + c.slack
		m.add(rounded{f.lo - c.slack, f.hi + c.slack, f.mean, most * most}, c.share)
	}
	steps := slices.Sorted(maps.Keys(single))
	for _, by := range steps {
		reach(src.from+by, src.from+by+len(src.mass))
	}
	out = row{lo, make([]float64, hi-lo)}
	for _, by := range steps {
		out.add(src, by, single[by])
	}
	for i := range parts {
		out.add(&parts[i].row, parts[i].by, parts[i].share)
	}
	if len(windows) > 0 {
		sums := src.sums()
		for _, w := range windows {
			src.slide(&out, sums, w)
		}
	}
	return out, m.of(), ops, absolute
}

// trim drops the two ends of a row. The mass of each dropped end does not exceed most.
func (r *row) trim(most float64) {
	from, to := 0, len(r.mass)
	for sum := 0.0; from < to-1; from++ {
		if sum += r.mass[from]; sum > most {
			break
		}
	}
	for sum := 0.0; to-1 > from; to-- {
		if sum += r.mass[to-1]; sum > most {
			break
		}
	}
	r.from, r.mass = r.from+from, r.mass[from:to]
}

// between sums the masses of the steps from lo to hi.
func (r *row) between(lo, hi int) (sum float64) {
	a, b := max(lo, r.from)-r.from, min(hi, r.from+len(r.mass)-1)-r.from
	for k := a; k <= b; k++ {
		sum += r.mass[k]
	}
	return sum
}
