package audit

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/sdk/space"
)

// Rates compares groups of people by their decisions and scores, as NYC Local Law 144 and
// fairlearn do. Groups smaller than MinShare are counted but not judged.
type Rates struct {
	// The median of all scores, above which a person scores high.
	Median float64 `json:"median"`
	// The least share of the people that a judged group has.
	MinShare float64 `json:"min_share"`
	// The decision that selects people: positive, or negative if a positive one is bad for them; with several classes or bands, the
	// class, the band, or "band B or better".
	Favourable string `json:"favourable"`
	// Why there are no error rates though the rows have the label's column.
	Unlabelled string `json:"unlabelled,omitempty"`
	// Each protected attribute and, if there are several, all of them together.
	Attributes []Rated `json:"attributes"`
}

// Rated has the rates of the groups of one attribute, or of several together.
type Rated struct {
	// The attribute, or several as in "sex × age".
	Name string `json:"name"`
	// The groups by value.
	Groups []GroupRates `json:"groups"`
	// The least impact ratio of the judged groups; absent if fewer than two have a rate.
	ImpactRatio *float64 `json:"impact_ratio,omitempty"`
	// The largest difference between their selection rates; absent if fewer than two have a rate.
	Difference *float64 `json:"difference,omitempty"`
	// The largest difference of true positive rates between judged groups; absent without labels.
	Opportunity *float64 `json:"equal_opportunity_difference,omitempty"`
	// The larger of the differences of true and of false positive rates between judged groups; absent
	// without labels.
	Odds *float64 `json:"equalized_odds_difference,omitempty"`
	// The features that are not protected, those that say most about the attribute first; absent for several
	// attributes together.
	Proxies []Proxy `json:"proxies,omitempty"`
}

// GroupRates has the rates of one group.
type GroupRates struct {
	// The group's value as text.
	Label string `json:"label"`
	// The number of people in the group.
	People int `json:"people"`
	// Their share of all people, 0 to 1, by weight where there are weights.
	Share float64 `json:"share"`
	// The group has at least min_share of the people, and its attribute is known.
	Judged bool `json:"judged"`
	// The rate of people with the favourable decision.
	Selection Rate `json:"selection"`
	// The rate of people whose score is on the favourable side of the median.
	Scoring Rate `json:"scoring"`
	// The selection rate over the highest one of a judged group.
	ImpactRatio *float64 `json:"impact_ratio,omitempty"`
	// The lower end of the ratio's 95 % interval, by the delta method of its logarithm (Katz et al. 1978).
	Low *float64 `json:"impact_ratio_low,omitempty"`
	// The upper end of that interval.
	High *float64 `json:"impact_ratio_high,omitempty"`
	// The scoring rate over the highest one of a judged group.
	ScoringRatio *float64 `json:"scoring_ratio,omitempty"`
	// The rate of the favourable decision among people with the favourable label, 1 or, where the negative decision is
	// favourable, 0; absent without labels.
	TruePositive *Rate `json:"true_positive,omitempty"`
	// The rate of the favourable decision among people with the other label; absent without labels.
	FalsePositive *Rate `json:"false_positive,omitempty"`
	// The rate of the favourable label among people with the favourable decision; absent without labels.
	Precision *Rate `json:"precision,omitempty"`
	// How much of the impact ratio depends on the attribute itself; absent for the group with the highest rate or if that
	// rate is 0, for the group without a value, and unless the groups are the categories of one attribute.
	Twins *Twins `json:"twins,omitempty"`
}

// Rate is the share Hits/Of; Rate is nil if Of is 0. Low and High are the ends of Wilson's 95 % interval.
type Rate struct {
	// The people counted by the rate.
	Hits int `json:"hits"`
	// The people among whom they were counted.
	Of int `json:"of"`
	// The effective number of people among them, by Kish 1965: the square of the sum of their weights over the sum of the
	// squares. Absent without weights.
	Effective float64 `json:"effective,omitempty"`
	// hits divided by of, by weight where there are weights; null for 0 of 0.
	Rate *float64 `json:"rate"`
	// The lower end of Wilson's 95 % interval.
	Low float64 `json:"low"`
	// The upper end of Wilson's 95 % interval.
	High float64 `json:"high"`

	// Sums are of weights while people are counted.
	Sums weightSums `json:"-"`
}

// weightSums are the summed weights of the people in Hits, the summed weights of all, and the sum of
// all squared weights.
type weightSums struct{ hit, all, squares float64 }

