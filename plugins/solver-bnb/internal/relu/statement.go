package relu

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
)

// statement is a linear program of both copies at once. Its columns are the inputs (those of the second copy only if they
// are its own), the objective, and the unstable ReLUs' values.
type statement struct {
	plan     *batch.Plan
	program  simplex.Program
	sides    [2]*Side
	tangents []notion.Tangent
	relus    []relu
	inputs   [2][]int    // the column of each input, by copy; −1 if it does not vary
	open     [2][][]int  // the column of each ReLU, by copy and layer; −1 if it is stable
	args     [2][][]form // the arguments of ReLUs
	scale    []float64   // units: the real value is a column's times its unit, a row's divided by its unit
	weights  []weight    // by row
	numbers  numbers
}

// form is a linear form of the columns, the constant last.
type form []float64

// numbers is memory for forms, reused for each proof.
type numbers struct {
	all []float64
	n   int
}

func (n *numbers) form(columns int) form {
	if n.n+columns > len(n.all) {
		n.all, n.n = make([]float64, max(2*len(n.all), 1<<16, columns)), 0
	}
	f := n.all[n.n : n.n+columns : n.n+columns]
	n.n += columns
	clear(f)
	return f
}

// state builds the program. It returns the number of coefficients computed, and whether the program is
// small enough.
func (p *statement) state(own []bool) (took int, ok bool) {
	p.numbers.n, p.relus, p.scale, p.weights = 0, p.relus[:0], p.scale[:0], p.weights[:0]
	q := &p.program
	q.Kernel = p.plan.Kernel()
	q.Rows, q.Lo, q.Hi, q.Errors = q.Rows[:0], q.Lo[:0], q.Hi[:0], q.Errors[:0]
	p.stateColumns(own)
	var logits [2]form
	for s, side := range p.sides {
		if side != nil {
			logits[s] = p.stateSide(s, side, &took)
		}
	}
	if p.sides[0] != nil && p.sides[1] != nil {
		p.differences(own)
	}
	n, e := q.Columns, p.plan.Error()
	for _, t := range p.tangents {
		f := p.numbers.form(n + 1)
		for s, weight := range [2]float64{t.Up, -t.Down} {
			for c, v := range logits[s] {
				f[c] += weight * v
			}
		}
		f[n] -= t.Beyond
		f[q.Objective] = -1
		p.add(f, nil, 1, 0, 0, math.Inf(1), 3*(t.Up+t.Down)*e+0x1p-50*math.Abs(t.Beyond), weight{-1, -1, t.Up, t.Down})
	}
	return took, len(q.Rows) <= mostCoefficients
}

// column adds a column between bounds.
func (p *statement) column(lo, hi float64) int {
	s, q := power(max(math.Abs(lo), math.Abs(hi))), &p.program
	p.scale = append(p.scale, s)
	q.Lo, q.Hi = append(q.Lo, lo/s), append(q.Hi, hi/s)
	return len(q.Lo) - 1
}

// stateColumns adds the columns: inputs that vary (shared by both sides unless marked in own), the objective, unstable
// neurons.
func (p *statement) stateColumns(own []bool) {
	q, layers := &p.program, p.plan.Layers()
	for s := range p.inputs {
		p.inputs[s] = p.inputs[s][:0]
	}
	for i := range own {
		c := [2]int{-1, -1}
		for s, side := range p.sides {
			if side == nil {
				continue
			}
			if iv := side.Inputs[i]; s == 1 && p.sides[0] != nil && !own[i] {
				c[1] = c[0]
			} else if iv.Lo < iv.Hi {
				c[s] = p.column(iv.Lo, iv.Hi)
			}
			p.inputs[s] = append(p.inputs[s], c[s])
		}
	}
	q.Objective = p.column(-1<<10, 1<<10)
	for s, side := range p.sides {
		p.open[s] = p.open[s][:0]
		if side == nil {
			continue
		}
		for k := range side.Lo {
			row := make([]int, len(side.Lo[k]))
			for j, lo := range side.Lo[k] {
				if row[j] = -1; lo < 0 && side.Hi[k][j] > 0 && layers[k].ReLU {
					row[j] = p.column(0, side.Hi[k][j])
				}
			}
			p.open[s] = append(p.open[s], row)
		}
	}
	q.Columns = len(q.Lo)
}

