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

// rounded says what rounding took from a term, in steps: between lo and hi, with this mean and mean square.
type rounded struct{ lo, hi, mean, square float64 }

// plus is the error of two independent terms.
func (e rounded) plus(f rounded) rounded {
	return rounded{e.lo + f.lo, e.hi + f.hi, e.mean + f.mean, e.square + f.square + 2*e.mean*f.mean}
}

// off is a known error.
func off(by float64) rounded { return rounded{by, by, by, by * by} }

// mix is the error of a mixture in which the weights of the parts add up to all.
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

// comb is a share of a feature's values with their contributions, in steps: start + gap·j for j from 0 to n−1, equally
// likely; if n is 0, all numbers from start to start + gap. slack bounds a further error, whose mean is 0.
type comb struct {
	share, start, gap float64
	n                 int
	slack             float64
}

// base is the base of the digits of a comb's j, which are independent of each other and are added one by one.
const base = 16

// add adds src, shifted by some steps and multiplied, to the row, which must have room.
func (r *row) add(src *row, by int, times float64) {
	out := r.mass[src.from+by-r.from:]
	out = out[:len(src.mass)]
	for k, m := range src.mass {
		out[k] += times * m
	}
}

// room returns an empty row for sums of src and between lo and hi steps.
func room(src *row, lo, hi int) row {
	return row{src.from + lo, make([]float64, len(src.mass)+hi-lo)}
}

// nearest rounds to a whole number of steps and returns what that takes away.
func nearest(x float64) (steps int, rest float64) {
	v := math.RoundToEven(x)
	return int(v), x - v
}

// direct adds gap·j to the row for j from first to first+n−1, equally likely.
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

// spread adds gap·j to the row for j from 0 to n−1, equally likely: digit by digit, and the values beyond the last
// multiple of the base apart.
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

// window is the share of a feature that is spread over the steps from first to last, equally.
type window struct {
	first, last int
	each        float64
}

// bins rounds numbers between start and start + gap to steps: all steps but those at the ends have the same share.
func (c *comb) bins(single func(by int, share float64)) (w window, e rounded) {
	lo, hi := min(c.start, c.start+c.gap), max(c.start, c.start+c.gap)
	first, _ := nearest(lo)
	last, _ := nearest(hi)
	part := func(k int) float64 { return (min(hi, float64(k)+0.5) - max(lo, float64(k)-0.5)) / (hi - lo) }
	e = rounded{lo: max(-0.5, lo-float64(last)), hi: min(0.5, hi-float64(first)), square: 1.0 / 12}
	// Of the ends, the mean; no error is above ½.
	for _, k := range slices.Compact([]int{first, last}) {
		at := (min(hi, float64(k)+0.5)+max(lo, float64(k)-0.5))/2 - float64(k)
		e.mean += part(k) * at
		e.square += part(k) * (0.25 - 1.0/12)
		single(k, c.share*part(k))
	}
	return window{first + 1, last - 1, c.share / (hi - lo)}, e
}

// sums returns the sums of the first masses, each off by at most 2⁻⁵¹ of itself, by the algorithm of Kahan and Babuška.
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

// slide adds the row, spread over a window, to out; sums are those of the row.
func (r *row) slide(out *row, sums []float64, w window) {
	n, width := len(r.mass), w.last-w.first+1
	to := out.mass[r.from+w.first-out.from:]
	to = to[:n+width-1]
	for k := range to {
		to[k] += w.each * max(0, sums[min(k+1, n)]-sums[max(0, k+1-width)])
	}
}

// convolve adds a feature with these combs to the row. ops bounds the roundings of each mass, and off those that are
// not relative to it: their sum over all masses is at most off times the mass of the row.
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

// trim leaves out the ends of a row, with a mass of at most most each.
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