// Twins factors the impact ratio of a group g against the group h with the highest rate into
// Direct × Rest × Remainder. A person of g has a twin if the person with h's value is allowed; likewise for h.
// Direct is the rate of the people of g over the rate of their twins. Rest is the rate of these twins over that of
// the people of h who have a twin. Remainder is the impact ratio over the ratio among people with a twin. Back is
// the rate of the twins of h's people over that of these people. Each is nil if its divisor is 0 or unknown.
type Twins struct {
	// The group with the highest rate, with which this one is compared.
	Of string `json:"of"`
	// The number of people of this group who can take the other group's value.
	People int `json:"people"`
	// The rate of the group's people over their rate with the other group's value; null if a rate is 0.
	Direct *float64 `json:"direct"`
	// Their rate with the other group's value over the rate of the other group's people who can take this
	// group's value; null if a rate is 0.
	Rest *float64 `json:"rest"`
	// The impact ratio over that of the people who can be switched; null if a rate is 0.
	Remainder *float64 `json:"remainder"`
	// The number of people of the other group who can take this group's value.
	BackOf int `json:"back_people"`
	// The direct factor with the other group's people switched; null if a rate is 0.
	Back *float64 `json:"back"`
}

// z is the quantile of the normal distribution of two-sided 95 % intervals.
const z = 1.959963984540054

// close computes the rate and its interval (Wilson 1927). With weights, the interval takes the effective number of people.
func (r *Rate) close(weighted bool) {
	n := float64(r.Of)
	p := float64(r.Hits) / n
	if weighted {
		r.Effective = part(r.Sums.all*r.Sums.all, r.Sums.squares)
		n, p = r.Effective, r.Sums.hit/r.Sums.all
	}
	if n == 0 {
		return
	}
	r.Rate = &p
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	r.Low, r.High = max(0, middle-half), min(1, middle+half)
	if p == 0 {
		r.Low = 0
	}
	if p == 1 {
		r.High = 1
	}
}

// edge reports whether the rate is 0 or 1: the interval of a ratio is then undefined.
func (r *Rate) edge() bool { return *r.Rate == 0 || *r.Rate == 1 }

func (r *Rate) add(hit bool, weight float64) {
	r.Of++
	r.Sums.all, r.Sums.squares = r.Sums.all+weight, r.Sums.squares+weight*weight
	if hit {
		r.Hits++
		r.Sums.hit += weight
	}
}

// exactly returns a share for gates: the exact fraction n/of of counts or, with weights, the
// rounded share.
func exactly(n, of int, share float64, weighted bool) *big.Rat {
	if weighted {
		return rounded(share)
	}
	return big.NewRat(int64(n), int64(of))
}

// rounded returns a share or ratio of weights to 12 digits, so that a gate does not fail by rounding errors if the value
// equals its bound.
func rounded(v float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'e', 11, 64))
	return r
}

// over divides two rates; nil if either is nil or b is 0.
func over(a, b *float64) *float64 {
	if a == nil || b == nil || *b == 0 {
		return nil
	}
	q := *a / *b
	return &q
}

// RateBy is the input of Outcome.Rates.
type RateBy struct {
	Space  *space.Space
	Region space.Region
	// Decider returns the score of a point, and whether the decision is positive.
	Decider interface {
		At(point []float64) (score float64, positive bool)
	}
	// Rows are the audited rows, Labels their labels, 1 or 0; nil without labels.
	Rows   [][]float64
	Labels []int
	// MinShare is the exact least share of all people that a judged group has.
	MinShare *big.Rat
	// Seed seeds the draws for Proxies.
	Seed int64
}

// Rates computes the rates of groups. Call it after Run has returned.
func (o *Outcome) Rates(by RateBy) *Rates {
	out := &Rates{Attributes: []Rated{}}
	out.Favourable, _ = o.Rule.Favourable()
	out.MinShare, _ = by.MinShare.Float64()
	if o.Classes == 0 {
		out.Median = o.median()
	}
	protected := by.Space.Protected()
	var proxies [][]Proxy
	if o.Classes == 0 {
		proxies = o.proxies(&by, by.Seed)
	}
	for n, f := range protected {
		rated := o.rated(&by, []int{f}, out.Median)
		if proxies != nil {
			rated.Proxies = proxies[n]
		}
		out.Attributes = append(out.Attributes, rated)
	}
	if len(protected) > 1 {
		out.Attributes = append(out.Attributes, o.rated(&by, protected, out.Median))
	}
	return out
}

// median returns the weighted median of the people's scores: the mean of the two middle scores if
// exactly half of the weight lies on either side; 0 without people.
func (o *Outcome) median() float64 {
	people := slices.Clone(o.People)
	slices.SortFunc(people, func(p, q Person) int { return cmp.Compare(p.Score, q.Score) })
	half, below := o.weigh()/2, 0.0
	for i := range people {
		below += o.weight(&people[i])
		if math.Abs(below-half) < 1e-12*half {
			below = half // but for rounding
		}
		if below < half || below == 0 {
			continue
		}
		next := i + 1
		for below == half && next < len(people)-1 && o.weight(&people[next]) == 0 {
			next++
		}
		if below > half || next >= len(people) {
			next = i
		}
		return people[i].Score/2 + people[next].Score/2
	}
	return 0
}

