package ablate

import (
	"cmp"
	"slices"

	"github.com/hyfair/hyfair/host/internal/statistics"
)

// Rank is how one arm does by one measure over all networks on which every arm
// has a run.
type Rank struct {
	Measure string `json:"measure"`
	Arm     string `json:"arm"`
	// MeanRank is the mean of the arm's ranks, 1 the best; nil without a network.
	// On a network all runs of all arms are put in order, and arms are ranked by
	// the mean place of their runs, equal ones sharing their ranks.
	MeanRank *float64 `json:"mean_rank"`
	// Networks that count.
	Networks int `json:"networks"`
	// Wins and Losses count the other arms, over networks, against which the arm
	// is significantly better or worse: Mann-Whitney U, p < 0.05 after Holm, on
	// networks on which every arm has five runs or more.
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	// A12 is the mean effect size against the other arms over networks; nil
	// without another arm.
	A12 *float64 `json:"a12"`
}

// ranked are the measures that arms are ranked by, the first deciding; counts take the
// place of times as in unit.measures.
var ranked = []string{measureMaxK, measureTTarget, measureID}

// rank ranks the arms by each of the ranked measures.
func (a *Ablation) rank(p *Plan) {
	a.Ranking, a.Overall = []Rank{}, []Overall{}
	names := make([]string, len(p.Arms))
	for i := range p.Arms {
		names[i] = p.Arms[i].Name
	}
	for _, name := range ranked {
		if name == measureTTarget && a.in != seconds {
			name = measureNTarget
		}
		m := measureNamed(a.in.measures(), name)
		lines := make([]Rank, len(p.Arms))
		ranks, effects := make([][]float64, len(p.Arms)), make([][]float64, len(p.Arms))
		for i := range lines {
			lines[i] = Rank{Measure: name, Arm: names[i]}
		}
		var networks [][][]float64
		for n := range a.networks {
			arms := a.networks[n].arms
			fewest := len(slices.MinFunc(arms, func(a, b []run) int { return len(a) - len(b) }))
			if fewest == 0 {
				continue
			}
			means, worths := make([]float64, len(arms)), m.worths(arms)
			networks = append(networks, worths)
			for i, places := range worths {
				means[i] = statistics.Mean(places)
			}
			for i, r := range statistics.Ranks(means) {
				// Ranks grow with worth; the best is to be the first.
				ranks[i] = append(ranks[i], float64(len(arms)+1)-r)
				for _, against := range m.cell(&a.Cells[n*len(arms)+i]).Against {
					effects[i] = append(effects[i], against.A12)
					if against.Better() && fewest >= statistics.MinRunsForBold {
						lines[i].Wins++
					}
					if against.Worse() && fewest >= statistics.MinRunsForBold {
						lines[i].Losses++
					}
				}
			}
		}
		for i := range lines {
			lines[i].Networks = len(ranks[i])
			lines[i].MeanRank, lines[i].A12 = statistics.Finite(statistics.Mean(ranks[i])), statistics.Finite(statistics.Mean(effects[i]))
		}
		slices.SortStableFunc(lines, func(x, y Rank) int { return cmp.Compare(orZero(x.MeanRank), orZero(y.MeanRank)) })
		a.Ranking = append(a.Ranking, lines...)
		a.Overall = append(a.Overall, overall(name, names, networks))
	}
}
