package primal

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/params"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

// sameGap is the largest difference of two gaps that count as equal, because of rounding.
const sameGap = 0x1p-30

// Annealing is simulated annealing (Kirkpatrick, Gelatt and Vecchi, "Optimization by simulated annealing", Science 1983). The gap
// has many local maxima that one- and two-feature moves cannot leave; sdk/evaluate makes many steps cheap.
type Annealing struct {
	*Env
	// Run follows chains, on all threads.
	Run   func([]*Chain)
	gaps  *evaluate.Evaluator // made when first needed
	steps int                 // of the next round's chains
	Work  int64               // work done, in coefficients of tableaus
	top   float64             // the incumbent's gap to which again refers
	again int                 // number of chains with a random start that ended at that gap
}

// Chain is one annealing chain. Each is followed by one thread.
type Chain struct {
	x           []float64 // the current individual
	temperature float64
	steps       int
	random      *rand.Rand
	Gap         float64 // the largest gap found
	of          *Annealing
}

// Due reports whether the search has escalated, the largest gap has not been found again often enough, and the budget
// allows it.
func (a *Annealing) Due(w *Work) bool {
	if a.Off(params.Annealing) || !w.Escalated(a.Store) {
		return false
	}
	a.rise(a.Best.Value)
	return !a.Done() && w.Affords(a.Params.Anneal.Share, a.Work)
}

// Ready makes the evaluator of gaps on the first call.
func (a *Annealing) Ready() (err error) {
	if a.gaps == nil {
		a.steps = a.Params.Anneal.Steps
		a.gaps, err = evaluate.New(a.Query.Model, a.Query.Space, a.Query.Region, big.NewRat(1, 2)) // the bins are not used
	}
	return err
}

// rise restarts the count of chains that found the incumbent's gap again, if that gap
// has become larger.
func (a *Annealing) rise(best float64) {
	if best > a.top+sameGap {
		a.top, a.again = best, 0
	}
}

// Improve follows a round of chains: some from random individuals, the others from the
// incumbent. It doubles the steps of the next round, up to MostSteps.
func (a *Annealing) Improve(*Work) {
	p := &a.Params.Anneal
	if err := a.Ready(); err != nil {
		a.again = p.Again // impossible without an evaluator
		return
	}
	chains := make([]*Chain, p.Chains)
	for i := range chains {
		r := rand.New(rand.NewPCG(a.Random.Uint64(), 0))
		if i%p.Cold == 0 {
			chains[i] = a.Start(p.Hot, a.steps, r)
		} else {
			chains[i] = &Chain{make([]float64, len(a.Grid.Dims)), p.Warm, a.steps, r, 0, a}
			a.Grid.Coordinates(chains[i].x, a.Best.X, a.Best.Y)
		}
	}
	a.Run(chains)
	a.Work += int64(p.Chains) * int64(a.steps) * p.WorkOfStep
	a.steps = min(2*a.steps, p.MostSteps)
	a.rise(a.Best.Value)
	for i := 0; i < p.Chains; i += p.Cold {
		if chains[i].Gap >= a.top-sameGap {
			a.again++
		}
	}
}

// Start returns a chain with a random start; r draws its steps.
func (a *Annealing) Start(temperature float64, steps int, r *rand.Rand) *Chain {
	c := &Chain{make([]float64, len(a.Grid.Dims)), temperature, steps, r, 0, a}
	a.anywhere(c.x)
	return c
}

// Done reports whether the incumbent was found again often enough to count as the largest.
func (a *Annealing) Done() bool { return a.again >= a.Params.Anneal.Again }

// Follow runs the chain, and adds the best individual on it to points.
func (c *Chain) Follow(points *Points) {
	const least = 0x1p-100 // keeps the logit of a gap of 0 finite
	a := c.of
	g, r, p := a.Grid, c.random, &a.Params.Anneal
	best, next := slices.Clone(c.x), make([]float64, len(c.x))
	point := g.Point(c.x)
	on := math.Inf(-1)
	for i := range c.steps {
		if a.Stop.Load() {
			break
		}
		copy(next, c.x)
		for moves := i > 0; moves; moves = r.Float64() < p.More {
			if d := r.IntN(len(next)); r.Float64() < p.Any {
				next[d] = g.Dims[d].Random(r)
			} else {
				next[d] = g.Dims[d].Step(next[d], r)
			}
		}
		g.Put(point, next)
		gap := 0.0
		if a.Rules == nil || a.Rules.Asks(point) {
			gap = a.gaps.Evaluate(point).Gap
		}
		temperature := c.temperature * math.Pow(p.Cool/c.temperature, float64(i)/float64(c.steps))
		if to := math.Log((gap + least) / (1 - gap + least)); to >= on || r.Float64() < math.Exp((to-on)/temperature) {
			on = to
			copy(c.x, next)
			if gap > c.Gap && !a.Query.Excludes(point) {
				c.Gap = gap
				copy(best, next)
			}
		}
	}
	points.Add(best, true)
}
