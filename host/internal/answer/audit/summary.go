package audit

import (
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Tally holds the counts that all parts of a summary share. Means and shares of an empty group
// are 0. A person without counterfactuals counts with k = 1 and gap 0.
type Tally struct {
	// The number of people audited.
	People int `json:"people"`
	// The number of people with a gap above ε, or whose copies violate the notion.
	Unfair int `json:"unfair"`
	// Their share, 0 to 1.
	UnfairShare float64 `json:"unfair_share"`
	// The sum of the people's weights; absent without weights.
	Weight float64 `json:"weight,omitempty"`
	Decisions

	// The mean of the people's k.
	MeanK float64 `json:"mean_k"`
	// The largest k.
	MaxK int `json:"max_k"`
	// The mean of the people's gaps.
	MeanGap float64 `json:"mean_gap"`
	// The largest gap.
	MaxGap float64 `json:"max_gap"`
	// The people by their k.
	K []KCount `json:"k"`
}

// Decisions counts people by their decisions. With classes or bands, Positive, ToYes and ToNo are 0; with classes, Turns too.
type Decisions struct {
	// The number of people with a positive decision.
	Positive int `json:"positive"`
	// Their share, 0 to 1.
	PositiveShare float64 `json:"positive_share"`
	// The number of people who would get the other decision, or another class or band, with other protected values.
	Flips int `json:"flips"`
	// Their share, 0 to 1.
	FlipsShare float64 `json:"flips_share"`
	// The number of them with a negative decision, which would become positive.
	ToYes int `json:"to_yes"`
	// The number of them with a positive decision, which would become negative.
	ToNo int `json:"to_no"`
	Turns
}

// Turns are people who would get the other decision, by whether it is the favourable one. With bands a person may count as
// both.
type Turns struct {
	// The number of people who would get the favourable decision: to_yes, or to_no where the negative one is favourable; with
	// bands, of those who would get a better one.
	Gain int `json:"gain"`
	// Their share, 0 to 1.
	GainShare float64 `json:"gain_share"`
	// The number of people who would lose it; with bands, of those who would get a worse one.
	Lose int `json:"lose"`
	// Their share, 0 to 1.
	LoseShare float64 `json:"lose_share"`
}

// turns converts counts of flips to Turns, whose shares stay 0.
func turns(toYes, toNo int, rule fairness.Rule) Turns {
	if rule.Low {
		return Turns{Gain: toNo, Lose: toYes}
	}
	return Turns{Gain: toYes, Lose: toNo}
}

// favoured returns the number of people with the favourable decision.
func favoured(positive, people int, rule fairness.Rule) int {
	if rule.Low {
		return people - positive
	}
	return positive
}

// turn says whether a person gets the positive decision, and whether some copy gets another decision (flips), the
// favourable or a better one (gains), the unfavourable or a worse one (loses).
type turn struct{ positive, flips, gains, loses bool }

// turnOf returns a person's turn: flips says whether a copy gets another decision, enters lists the other classes or bands
// of copies, ascending.
func (o *Outcome) turnOf(p *Person, flips bool, enters []int) turn {
	switch {
	case o.Bands != nil:
		return turn{false, flips, flips && enters[0] < p.Class, flips && enters[len(enters)-1] > p.Class}
	case o.Classes > 0:
		return turn{flips: flips}
	}
	return decided(p.Positive, flips, o.Rule)
}

// decided returns the turn of a decision of yes or no.
func decided(positive, flips bool, rule fairness.Rule) turn {
	return turn{positive, flips, flips && !rule.Favours(positive), flips && rule.Favours(positive)}
}

// decide counts a person. Until sum is called, the shares hold weights.
func (d *Decisions) decide(weight float64, t turn) {
	for _, c := range []struct {
		is    bool
		n     *int
		share *float64
	}{{t.positive, &d.Positive, &d.PositiveShare}, {t.flips, &d.Flips, &d.FlipsShare}, {t.gains, &d.Gain, &d.GainShare}, {t.loses, &d.Lose, &d.LoseShare}} {
		if c.is {
			*c.n++
			*c.share += weight
		}
	}
}

// sum computes what follows from the counts; all is the weight of all people. ordinal: decisions are classes or bands.
func (d *Decisions) sum(all float64, rule fairness.Rule, ordinal bool) {
	if d.ToYes, d.ToNo = d.Gain, d.Lose; rule.Low {
		d.ToYes, d.ToNo = d.Lose, d.Gain
	}
	if ordinal {
		d.ToYes, d.ToNo = 0, 0
	}
	for _, share := range []*float64{&d.PositiveShare, &d.FlipsShare, &d.GainShare, &d.LoseShare} {
		*share = min(1, part(*share, all))
	}
}

// favourable is the share of people with the favourable decision.
func (d *Decisions) favourable(rule fairness.Rule) float64 {
	if rule.Low {
		return 1 - d.PositiveShare
	}
	return d.PositiveShare
}

// part returns the share of one weight in another; 0 if the latter is 0.
func part(of, all float64) float64 {
	if all == 0 {
		return 0
	}
	return of / all
}

// KCount is a bar of the histogram of k.
type KCount struct {
	// A number of bins.
	K int `json:"k"`
	// The number of people with this k.
	People int `json:"people"`
}

// add counts a person. Until close is called, means and shares hold weighted sums.
func (t *Tally) add(weight float64, k int, gap float64, unfair bool, of turn) {
	t.People++
	t.Weight += weight
	if unfair {
		t.Unfair++
		t.UnfairShare += weight
	}
	t.decide(weight, of)
	t.MeanK += weight * float64(k)
	t.MeanGap += weight * gap
	t.MaxK, t.MaxGap = max(t.MaxK, k), max(t.MaxGap, gap)
	at, found := slices.BinarySearchFunc(t.K, k, func(c KCount, k int) int { return c.K - k })
	if !found {
		t.K = slices.Insert(t.K, at, KCount{K: k})
	}
	t.K[at].People++
}

// close turns sums into means.
func (t *Tally) close(o *Outcome) {
	t.MeanK, t.MeanGap, t.UnfairShare = part(t.MeanK, t.Weight), part(t.MeanGap, t.Weight), part(t.UnfairShare, t.Weight)
	t.Decisions.sum(t.Weight, o.Rule, o.ranks() > 0)
	if o.Weights == nil {
		t.Weight = 0
	}
	if t.K == nil {
		t.K = []KCount{}
	}
}

// Summary sums up all people, each compared with all of the person's
// counterfactuals.
type Summary struct {
	// The number of rows read.
	Rows int `json:"rows"`
	// The number of rows left out for missing values.
	Dropped int `json:"dropped"`
	Tally
	// The number of people with no permitted combination except their own.
	Alone int `json:"alone"`
	// The number of rows outside a domain, by the first feature with such a value.
	Outside map[string]int `json:"outside"`
	// The number of rows that a constraint forbids.
	Forbidden int `json:"forbidden"`
	// The number of rows that --where leaves out.
	Excluded int `json:"excluded"`
	// The number of rows not audited before an interrupt.
	Unreached int `json:"unreached"`
	// The people by their score gap, in twentieths from 0 to 1.
	Gaps []view.Bin `json:"gaps"`
	// The effect of each protected attribute alone, the others at the person's own values.
	Attributes []Attribute `json:"attributes"`
	// The people by their own values of all protected attributes together, the largest groups first, at
	// most MostIntersections. Empty if only one attribute is protected.
	Intersections []Intersection `json:"intersections"`
	// The summary in sentences.
	Text []string `json:"text"`
}

// Attribute is what one protected feature does to people whose other features
// keep their values: k, gap and decisions are over its values alone.
type Attribute struct {
	// The protected attribute.
	Name string `json:"name"`
	Tally
	// The number of people treated unfairly by this attribute for whom no other attribute has a larger
	// gap.
	Strongest int `json:"strongest"`
	// The people by their own value.
	Groups []Group `json:"groups"`
}

// Group is the people whose own values of an attribute lie between From and To,
// which are equal for a category.
type Group struct {
	// The group's values as text.
	Label string `json:"label"`
	// The least value among the group's people.
	From float64 `json:"from"`
	// The largest value among the group's people.
	To float64 `json:"to"`
	// Flips, ToYes and ToNo count the people of the group who would get the other
	// decision with another value of this attribute alone. The rest of the tally
	// is over all counterfactuals.
	Tally
	// The mean, over the group, of a person's own score less the mean score with the attribute's other
	// values; the reverse where a low score is favourable.
	Advantage float64 `json:"advantage"`
	// The people of the group by their own class or band, with copies that differ in this attribute alone; absent without
	// classes and bands.
	Classes []Class `json:"classes,omitempty"`
}

// Summarise sums up the people. rows, s and region must be those of the
// audit.
func (r *Outcome) Summarise(s *space.Space, region space.Region, rows [][]float64) *Summary {
	sum := &Summary{Outside: map[string]int{}, Excluded: r.Excluded, Unreached: r.Unreached, Attributes: []Attribute{}}
	for _, skipped := range r.Skipped {
		if skipped.Feature < 0 {
			sum.Forbidden++
		} else {
			sum.Outside[s.Features[skipped.Feature].Name]++
		}
	}
	gaps := make([]float64, len(r.People))
	for i := range r.People {
		p := &r.People[i]
		gaps[i] = p.Gap
		sum.add(r.weight(p), p.K, p.Gap, p.Unfair, r.turnOf(p, p.Flips, p.Enters))
		if p.N == 1 {
			sum.Alone++
		}
	}
	sum.close(r)
	sum.Gaps, sum.Intersections = view.GapBins(gaps), r.intersections(s, region, rows)
	for n, f := range s.Protected() {
		sum.Attributes = append(sum.Attributes, r.attribute(n, f, s, region, rows))
	}
	return sum
}

// attribute sums up feature f, the n-th protected one.
func (r *Outcome) attribute(n, f int, s *space.Space, region space.Region, rows [][]float64) Attribute {
	a := Attribute{Name: s.Features[f].Name, Groups: []Group{}}
	for _, c := range cohorts(s, region, []int{f}, len(r.People), r.row(rows)) {
		g, moves := Group{From: c.ends[0].Lo, To: c.ends[0].Hi, Label: labelOf(&s.Features[f], c.ends[0])}, r.movers()
		for _, i := range c.people {
			p := &r.People[i]
			e := &p.Effects[n]
			g.add(r.weight(p), p.K, p.Gap, p.Unfair, r.turnOf(p, e.Flips, e.Enters))
			g.Advantage += r.weight(p) * e.Advantage
			if r.ranks() > 0 {
				moves.add(r.weight(p), p.Class, e.Enters)
			}
		}
		g.Advantage = part(g.Advantage, g.Weight)
		if g.close(r); r.ranks() > 0 {
			g.Classes = moves.close()
		}
		a.Groups = append(a.Groups, g)
	}
	for i := range r.People {
		p := &r.People[i]
		e := &p.Effects[n]
		a.add(r.weight(p), e.K, e.Gap, e.Unfair, r.turnOf(p, e.Flips, e.Enters))
		if e.Unfair && !slices.ContainsFunc(p.Effects, func(other Effect) bool { return other.Gap > e.Gap }) {
			a.Strongest++
		}
	}
	a.close(r)
	return a
}

// cohort is people whose own values of some features are in the same bands.
type cohort struct {
	bands []int // by feature
	// ends are the smallest and the largest own value of each feature.
	ends   []space.Interval
	people []int // in ascending order
}

// cohorts groups people, whose rows are given by their numbers, by their own values of features. The cohorts are in the
// order of their bands.
func cohorts(s *space.Space, region space.Region, features []int, people int, row func(i int) []float64) (out []*cohort) {
	all, by := make([]bands, len(features)), map[string]*cohort{}
	for n, f := range features {
		all[n] = newBands(&s.Features[f], region.Values[f])
	}
	for i := range people {
		x, at, key := row(i), make([]int, len(features)), ""
		for n, f := range features {
			at[n] = all[n].of(x[f])
			key += strconv.Itoa(at[n]) + " "
		}
		c := by[key]
		if c == nil {
			c = &cohort{bands: at}
			for _, f := range features {
				c.ends = append(c.ends, space.Interval{Lo: x[f], Hi: x[f]})
			}
			by[key], out = c, append(out, c)
		}
		for n, f := range features {
			c.ends[n] = hull(c.ends[n], space.Interval{Lo: x[f], Hi: x[f]})
		}
		c.people = append(c.people, i)
	}
	slices.SortFunc(out, func(a, b *cohort) int { return slices.Compare(a.bands, b.bands) })
	return out
}

func hull(a, b space.Interval) space.Interval {
	return space.Interval{Lo: min(a.Lo, b.Lo), Hi: max(a.Hi, b.Hi)}
}

// row returns the row of a person, for cohorts.
func (o *Outcome) row(rows [][]float64) func(i int) []float64 {
	return func(i int) []float64 { return rows[o.People[i].Index] }
}

// labelOf names a group by the smallest and the largest value in it.
func labelOf(f *space.Feature, of space.Interval) string {
	if of.Lo == of.Hi {
		return f.Label(of.Lo)
	}
	return f.Label(of.Lo) + "–" + f.Label(of.Hi)
}

// bands groups the values of a protected feature. Each category is a group.
// Ordered features are cut midway between listed values; if many are listed,
// several share a group.
type bands struct {
	category bool
	n        int
	borders  []float64 // between the bands; a value on a border is above it
}

// mostBands is the largest number of groups of an ordered feature, missing values apart.
const mostBands = 10

func newBands(f *space.Feature, values []float64) bands {
	if f.Kind == space.Categorical {
		return bands{category: true, n: len(f.Categories)}
	}
	var b bands
	numbers := f.Numbers()
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !numbers.Contains(v) })
	step := (len(values) + mostBands - 1) / mostBands
	for i := step; i < len(values); i += step {
		b.borders = append(b.borders, values[i-1]+(values[i]-values[i-1])/2)
	}
	if f.Missing {
		b.borders = append(b.borders, f.Hi)
	}
	return b
}

// Sides returns the ranges of a feature's known values that form the groups of an audit, within its domain. values are
// those that the question compares.
func Sides(f *space.Feature, values []float64) (out []space.Interval) {
	b, numbers := newBands(f, values), f.Numbers()
	for i := range b.count() {
		side := numbers
		if b.category {
			side = space.Interval{Lo: float64(i), Hi: float64(i)}
		} else {
			if i > 0 {
				side.Lo = max(side.Lo, b.borders[i-1])
			}
			if i < len(b.borders) {
				side.Hi = min(side.Hi, b.borders[i])
			}
			if f.Discrete() && i < len(b.borders) {
				side.Hi = min(side.Hi, math.Ceil(b.borders[i])-1)
			}
			if f.Discrete() {
				side.Lo = math.Ceil(side.Lo)
			}
		}
		if !side.Empty() && !(f.Missing && side.Lo == f.Hi) {
			out = append(out, side)
		}
	}
	return out
}

func (b *bands) count() int {
	if b.category {
		return b.n
	}
	return len(b.borders) + 1
}

func (b *bands) of(v float64) int {
	if b.category {
		return int(v)
	}
	at, found := slices.BinarySearch(b.borders, v)
	if found {
		at++
	}
	return at
}
