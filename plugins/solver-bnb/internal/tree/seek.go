package tree

import (
	"math"
	"math/rand/v2"
)

// What the search looks at before it bounds anything: random individuals, and
// climbs from the most promising of them.
const (
	samples = 256
	climbs  = 8
	// triedValues bounds the values of a dimension that a climb tries at a time.
	triedValues = 128
)

// seek looks for a good individual.
func (t *Tree) seek() {
	w := t.workers[0]
	w.out = &output{left: math.Inf(-1), beyond: math.Inf(-1)}
	random := rand.New(rand.NewPCG(uint64(t.q.Seed), 0x626e62))
	type start struct {
		x       []float64
		promise float64
	}
	var best []start // the most promising first
	tell := func(x []float64, v *verdict) {
		w.out.best = t.better(w.out.best, x, v)
		if !v.asked {
			return
		}
		at := len(best)
		for at > 0 && best[at-1].promise < v.promise {
			at--
		}
		if at == climbs {
			return
		}
		best = append(best, start{})
		copy(best[at+1:], best[at:])
		best[at] = start{append([]float64(nil), x...), v.promise}
		best = best[:min(len(best), climbs)]
	}
	w.points.tell = tell
	x := make([]float64, len(t.grid.Dims))
	if t.q.Near != nil {
		w.points.add(w, t.near(x), true)
	}
	for i := 0; i < samples && !t.stop.Load() && !t.enough(w.out.best); i++ {
		for d := range x {
			x[d] = t.grid.Dims[d].Random(random)
		}
		w.points.add(w, x, true)
	}
	w.points.flush(w)
	for i := 0; i < len(best) && !t.stop.Load() && !t.enough(w.out.best); i++ {
		t.climb(w, best[i].x, best[i].promise)
	}
	w.points.tell = nil
	t.take(w.out.best)
	t.fresh = false
}

// near is the query's point, moved into the region.
func (t *Tree) near(x []float64) []float64 {
	t.grid.Coordinates(x, t.q.Near, t.q.Near)
	return x
}

// enough reports whether b answers the question.
func (t *Tree) enough(b *Best) bool {
	return b != nil && t.goal.Goal == goalDecide
}

// reached reports that nothing more is to be found.
func (t *Tree) reached() bool { return t.enough(t.Best) }

// climb goes from x to the most promising individual that differs in one feature,
// until there is none. w.points must tell.
func (t *Tree) climb(w *worker, x []float64, promise float64) {
	keep := w.points.tell
	defer func() { w.points.tell = keep }()
	x = append([]float64(nil), x...)
	next := append([]float64(nil), x...)
	for !t.stop.Load() && !t.enough(w.out.best) {
		better := false
		w.points.tell = func(y []float64, v *verdict) {
			w.out.best = t.better(w.out.best, y, v)
			if v.asked && v.promise > promise {
				better, promise = true, v.promise
				copy(next, y)
			}
		}
		for d := range x {
			was := x[d]
			t.grid.Dims[d].Try(triedValues, func(v float64) {
				if v != was {
					x[d] = v
					w.points.add(w, x, true)
				}
			})
			x[d] = was
		}
		w.points.flush(w)
		if !better {
			return
		}
		copy(x, next)
	}
}

// improve climbs from the best individual where it is a new one.
func (t *Tree) improve() {
	if !t.fresh || !t.goal.values || t.stop.Load() {
		return
	}
	w := t.workers[0]
	w.out = &output{left: math.Inf(-1), beyond: math.Inf(-1)}
	x := make([]float64, len(t.grid.Dims))
	t.grid.Coordinates(x, t.Best.X, t.Best.Y)
	w.points.tell = func([]float64, *verdict) {}
	t.climb(w, x, math.Inf(-1))
	w.points.tell = nil
	t.take(w.out.best)
	t.fresh = false
}
