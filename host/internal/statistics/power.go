package statistics

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize/english"
)

// Pairs returns the number of pairs of arms.
func Pairs(arms int) int { return arms * (arms - 1) / 2 }

// Tests returns the number of tested pairs of arms: all, or those with the control.
func Tests(arms int, controlled bool) int {
	if controlled {
		return arms - 1
	}
	return Pairs(arms)
}

// leastMannWhitney and leastWilcoxon return the least possible p of the tests, with n runs
// of each arm and with n networks: that of completely separated values without ties.
func leastMannWhitney(n int) float64 {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(n+i)
	}
	return math.Min(1, p)
}

func leastWilcoxon(n int) float64 { return math.Min(1, math.Ldexp(2, -n)) }

// EnoughRuns returns the least number of runs of each arm with which a pair of arms can differ
// significantly on one network, for this number of tests.
func EnoughRuns(tests int) int { return enough(tests, MinRunsForBold, leastMannWhitney) }

// EnoughNetworks returns the least number of networks over which a pair of arms can differ
// significantly.
func EnoughNetworks(tests int) int { return enough(tests, 1, leastWilcoxon) }

func enough(tests, atLeast int, least func(int) float64) int {
	for float64(tests)*least(atLeast) >= Significance {
		atLeast++
	}
	return atLeast
}

// Power states whether any pair of arms can differ significantly on one network, with the
// given number of runs each and of tests.
func Power(arms, runs, tests int) string {
	return power(arms, runs, tests, EnoughRuns(tests), "run", leastMannWhitney)
}

// PowerOver states the same for pairs over several networks.
func PowerOver(arms, networks, tests int) string {
	return power(arms, networks, tests, EnoughNetworks(tests), "network", leastWilcoxon)
}

func power(arms, n, tests, enough int, unit string, least func(int) float64) string {
	text := fmt.Sprintf("%s, %s: ", english.Plural(arms, "arm", ""), english.Plural(n, unit, ""))
	possible := fmt.Sprintf("p < %v (least possible %d × %.2g)", Significance, tests, least(n))
	switch {
	case n >= enough:
		return text + "a pair without ties can reach " + possible
	case float64(tests)*least(n) < Significance:
		return fmt.Sprintf("%sno cell is marked; %s would be enough", text, english.Plural(enough, unit, ""))
	}
	return fmt.Sprintf("%sno pair can reach %s; %s would", text, possible, english.Plural(enough, unit, ""))
}
