package tree

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/problem"
)

// The largest gaps have many tops, most of which no step in one feature or two leads away from. Annealing (Kirkpatrick, Gelatt and Vecchi,
// "Optimization by simulated annealing", Science 1983) leaves them, with many steps, which sdk/evaluate makes cheap.

// fewestSteps are the first round's. Tests have fewer.
var fewestSteps = 1 << 13

const (
	// annealings are so many chains a round, of which one in coldStarts begins anywhere, and hot, the others at the best, and warm.
	annealings = 16
	coldStarts = 2
	// Temperatures are of logits of gaps.
	hot, warm, cool = 3, 0.25, 0.1
	// mostSteps is up to which chains get twice as long each round.
	mostSteps = 1 << 17
	// moreMoves is the chance that a step moves one more feature, and anyValue that it moves one to any value.
	moreMoves, anyValue = 0.7, 0.3
	// workOfStep is about how many coefficients of tableaus are worked out in the time of a step, and shareOfAnnealing how many of them, for each one beyond withoutMore, annealing may take.
	workOfStep       = 1 << 12
	shareOfAnnealing = 1
	// foundAgain is how often chains that begin anywhere are to end at the best before it is taken for the largest.
	foundAgain = 3
)

// annealer is what is known of annealing.
type annealer struct {
	people *evaluate.Evaluator // made when first needed
	steps  int                 // of the next round's chains
	work   int64               // what it took, in coefficients of tableaus
	top    float64             // the best that again counts for
	again  int                 // how many chains that began anywhere found nothing above it, and itself
}

// chain is one annealing.
type chain struct {
	x           []float64 // where it is
	temperature float64
	steps       int
	random      *rand.Rand
	gap         float64 // the largest one found
}

// ready makes what evaluates people, once.
func (a *annealer) ready(q *problem.Query) (err error) {
	if a.people == nil {
		a.steps = fewestSteps
		a.people, err = evaluate.New(q.Model, q.Space, q.Region, big.NewRat(1, 2)) // whose bins are not asked about
	}
	return err
}

// sameGap is how far two gaps are apart at most that are the same, as far as rounding can tell.
const sameGap = 0x1p-30

// rise begins to count anew where there is a better top.
func (a *annealer) rise(best float64) {
	if best > a.top+sameGap {
		a.top, a.again = best, 0
	}
}

// annealsNext reports whether a round is for annealing.
func (t *Tree) annealsNext() bool {
	if !t.isLong() {
		return false
	}
	a := &t.annealer
	a.rise(t.Best.Value)
	return a.again < foundAgain && t.affords(shareOfAnnealing, a.work)
}

// anneal has a round of chains.
func (t *Tree) anneal() {
	a := &t.annealer
	if err := a.ready(t.q); err != nil {
		a.again = foundAgain // there is none without
		return
	}
	tasks := make([]task, annealings)
	for i := range tasks {
		c := &chain{make([]float64, len(t.grid.Dims)), warm, a.steps, rand.New(rand.NewPCG(t.random.Uint64(), 0)), 0}
		if i%coldStarts == 0 {
			c.temperature = hot
			t.anywhere(c.x)
		} else {
			t.grid.Coordinates(c.x, t.Best.X, t.Best.Y)
		}
		tasks[i].chain = c
	}
	t.do(tasks, nil)
	a.work += annealings * int64(a.steps) * workOfStep
	a.steps = min(2*a.steps, mostSteps)
	a.rise(t.Best.Value)
	for i := 0; i < annealings; i += coldStarts {
		if tasks[i].chain.gap >= a.top-sameGap {
			a.again++
		}
	}
}

// follow goes along a chain, and looks at the best individual on it.
func (w *worker) follow(c *chain) {
	const least = 0x1p-100 // of nobody the logit is infinite
	dims, r := w.g.Dims, c.random
	best, next := slices.Clone(c.x), make([]float64, len(c.x))
	point := w.g.Point(c.x)
	on := math.Inf(-1)
	for i := range c.steps {
		if w.t.stop.Load() {
			break
		}
		copy(next, c.x)
		for moves := i > 0; moves; moves = r.Float64() < moreMoves {
			if d := r.IntN(len(next)); r.Float64() < anyValue {
				next[d] = dims[d].Random(r)
			} else {
				next[d] = dims[d].Step(next[d], r)
			}
		}
		w.g.Put(point, next)
		gap := 0.0
		if w.t.rules == nil || w.t.rules.Asks(point) {
			gap = w.t.annealer.people.Evaluate(point).Gap
		}
		temperature := c.temperature * math.Pow(cool/c.temperature, float64(i)/float64(c.steps))
		if to := math.Log((gap + least) / (1 - gap + least)); to >= on || r.Float64() < math.Exp((to-on)/temperature) {
			on = to
			copy(c.x, next)
			if gap > c.gap && !w.t.q.Excludes(point) {
				c.gap = gap
				copy(best, next)
			}
		}
	}
	w.points.add(w, best, true)
}
