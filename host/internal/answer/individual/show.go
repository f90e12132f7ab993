package individual

import (
	"fmt"
	"io"
	"text/tabwriter"

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

// PrintPair shows two counterfactuals of one individual side by side: what
// they share once, what tells them apart, and their scores.
func PrintPair(w io.Writer, s *space.Space, one, two []float64, score1, score2 float64) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "  \tone copy\tthe other\n")
	for _, protected := range []bool{false, true} {
		for i := range s.Features {
			f := &s.Features[i]
			if f.IsProtected() != protected {
				continue
			}
			a, b := f.Label(one[i]), f.Label(two[i])
			mark := ""
			if protected && a != b {
				mark = "*"
			}
			if a == b {
				b = "same"
			}
			fmt.Fprintf(t, "  %s%s\t%s\t%s\n", f.Name, mark, a, b)
		}
	}
	fmt.Fprintf(t, "  score\t%.4f\t%.4f\n", score1, score2)
	t.Flush()
}
