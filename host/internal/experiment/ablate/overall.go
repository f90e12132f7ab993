package ablate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Overall compares the arms by one measure over the networks of the ranking.
type Overall struct {
	Measure  string `json:"measure"`
	Networks int    `json:"networks"`
	// Friedman is χ² of the test whether the arms differ at all, P its p; nil below
	// three arms or two networks. CriticalDifference is by how much mean ranks must
	// differ after Nemenyi; nil below two networks.
	Friedman           *float64 `json:"friedman"`
	P                  *float64 `json:"p"`
	CriticalDifference *float64 `json:"critical_difference"`
	// Pairs are those of all arms.
	Pairs []Pair `json:"pairs"`
}

// Pair is one arm against another.
type Pair struct {
	Arm   string `json:"arm"`
	Other string `json:"other"`
	// Ahead counts the networks on which the arm does better than the other, Behind
	// those on which it does worse. A12 is the mean effect size.
	Ahead  int     `json:"ahead"`
	Behind int     `json:"behind"`
	A12    float64 `json:"a12"`
	// P of Wilcoxon's test of the networks' effect sizes, of one network that of its
	// cells, and corrected after Holm for the number of pairs.
	P     float64 `json:"p"`
	PHolm float64 `json:"p_holm"`
}

// overall compares arms, on networks given by the places of their runs, larger being
// better: network, arm, run.
func overall(measure string, arms []string, networks [][][]float64) Overall {
	o := Overall{Measure: measure, Networks: len(networks), Pairs: []Pair{}}
	if len(networks) == 0 {
		return o
	}
	if len(networks) > 1 && len(arms) > 1 {
		o.CriticalDifference = new(statistics.CriticalDifference(len(arms), len(networks)))
		if len(arms) > 2 {
			means := make([][]float64, len(networks))
			for n := range networks {
				for _, runs := range networks[n] {
					means[n] = append(means[n], statistics.Mean(runs))
				}
			}
			chi2, p := statistics.Friedman(means)
			o.Friedman, o.P = &chi2, &p
		}
	}
	var ps []float64
	for i := range arms {
		for k := i + 1; k < len(arms); k++ {
			pair := Pair{Arm: arms[i], Other: arms[k]}
			var effects, differences []float64
			for n := range networks {
				x, y := networks[n][i], networks[n][k]
				a, b := statistics.A12(x, y), statistics.A12(y, x)
				effects, differences = append(effects, a), append(differences, a-b)
				switch {
				case a > b:
					pair.Ahead++
				case a < b:
					pair.Behind++
				}
			}
			pair.A12 = statistics.Mean(effects)
			if pair.P = statistics.Wilcoxon(differences); len(networks) == 1 {
				pair.P = statistics.MannWhitney(networks[0][i], networks[0][k])
			}
			o.Pairs, ps = append(o.Pairs, pair), append(ps, pair.P)
		}
	}
	for i, adjusted := range statistics.Holm(ps) {
		o.Pairs[i].PHolm = adjusted
	}
	return o
}

// of is the pair of two arms, seen from the first.
func (o *Overall) of(arm, other string) Pair {
	at := slices.IndexFunc(o.Pairs, func(p Pair) bool {
		return p.Arm == arm && p.Other == other || p.Arm == other && p.Other == arm
	})
	p := o.Pairs[at]
	if p.Arm != arm {
		p.Arm, p.Other, p.Ahead, p.Behind, p.A12 = arm, other, p.Behind, p.Ahead, 1-p.A12
	}
	return p
}

