// Package relu proves that no two copies of anybody in a box have logits beyond a border, by cases of ReLUs: a linear
// program bounds what both copies can do at once, and where its optimum has a ReLU's value wrong, two more are solved, with the
// ReLU at 0 and with it open (Tjeng et al., "Evaluating Robustness of Neural Networks with Mixed Integer Programming", ICLR
// 2019; Ehlers, "Formal Verification of Piece-Wise Linear Feed-Forward Neural Networks", ATVA 2017, for the linear program).
package relu

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound/batch"
	"github.com/hyfair/hyfair/sdk/space"
)

// Prover proves. Not safe for concurrent use.
type Prover struct {
	plan *batch.Plan
	// Steps are those of the inputs.
	Steps []Step
	// Stop ends a proof where it is set.
	Stop func() bool
	// Found, where not nil, is told the inputs of optima, of the first copy that there is: the first one's, those in which no ReLU is wrong or somebody is met, or All.
	Found func(inputs []float64)
	All   bool
	// Past: it goes on past somebody for whom what is to be proved is not so, for Found to be told of more people.
	Past bool
	// Shown: what Prove proves, Proof tells a checker.
	Shown bool

	program  simplex.Program
	tableaus []*simplex.Tableau // by depth
	work     int                // coefficients that are left
	all      int                // and that there were
	done     float64            // the share of the tree of cases that is proved, were all its leaves as deep as they are
	sides    [2]*Side
	tangents []notion.Tangent
	relus    []relu
	inputs   [2][]int  // the column of each input, by copy; −1 where it does not vary
	scale    []float64 // units: a column's value times it, a row's divided by it, is the real one
	numbers  numbers
	values   []float64
	point    []float64
	layer    [2][]float64   // values of a layer's neurons, and of the next one's
	steps    []sdk.CaseStep // of the proof, where it is shown
	weights  []weight       // by row
}

// Step says what values an input may have: those multiples of Width from Base, but for Slack, or any where Width is 0.
type Step struct{ Base, Width, Slack float64 }

// StepOf are the steps of an input that goes from one number to another by values in all, at least two: none, where rounding
// could hide one.
func StepOf(from, to float64, values int) Step {
	s := Step{Base: from, Width: math.Abs(to-from) / float64(values-1), Slack: 0x1p-40 * max(math.Abs(from), math.Abs(to))}
	if s.Width <= 8*s.Slack {
		return Step{}
	}
	return s
}

// Side is what is known of one of the two copies.
type Side struct {
	// Inputs are enclosures of the network's inputs. All that are not Own have the same value in both copies.
	Inputs []space.Interval
	// Lo and Hi enclose the hidden neurons' values before the activation, by layer.
	Lo, Hi [][]float64
}

// relu is one that is not settled in the box.
type relu struct {
	value int // column of its value
	above int // row of by how much that is above its argument
	side  int // of the two copies
	of    sdk.Neuron
}

// New makes a prover for a plan's network.
func New(plan *batch.Plan) *Prover { return &Prover{plan: plan} }

// mostCoefficients bounds a linear program: larger ones take longer than cutting the box.
const mostCoefficients = 1 << 16

// Prove reports whether it could prove that nobody's copies a and b have logits beyond all tangents, own telling which inputs
// may be different in the two. A copy of which no tangent speaks may be nil, and the program is of the other alone. It gives up where somebody is met for whom
// it is not so, and where it takes more than work coefficients of tableaus, or is about to; took is how many it took.
func (p *Prover) Prove(a, b *Side, own []bool, tangents []notion.Tangent, work int) (proved bool, took int) {
	p.work, p.all, p.done, p.sides, p.tangents, p.steps = work, work, 0, [2]*Side{a, b}, tangents, p.steps[:0]
	if !p.state(own) {
		return false, work - p.work
	}
	p.tableau(0).Begin(&p.program)
	proved = p.prove(0)
	return proved, work - p.work
}

// Unstable is how many ReLUs of a side are neither open nor closed throughout.
func (p *Prover) Unstable(s *Side) (n int) {
	for k, l := range p.plan.Layers()[:len(s.Lo)] {
		for j, lo := range s.Lo[k] {
			if l.ReLU && lo < 0 && s.Hi[k][j] > 0 {
				n++
			}
		}
	}
	return n
}

const (
	// deepest bounds how many ReLUs are settled one after the other.
	deepest = 64
	// Once this share of the work is done, it is given up where all will take more than so many times what there is.
	early, tooMuch = 0.2, 2
	// worth is what a ReLU's case is worth of which no loss is seen, as a share of the optimum.
	worth = 0.03
)

