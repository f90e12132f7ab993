package goal

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// gap wants the largest or the least gap, or margin of a decision.
type gap struct{ base }

func (g gap) Bound(b *Bounds) float64 {
	if g.t.Least {
		return -g.p.Notion.Lower(&b.Whole, &b.Spread)
	}
	return g.p.Notion.Upper(&b.Whole, &b.Spread)
}

func (g gap) Prune(b *Bounds, bound float64) Verdict { return pruned(bound, b.Cutoff) }

func (gap) Contribution(v Verdict, m grid.Mass) grid.Tally { return valued(v, m) }

func (g gap) Requirements(cutoff float64) []notion.Requirement {
	if g.t.Least || g.p.Query.Notion != fairness.Score || cutoff < 0 {
		return nil
	}
	return notion.LargerGaps(cutoff, nil)
}

// bins wants the largest or the least number of bins.
type bins struct{ base }

// mostOfBins is the share of the bins below which the largest k leaves too many lowest and highest bins to ask about.
const mostOfBins = 0.8

func (g bins) Bound(b *Bounds) float64 {
	if g.t.Least {
		return -float64(b.Fewest)
	}
	return float64(b.Most)
}

func (g bins) Prune(b *Bounds, bound float64) Verdict { return pruned(bound, b.Cutoff) }

func (bins) Contribution(v Verdict, m grid.Mass) grid.Tally { return valued(v, m) }

func (g bins) Requirements(cutoff float64) []notion.Requirement {
	if cutoff < 0 || cutoff < mostOfBins*float64(g.p.Bins.Count()) {
		return nil
	}
	return g.p.Bins.MoreBins(int(cutoff), nil)
}

// decide wants the first violation, or every individual decided.
type decide struct{ base }

func (decide) Bound(*Bounds) float64 { return math.Inf(1) }

func (g decide) Prune(b *Bounds, _ float64) Verdict {
	if b.Tightened { // what copies have in common says that they are never far apart
		return verdict(math.IsInf(g.p.Notion.Thresholds(&b.Spread).Above, -1), false)
	}
	th := g.p.Notion.Thresholds(&b.Whole)
	return verdict(th.Above < 0 || th.Below >= 0, th.From < 0 && th.To >= 0)
}

func (g decide) Contribution(v Verdict, m grid.Mass) grid.Tally { return g.decision(v, m) }

func (g decide) Requirements(cutoff float64) []notion.Requirement {
	switch {
	case g.p.Notion.Signs():
		return []notion.Requirement{notion.OppositeSigns()}
	case cutoff < 0:
		return nil
	}
	return notion.LargerGaps(cutoff, nil)
}

// reach wants the first individual that reaches so many bins, or every individual decided.
type reach struct{ base }

func (reach) Bound(*Bounds) float64 { return math.Inf(1) }

func (g reach) Prune(b *Bounds, _ float64) Verdict {
	if b.Tightened {
		return Open
	}
	return verdict(b.Most < g.t.Reach, b.Fewest >= g.t.Reach)
}

func (g reach) Contribution(v Verdict, m grid.Mass) grid.Tally { return g.decision(v, m) }

func (reach) Requirements(float64) []notion.Requirement { return nil }

// verdict is that on a node known to be fair, or unfair.
func verdict(fair, unfair bool) Verdict {
	switch {
	case fair:
		return Fair
	case unfair:
		return Unfair
	}
	return Open
}
