package mitigate

import (
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Gates of a comparison: the accuracy that an arm may lose on the rows it answers, and the share of
// people in these rows that it may treat unfairly.
const (
	MaxCost   = "max-cost"
	MaxUnfair = "max-unfair"
)

// Held checks gates for every arm but the original. A skipped arm leaves them undecided.
func (r *Result) Held(gates []gate.Gate) (out []gate.Check) {
	var before *Quality
	for i := range r.Arms {
		if a := &r.Arms[i]; a.Name == Original && a.Skipped == "" {
			before = a.Quality
		}
	}
	for _, g := range gates {
		held := false
		for i := range r.Arms {
			a := &r.Arms[i]
			if a.Name == Original {
				continue
			}
			held = true
			switch {
			case a.Skipped != "":
				out = append(out, g.Is(a.Name, gate.Undecided, "the arm was left out: "+a.Skipped+"; --arms names the arms to compare"))
			case a.Quality.refusesMany():
				out = append(out, g.Is(a.Name, gate.Failed, view.Share(*a.Quality.Refused)+" of the rows are refused, which is no success"))
			case g.Name == MaxCost:
				out = append(out, a.Quality.costs(g, a.Name, before))
			default:
				out = append(out, a.treats(g, r.banded()))
			}
		}
		switch {
		case r.Interrupted:
			out = append(out, g.Is("", gate.Undecided, "interrupted before all arms were compared"))
		case !held:
			out = append(out, g.Is("", gate.Undecided, "there is no arm except the original: name one with --arms"))
		}
	}
	return out
}

// costs checks MaxCost.
func (q *Quality) costs(g gate.Gate, arm string, before *Quality) gate.Check {
	switch {
	case before == nil || before.AccuracyAnswered == nil:
		return g.Is(arm, gate.Undecided, "the accuracy of the original is not known")
	case q.AccuracyAnswered == nil:
		return g.Is(arm, gate.Undecided, "no row was answered")
	}
	cost := new(big.Rat).Sub(before.accuracy(), q.accuracy())
	return g.Within(arm, cost, cost, fmt.Sprintf("accuracy on the answered rows is %s, that of the original %s",
		view.Percent(*q.AccuracyAnswered, 2), view.Percent(*before.AccuracyAnswered, 2)))
}

// accuracy is AccuracyAnswered as an exact fraction.
func (q *Quality) accuracy() *big.Rat {
	right := math.Round(*q.AccuracyAnswered * float64(q.Answered))
	return big.NewRat(int64(right), int64(q.Answered))
}

// treats checks MaxUnfair: over all individuals if a solver was asked, else over the rows.
func (a *ArmResult) treats(g gate.Gate, banded bool) gate.Check {
	q, arm := a.Quality, a.Name
	if p := a.Proved; p != nil {
		least, most := p.bounds()
		if most == nil {
			return g.Is(arm, gate.Undecided, "the arm answers no possible person")
		}
		return g.Within(arm, least, most, p.cell()+" % of "+p.of()+" answered have "+unfair(banded)+", by proof")
	}
	if q.Unfair == nil {
		return g.Is(arm, gate.Undecided, "no person was answered whose copies could be evaluated")
	}
	share, _ := new(big.Rat).SetString(view.Exact(q.Unfair)) // the shortest decimal, so that 0.01 is exactly a hundredth
	return g.Within(arm, share, share, view.Share(*q.Unfair)+" of the people answered have "+unfair(banded))
}
