package judge

import (
	"math"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// slipped outweighs the error of a difference of two computed scores. Exp is good
// to a unit in the last place, so a score to some 2⁻⁵¹.
const slipped = 0x1p-44

// Gap is the difference of two logits' scores, about.
func (j *Judge) Gap(high, low float64) float64 { return relu.Sigmoid(high) - relu.Sigmoid(low) }

// Value is about what the notion measures of an individual with these extreme
// logits.
func (j *Judge) Value(high, low float64) float64 {
	switch j.Notion {
	case fairness.Score:
		return j.Gap(high, low)
	case fairness.Logit:
		return high - low
	case fairness.Decision:
		if low > 0 {
			return math.Inf(-1)
		}
		return high
	}
	return min(high, -low)
}

// Promise grows with these extreme logits towards a violation and beyond.
func (j *Judge) Promise(high, low float64) float64 {
	switch j.Notion {
	case fairness.Score:
		return j.Gap(high, low)
	case fairness.Logit:
		return high - low
	}
	return min(high, -low)
}

// Upper bounds what the notion measures (fairness.Gap) of any individual whose
// logits lie in the enclosures of whole and, from one t on, in those of s.
func (j *Judge) Upper(whole, s *Spread) float64 {
	if math.IsInf(whole.Apart, -1) { // at most one combination, and no pair
		return math.Inf(-1)
	}
	apart := min(whole.Apart, s.Apart)
	switch j.Notion {
	case fairness.Logit:
		return max(apart, 0)
	case fairness.Score:
		if apart <= 0 {
			return 0
		}
		// Two logits so far apart differ the more in score the nearer their middle is
		// to 0. Both lie between Least and Most, so it is half of apart away from
		// either; two that are less apart come nearer, but with less of a gap.
		m := max(0, whole.Least+apart/2, apart/2-whole.Most)
		gap := j.Gap(m+apart/2, m-apart/2)
		gap = min(gap, j.Gap(whole.Most, whole.Least))
		// For one t all logits lie between t + Least and t + Most, with the middle of
		// these in their middle.
		half := (s.Most - s.Least) / 2
		m = max(0, s.From+s.Least+half, -s.To-s.Least-half)
		gap = min(gap, j.Gap(m+half, m-half))
		return min(gap+slipped, 1)
	case fairness.Decision:
		if whole.Least > 0 {
			return math.Inf(-1)
		}
		return whole.Most
	}
	return min(whole.Most, -whole.Least)
}

// Lower bounds the same from below, for the notions with ε.
func (j *Judge) Lower(whole, s *Spread) float64 {
	if !whole.Sure {
		return 0
	}
	apart := max(down(whole.SureMost-whole.SureLeast), down(s.SureMost-s.SureLeast))
	if apart <= 0 {
		return 0
	}
	if j.Notion == fairness.Logit {
		return apart
	}
	// Two logits apart, anywhere between Least and Most, are closest in score at
	// one of the ends.
	low := relu.Sigmoid(whole.Least+apart) - relu.Sigmoid(whole.Least)
	high := relu.Sigmoid(whole.Most) - relu.Sigmoid(whole.Most-apart)
	return max(min(low, high)-slipped, 0)
}
