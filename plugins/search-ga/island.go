package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/chain"
)

// person is an individual and its fitness. The fitness is zero until the trial arrives,
// and stays zero if the host refuses the individual.
type person struct {
	x []float64
	chain.Rank
}

// fitter orders by fitness, the fittest first.
func fitter(a, b person) int {
	return b.Compare(a.Rank)
}

// island is half of the population. people are sorted, the fittest first, only
// while the next generation is bred.
type island struct {
	*settings
	domain     *chain.Domain
	rng        *rand.Rand
	seen       *chain.Memory
	people     []person
	asked      int // number of people handed to the host, in order
	waiting    int // number of those whose trial is missing
	generation int64
	elders     []person // the elite of the last complete generation, for the other island
}

func newIsland(set *settings, g *chain.Domain, rng *rand.Rand, seen *chain.Memory, size int) *island {
	l := &island{settings: set, domain: g, rng: rng, seen: seen, people: make([]person, size)}
	for i := range l.people {
		l.people[i].x = l.unseen(g.Row(rng))
	}
	return l
}

// learn records the trial of a person.
func (l *island) learn(index int, t *sdk.Trial) {
	l.waiting--
	if t.Status == sdk.TrialEvaluated {
		l.people[index].Rank = chain.Rank{K: t.K, Shannon: t.Shannon}
	}
}

// breed replaces an evaluated generation by the next.
func (l *island) breed(other *island) {
	l.generation++
	slices.SortStableFunc(l.people, fitter)
	// Those without fitness come last, and have no children.
	fit := len(l.people)
	for fit > 0 && l.people[fit-1].K == 0 {
		fit--
	}
	parents := slices.Clone(l.people[:fit])
	size := len(l.people)
	// At least one child, so that the generation has something to evaluate.
	elite := min(int(math.Ceil(l.elite*float64(size))), size-1, fit)
	next := append(make([]person, 0, size), parents[:elite]...)
	if l.exchange > 0 && l.generation%int64(l.exchange) == 0 {
		for _, p := range other.elders {
			if len(next) < size-1 && !slices.ContainsFunc(next, func(q person) bool { return slices.Equal(p.x, q.x) }) {
				next = append(next, p)
			}
		}
	}
	l.elders = slices.Clone(next[:elite])
	l.asked = len(next) // their fitness is known
	draw := l.drawing(parents)
	for len(next) < size {
		if fit == 0 || l.rng.Float64() < l.fresh {
			next = append(next, person{x: l.unseen(l.domain.Row(l.rng))})
		} else {
			next = append(next, person{x: l.child(draw)})
		}
	}
	l.people = next
}

// drawing returns a function that draws a parent from people, who are sorted and all have
// some fitness. The roulette's sums add k and entropies in the order of people, so they
// are the same on every machine.
func (l *island) drawing(people []person) func() []float64 {
	if !l.roulette {
		return func() []float64 {
			best := l.rng.IntN(len(people))
			for range l.tournament - 1 {
				best = min(best, l.rng.IntN(len(people)))
			}
			return people[best].x
		}
	}
	sums, sum := make([]float64, len(people)), 0.0
	for i := range people {
		sum += float64(people[i].K) + people[i].Shannon
		sums[i] = sum
	}
	return func() []float64 {
		at, _ := slices.BinarySearch(sums, float64(l.rng.Float64()*sum))
		return people[min(at, len(people)-1)].x
	}
}

// child returns a new individual made from one or two parents.
func (l *island) child(draw func() []float64) []float64 {
	first := draw()
	x := slices.Clone(first)
	movable := l.domain.Movable()
	if l.rng.Float64() < l.crossover && len(movable) > 1 {
		second := draw()
		if l.onePoint {
			for _, i := range movable[1+l.rng.IntN(len(movable)-1):] {
				x[i] = second[i]
			}
		} else {
			for _, i := range movable {
				if l.rng.IntN(2) == 0 {
					x[i] = second[i]
				}
			}
		}
		if !l.domain.Inside(x) { // a constraint forbids the mixture
			copy(x, first)
		}
	}
	for range movable {
		if l.rng.Float64() < l.mutation {
			x = l.domain.Neighbour(l.rng, x)
		}
	}
	return l.unseen(x)
}

// attempts bounds how often an individual is mutated until it is new.
const attempts = 32

// unseen returns x if it is new, else x mutated until it is new, or until attempts are
// used up. Protected entries become zero: they differ between rows of the same
// individual.
func (l *island) unseen(x []float64) []float64 {
	x = l.domain.Space().Canonical(x)
	for range attempts {
		if l.seen.Add(chain.Key(x)) {
			break
		}
		x = l.domain.Neighbour(l.rng, x)
	}
	return x
}
