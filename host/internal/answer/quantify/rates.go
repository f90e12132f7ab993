package quantify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Rates are proved rates of groups: the JSON object of hyfair quantify --groups.
type Rates struct {
	asked.Asked
	// The value of --where.
	Where string `json:"where,omitempty"`
	// The decision whose rates are compared: positive, or negative if a positive one is bad for people.
	Favourable string `json:"favourable"`
	// The population of each group; absent if each combination of values counts once.
	Population string `json:"population,omitempty"`
	// How well the population fits rows held back; absent with the uniform population.
	PopulationFit *population.Fit `json:"population_fit,omitempty"`
	// The groups of each protected attribute and, if there are several, of all of them together.
	Attributes []RatedAttribute `json:"attributes"`
	// The least share of the population that a judged group has; absent if each combination of values counts once.
	MinShare float64 `json:"min_share,omitempty"`
	// Why several attributes have no groups of all of them together.
	NoIntersections string `json:"no_intersections,omitempty"`
	// The solver that proved rates; absent if none was asked, as for linear models.
	Solver string `json:"solver,omitempty"`
	// The journal's file; absent if nothing is kept.
	Journal string `json:"journal,omitempty"`
	// Why there are no rates of the people in the data.
	NoRows string `json:"no_rows,omitempty"`
	// Claims of the solver that evaluated individuals refute. They end the command with exit code 4.
	Disagreements []string `json:"disagreements,omitempty"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
}

// RatedAttribute has the rates of the groups of one attribute, or of several together.
type RatedAttribute struct {
	// The attribute, or several as in "sex × age".
	Name string `json:"name"`
	// The groups by value, without people whose value is missing.
	Groups []RatedGroup `json:"groups"`
	// The interval of the least impact ratio; absent if that ratio is or may be undefined.
	ImpactRatio *Interval `json:"impact_ratio,omitempty"`
	// The interval of the largest difference between two rates; absent if fewer than two groups have people.
	Difference *Interval `json:"difference,omitempty"`
}

// RatedGroup has the rate of one group.
type RatedGroup struct {
	// The group's value, or values, as text.
	Label string `json:"label"`
	// The group's share of the population, before constraints; absent if each combination of values counts once.
	Share *float64 `json:"share,omitempty"`
	// The group has at least min_share of the population, so that its rate is proved.
	Judged bool `json:"judged"`
	// The run's name in the journal; absent if nothing is kept, without people, and unless judged.
	Run string `json:"run,omitempty"`
	// The interval of the rate of the favourable decision; null without people, and unless judged.
	Rate *Interval `json:"rate"`
	// The interval of the rate over the highest rate of a group; absent if no rate above 0 is proved.
	ImpactRatio *Interval `json:"impact_ratio,omitempty"`
	// The interval of the highest rate less this one; absent without people.
	Difference *Interval `json:"difference,omitempty"`
	// The shares of the group that the rate is computed from: unfair counts positive decisions, fair negative ones.
	People Shares `json:"people"`
}

// enclosure is an exact interval.
type enclosure struct{ lo, hi *big.Rat }

// less returns 1 minus v.
func less(v *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), v) }

// rounded returns the enclosure, within [0, 1], rounded outward; nil for nil.
func (e *enclosure) rounded() *Interval {
	if e == nil {
		return nil
	}
	return &Interval{Lo: down(e.lo), Hi: 1 - down(less(e.hi))}
}

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smaller(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// against compares a rate with the highest rate of all groups: it encloses their ratio, and how much lower the rate is.
// most encloses the highest rate of the other groups. The ratio is nil if all rates may be 0.
func (e *enclosure) against(most enclosure) (ratio *enclosure, lower enclosure) {
	minus := func(a, b *big.Rat) *big.Rat { return larger(new(big.Rat).Sub(a, b), new(big.Rat)) }
	lower = enclosure{minus(most.lo, e.hi), minus(most.hi, e.lo)}
	if larger(e.lo, most.lo).Sign() > 0 {
		ratio = &enclosure{new(big.Rat).Quo(e.lo, larger(e.lo, most.hi)), new(big.Rat).Quo(e.hi, larger(e.hi, most.lo))}
	}
	return ratio, lower
}

// compare computes ratios and differences from the exact rates of the groups, nil for a group without people. It
// returns the least ratio, nil if that ratio is or may be undefined.
func (a *RatedAttribute) compare(exact []*enclosure) (least *enclosure) {
	var apart *enclosure
	for i := range a.Groups {
		g := &a.Groups[i]
		var most *enclosure
		for k := range a.Groups {
			switch other := exact[k]; {
			case k == i || other == nil:
			case most == nil:
				most = &enclosure{other.lo, other.hi}
			default:
				most = &enclosure{larger(most.lo, other.lo), larger(most.hi, other.hi)}
			}
		}
		if exact[i] == nil || most == nil {
			continue
		}
		ratio, lower := exact[i].against(*most)
		g.ImpactRatio, g.Difference = ratio.rounded(), lower.rounded()
		switch {
		case apart == nil:
			least, apart = ratio, &lower
		default:
			apart = &enclosure{larger(apart.lo, lower.lo), larger(apart.hi, lower.hi)}
			if ratio != nil {
				least = &enclosure{smaller(least.lo, ratio.lo), smaller(least.hi, ratio.hi)}
			}
		}
	}
	a.ImpactRatio, a.Difference = least.rounded(), apart.rounded()
	return least
}

// validateRates is Validate, and refuses what does not apply to rates of groups.
func (r *Request) validateRates() error {
	for _, flag := range []struct {
		given     bool
		name, why string
	}{
		{r.Notion != "" && r.Notion != fairness.Decision.String(), "notion", "rates are of decisions"},
		{r.Epsilon != "", "epsilon", "decisions have no ε"},
		{r.K > 0, "k", "rates are of decisions"},
		{r.Thresholds != "", "thresholds", "rates are those at one threshold"},
		{r.Map != "" || r.Mapped, "map", "a map is of one question"},
		{r.Partition != "", "partition", "each group is a question by itself"},
	} {
		if flag.given {
			return fmt.Errorf("--%s does not apply to --groups: %s: leave it out", flag.name, flag.why)
		}
	}
	if r.Near != "" {
		return errors.New("--near does not apply to --groups: rates compare different people, and near a row of one group there may be none of another: leave out one of the two")
	}
	for _, g := range r.Gates {
		if g.Name != audit.MinImpactRatio {
			return fmt.Errorf("--%s does not apply to --groups: it bounds the share of discriminated individuals: leave it out", g.Name)
		}
	}
	return r.Validate()
}

// AnswerRates proves, for the groups of each protected attribute, the rate of the favourable decision. After an
// interrupt, the result holds what was proved by then.
func AnswerRates(ctx context.Context, s *session.Session, r Request) (*Rates, error) {
	minShare, err := audit.ParseMinShare(r.MinShare)
	if err = errors.Join(r.validateRates(), err); err != nil {
		return nil, session.Mistake(err)
	}
	solver := &lazily{ctx: ctx, session: s, name: r.Solver, set: r.Set}
	defer solver.close()
	ctx, cancel := s.Until(ctx, r.Timeout)
	defer cancel()
	of, err := question.Open(r.Spec)
	if err == nil {
		err = of.Study.Takes(fairness.Decision)
	}
	if err != nil {
		return nil, session.Mistake(err)
	}
	query, err := joint.Yes(of)
	if err != nil {
		return nil, session.Mistake(err)
	}
	r.Where, r.Population = of.Spec.Where, cmp.Or(r.Population, of.Study.Population)
	a := asker{Request: &r, session: s, study: of.Study, query: query, solver: solver, fits: map[*space.Space]*population.Population{}}
	a.read()
	a.rows = slices.Clone(a.rows)
	for i, x := range a.rows {
		a.rows[i] = append(slices.Clone(x), joint.Old)
	}
	people, err := a.people(ctx)
	if err != nil {
		return nil, NoPeople(of.Study, r.Population, err)
	}
	s.Work()
	out := &Rates{Where: r.Where, NoRows: a.noRows}
	out.Favourable, _ = of.Study.Rule.Favourable()
	if people != nil {
		if out.Population = people.String(); people.Held > 0 {
			out.PopulationFit = &people.Fit
		}
	}
	groups := out.groupsOf(of, query)
	if people != nil {
		out.judge(people, query.RegionOrWhole().Box, groups, minShare)
	}
	alone := out.Attributes[:len(of.Space.Protected())]
	within, cancelWithin := session.PartOf(ctx, 1+len(out.Attributes)-len(alone)) // intersections have half of the time
	defer cancelWithin()
	left := judged(alone)
	ratios := make([]*enclosure, len(out.Attributes))
	var failed error
	for i := range out.Attributes {
		if i == len(alone) {
			within, left = ctx, judged(out.Attributes[i:])
		}
		exact := make([]*enclosure, len(out.Attributes[i].Groups))
		for k := range exact {
			g, region := &out.Attributes[i].Groups[k], groups[0]
			if groups = groups[1:]; !g.Judged {
				continue
			}
			one := *query
			one.Region = region
			part, cancel := session.PartOf(within, left)
			left--
			asker := a
			asker.query, asker.attribute, asker.group, asker.start = &one, out.Attributes[i].Name, g.Label, time.Now()
			asker.which = asker.attribute + " " + g.Label + " · "
			rep, run, err := asker.rate(part, people)
			cancel()
			if rep == nil {
				return nil, err
			}
			if run != nil {
				out.Journal, g.Run = run.Journal, run.Name()
			}
			if failed == nil {
				failed = err
			}
			out.Disagreements = append(out.Disagreements, rep.Faults...)
			g.People = rep.Shares()
			if lo, hi := g.People.Bounds(); lo != nil {
				if of.Study.Rule.Low {
					lo, hi = less(hi), less(lo)
				}
				exact[k] = &enclosure{lo, hi}
			}
			g.Rate = exact[k].rounded()
		}
		ratios[i] = out.Attributes[i].compare(exact)
	}
	if all := solver.plugins(); all != nil {
		out.Solver = asked.SolverOf(all...).String()
	}
	out.Interrupted = session.Interrupted(ctx)
	out.Asked = asked.Of(of.Study, query, r.Seed, time.Since(s.Begun).Seconds())
	for _, g := range r.Gates {
		for i := range out.Attributes {
			out.Hold(out.Attributes[i].hold(g, ratios[i], out.Favourable))
		}
	}
	return out, errors.Join(failed, session.Refuted(out.Disagreements))
}

// groupsOf sets the groups of each protected attribute, and of all of them together, without rates. It returns the regions
// of query that hold them, in the same order.
func (r *Rates) groupsOf(of *question.Question, query *problem.Query) (groups []space.Region) {
	protected := of.Space.Protected()
	for _, f := range protected {
		one, regions := product(of, query, []int{f})
		r.Attributes, groups = append(r.Attributes, one), append(groups, regions...)
	}
	if len(protected) < 2 {
		return groups
	}
	all, regions := product(of, query, protected)
	if len(regions) > audit.MostIntersections {
		r.NoIntersections = fmt.Sprintf("%s has more than %d groups, the maximum: name fewer attributes with --protected, or restrict them with --where", all.Name, audit.MostIntersections)
		return groups
	}
	r.Attributes = append(r.Attributes, all)
	return append(groups, regions...)
}

// product returns the groups of people with the same value, or range of values, in each of the features, and the regions
// that hold them. It stops after audit.MostIntersections.
func product(of *question.Question, query *problem.Query, features []int) (a RatedAttribute, regions []space.Region) {
	names := make([]string, len(features))
	labels, region := slices.Clone(names), query.Region
	a.Groups, region.Box = []RatedGroup{}, slices.Clone(region.Box)
	var extend func(n int)
	extend = func(n int) {
		if n == len(features) {
			a.Groups = append(a.Groups, RatedGroup{Label: strings.Join(labels, ", "), Judged: true})
			regions = append(regions, space.Region{Box: slices.Clone(region.Box), Values: region.Values})
			return
		}
		f := features[n]
		feature := &query.Space.Features[f]
		names[n] = feature.Name
		for _, side := range audit.Sides(feature, of.Region.Values[f]) {
			slice := Slice{Interval: side.Intersect(query.Region.Box[f])}
			if !slice.Empty() && len(regions) <= audit.MostIntersections {
				region.Box[f], labels[n] = slice.Interval, slice.label(feature)
				extend(n + 1)
			}
		}
	}
	extend(0)
	a.Name = strings.Join(names, " × ")
	return a, regions
}

// judge sets the groups' shares of the people in a box, and which groups are judged. The regions are those of the groups.
func (r *Rates) judge(people *population.Population, box space.Box, regions []space.Region, least *big.Rat) {
	r.MinShare, _ = least.Float64()
	all, _ := people.Mass(box)
	for i := range r.Attributes {
		for k := range r.Attributes[i].Groups {
			g, share := &r.Attributes[i].Groups[k], 0.0
			if people.Within(regions[0].Box) != nil && all > 0 {
				_, most := people.Mass(regions[0].Box)
				share = min(1, most/all)
			}
			regions, g.Share, g.Judged = regions[1:], &share, share >= r.MinShare
		}
	}
}

// judged counts the judged groups.
func judged(attributes []RatedAttribute) (n int) {
	for i := range attributes {
		for k := range attributes[i].Groups {
			if attributes[i].Groups[k].Judged {
				n++
			}
		}
	}
	return n
}

// rate answers the question about one group, in a run of its own. If the population has no people in the group, there is
// no run.
func (a *asker) rate(ctx context.Context, people *population.Population) (*Report, *session.Run, error) {
	if people != nil && people.Within(a.query.Region.Box) == nil {
		nobody := run{report: &Report{Population: people}}
		nobody.nobody()
		return nobody.report, nil, nil
	}
	o := a.options(people)
	if err := a.solver.prepare(&o, a.query); err != nil {
		return nil, nil, err
	}
	kept, err := a.begin()
	if err != nil {
		return nil, nil, err
	}
	o.Progress = a.progress(ctx, kept, func(p Progress) string {
		if p.Fair == nil || p.Unfair == nil {
			return p.String()
		}
		return session.Clock(p.Elapsed, p.Limit) + " · positive: " + p.Between()
	})
	rep, err := Run(ctx, a.query, o)
	if err = Settle(a.session, rep, err); rep == nil {
		kept.Fail(err)
		return nil, nil, err
	}
	shares := rep.Shares()
	a.end(kept, rep, &shares, session.Interrupted(ctx), err)
	return rep, kept, err
}

// hold checks the least impact ratio, nil if it is undefined, against a gate.
func (a *RatedAttribute) hold(g gate.Gate, least *enclosure, favourable string) gate.Check {
	if least == nil {
		return g.AtLeast(a.Name, nil, nil, fmt.Sprintf("it is not proved that at least two judged groups have people and that one of these people gets a %s decision", favourable))
	}
	return g.AtLeast(a.Name, least.lo, least.hi, fmt.Sprintf("proved: the least impact ratio is %s", a.ImpactRatio.ratio()))
}

// ratio formats an interval of ratios; nil is a dash.
func (i *Interval) ratio() string {
	if i == nil {
		return "–"
	}
	return ends(fmt.Sprintf("%.3f", i.Lo), fmt.Sprintf("%.3f", i.Hi))
}

// share formats an interval of shares; nil is a dash.
func (i *Interval) share() string {
	if i == nil {
		return "–"
	}
	return ends(view.Share(i.Lo), view.Share(i.Hi))
}

// ends joins the ends of an interval, if they differ.
func ends(lo, hi string) string {
	if lo == hi {
		return lo
	}
	return strings.TrimSuffix(lo, " %") + " to " + hi
}

// Document shows the result.
func (r *Rates) Document() *view.Document {
	prover := "proved by convolution, without a solver"
	if r.Solver != "" {
		prover = "solver " + r.Solver
	}
	where := ""
	if r.Where != "" {
		where = " where " + r.Where
	}
	d := view.Of(view.Paragraph{fmt.Sprintf("%s, model %s: which share of each group%s gets a %s decision?", r.Study, r.Model, where, r.Favourable), prover})
	d.Add(r.Caveats()...)
	d.Disagree(r.Disagreements)
	for i := range r.Attributes {
		d.Add(r.Attributes[i].table(r))
	}
	if r.NoIntersections != "" {
		d.Say("no intersections: %s", r.NoIntersections)
	}
	of := "Each combination of the other features' values counts once, other protected attributes included."
	if r.Population != "" {
		of = "Of people (" + r.Population + "): the other features, protected ones too, are distributed as they are among the group's people."
	}
	d.Say("%s", of)
	if r.PopulationFit != nil {
		d.Say("%s", r.PopulationFit.Text())
	}
	if r.NoRows != "" {
		d.Say("data set: not looked at, %s", r.NoRows)
	}
	d.Say("%.2f s", r.Seconds)
	d.Add(r.Blocks()...)
	return d
}

// table shows the rates of the groups.
func (a *RatedAttribute) table(r *Rates) *view.Table {
	t := &view.Table{Title: "Proved rates by " + a.Name, Columns: view.Columns(a.Name, "rate", "difference", "impact ratio", "sampled", "data set")}
	of := func(yes float64) string {
		if r.Favourable == "negative" {
			yes = 1 - yes
		}
		return view.Share(yes)
	}
	open := map[string]bool{}
	var small []string
	for i := range a.Groups {
		g := &a.Groups[i]
		if !g.Judged {
			small = append(small, fmt.Sprintf("%s (%s)", g.Label, view.Share(*g.Share)))
			continue
		}
		sampled, rows := "–", "–"
		if s := g.People.Sampled; s != nil && s.N > 0 {
			sampled = of(s.Share)
		}
		if d := g.People.Rows; d != nil && d.N > 0 {
			rows = of(d.Share) + " of " + view.Count(d.N)
		}
		t.Add(g.Label, g.Rate.share(), g.Difference.share(), g.ImpactRatio.ratio(), sampled, rows)
		if why := g.People.Reason; why != "" && g.Rate != nil && g.Rate.Lo < g.Rate.Hi && !open[why] {
			open[why] = true
			t.Notes = append(t.Notes, "why intervals are open: "+why+".")
		}
	}
	if len(small) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("not judged, less than %s of people (--min-share): %s", view.Percent(r.MinShare, 1), strings.Join(small, ", ")))
	}
	t.Notes = append(t.Notes, "difference: the highest rate less this one. impact ratio: the rate over the highest rate. –: no people, or a ratio that may be 0/0.")
	if a.Difference != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("largest difference: %s. least impact ratio: %s.", a.Difference.share(), a.ImpactRatio.ratio()))
	}
	return t
}
