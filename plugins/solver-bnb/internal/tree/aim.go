package tree

// Nobody may have more than some value above the best long before it is known that nobody has more than the best: the nearer to it a cutoff is, the more boxes
// hold people who almost have it. So a bound between what is known and the best is aimed at beside the search itself, one after the other, each by a search of its own.

// withoutMore is of how many coefficients of tableaus none are for annealing or aims, since what closes by then closes sooner without. Tests have them from the start.
var withoutMore int64 = 1 << 35

const (
	// shareOfAims is which part of all coefficients beyond withoutMore aims may take.
	shareOfAims = 0.75
	// partOfAims is how far above the best an aim is, as a part of how far the known bound is: what it takes grows little until the best is near.
	partOfAims = 1.0 / 6
	// nearAim is how far above the best an aim is at least: nearer ones take about what the search itself does.
	nearAim = 0x1p-9
)

// aim is a search for a bound, by a pass of its own, whose front is nil where there is none.
type aim struct {
	pass
	// at is the bound that is aimed at, which rises with the best.
	at float64
	// work is how many coefficients of tableaus aims took, and what boxes are worth.
	work int64
	// vain: one told no more than was known, or took too much memory, and there will be no more.
	vain bool
}

// swap has the tree search for the aim, or go back to its own search.
func (t *Tree) swap() {
	work := t.cases.work
	t.pass, t.aim.pass = t.aim.pass, t.pass
	t.cases.work, t.aims = work, !t.aims
}

// isLong reports that the search for a largest gap has not closed it by cases for so long that more is tried.
func (t *Tree) isLong() bool {
	return t.begun && t.goal.values && !t.goal.bins && t.Best != nil && t.cases.work >= withoutMore
}

// affords reports that a share of what a long search worked out beyond withoutMore is no less than this work.
func (t *Tree) affords(share float64, work int64) bool {
	return float64(work) <= share*float64(t.cases.work-withoutMore)
}

// aimsNext reports whether a round is for an aim.
func (t *Tree) aimsNext() bool {
	if !t.isLong() || t.Pieces != nil || t.aim.vain || !t.affords(shareOfAims, t.aim.work) {
		return false
	}
	return t.aim.front != nil || partOfAims*(t.Bound()-t.cutoff()) > nearAim
}

// aimRound goes on with the aim, or takes the next one.
func (t *Tree) aimRound(l Limits, memory int64) {
	before, boxes := t.cases.work, t.Boxes
	begins := t.aim.front == nil || t.aim.at >= t.Bound() // which the search itself has told meanwhile
	if begins {
		t.aim = aim{pass: newPass(t.grid, t.front.setWords), work: t.aim.work}
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
