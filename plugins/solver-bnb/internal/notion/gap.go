package notion

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// slipped exceeds the error of a difference of two computed scores. Exp is accurate to a
// unit in the last place, so a score to some 2⁻⁵¹.
const slipped = 0x1p-44

// scores returns the difference of two logits' scores, with an error of less than slipped. It is
// fairness.Score.Between, inlined because bounds of boxes spend most of their time in it.
func scores(high, low float64) float64 { return fairness.Sigmoid(high) - fairness.Sigmoid(low) }

// Upper bounds the notion's value for every individual whose logits lie in the enclosures
// of whole and, shifted by a common t, in those of s.
func (j *Notion) Upper(whole, s *Spread) float64 {
	if math.IsInf(whole.Apart, -1) { // at most one combination, and no pair
		return math.Inf(-1)
	}
	apart := min(whole.Apart, s.Apart)
	switch j.Notion {
	case fairness.Logit, fairness.Share:
		return max(apart, 0)
	case fairness.Score:
		if apart <= 0 {
			return 0
		}
		// Two logits apart from each other differ more in score the nearer their middle
		// is to 0. Both lie between Least and Most, so the middle is at least apart/2
		// away from either. For logits that are closer to each other, the middle may be
		// nearer to 0, but their gap is smaller.
		m := max(0, whole.Least+apart/2, apart/2-whole.Most)
		gap := scores(m+apart/2, m-apart/2)
		gap = min(gap, scores(whole.Most, whole.Least))
		// For some t in [From, To], all logits lie in [t + Least, t + Most]. The centre of this
		// interval is at least m away from 0, so no gap exceeds that of its ends with centre m.
		half := (s.Most - s.Least) / 2
		m = max(0, s.From+s.Least+half, -s.To-s.Least-half)
		gap = min(gap, scores(m+half, m-half))
		return min(gap+slipped, 1)
	}
	return j.Most(whole.Most, whole.Least, apart)
}

// Lower bounds the notion's value from below for the same individuals as Upper. It
// serves the notions with ε.
func (j *Notion) Lower(whole, s *Spread) float64 {
	if !whole.Sure {
		return 0
	}
	apart := max(down(whole.SureMost-whole.SureLeast), down(s.SureMost-s.SureLeast))
	if apart <= 0 {
		return 0
	}
	if j.Notion == fairness.Logit || j.Notion == fairness.Share {
		return apart
	}
	// Scores of two logits at this distance, anywhere between Least and Most, are closest
	// at one of the ends.
	low := fairness.Sigmoid(whole.Least+apart) - fairness.Sigmoid(whole.Least)
	high := fairness.Sigmoid(whole.Most) - fairness.Sigmoid(whole.Most-apart)
	return max(min(low, high)-slipped, 0)
}
