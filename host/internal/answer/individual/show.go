package individual

import (
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// Values is an individual (protected = false) or a protected combination as
// --json shows it: feature name → domain value.
func Values(s *space.Space, point []float64, protected bool) map[string]float64 {
	out := map[string]float64{}
	for i := range s.Features {
		if s.Features[i].IsProtected() == protected {
			out[s.Features[i].Name] = point[i]
		}
	}
	return out
}

// Labels is Values with category names in place of indices.
func Labels(s *space.Space, point []float64, protected bool) map[string]string {
	out := map[string]string{}
	for i := range s.Features {
		if f := &s.Features[i]; f.IsProtected() == protected {
			out[f.Name] = f.Label(point[i])
		}
	}
	return out
}

// Pair shows two counterfactuals of one individual side by side: what they share
// once, what tells them apart, and their scores.
func Pair(s *space.Space, one, two []float64, score1, score2 float64) *view.Table {
	t := &view.Table{Plain: true, Indented: true, Columns: []view.Column{{}, {Title: "one copy"}, {Title: "the other"}}}
	for _, protected := range []bool{false, true} {
		for i := range s.Features {
			f := &s.Features[i]
			if f.IsProtected() != protected {
				continue
			}
			name, a, b := f.Name, f.Label(one[i]), f.Label(two[i])
			if protected && a != b {
				name += "*"
			}
			if a == b {
				b = "same"
			}
			t.Add(name, a, b)
		}
	}
	t.Add("score", view.Score(score1), view.Score(score2))
	return t
}
