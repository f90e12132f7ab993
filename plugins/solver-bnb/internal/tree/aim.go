package tree

import "math"

// Nobody may have more than some value above the best long before it is known that nobody has more than the best: the nearer to it a cutoff is, the more boxes
// hold people who almost have it. So a bound between what is known and the best is aimed at beside the search itself, one after the other, each by a search of its own.

const (
	// shareOfAims is which part of all coefficients beyond withoutMore aims may take.
	shareOfAims = 0.75
	// partOfAims is how far above the best an aim is, as a part of how far the known bound is: what it takes grows little until the best is near.
	partOfAims = 1.0 / 6
	// nearAim is how far above the best an aim is at least: nearer ones take about what the search itself does.
	nearAim = 0x1p-9
)

// aim is a search for a bound: what a Tree has of its own search.
type aim struct {
	front  *frontier
	tally  Tally
	stuck  int64
	mass   float64
	left   float64
	beyond float64
	cases  cases // but work
	// at is the bound that is aimed at, which rises with the best.
	at float64
	// work is how many coefficients of tableaus aims took, and what boxes are worth.
	work int64
	// vain: one told no more than was known, or took too much memory, and there will be no more.
	vain bool
}

// swap has the tree search for the aim, or go back to its own search.
func (t *Tree) swap() {
	a := &t.aim
	t.front, a.front = a.front, t.front
	t.Tally, a.tally = a.tally, t.Tally
	t.Stuck, a.stuck = a.stuck, t.Stuck
	t.mass, a.mass = a.mass, t.mass
	t.left, a.left = a.left, t.left
	t.beyond, a.beyond = a.beyond, t.beyond
	t.cases, a.cases = a.cases, t.cases
	t.cases.work, t.aims = a.cases.work, !t.aims
}

// aimsNext reports whether a round is for an aim.
func (t *Tree) aimsNext() bool {
	if !t.mayLook() || t.Pieces != nil || t.aim.vain || float64(t.aim.work) > shareOfAims*float64(t.cases.work-withoutMore) {
		return false
	}
	return t.aim.front != nil || partOfAims*(t.Bound()-t.cutoff()) > nearAim
}

// aimRound goes on with the aim, or takes the next one.
func (t *Tree) aimRound(l Limits, memory int64) {
	before, boxes := t.cases.work, t.Boxes
	begins := t.aim.front == nil || t.aim.at >= t.Bound() // which the search itself has told meanwhile
	if begins {
		t.aim = aim{front: newFrontier(t.grid), left: math.Inf(-1), beyond: math.Inf(-1), work: t.aim.work, cases: cases{columns: firstColumns}}
		t.aim.front.setWords = t.front.setWords
	}
	if memory > 0 && t.bytes() > memory {
		t.aim.vain, t.aim.front = true, nil
		return
	}
	t.aim.at = max(t.aim.at, t.cutoff()+partOfAims*(t.Bound()-t.cutoff()))
	t.swap()
	if begins {
		t.round(nil)
	} else {
		t.round(t.front.take(t.leaves(l)))
	}
	bound := max(t.left, t.cutoff())
	t.swap()
	t.aim.work += t.cases.work - before + (t.Boxes-boxes)*workOfOctet
	if t.aim.front.size == 0 {
		t.aim.vain, t.aim.front = bound >= t.Bound(), nil
		t.earlier = min(t.earlier, bound)
	}
}
