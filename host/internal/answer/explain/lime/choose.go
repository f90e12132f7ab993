package lime

import "math"

const (
	// mostForward is the largest number of features for which "auto" uses forward
	// selection.
	mostForward = 6
	// firstAlpha is the ridge penalty of the fit that selects among more features.
	firstAlpha = 0.01
)

// selected returns the features of the explanation, at most n, as the package's "auto" chooses
// them.
func (r *regression) selected(n int) []int {
	if n <= mostForward {
		return r.forward(n)
	}
	return r.highest(n)
}

// forward adds features one by one, each time the one with the largest gain in
// unregularised R².
func (r *regression) forward(n int) []int {
	var used []int
	taken := make([]bool, r.d)
	for range min(n, r.d) {
		best, most := -1, math.Inf(-1)
		for f := range r.d {
			if taken[f] {
				continue
			}
			// A failed fit is reported when the explanation itself is fitted.
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

// highest returns the features with the largest weights in a fit of all. At the point itself
// every feature is 1, so a weight is an effect.
func (r *regression) highest(n int) []int {
	m, err := r.fit(r.all(), firstAlpha)
	if err != nil {
		return r.all() // the explanation's fit fails, too, and reports the error
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
