package statistics

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize/english"
)

// Pairs is the number of pairs of arms.
func Pairs(arms int) int { return arms * (arms - 1) / 2 }

// leastMannWhitney and leastWilcoxon are the least p that the tests can have, with n
// runs of each arm and with n networks: that of values without ties in perfect order.
func leastMannWhitney(n int) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n+i)
	}
	return math.Min(1, p)
}

func leastWilcoxon(n int) float64 { return math.Min(1, math.Ldexp(2, -n)) }

// Power states whether any pair of arms can differ significantly on one network, with the
// given number of runs each.
func Power(arms, runs int) string {
	return power(arms, runs, MinRunsForBold, "run", leastMannWhitney)
}

// PowerOver tells it of pairs over networks.
func PowerOver(arms, networks int) string { return power(arms, networks, 1, "network", leastWilcoxon) }

func power(arms, n, atLeast int, unit string, least func(int) float64) string {
	pairs := Pairs(arms)
	enough := atLeast
	for float64(pairs)*least(enough) >= Significance {
		enough++
	}
	text := fmt.Sprintf("%s, %s: ", english.Plural(arms, "arm", ""), english.Plural(n, unit, ""))
	possible := fmt.Sprintf("p < %v (least possible %d × %.2g)", Significance, pairs, least(n))
	switch {
	case n >= enough:
		return text + "a pair without ties can reach " + possible
	case float64(pairs)*least(n) < Significance:
		return fmt.Sprintf("%sno cell is marked; %s would be enough", text, english.Plural(enough, unit, ""))
	}
	return fmt.Sprintf("%sno pair can reach %s; %s would", text, possible, english.Plural(enough, unit, ""))
}
