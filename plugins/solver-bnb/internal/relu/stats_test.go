package relu

import (
	"math/rand/v2"
	"testing"
)

// The limit moves to where about half of the nodes are proved.
func TestTheLimitAdapts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 50))
	s := Start()
	for range 200 {
		for range 20 {
			columns := 1 + r.IntN(mostColumns)
			if columns > s.Columns || columns <= s.Columns-nearLimit {
				continue
			}
			d := Stats{tried: 1}
			if r.IntN(100) > columns {
				d.proved = 1
			}
			s.Add(&d)
		}
		s.Adapt()
	}
	if s.Columns < 20 || s.Columns > 90 {
		t.Errorf("the limit is %d columns, where half are proved at 50", s.Columns)
	}
	for range 200 { // no node is as small as that
		if s.Columns < 30 {
			s.Add(&Stats{tried: 5})
		}
		s.Adapt()
	}
	if s.Columns < 20 {
		t.Errorf("the limit stays at %d columns, where none is tried", s.Columns)
	}
}
