package lime

import "math"

const (
	// mostForward is the most features that "auto" selects one after the other.
	mostForward = 6
	// firstAlpha is the price of weights in the fit that selects the others.
	firstAlpha = 0.01
)

// selected are the features of the explanation, at most n, by the package's "auto".
func (r *regression) selected(n int) []int {
	if n <= mostForward {
		return r.forward(n)
	}
	return r.highest(n)
}

// forward adds, one after the other, the feature that R² without regularisation
// gains most by.
func (r *regression) forward(n int) []int {
	var used []int
	taken := make([]bool, r.d)
	for range min(n, r.d) {
		best, most := -1, math.Inf(-1)
		for f := range r.d {
			if taken[f] {
				continue
			}
			// What has no fit is said when the explanation itself is fitted.
			m, err := r.fit(append(used[:len(used):len(used)], f), 0)
			if best < 0 || err == nil && m.r2 > most {
				best = f
				if err == nil {
					most = m.r2
				}
			}
		}
		taken[best] = true
		used = append(used, best)
	}
	return used
}

// highest are the features with the largest weights in a fit of all. (At the point
// itself every feature is 1, so that weights are effects.)
func (r *regression) highest(n int) []int {
	m, err := r.fit(r.all(), firstAlpha)
	if err != nil {
		return r.all() // has no fit either, which is said there
	}
	return bySize(m.weights)[:min(n, r.d)]
}

func (r *regression) all() []int {
	out := make([]int, r.d)
	for i := range out {
		out[i] = i
	}
	return out
}
