package individual

import "github.com/hyfair/hyfair/sdk/space"

// Values returns an individual (protected = false) or a protected combination as --json shows
// it: feature name → domain value.
func Values(s *space.Space, point []float64, protected bool) map[string]float64 {
	out := map[string]float64{}
	for i := range s.Features {
		if s.Features[i].IsProtected() == protected {
			out[s.Features[i].Name] = point[i]
		}
	}
	return out
}

// Labels returns Values with category names in place of indices.
func Labels(s *space.Space, point []float64, protected bool) map[string]string {
	out := map[string]string{}
	for i := range s.Features {
		if f := &s.Features[i]; f.IsProtected() == protected {
			out[f.Name] = f.Label(point[i])
		}
	}
	return out
}
