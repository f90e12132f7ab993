package statistics

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/statistics/scipy"
	"github.com/hyfair/hyfair/internal/tier"
)

// A thousand tables, most of them with ties, some with enough runs for the
// approximation, have the p-values that scipy has for them.
func TestScipyAgrees(t *testing.T) {
	tier.NeedUsual(t)
	rng := rand.New(rand.NewPCG(3, 4))
	tables := make([]scipy.Table, tier.Count(50, 1000))
	for i := range tables {
		most := []int{1, 3, 10, 1000}[rng.IntN(4)]
		values := func(n int) (out []float64) {
			for range n {
				out = append(out, float64(rng.IntN(most+1)))
			}
			return out
		}
		one := scipy.Table{Nemenyi: i < 20}
		for range 2 + rng.IntN(4) {
			runs := 2 + rng.IntN(4)
			if i%10 == 0 {
				runs += 40
			}
			one.Arms = append(one.Arms, values(runs))
		}
		arms := 2 + rng.IntN(3)
		for range 2 + rng.IntN(7) {
			one.Networks = append(one.Networks, values(arms))
		}
		tables[i] = one
	}
	for i, want := range scipy.Ask(t, tables) {
		one := tables[i]
		same := func(what string, got, want, tolerance float64) {
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("table %d, %s: %v, scipy has %v: %v", i, what, got, want, one)
			}
		}
		pair := 0
		cells, names := make([]*Cell, len(one.Arms)), make([]string, len(one.Arms))
		for k := range cells {
			cells[k], names[k] = &Cell{}, string(rune('a'+k))
		}
		Test(cells, names, one.Arms, -1)
		for k := range one.Arms {
			for l := k + 1; l < len(one.Arms); l++ {
				a := cells[k].Against[l-1]
				same("Mann-Whitney", a.P, want.P[pair], 1e-9)
				same("Holm", a.PHolm, want.Holm[pair], 1e-9)
				pair++
			}
		}
		pair = 0
		for k := range one.Networks[0] {
			for l := k + 1; l < len(one.Networks[0]); l++ {
				var d []float64
				for _, row := range one.Networks {
					d = append(d, row[k]-row[l])
				}
				same("Wilcoxon", Wilcoxon(d), want.Wilcoxon[pair], 1e-9)
				pair++
			}
		}
		chi2, p := Friedman(one.Networks)
		same("Friedman", chi2, want.Friedman[0], 1e-9)
		same("Friedman's p", p, want.Friedman[1], 1e-9)
		if one.Nemenyi {
			k, n := len(one.Networks[0]), len(one.Networks)
			same("Nemenyi", CriticalDifference(k, n)*math.Sqrt(float64(12*n)/float64(k*(k+1))), want.Nemenyi, 1e-6)
		}
	}
}
