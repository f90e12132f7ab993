package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// Intersection counts the people with the same value, or range of values, in every protected feature.
type Intersection struct {
	// The values, as labels or ranges, in the order of the attributes.
	Values []string `json:"values"`
	// The number of people with these values.
	People int `json:"people"`
	// The number of them who are treated unfairly.
	Unfair int `json:"unfair"`
	// Their share, 0 to 1.
	UnfairShare float64 `json:"unfair_share"`
	// The sum of their weights; absent without weights.
	Weight float64 `json:"weight,omitempty"`
	Decisions
	// The mean of their score gaps.
	MeanGap float64 `json:"mean_gap"`
}

// MostIntersections is the largest number of intersections in a summary.
const MostIntersections = 200

// fewest is the least number of people in a group whose shares are compared.
const fewest = 20

// intersections counts people by their own values of all protected features. Ordered features use
// the bands of the attribute's groups. The list is empty for a single protected feature.
func (r *Outcome) intersections(s *space.Space, region space.Region, rows [][]float64) []Intersection {
	protected := s.Protected()
	if len(protected) < 2 {
		return []Intersection{}
	}
	order := cohorts(s, region, protected, len(r.People), r.row(rows))
	slices.SortStableFunc(order, func(a, b *cohort) int { return cmp.Compare(len(b.people), len(a.people)) })
	order = order[:min(len(order), MostIntersections)]
	out := make([]Intersection, len(order))
	for k, c := range order {
		g := &out[k]
		g.People = len(c.people)
		for _, i := range c.people {
			p := &r.People[i]
			weight := r.weight(p)
			g.Weight += weight
			g.MeanGap += weight * p.Gap
			if p.Unfair {
				g.Unfair++
				g.UnfairShare += weight
			}
			g.decide(weight, r.turnOf(p, p.Flips, p.Enters))
		}
		g.MeanGap, g.UnfairShare = part(g.MeanGap, g.Weight), part(g.UnfairShare, g.Weight)
		if g.sum(g.Weight, r.Rule, r.ranks() > 0); r.Weights == nil {
			g.Weight = 0
		}
		for n, f := range protected {
			g.Values = append(g.Values, labelOf(&s.Features[f], c.ends[n]))
		}
	}
	return out
}

// name returns the group's name, such as "female, 25, north".
func (g *Intersection) name() string { return strings.Join(g.Values, ", ") }

// Apart returns the two groups that the protected attributes treat most differently. held has the
// largest share of people who would gain the favourable decision with other values; helped has the largest
// share who would lose it. Groups of fewer than fewest people are left out. ok is false unless these are two
// groups and some of their decisions would change so.
func (sum *Summary) Apart() (held, helped *Intersection, ok bool) {
	for i := range sum.Intersections {
		g := &sum.Intersections[i]
		if g.People < fewest {
			continue
		}
		if held == nil || g.GainShare > held.GainShare {
			held = g
		}
		if helped == nil || g.LoseShare > helped.LoseShare {
			helped = g
		}
	}
	return held, helped, held != nil && held != helped && held.Gain > 0 && helped.Lose > 0
}

// mostRows is the largest number of groups in a table.
const mostRows = 15

// byIntersection shows the groups in which the largest shares of decisions would change.
func (r *Result) byIntersection(unfair string) *view.Table {
	sum, rule := &r.Summary, r.Rule()
	good, bad := r.ways()
	var names []string
	for i := range sum.Attributes {
		names = append(names, sum.Attributes[i].Name)
	}
	t := &view.Table{
		Title:   "People by all of " + english.WordSeries(names, "and") + " together",
		Columns: view.Columns("group", "people", good, "to "+good, "to "+bad, unfair, "mean gap"),
		Notes:   []string{"to " + good + ", to " + bad + ": with any other values of these attributes. " + fmt.Sprintf("Groups of %d people and more, those with the most such changes first.", fewest)},
	}
	var groups []*Intersection
	for i := range sum.Intersections {
		if g := &sum.Intersections[i]; g.People >= fewest {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, func(a, b *Intersection) int {
		return cmp.Compare(b.FlipsShare, a.FlipsShare)
	})
	for _, g := range groups[:min(len(groups), mostRows)] {
		t.Add(g.name(), view.Count(g.People), r.percent(g.favourable(rule), g.Weight), r.percent(g.GainShare, g.Weight),
			r.percent(g.LoseShare, g.Weight), r.percent(g.UnfairShare, g.Weight), r.mean("%.4f", g.MeanGap, g.Weight))
	}
	if n := len(groups); n > mostRows {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d such groups.", mostRows, n))
	}
	if r.banded() {
		unrated(t)
	}
	return t
}