// prove proves what is stated by the tableau of a depth, which it changes, as those behind it.
func (p *Prover) prove(depth int) bool {
	t := p.tableau(depth)
	if p.Stop != nil && p.Stop() {
		return false
	}
	outcome := p.solve(t)
	if outcome == simplex.Refutable {
		p.done += math.Ldexp(1, -depth)
		p.end(t)
		return true
	}
	if p.work <= 0 || depth == deepest || p.hopeless() {
		return false
	}
	t.Values(p.values)
	at, worst, value := -1, 0.0, t.Value(p.program.Objective)
	for i, r := range p.relus {
		if p.settled(t, r) {
			continue
		}
		// The argument is the value less above, which is what its row is beyond its least.
		z := p.values[r.value] * p.scale[r.value]
		above := (p.values[r.above] - p.program.Lo[r.above]) / p.scale[r.above]
		by := z - max(z-above, 0)
		if by < 1e-9 || by*(2+worth)*value <= worst {
			continue
		}
		loss := min(t.Loss(r.value, 0), value) + min(t.Loss(r.above, p.program.Lo[r.above]), value)
		if by *= loss + worth*value; by > worst {
			at, worst = i, by
		}
	}
	met := !p.Past && p.met()
	if depth == 0 || at < 0 || p.All || met {
		p.tell()
	}
	if met {
		return false
	}
	if at < 0 {
		return p.cut(depth)
	}
	r := p.relus[at]
	least := p.program.Lo[r.above]
	p.record(sdk.CaseStep{Kind: sdk.CaseReLU, ReLU: at})
	return p.both(depth, r.above, least, least, r.value, 0, 0)
}

// hopeless reports that by what is proved so far, the rest will take far more work than is left: a tree's cases are halved again and again, and
// what is proved of it is estimated as Knuth does ("Estimating the efficiency of backtrack programs", 1975).
func (p *Prover) hopeless() bool {
	took := float64(p.all - p.work)
	return took > early*float64(p.all) && took > tooMuch*p.done*float64(p.all)
}

// settled reports that a case of a ReLU is assumed.
func (p *Prover) settled(t *simplex.Tableau, r relu) bool {
	least, most := t.Bounds(r.above)
	_, hi := t.Bounds(r.value)
	return least == most || hi == 0
}

// both proves two cases: of variable v between lo and hi, and of w between low and high.
func (p *Prover) both(depth, v int, lo, hi float64, w int, low, high float64) bool {
	t, u := p.tableau(depth), p.tableau(depth+1)
	u.Copy(t)
	u.Bound(v, lo, hi)
	if !p.prove(depth + 1) {
		return false
	}
	p.tableaus[depth], p.tableaus[depth+1] = p.tableaus[depth+1], t // nobody needs it here any more
	t.Bound(w, low, high)
	return p.prove(depth + 1)
}

// cut goes on with an input that is between two of its values, below and above.
func (p *Prover) cut(depth int) bool {
	at, far := -1, 1e-6
	var below, above float64
	var cut sdk.CaseStep
	for _, columns := range p.inputs {
		for i, c := range columns {
			step := p.Steps[i]
			if c < 0 || step.Width == 0 {
				continue
			}
			v := p.values[c] * p.scale[c]
			k := math.Floor((v - step.Base) / step.Width)
			lo, hi := step.Base+k*step.Width, step.Base+(k+1)*step.Width
			if by := min(v-lo, hi-v) / step.Width; by > far {
				at, far, below, above = c, by, lo+step.Slack, hi-step.Slack
				cut = sdk.CaseStep{Kind: sdk.CaseCut, Feature: i, At: k}
			}
		}
	}
	if at < 0 {
		return false // somebody, or almost
	}
	p.record(cut)
	lo, hi := p.tableau(depth).Bounds(at)
	return p.both(depth, at, lo, min(hi, below/p.scale[at]), at, max(lo, above/p.scale[at]), hi)
}

// tableau is that of a depth.
func (p *Prover) tableau(depth int) *simplex.Tableau {
	for len(p.tableaus) <= depth {
		p.tableaus = append(p.tableaus, new(simplex.Tableau))
	}
	return p.tableaus[depth]
}