// member is a group while its people are counted.
type member struct {
	GroupRates
	*cohort
	missing bool
	weight  float64
}

// rated counts the people by their own values of the features.
func (o *Outcome) rated(by *RateBy, features []int, median float64) Rated {
	var names []string
	for _, f := range features {
		names = append(names, by.Space.Features[f].Name)
	}
	out := Rated{Name: strings.Join(names, " × "), Groups: []GroupRates{}}
	all := cohorts(by.Space, by.Region, features, len(o.People), o.row(by.Rows))
	ends := make([]map[int]space.Interval, len(features)) // of all people in a band
	for n := range ends {
		ends[n] = map[int]space.Interval{}
		for _, c := range all {
			of, ok := ends[n][c.bands[n]]
			if !ok {
				of = c.ends[n]
			}
			ends[n][c.bands[n]] = hull(of, c.ends[n])
		}
	}
	order := make([]*member, len(all))
	for i, c := range all {
		order[i] = o.member(c, by, median)
		for n, f := range features {
			of := ends[n][c.bands[n]]
			names[n] = labelOf(&by.Space.Features[f], of)
			order[i].missing = order[i].missing || by.Space.Features[f].Missing && of.Hi == by.Space.Features[f].Hi
		}
		order[i].Label = strings.Join(names, ", ")
	}
	var best, scoring *member
	weight := o.weigh()
	for _, g := range order {
		g.finish(by, o, weight)
		if !g.Judged {
			continue
		}
		if r := g.Selection.Rate; best == nil || *r > *best.Selection.Rate {
			best = g
		}
		if r := g.Scoring.Rate; r != nil && (scoring == nil || *r > *scoring.Scoring.Rate) {
			scoring = g
		}
	}
	for _, g := range order {
		if best != nil {
			g.against(best, scoring)
		}
		if best != nil && *best.Selection.Rate > 0 && g != best && len(features) == 1 && by.Space.Features[features[0]].Kind == space.Categorical && !g.missing {
			g.Twins = o.twins(by, features[0], g, best)
		}
		out.Groups = append(out.Groups, g.GroupRates)
	}
	out.sum()
	return out
}

// member counts the people of a cohort.
func (o *Outcome) member(c *cohort, by *RateBy, median float64) *member {
	g := &member{cohort: c}
	if by.Labels != nil {
		g.TruePositive, g.FalsePositive, g.Precision = &Rate{}, &Rate{}, &Rate{}
	}
	for _, i := range c.people {
		p := &o.People[i]
		weight, selected := o.weight(p), o.Rule.Favours(p.Positive)
		g.weight += weight
		g.Selection.add(selected, weight)
		if o.Classes == 0 {
			g.Scoring.add(p.Score != median && o.Rule.Favours(p.Score > median), weight)
		}
		if by.Labels == nil {
			continue
		}
		label := o.Rule.Favours(by.Labels[p.Index] == 1)
		if label {
			g.TruePositive.add(selected, weight)
		} else {
			g.FalsePositive.add(selected, weight)
		}
		if selected {
			g.Precision.add(label, weight)
		}
	}
	return g
}

// finish computes a group's share and rates from its counts; all is the weight of all people.
func (g *member) finish(by *RateBy, o *Outcome, all float64) {
	g.People, g.Share = len(g.people), part(g.weight, all)
	for _, r := range []*Rate{&g.Selection, &g.Scoring, g.TruePositive, g.FalsePositive, g.Precision} {
		if r != nil {
			r.close(o.Weights != nil)
		}
	}
	g.Judged = exactly(g.People, len(o.People), g.Share, o.Weights != nil).Cmp(by.MinShare) >= 0 && !g.missing && g.Selection.Rate != nil
}

// against sets the group's ratios: its selection rate over that of best, with a 95 % interval, and
// its scoring rate over that of scoring, which may be nil.
func (g *member) against(best, scoring *member) {
	g.ImpactRatio = over(g.Selection.Rate, best.Selection.Rate)
	if scoring != nil {
		g.ScoringRatio = over(g.Scoring.Rate, scoring.Scoring.Rate)
	}
	if g == best || g.ImpactRatio == nil || g.Selection.edge() || best.Selection.edge() {
		return
	}
	width := z * math.Sqrt(g.Selection.variance()+best.Selection.variance())
	low, high := *g.ImpactRatio*math.Exp(-width), *g.ImpactRatio*math.Exp(width)
	g.Low, g.High = &low, &high
}

