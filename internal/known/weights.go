package known

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Weights draws a table of weights as CSV. Its cells are disjoint, over one or two discrete features that are not
// protected. Some weights are 0, and a part of the space may have no cell.
func Weights(r *rand.Rand, s *space.Space) string {
	var names []string
	rows := []string{""}
	for _, i := range s.Free() {
		f := &s.Features[i]
		if !f.Discrete() || len(names) == 2 {
			continue
		}
		names = append(names, f.Name)
		var more []string
		for lo := f.Lo; lo <= f.Hi; {
			hi := min(f.Hi, lo+float64(r.IntN(1+int(f.Hi-f.Lo)/2)))
			text := fmt.Sprintf("%v..%v", lo, hi)
			switch {
			case f.Categories != nil:
				text = strings.Join(f.Categories[int(lo):int(hi)+1], "|")
			case f.Missing && lo == f.Hi:
				text = "missing"
			case f.Missing && hi == f.Hi:
				text = fmt.Sprintf("%v..missing", lo)
			}
			for _, row := range rows {
				more = append(more, row+text+",")
			}
			lo = hi + 1
		}
		rows = more
	}
	out := strings.Join(names, ",") + ",weight\n"
	for k, row := range rows {
		if k == 0 {
			out += row + "1\n"
		} else if r.IntN(8) > 0 {
			out += row + fmt.Sprint(float64(r.IntN(4))/3) + "\n"
		}
	}
	return out
}
