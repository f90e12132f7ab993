package train

import (
	"math"
	"math/rand/v2"
)

// Consistency penalises different logits within groups of network inputs, such
// as the counterfactuals of one person: the loss of each row grows by Weight
// times the mean of √(1 + d²) − 1 over the row's group, where d is the difference
// between a logit and the group's mean. The penalty is about d²/2 for small d and
// |d| for large d (P. Charbonnier et al., ICIP 1994), so that groups far from all
// data, where logits are huge, do not drown the others. The zero value has no
// penalty.
type Consistency struct {
	// Weight scales the penalty: 0 or more.
	Weight float64
	// Group draws the group of a row. It must depend on rng and the row only, so
	// that the same seed gives the same network. Its vectors are used until the
	// next call. A group of fewer than two has no penalty.
	Group func(rng *rand.Rand, row int) [][]float64
}

func (c *Consistency) on() bool { return c.Weight > 0 && c.Group != nil }

// addSpread adds the gradient of share times the penalty of one row, and
// returns the penalty.
func (r *run) addSpread(row int, share float64) float64 {
	group := r.Consistency.Group(r.groups, row)
	slopes, penalty := r.spread(group)
	if penalty == 0 {
		return 0
	}
	for i, inputs := range group {
		r.model.logit(inputs) // sets the values that the gradient needs
		r.model.addGradient(r.gradient, inputs, float64(share*slopes[i]))
	}
	return penalty
}

// spread returns the penalty of a group and its slope by each logit. The next
// call overwrites the slopes.
func (r *run) spread(group [][]float64) (slopes []float64, penalty float64) {
	r.slopes = r.slopes[:0]
	if len(group) < 2 {
		return r.slopes, 0
	}
	n := float64(len(group))
	mean := 0.0
	for _, inputs := range group {
		logit := r.model.logit(inputs)
		r.slopes = append(r.slopes, logit)
		mean += logit / n
	}
	sum, slope := 0.0, 0.0
	for i, logit := range r.slopes {
		d := logit - mean
		root := math.Sqrt(1 + float64(d*d))
		sum += root - 1
		r.slopes[i] = d / root
		slope += r.slopes[i] / n
	}
	factor := r.Consistency.Weight / n
	for i := range r.slopes { // every logit moves the mean, too
		r.slopes[i] = float64(factor * (r.slopes[i] - slope))
	}
	return r.slopes, float64(factor * sum)
}

// meanSpread returns the mean penalty of rows, over the same groups in every
// call; 0 without rows.
func (r *run) meanSpread(rows []int) float64 {
	if !r.Consistency.on() || len(rows) == 0 {
		return 0
	}
	rng := r.stream(streamHeldGroups)
	total := 0.0
	for _, row := range rows {
		_, penalty := r.spread(r.Consistency.Group(rng, row))
		total += penalty
	}
	return total / float64(len(rows))
}