// solve bounds what copies can do. Refutable is proved.
func (p *Prover) solve(t *simplex.Tableau) simplex.Outcome {
	for _, below := range [2]float64{-1e-4, math.Inf(-1)} { // surely, or else as far as it goes
		outcome, pivots := t.Solve(below, 1+p.work/t.Size())
		p.work -= (pivots + 2) * t.Size()
		if outcome == simplex.Open {
			return outcome
		}
		if outcome == simplex.Optimal {
			if !(t.Value(p.program.Objective) < 0) {
				return outcome
			}
			t.Bounded()
		}
		if t.Refuted() {
			return simplex.Refutable
		}
		if outcome == simplex.Optimal {
			return outcome
		}
	}
	return simplex.Open
}

// tell tells Found whom the optimum is of.
func (p *Prover) tell() {
	if p.Found == nil {
		return
	}
	s := 0
	if p.sides[s] == nil {
		s = 1
	}
	p.Found(p.optimum(s))
}

// optimum is the inputs of a copy in the optimum.
func (p *Prover) optimum(s int) []float64 {
	p.point = p.point[:0]
	for i, c := range p.inputs[s] {
		if c < 0 {
			p.point = append(p.point, p.sides[s].Inputs[i].Lo)
		} else {
			p.point = append(p.point, p.values[c]*p.scale[c])
		}
	}
	return p.point
}

// met reports that the logits of the optimum's person, whose inputs are rounded to their steps, are beyond all tangents: no cases will prove anything. Those inputs that
// are a copy's own are taken as they are, since they are not cut, either.
func (p *Prover) met() bool {
	var logits [2]float64
	for s, side := range p.sides {
		if side == nil {
			continue
		}
		x := p.optimum(s)
		for i, step := range p.Steps {
			if step.Width > 0 {
				x[i] = step.Base + step.Width*math.Round((x[i]-step.Base)/step.Width)
			}
		}
		logits[s] = p.logit(x)
	}
	for _, t := range p.tangents {
		if t.Up*logits[0]-t.Down*logits[1] <= t.Beyond {
			return false
		}
	}
	return true
}

// logit is about that of a network's inputs.
func (p *Prover) logit(inputs []float64) float64 {
	layers := p.plan.Layers()
	for k := range layers {
		l, out := &layers[k], p.layer[k%2][:0]
		for j := range l.Out {
			weights := l.Weights[j*(1+l.In) : (j+1)*(1+l.In)]
			y := weights[0]
			for i, w := range weights[1:] {
				y += w * inputs[i]
			}
			if l.ReLU {
				y = max(y, 0)
			}
			out = append(out, y)
		}
		p.work -= l.In * l.Out
		p.layer[k%2], inputs = out, out
	}
	return inputs[0]
}

// form is a linear form of the columns, the constant last.
type form []float64

// numbers is memory for forms, used again for each proof.
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