// variance returns the estimated variance of the logarithm of the rate.
func (r *Rate) variance() float64 {
	if r.Effective > 0 {
		return (1 - *r.Rate) / (*r.Rate * r.Effective)
	}
	return (1 - *r.Rate) / float64(r.Hits)
}

// twins compares the people of g with their twins, who have h's value of feature f, and the people
// of h with theirs; see Twins.
func (o *Outcome) twins(by *RateBy, f int, g, h *member) *Twins {
	switched := func(from, to *member) (own, other Rate) {
		point := make([]float64, len(by.Space.Features))
		for _, i := range from.people {
			p := &o.People[i]
			copy(point, by.Rows[p.Index])
			if point[f] = to.ends[0].Lo; !by.Space.Allowed(point) {
				continue
			}
			own.add(o.Rule.Favours(p.Positive), o.weight(p))
			_, positive := by.Decider.At(point)
			other.add(o.Rule.Favours(positive), o.weight(p))
		}
		own.close(o.Weights != nil)
		other.close(o.Weights != nil)
		return own, other
	}
	own, as := switched(g, h)
	back, asBack := switched(h, g)
	return &Twins{
		Of: h.Label, People: own.Of, Direct: over(own.Rate, as.Rate), Rest: over(as.Rate, back.Rate), Remainder: over(over(g.Selection.Rate, h.Selection.Rate), over(own.Rate, back.Rate)),
		BackOf: back.Of, Back: over(asBack.Rate, back.Rate),
	}
}

// sum computes the figures over all judged groups: the largest differences of rates and the least
// impact ratio. Figures that need two judged groups are nil with fewer.
func (r *Rated) sum() {
	spread := func(of func(g *GroupRates) *Rate) *float64 {
		low, high, n := math.Inf(1), math.Inf(-1), 0
		for i := range r.Groups {
			if rate := of(&r.Groups[i]); r.Groups[i].Judged && rate != nil && rate.Rate != nil {
				low, high, n = min(low, *rate.Rate), max(high, *rate.Rate), n+1
			}
		}
		if n < 2 {
			return nil
		}
		d := high - low
		return &d
	}
	r.Difference = spread(func(g *GroupRates) *Rate { return &g.Selection })
	r.Opportunity = spread(func(g *GroupRates) *Rate { return g.TruePositive })
	if other := spread(func(g *GroupRates) *Rate { return g.FalsePositive }); other != nil && r.Opportunity != nil {
		odds := max(*other, *r.Opportunity)
		r.Odds = &odds
	}
	judged := 0
	for i := range r.Groups {
		g := &r.Groups[i]
		if !g.Judged {
			continue
		}
		if judged++; g.ImpactRatio != nil && (r.ImpactRatio == nil || *g.ImpactRatio < *r.ImpactRatio) {
			r.ImpactRatio = g.ImpactRatio
		}
	}
	if judged < 2 {
		r.ImpactRatio = nil
	}
}

// Ends returns the judged groups with the lowest and the highest selection rate, which are two groups
// if two are judged; nil if none is.
func (a *Rated) Ends() (low, high *GroupRates) {
	for i := range a.Groups {
		g := &a.Groups[i]
		if !g.Judged {
			continue
		}
		if low == nil || *g.Selection.Rate < *low.Selection.Rate {
			low = g
		}
		if high == nil || *g.Selection.Rate >= *high.Selection.Rate {
			high = g
		}
	}
	return low, high
}

// least returns the exact least impact ratio and a text about it; nil and the reason if there is none.
func (a *Rated) least(r *Result) (ratio *big.Rat, text string) {
	low, high := a.Ends()
	switch {
	case low == high:
		return nil, fmt.Sprintf("fewer than two groups have a known value and at least %.3g %% of all people (--min-share)", 100*r.Rates.MinShare)
	case *high.Selection.Rate == 0:
		return nil, "no group has " + r.chosen()
	}
	if r.weighted() {
		ratio = rounded(*a.ImpactRatio)
	} else {
		share := func(r *Rate) *big.Rat { return big.NewRat(int64(r.Hits), int64(r.Of)) }
		ratio = new(big.Rat).Quo(share(&low.Selection), share(&high.Selection))
	}
	return ratio, fmt.Sprintf("%s for %s of %s, and for %s of %s: an impact ratio of %.3f",
		r.selected(), low.Selection.text(), low.Label, high.Selection.text(), high.Label, *a.ImpactRatio)
}

// holdRatio checks a gate against the least impact ratio of each attribute.
func (r *Result) holdRatio(g gate.Gate) {
	for i := range r.Rates.Attributes {
		a := &r.Rates.Attributes[i]
		least, text := a.least(r)
		r.Hold(g.AtLeast(a.Name, least, least, text))
	}
}
