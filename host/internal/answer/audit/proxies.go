package audit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// Proxy measures how well an unprotected feature stands in for a protected one.
type Proxy struct {
	// The feature.
	Feature string `json:"feature"`
	// The share, 0 to 1, of the entropy of the protected attribute that the feature removes: the
	// mutual information of both in the rows, less its bias (Miller 1955), over the entropy of the attribute. Values of
	// real and integer features are cut into at most ten groups with about the same number of rows.
	Information float64 `json:"information"`
	// The mean absolute change of people's scores when the feature takes the value of another person, drawn
	// at random.
	ScoreChange float64 `json:"score_change"`
}

const (
	// proxyRows bounds the people whose scores are computed again for a feature.
	proxyRows = 2000
	// proxyGroups is the most groups of an ordered feature.
	proxyGroups = 10
	// shownProxies is the largest number of proxies in a table.
	shownProxies = 8
)

// proxies returns the unprotected features for each protected attribute, the most informative
// first.
func (o *Outcome) proxies(by *RateBy, seed int64) [][]Proxy {
	rows := make([][]float64, len(o.People))
	for i := range o.People {
		rows[i] = by.Rows[o.People[i].Index]
	}
	free := by.Space.Free()
	changes := make([]float64, len(free))
	forEach(len(free), func(k int) { changes[k] = by.scoreChange(rows, free[k], seed) })
	var out [][]Proxy
	for _, f := range by.Space.Protected() {
		own := groupsOf(rows, f, &by.Space.Features[f])
		list := make([]Proxy, len(free))
		for k, x := range free {
			list[k] = Proxy{by.Space.Features[x].Name, explained(groupsOf(rows, x, &by.Space.Features[x]), own), changes[k]}
		}
		slices.SortStableFunc(list, func(a, b Proxy) int { return cmp.Compare(b.Information, a.Information) })
		out = append(out, list)
	}
	return out
}

// scoreChange computes Proxy.ScoreChange of feature f.
func (by *RateBy) scoreChange(rows [][]float64, f int, seed int64) float64 {
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(f)))
	sum, n := 0.0, 0
	for i, at := range rng.Perm(len(rows)) {
		if i == proxyRows {
			break
		}
		point := slices.Clone(rows[at])
		if point[f] = rows[rng.IntN(len(rows))][f]; !by.Space.Allowed(point) {
			continue
		}
		before, _ := by.Decider.At(rows[at])
		after, _ := by.Decider.At(point)
		sum, n = sum+math.Abs(after-before), n+1
	}
	return sum / float64(max(1, n))
}

// groupsOf returns each row's group: its category, or one of the ranges with about the same number of rows.
func groupsOf(rows [][]float64, f int, feature *space.Feature) []int {
	values := make([]float64, len(rows))
	for i, row := range rows {
		values[i] = row[f]
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	borders := distinct
	if feature.Kind != space.Categorical && len(distinct) > proxyGroups {
		borders = nil
		for g := range proxyGroups {
			borders = append(borders, sorted[g*len(sorted)/proxyGroups])
		}
		borders = slices.Compact(borders)
	}
	out := make([]int, len(rows))
	for i, v := range values {
		at, found := slices.BinarySearch(borders, v)
		if !found {
			at-- // the smallest value is a border
		}
		out[i] = at
	}
	return out
}

// explained computes Proxy.Information: how much the groups tell about the protected values in own;
// 0 if these are all equal.
func explained(groups, own []int) float64 {
	n := float64(len(own))
	both, a, b := map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
	for i := range own {
		both[[2]int{groups[i], own[i]}]++
		a[groups[i]]++
		b[own[i]]++
	}
	// Summed in a fixed order, so that rounding never differs.
	entropy := func(counts []float64) (h float64) {
		slices.Sort(counts)
		for _, c := range counts {
			h -= c / n * math.Log(c/n)
		}
		return h
	}
	of := entropy(values(b))
	if of == 0 {
		return 0
	}
	mutual := entropy(values(a)) + of - entropy(values(both)) - float64((len(a)-1)*(len(b)-1))/(2*n)
	return min(1, max(0, mutual/of))
}

func values[K comparable](m map[K]float64) (out []float64) {
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// proxies shows the features that tell most about the attribute; nil if there are none.
func (r *Rated) proxies() *view.Table {
	if len(r.Proxies) == 0 {
		return nil
	}
	t := &view.Table{Title: "Features that stand in for " + r.Name, Columns: view.Columns("feature", "says of "+r.Name, "moves the score by")}
	for _, p := range r.Proxies[:min(shownProxies, len(r.Proxies))] {
		t.Add(p.Feature, view.Percent(p.Information, 1), view.Score(p.ScoreChange))
	}
	t.Notes = []string{"says of " + r.Name + ": the share of its entropy that the feature removes in these rows. moves the score by: on average, where the feature takes another person's value. A proxy does both."}
	if more := len(r.Proxies) - shownProxies; more > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d more features say less: --json has them.", more))
	}
	return t
}
