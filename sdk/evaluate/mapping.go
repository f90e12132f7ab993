package evaluate

import (
	"math"

	"github.com/hyfair/hyfair/sdk/space"
)

// mapping computes network inputs from points, separately for protected and other
// features.
type mapping struct {
	features, inputs  int
	shared, protected []feed
	domains           []domain // of the features that are not protected
}

// domain is the set of a feature's values.
type domain struct {
	feature int
	lo, hi  float64
	whole   bool // integers only
}

// contains is space.ContainsIndividual.
func (m *mapping) contains(x []float64) bool {
	if len(x) != m.features {
		return false
	}
	for i := range m.domains {
		d := &m.domains[i]
		v := x[d.feature]
		if !(v >= d.lo && v <= d.hi) || d.whole && v != math.Trunc(v) {
			return false
		}
	}
	return true
}

// feed is one network input and the feature it reads.
type feed struct {
	space.Input
	feature int
	lo      float64 // lower end of the feature's domain: table entry 0
}

func newMapping(s *space.Space) *mapping {
	m := &mapping{features: len(s.Features), inputs: s.Inputs}
	for i := range s.Features {
		f := &s.Features[i]
		if !f.IsProtected() {
			m.domains = append(m.domains, domain{i, f.Lo, f.Hi, f.Discrete()})
		}
		for _, in := range f.Inputs {
			fd := feed{Input: in, feature: i, lo: f.Lo}
			if f.IsProtected() {
				m.protected = append(m.protected, fd)
			} else {
				m.shared = append(m.shared, fd)
			}
		}
	}
	return m
}

// apply writes the inputs of the feeds into dst, which holds all network inputs.
func apply(feeds []feed, dst, point []float64) {
	for i := range feeds {
		f := &feeds[i]
		if f.Table != nil {
			dst[f.Index] = f.Table[int(point[f.feature]-f.lo)]
		} else {
			dst[f.Index] = f.Scale*point[f.feature] + f.Offset
		}
	}
}
