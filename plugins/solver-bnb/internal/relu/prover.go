// Package relu proves that no two copies of any individual in a box have logits beyond a border, by branching on ReLUs: a linear
// program bounds what both copies can do at once, and where its optimum has a ReLU's value wrong, two more are solved, with the
// ReLU at 0 and with it open (Tjeng et al., "Evaluating Robustness of Neural Networks with Mixed Integer Programming", ICLR
// 2019; Ehlers, "Formal Verification of Piece-Wise Linear Feed-Forward Neural Networks", ATVA 2017, for the linear program).
package relu

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Prover proves. Not safe for concurrent use.
type Prover struct {
	Options
	statement
	tableaus []*simplex.Tableau // by depth
	work     int                // coefficients that are left
	all      int                // and that there were
	done     float64            // the share of the tree that is proved, were all its leaves as deep as they are
	values   []float64
	point    []float64
	layer    [2][]float64   // values of a layer's neurons, and of the next one's
	steps    []sdk.CaseStep // of the proof, where it is shown
}

// Options say how to prove.
type Options struct {
	// Steps are those of the inputs.
	Steps []Step
	// Stop ends a proof where it is set.
	Stop func() bool
	// Found, where not nil, receives the inputs of optima, of the first copy that is stated: the root's, those in which no ReLU is wrong
	// or a counterexample is met, or All.
	Found func(inputs []float64)
	All   bool
	// Past: proofs continue past a counterexample, so that Found receives more individuals.
	Past bool
	// Shown: what Prove proves, Proof tells a checker.
	Shown bool
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
func New(plan *batch.Plan) *Prover { return &Prover{statement: statement{plan: plan}} }

// mostCoefficients bounds a linear program: larger ones take longer than cutting the box.
const mostCoefficients = 1 << 16

// Prove reports whether it could prove that no individual's copies a and b have logits beyond all tangents, own telling which inputs
// may be different in the two. A copy of which no tangent speaks may be nil, and the program is of the other alone. It gives up at a counterexample, for which
// it is not so, and where it takes more than work coefficients of tableaus, or is about to; took is how many it took.
func (p *Prover) Prove(a, b *Side, own []bool, tangents []notion.Tangent, work int) (proved bool, took int) {
	p.work, p.all, p.done, p.steps = work, work, 0, p.steps[:0]
	p.sides, p.tangents = [2]*Side{a, b}, tangents
	took, ok := p.state(own)
	if p.work -= took; !ok {
		return false, took
	}
	p.values = append(p.values[:0], make([]float64, len(p.program.Lo))...)
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
	// Once the share early of the work is done, a proof is given up where all of it is estimated to take more than tooMuch times the work.
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
	p.tableaus[depth], p.tableaus[depth+1] = p.tableaus[depth+1], t // it is not needed here any more
	t.Bound(w, low, high)
	return p.prove(depth + 1)
}

// cut branches on an input that is between two of its values, below and above.
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
		return false // a counterexample, or almost
	}
	p.record(cut)
	lo, hi := p.tableau(depth).Bounds(at)
	return p.both(depth, at, lo, min(hi, below/p.scale[at]), at, max(lo, above/p.scale[at]), hi)
}

// tableau returns the tableau of a depth of the search.
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

// tell tells Found the inputs of the optimum.
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

// met reports that the logits of the optimum's individual, whose inputs are rounded to their steps, are beyond all tangents: no proof exists. Those inputs that
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