// sentence says who wins by the measure, and by how much; empty where there is no
// contest. ranking is the measure's.
func (o *Overall) sentence(ranking []Rank) string {
	if o.Networks == 0 || len(ranking) < 2 {
		return ""
	}
	first, second := ranking[0], ranking[1]
	if *first.MeanRank == *second.MeanRank {
		equal := slices.DeleteFunc(slices.Clone(ranking), func(r Rank) bool { return *r.MeanRank != *first.MeanRank })
		if len(equal) == len(ranking) {
			return "no search is ahead of another on " + o.Measure
		}
		names := first.Arm
		for _, r := range equal[1 : len(equal)-1] {
			names += ", " + r.Arm
		}
		return fmt.Sprintf("%s and %s share the first place on %s", names, equal[len(equal)-1].Arm, o.Measure)
	}
	wins, differ, others := true, 0, 0
	for _, p := range o.Pairs {
		significant := p.PHolm < statistics.Significance
		switch {
		case p.Arm == first.Arm:
			wins = wins && significant && p.A12 > 0.5
		case p.Other == first.Arm:
			wins = wins && significant && p.A12 < 0.5
		case significant:
			differ++
			fallthrough
		default:
			others++
		}
	}
	p := o.of(first.Arm, second.Arm)
	text := fmt.Sprintf("%s comes first on %s, but is not significantly better than every other", first.Arm, o.Measure)
	if wins {
		text = fmt.Sprintf("%s is best on %s", first.Arm, o.Measure)
	}
	text += fmt.Sprintf(": ahead of %s on %d of %d networks, A12 %.2f, %s", second.Arm, p.Ahead, o.Networks, p.A12, pText(p.PHolm))
	switch {
	case others == 1 && differ == 0:
		text += "; the other two do not differ"
	case others == 1:
		text += "; the other two differ"
	case others > 0 && differ == 0:
		text += "; none of the others differ"
	case others > 0:
		text += fmt.Sprintf("; %d of the %d pairs of others differ", differ, others)
	}
	return text
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// note says what the tests over networks came to.
func (o *Overall) note() string {
	if o.CriticalDifference == nil {
		return ""
	}
	text := o.Measure + ": "
	if o.Friedman != nil {
		text += fmt.Sprintf("Friedman's χ² %.2f, %s; ", *o.Friedman, pText(*o.P))
	}
	return text + fmt.Sprintf("Nemenyi's critical difference of mean ranks %.2f", *o.CriticalDifference)
}

// ranking is that by a measure.
func (a *Ablation) ranking(measure string) (out []Rank) {
	for _, r := range a.Ranking {
		if r.Measure == measure {
			out = append(out, r)
		}
	}
	return out
}

// criticalDifferences are figures of the mean ranks by each measure: a line for each arm, the
// best on top, as long as the critical difference, so that arms differ significantly
// where their lines do not overlap.
func (a *Ablation) criticalDifferences() (figures []*view.Figure) {
	for i := range a.Overall {
		o := &a.Overall[i]
		if o.CriticalDifference == nil {
			continue
		}
		half := *o.CriticalDifference / 2
		f := &view.Figure{
			Name:  "critical-difference-" + strings.TrimPrefix(o.Measure, "#"),
			Title: a.Title(fmt.Sprintf("%s over %d networks", o.Measure, o.Networks)),
			X:     view.Axis{Label: "mean rank, with the critical difference (Nemenyi, 0.05) around it", Min: math.Inf(1), Max: math.Inf(-1)},
			Y:     view.Axis{Min: 0.5, Max: float64(len(a.Arms)) + 0.7},
		}
		ranking := a.ranking(o.Measure)
		slices.Reverse(ranking)
		for at, r := range ranking {
			y, lo, hi := float64(at+1), *r.MeanRank-half, *r.MeanRank+half
			look := 1 + slices.IndexFunc(a.Arms, func(arm ArmInfo) bool { return arm.Name == r.Arm })
			f.Y.Names = append(f.Y.Names, r.Arm)
			f.X.Min, f.X.Max = min(f.X.Min, lo-0.1), max(f.X.Max, hi+0.1)
			f.Series = append(f.Series, view.Series{Name: r.Arm, Look: look, Steps: []view.Point{{X: lo, Y: y}, {X: hi, Y: y}}, Dots: []view.Point{{X: *r.MeanRank, Y: y}}})
		}
		figures = append(figures, f)
	}
	return figures
}