// stateSide adds the rows of a copy's ReLUs, and returns its logit.
func (p *statement) stateSide(s int, side *Side, took *int) form {
	layers, n := p.plan.Layers(), p.program.Columns
	p.args[s] = p.args[s][:0]
	var values []form
	for i, c := range p.inputs[s] {
		f := p.numbers.form(n + 1)
		if c < 0 {
			f[n] = side.Inputs[i].Lo
		} else {
			f[c] = 1
		}
		values = append(values, f)
	}
	for k := range layers {
		l := &layers[k]
		var next, row []form
		*took += l.Out * l.In * n
		for j := range l.Out {
			y := p.neuron(l.Weights[j*(1+l.In):(j+1)*(1+l.In)], values)
			if k == len(layers)-1 {
				return y
			}
			row = append(row, y)
			switch lo, hi := side.Lo[k][j], side.Hi[k][j]; {
			case !l.ReLU || lo >= 0:
				next = append(next, y)
			case hi <= 0:
				next = append(next, nil)
			default:
				next = append(next, p.stateReLU(s, k, j, y))
			}
		}
		p.args[s] = append(p.args[s], row)
		values = next
	}
	return nil
}

// neuron returns a neuron's argument from the values of the layer before.
func (p *statement) neuron(weights []float64, values []form) form {
	n := p.program.Columns
	y := p.numbers.form(n + 1)
	y[n] = weights[0]
	for i, w := range weights[1:] {
		if v := values[i]; v != nil && w != 0 {
			for c, x := range v {
				y[c] += w * x
			}
		}
	}
	return y
}

// stateReLU adds the triangle of an unstable ReLU with the argument y, and returns its value.
func (p *statement) stateReLU(s, k, j int, y form) form {
	side, e, c := p.sides[s], p.plan.Errors(k)[j], p.open[s][k][j]
	lo, hi := side.Lo[k][j], side.Hi[k][j]
	z := p.numbers.form(p.program.Columns + 1)
	z[c] = 1
	i := len(p.relus)
	above := p.add(z, y, 1, 0, 0, -lo, 2*e, weight{i, -1, -1, 0})
	p.relus = append(p.relus, relu{c, above, s, sdk.Neuron{Layer: k, Index: j}})
	share, most := strip(lo, hi)
	p.add(y, z, share, most, 0, math.Inf(1), 3*e, weight{i, -1, share, 0})
	return z
}

// strip returns a line share·y + most above max(0, y) for y from lo to hi; any share would
// be sound.
func strip(lo, hi float64) (share, most float64) {
	if share = 1; lo < 0 {
		share = max(0, hi) / (max(0, hi) - lo)
	}
	return share, max(-share*lo, (1-share)*hi, 0) * (1 + 0x1p-50)
}

// differences adds bounds of the differences of the two copies' ReLUs. Bounds of the arguments' differences are propagated
// forward from the inputs that are a copy's own; values differ by no more than arguments, on either side
// (docs/developer/solver-bnb.md, Bounds of networks).
func (p *statement) differences(own []bool) {
	layers := p.plan.Layers()
	a, b := p.sides[0], p.sides[1]
	var least, most []float64 // bounds of the values' differences
	for i, o := range own {
		lo, hi := 0.0, 0.0
		if o {
			lo, hi = a.Inputs[i].Lo-b.Inputs[i].Hi, a.Inputs[i].Hi-b.Inputs[i].Lo
		}
		least, most = append(least, lo), append(most, hi)
	}
	for k := range a.Lo {
		l := &layers[k]
		var nextLeast, nextMost []float64
		for j := range l.Out {
			e := p.plan.Errors(k)[j]
			dl, du := -4*e, 4*e
			for i, w := range l.Weights[j*(1+l.In)+1 : (j+1)*(1+l.In)] {
				if w > 0 {
					dl, du = dl+w*least[i], du+w*most[i]
				} else {
					dl, du = dl+w*most[i], du+w*least[i]
				}
			}
			la, ha, lb, hb := a.Lo[k][j], a.Hi[k][j], b.Lo[k][j], b.Hi[k][j]
			dl, du = max(dl, la-hb), min(du, ha-lb)
			vl, vu := dl, du
			if l.ReLU {
				switch {
				case la >= 0 && lb >= 0:
				case ha <= 0 && hb <= 0:
					vl, vu = 0, 0
				default:
					vl, vu = max(min(0, dl), -max(0, hb)), min(max(0, du), max(0, ha))
				}
			}
			nextLeast, nextMost = append(nextLeast, vl), append(nextMost, vu)
			p.stateDifference(k, j, [2]float64{dl, du}, [2]float64{vl, vu}, e)
		}
		least, most = nextLeast, nextMost
	}
}