// state states the program, and reports whether it is small enough.
func (p *Prover) state(own []bool) bool {
	layers := p.plan.Layers()
	p.numbers.n, p.relus, p.scale = 0, p.relus[:0], p.scale[:0]
	q := &p.program
	q.Kernel = p.plan.Kernel()
	q.Rows, q.Lo, q.Hi, q.Errors = q.Rows[:0], q.Lo[:0], q.Hi[:0], q.Errors[:0]
	p.weights = p.weights[:0]
	// Columns: inputs, those of the second copy where they are its own, the objective, open ReLUs.
	column := func(lo, hi float64) int {
		s := power(max(math.Abs(lo), math.Abs(hi)))
		p.scale = append(p.scale, s)
		q.Lo, q.Hi = append(q.Lo, lo/s), append(q.Hi, hi/s)
		return len(q.Lo) - 1
	}
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
				c[s] = column(iv.Lo, iv.Hi)
			}
			p.inputs[s] = append(p.inputs[s], c[s])
		}
	}
	q.Objective = column(-1<<10, 1<<10)
	open := [2][][]int{}
	for s, side := range p.sides {
		if side == nil {
			continue
		}
		for k := range side.Lo {
			row := make([]int, len(side.Lo[k]))
			for j, lo := range side.Lo[k] {
				if row[j] = -1; lo < 0 && side.Hi[k][j] > 0 && layers[k].ReLU {
					row[j] = column(0, side.Hi[k][j])
				}
			}
			open[s] = append(open[s], row)
		}
	}
	n := len(q.Lo)
	q.Columns = n
	var arguments [2][][]form
	var logits [2]form
	for s, side := range p.sides {
		if side == nil {
			continue
		}
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
			p.work -= l.Out * l.In * n
			for j := range l.Out {
				y := p.numbers.form(n + 1)
				weights := l.Weights[j*(1+l.In) : (j+1)*(1+l.In)]
				y[n] = weights[0]
				for i, w := range weights[1:] {
					if v := values[i]; v != nil && w != 0 {
						for c, x := range v {
							y[c] += w * x
						}
					}
				}
				if k == len(layers)-1 {
					logits[s] = y
					break
				}
				e := p.plan.Errors(k)[j]
				row = append(row, y)
				lo, hi := side.Lo[k][j], side.Hi[k][j]
				c := open[s][k][j]
				switch {
				case !l.ReLU || lo >= 0:
					next = append(next, y)
				case hi <= 0:
					next = append(next, nil)
				default:
					z := p.numbers.form(n + 1)
					z[c] = 1
					i := len(p.relus)
					above := p.add(n, z, y, 1, 0, 0, -lo, 2*e, weight{i, -1, -1, 0})
					p.relus = append(p.relus, relu{c, above, s, sdk.Neuron{Layer: k, Index: j}})
					share, most := strip(lo, hi)
					p.add(n, y, z, share, most, 0, math.Inf(1), 3*e, weight{i, -1, share, 0})
					next = append(next, z)
				}
			}
			arguments[s] = append(arguments[s], row)
			values = next
		}
	}
	if p.sides[0] != nil && p.sides[1] != nil {
		p.differences(own, open, arguments)
	}
	e := p.plan.Error()
	for _, t := range p.tangents {
		f := p.numbers.form(n + 1)
		for s, weight := range [2]float64{t.Up, -t.Down} {
			for c, v := range logits[s] {
				f[c] += weight * v
			}
		}
		f[n] -= t.Beyond
		f[q.Objective] = -1
		p.add(n, f, nil, 1, 0, 0, math.Inf(1), 3*(t.Up+t.Down)*e+0x1p-50*math.Abs(t.Beyond), weight{-1, -1, t.Up, t.Down})
	}
	p.values = append(p.values[:0], make([]float64, len(q.Lo))...)
	return len(q.Rows) <= mostCoefficients
}

// strip is the line share·y + most above max(0, y) for y from lo to hi: any share will do.
func strip(lo, hi float64) (share, most float64) {
	if share = 1; lo < 0 {
		share = max(0, hi) / (max(0, hi) - lo)
	}
	return share, max(-share*lo, (1-share)*hi, 0) * (1 + 0x1p-50)
}

// differences adds what is known of how far ReLUs of the two copies are apart: their arguments are between bounds that go forward
// from the inputs that are a copy's own, and values are no farther apart than arguments, on either side (decision 27).
func (p *Prover) differences(own []bool, open [2][][]int, arguments [2][][]form) {
	layers, n := p.plan.Layers(), p.program.Columns
	a, b := p.sides[0], p.sides[1]
	var least, most []float64 // of values
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
			za, zb := open[0][k][j], open[1][k][j]
			if za < 0 || zb < 0 {
				continue
			}
			ia, ib := za-p.program.Objective-1, zb-p.program.Objective-1
			z := p.numbers.form(n + 1)
			z[za], z[zb] = 1, -1
			p.add(n, z, nil, 1, 0, vl, vu, 0, weight{ia, ib, 0, 0})
			if du-dl <= 16*e {
				continue // a constant
			}
			d, minus := p.numbers.form(n+1), p.numbers.form(n+1)
			for c := range d {
				d[c] = arguments[0][k][j][c] - arguments[1][k][j][c]
				minus[c] = -d[c]
			}
			if share, above := strip(dl, du); du > 0 {
				p.add(n, d, z, share, above, 0, math.Inf(1), 6*e, weight{ia, ib, share, -share})
			}
			if share, above := strip(-du, -dl); dl < 0 {
				back := p.numbers.form(n + 1)
				back[za], back[zb] = -1, 1
				p.add(n, minus, back, share, above, 0, math.Inf(1), 6*e, weight{ia, ib, -share, share})
			}
		}
		least, most = nextLeast, nextMost
	}
}

// add adds a row, of share·f + most − less between lo and hi, in units in which its largest coefficient is between 1 and 2, and
// returns its variable. The units of columns and rows are powers of two, so that nothing is rounded.
func (p *Prover) add(n int, f, less form, share, most, lo, hi, e float64, has weight) int {
	p.weights = append(p.weights, has)
	q := &p.program
	from, largest := len(q.Rows), 0.0
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
	// The constant goes to the other side, which rounds.
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

// power is the least power of two that is not below v > 0.
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
