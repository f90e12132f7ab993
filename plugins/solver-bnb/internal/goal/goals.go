package goal

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// valued is the common part of goals whose individuals have values. Of proved nodes, it
// counts only the individuals that the query does not ask about.
type valued struct{ base }

func (valued) Prune(b *Bounds, bound float64) Verdict {
	if bound <= b.Cutoff {
		return Pruned
	}
	return Open
}

func (valued) Contribution(v Verdict, m grid.Mass) (t grid.Tally) {
	if v == Outside {
		t.Outside = m
	}
	return t
}

// decided is the common part of goals whose individuals are fair or unfair.
type decided struct{ base }

func (decided) Bound(*Bounds) float64 { return math.Inf(1) }

func (decided) Contribution(v Verdict, m grid.Mass) (t grid.Tally) {
	switch v {
	case Outside:
		t.Outside = m
	case Fair:
		t.Fair = m
	case Unfair:
		t.Unfair = m
	}
	return t
}

// gap is the goal of the largest or the least gap, or margin of a decision.
type gap struct{ valued }

func (g gap) Bound(b *Bounds) float64 {
	if g.t.Least {
		return -g.p.Notion.Lower(&b.Whole, &b.Spread)
	}
	return g.p.Notion.Upper(&b.Whole, &b.Spread)
}

func (g gap) Requirements(cutoff float64) []notion.Requirement {
	if g.t.Least || g.p.Query.Notion != fairness.Score || cutoff < 0 {
		return nil
	}
	return notion.LargerGaps(cutoff)
}

// bins is the goal of the largest or the least number of bins.
type bins struct{ valued }

// mostOfBins is the least cutoff, as a share of all bins, at which requirements are used. There is one for each possible
// lowest bin, so a smaller cutoff would lead to too many.
const mostOfBins = 0.8

func (g bins) Bound(b *Bounds) float64 {
	if g.t.Least {
		return -float64(b.Fewest)
	}
	return float64(b.Most)
}

func (g bins) Requirements(cutoff float64) []notion.Requirement {
	if cutoff < 0 || cutoff < mostOfBins*float64(g.p.Bins.Count()) {
		return nil
	}
	return g.p.Bins.MoreBins(int(cutoff))
}

// decide is the goal of the first violation, or of deciding every individual.
type decide struct{ decided }

func (g decide) Prune(b *Bounds, _ float64) Verdict {
	if b.Tightened { // tightening can newly prove only that copies are close to each other everywhere
		return verdict(math.IsInf(g.p.Notion.Thresholds(&b.Spread).Above, -1), false)
	}
	th := g.p.Notion.Thresholds(&b.Whole)
	return verdict(th.Above < 0 || th.Below >= 0, th.From < 0 && th.To >= 0)
}

func (g decide) Requirements(cutoff float64) []notion.Requirement {
	switch {
	case g.p.Notion.Signs():
		return []notion.Requirement{notion.OppositeSigns()}
	case cutoff < 0:
		return nil
	}
	return notion.LargerGaps(cutoff)
}

// reach is the goal of the first individual that reaches Reach bins, or of deciding every
// individual.
type reach struct{ decided }

func (g reach) Prune(b *Bounds, _ float64) Verdict {
	if b.Tightened {
		return Open
	}
	return verdict(b.Most < g.t.Reach, b.Fewest >= g.t.Reach)
}

func (reach) Requirements(float64) []notion.Requirement { return nil }

// verdict returns the verdict on a node that is known to be fair, or unfair, or neither.
func verdict(fair, unfair bool) Verdict {
	switch {
	case fair:
		return Fair
	case unfair:
		return Unfair
	}
	return Open
}