// stateDifference adds the bounds of how an unstable ReLU's arguments and values differ between the
// copies.
func (p *statement) stateDifference(k, j int, arguments, values [2]float64, e float64) {
	za, zb := p.open[0][k][j], p.open[1][k][j]
	if za < 0 || zb < 0 {
		return
	}
	n, dl, du := p.program.Columns, arguments[0], arguments[1]
	ia, ib := za-p.program.Objective-1, zb-p.program.Objective-1
	z := p.numbers.form(n + 1)
	z[za], z[zb] = 1, -1
	p.add(z, nil, 1, 0, values[0], values[1], 0, weight{ia, ib, 0, 0})
	if du-dl <= 16*e {
		return // a constant
	}
	d, minus := p.numbers.form(n+1), p.numbers.form(n+1)
	for c := range d {
		d[c] = p.args[0][k][j][c] - p.args[1][k][j][c]
		minus[c] = -d[c]
	}
	if share, above := strip(dl, du); du > 0 {
		p.add(d, z, share, above, 0, math.Inf(1), 6*e, weight{ia, ib, share, -share})
	}
	if share, above := strip(-du, -dl); dl < 0 {
		back := p.numbers.form(n + 1)
		back[za], back[zb] = -1, 1
		p.add(minus, back, share, above, 0, math.Inf(1), 6*e, weight{ia, ib, -share, share})
	}
}

// add adds the row lo ≤ share·f + most − less ≤ hi, in units in which its largest coefficient is between 1 and 2, and
// returns its variable. less may be nil. The units of columns and rows are powers of two, so scaling does not round.
func (p *statement) add(f, less form, share, most, lo, hi, e float64, has weight) int {
	p.weights = append(p.weights, has)
	q := &p.program
	n, from, largest := q.Columns, len(q.Rows), 0.0
	for c := range n {
		v := share * f[c]
		if less != nil {
			v -= less[c]
		}
		v *= p.scale[c]
		largest = max(largest, math.Abs(v))
		q.Rows = append(q.Rows, v)
	}
	constant := share*f[n] + most
	if less != nil {
		constant -= less[n]
	}
	unit := 1.0
	if largest > 0 {
		unit = 1 / power(largest)
	}
	for c := from; c < len(q.Rows); c++ {
		q.Rows[c] *= unit
	}
	// Moving the constant to the other side rounds.
	e += 0x1p-50 * math.Abs(constant)
	for _, side := range [2]float64{lo, hi} {
		if !math.IsInf(side, 0) {
			e += 0x1p-50 * math.Abs(side)
		}
	}
	q.Lo, q.Hi = append(q.Lo, (lo-constant)*unit), append(q.Hi, (hi-constant)*unit)
	q.Errors = append(q.Errors, e*unit)
	p.scale = append(p.scale, unit)
	return len(q.Lo) - 1
}

// power returns the least power of two that is at least v, 1 for v = 0.
func power(v float64) float64 {
	if v == 0 {
		return 1
	}
	m, e := math.Frexp(v)
	if m == 0.5 {
		e--
	}
	return math.Ldexp(1, e)
}
