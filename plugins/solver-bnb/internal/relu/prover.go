// Package relu proves by branching on ReLUs that no two copies of any individual in a box have logits beyond a border. A
// linear program bounds both copies at once. If a ReLU's value is wrong in its optimum, two more are solved: with the ReLU
// inactive and active (Tjeng et al., "Evaluating Robustness of Neural Networks with Mixed Integer Programming", ICLR 2019;
// Ehlers, "Formal Verification of Piece-Wise Linear Feed-Forward Neural Networks", ATVA 2017, for the linear program).
package relu

import (
	"math"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu/simplex"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// Prover proves statements about copies. Not safe for concurrent use.
type Prover struct {
	Options
	statement
	tableaus []*simplex.Tableau // by depth
	work     int                // remaining work, in coefficients
	all      int                // work allowed at the start
	done     float64            // the proved share of the tree: 2⁻ᵈ per leaf at depth d
	values   []float64
	point    []float64
	layer    [2][]float64   // values of a layer's neurons and of the next layer's
	steps    []sdk.CaseStep // of the proof, if Shown is set
}

// Options say how to prove.
type Options struct {
	// Steps are the inputs' possible values.
	Steps []Step
	// Stop ends a proof when it returns true.
	Stop func() bool
	// Found, if not nil, receives inputs of optima: those of the first copy that the program has. It is called at the root,
	// where no ReLU is wrong, and where a counterexample is met; if All is set, at every optimum.
	Found func(inputs []float64)
	All   bool
	// Past makes proofs continue after a counterexample, so that Found receives more
	// individuals.
	Past bool
	// Shown makes Prove record its proofs for Proof.
	Shown bool
}

// Step is the set of an input's values: they differ by at most Slack from Base plus a multiple of Width. If Width is 0, any
// value is possible.
type Step struct{ Base, Width, Slack float64 }

// StepOf returns the step of an input with the given number of values, at least two, from one number to another. It is zero
// if rounding could hide a value.
func StepOf(from, to float64, values int) Step {
	s := Step{Base: from, Width: math.Abs(to-from) / float64(values-1), Slack: 0x1p-40 * max(math.Abs(from), math.Abs(to))}
	if s.Width <= 8*s.Slack {
		return Step{}
	}
	return s
}

// Side is the bounds of one of the two copies.
type Side struct {
	// Inputs encloses the network's inputs. Inputs that are not a copy's own have the same value in both
	// copies.
	Inputs []space.Interval
	// Lo and Hi enclose the hidden neurons' values before the activation, by layer.
	Lo, Hi [][]float64
}

// relu is a ReLU that is unstable in the box.
type relu struct {
	value int // column of its value
	above int // row of its value less its argument
	side  int // which of the two copies
	of    sdk.Neuron
}

// New returns a prover for a plan's network.
func New(plan *batch.Plan) *Prover { return &Prover{statement: statement{plan: plan}} }

// mostCoefficients bounds the size of a linear program: larger ones take longer than
// splitting the box.
const mostCoefficients = 1 << 16

// Prove reports whether it proved that no individual's copies a and b have logits beyond all tangents. own marks the inputs
// that may differ between the two. A copy that no tangent involves may be nil; the program is then about the other alone.
// Costs are counted in coefficients of tableaus. Prove gives up at a counterexample, or when its cost exceeds, or is about
// to exceed, the number work. The result took is its cost.
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

// Unstable returns the number of a side's unstable ReLUs.
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
	// deepest bounds the depth of the branching.
	deepest = 64
	// A proof is abandoned if its estimated total exceeds tooMuch times the allowed work. The estimate is used once the
	// share early of that work is done.
	early, tooMuch = 0.2, 2
	// worth is the least score of a ReLU for branching, as a share of the optimum, so that one
	// without a visible loss counts, too.
	worth = 0.03
)

// prove proves the statement of the tableau at a depth. It changes this tableau and the deeper
// ones.
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
		// The argument is the value less above; above is its row's value beyond the row's
		// lower bound.
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

// hopeless reports whether the rest is estimated to take far more work than is left, by what is proved so far. A tree's
// cases are halved again and again, so the proved share is estimated as Knuth does ("Estimating the efficiency of backtrack
// programs", 1975).
func (p *Prover) hopeless() bool {
	took := float64(p.all - p.work)
	return took > early*float64(p.all) && took > tooMuch*p.done*float64(p.all)
}

// settled reports whether a tableau already assumes one of a ReLU's two cases.
func (p *Prover) settled(t *simplex.Tableau, r relu) bool {
	least, most := t.Bounds(r.above)
	_, hi := t.Bounds(r.value)
	return least == most || hi == 0
}

// both proves two cases: variable v between lo and hi, and w between low and high.
func (p *Prover) both(depth, v int, lo, hi float64, w int, low, high float64) bool {
	t, u := p.tableau(depth), p.tableau(depth+1)
	u.Copy(t)
	u.Bound(v, lo, hi)
	if !p.prove(depth + 1) {
		return false
	}
	p.tableaus[depth], p.tableaus[depth+1] = p.tableaus[depth+1], t // the deeper level may overwrite its tableau
	t.Bound(w, low, high)
	return p.prove(depth + 1)
}

// cut branches on an input that lies between two of its values.
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
		return false // a counterexample up to tolerances
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

// solve solves the linear program of a tableau. Refutable means that its case is proved.
func (p *Prover) solve(t *simplex.Tableau) simplex.Outcome {
	for _, below := range [2]float64{-1e-4, math.Inf(-1)} { // first with a margin, then to the optimum
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

// tell passes the inputs of the optimum to Found.
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

// optimum returns a copy's inputs in the optimum.
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

// met reports whether the individual of the optimum, with inputs rounded to their steps, has logits beyond all tangents:
// then no proof exists. A copy's own inputs have no steps and are not rounded.
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

// logit returns the network's logit in floating point, without a bound of its error.
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
