package report

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/chain"
	"github.com/hyfair/hyfair/sdk/chain/nearest"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Worst is the outcomes of one person.
type Worst struct {
	// The step that found the person.
	By string `json:"by"`
	// The person's k.
	K int `json:"k"`
	// The number of copies.
	N int `json:"n"`
	// The lowest score of a copy.
	Low float64 `json:"low"`
	// The highest score of a copy.
	High float64 `json:"high"`
}

// Person is an individual with all its copies.
type Person struct {
	// The step of the report that found the person: search, certify or audit.
	By string `json:"by"`
	// The number of people that this one was chosen from; absent in reports of older versions.
	Of int `json:"of,omitempty"`
	// The Gower distance to the nearest row of the data, 0 to 1; absent without data.
	Distance *float64 `json:"distance,omitempty"`
	// The names of all features, in the study's order.
	Features []string `json:"features"`
	// The features in which copies differ.
	Protected []string `json:"protected"`
	// The values of the other features as text.
	Labels map[string]string `json:"labels"`
	// The person's k.
	K int `json:"k"`
	// The person's score gap.
	Gap float64 `json:"gap"`
	// All copies.
	Copies []Copy `json:"copies"`
	// The command that replays the person in exact arithmetic.
	Command string `json:"command"`
}

// Copy is one copy of a Person.
type Copy struct {
	// The protected values as text.
	Labels map[string]string `json:"labels"`
	// The copy's score.
	Score float64 `json:"score"`
	// The copy's decision is positive. Absent in reports of older versions, and with bands.
	Positive *bool `json:"positive,omitempty"`
	// The copy's band, if the decision has bands.
	Band string `json:"band,omitempty"`
}

// Drawn summarises individuals that were drawn uniformly and evaluated.
type Drawn struct {
	// The number of individuals drawn.
	N int `json:"n"`
	// The individuals by k.
	K []view.Bin `json:"k"`
	// The individuals by score gap.
	Gaps []view.Bin `json:"gaps"`
	// The number of those whose copies get different decisions; absent in reports of older versions.
	Flips *int `json:"flips,omitempty"`
	// The mean of their k.
	MeanK float64 `json:"mean_k"`
	// The mean of their gaps.
	MeanGap float64 `json:"mean_gap"`
}

// met is an individual that a step of the report found, with its evaluation.
type met struct {
	by      string
	x       []float64
	outcome evaluate.Outcome
}

// meet evaluates the individuals that earlier steps found, and sets the worst of them and the
// example. It also evaluates a random sample of the space.
func (a *asker) meet(ctx context.Context) {
	q, err := a.question.Scores()
	if err != nil {
		return
	}
	e, err := evaluate.NewBanded(q.Model, q.Space, q.Region, q.Epsilon, q.Bands)
	if err != nil { // too many copies, for example
		return
	}
	found, rows := a.found(), []map[string]float64(nil)
	if r := a.out.Audit; r != nil && r.Rows != nil {
		for row := range r.Rows {
			rows = append(rows, row.X)
		}
	}
	var worst *met
	for _, m := range a.evaluated(e, q, append(found, of("audit", rows...)...)) {
		if worst == nil || cmp.Or(cmp.Compare(m.outcome.K, worst.outcome.K), cmp.Compare(m.outcome.Gap, worst.outcome.Gap)) > 0 {
			worst = &m
		}
	}
	if worst != nil {
		scores := e.Copies(worst.x).Scores
		a.out.Worst = &Worst{worst.by, worst.outcome.K, worst.outcome.N, slices.Min(scores), slices.Max(scores)}
	}
	a.example(q, found)
	a.out.Space = draw(ctx, q, e, a.outcomes(q.Space), a.request.Seed, max(drawTime/6, min(drawTime, time.Until(a.end)/4)))
}

// unplaced is an individual with its values by feature name, as results have it.
type unplaced struct {
	by string
	x  map[string]float64
}

func of(by string, xs ...map[string]float64) (out []unplaced) {
	for _, x := range xs {
		out = append(out, unplaced{by, x})
	}
	return out
}

// found returns the individuals that the steps found without looking at the rows of the data.
func (a *asker) found() (out []unplaced) {
	if s := a.out.Search; s != nil && s.Best != nil {
		out = append(out, of("search", s.Best.X)...)
	}
	if v := a.out.Verdict; v != nil && v.Witness != nil {
		out = append(out, of("certify", v.Witness.X1)...)
	}
	if p := a.out.Plausible; p != nil && p.Sampled != nil {
		out = append(out, of(plausible, p.Sampled.Examples...)...)
	}
	return out
}

// evaluated evaluates individuals. It leaves out those that the question is not about, and those whose copies all get
// the same score.
func (a *asker) evaluated(e *evaluate.Evaluator, q *problem.Query, all []unplaced) (out []met) {
	for _, m := range all {
		x := point(q.Space, m.x)
		if !q.Space.ContainsIndividual(x) || !q.Space.RegionContains(q.Region, x) {
			continue
		}
		if o := e.Evaluate(x); o.N > 1 && o.Gap > 0 {
			out = append(out, met{m.by, x, o})
		}
	}
	return out
}

// example chooses the person that the report shows: one who keeps all rules, is not in the data, and is the nearest to a
// row. People whose copies get different decisions come first, then those with a gap above ε.
func (a *asker) example(q *problem.Query, found []unplaced) {
	spec, ruled := a.spec, *q.Space
	for _, rule := range a.question.Study.Rules {
		if !rule.On {
			ruled.Forbidden = append(slices.Clone(ruled.Forbidden), rule.Forbid...)
			spec.Rules = []string{"all"}
		}
	}
	e, err := evaluate.NewBanded(q.Model, &ruled, q.Region, q.Epsilon, q.Bands)
	if err != nil {
		return
	}
	var rows [][]float64
	if st := a.question.Study; st.HasData() {
		if data, err := st.Data(); err == nil {
			rows = data.Points
		}
	}
	isRow := map[string]bool{}
	for _, row := range rows {
		isRow[chain.Key(q.Space.Canonical(row))] = true
	}
	outcome := a.outcomes(&ruled)
	var best []met // all of the best kind
	kind := 0
	for _, m := range a.evaluated(e, q, found) {
		if isRow[chain.Key(m.x)] {
			continue
		}
		is := 1
		if outcome.flip(e, m.x, &m.outcome) {
			is = 3
		} else if m.outcome.Violates {
			is = 2
		}
		if is > kind {
			kind, best = is, nil
		}
		if is == kind {
			best = append(best, m)
		}
	}
	if len(best) == 0 {
		return
	}
	chosen, near := best[0], (*float64)(nil)
	if index := nearest.New(q.Space, rows); index.Len() > 0 {
		for _, m := range best {
			if d := search.Diversity(q.Space, append([][]float64{m.x}, index.Find(m.x, 1)...)); d != nil && (near == nil || *d < *near) {
				chosen, near = m, d
			}
		}
	}
	a.out.Person = a.person(q, e, spec, chosen.x, chosen.outcome)
	a.out.Person.By, a.out.Person.Of, a.out.Person.Distance = chosen.by, len(best), near
}

// outcomes returns the outcomes of points.
type outcomes struct {
	// of is 1 for a positive decision and 0 for a negative one, or the place of the band.
	of func(point []float64) int
	// grouped: thresholds depend on groups, so that the extreme scores do not decide.
	grouped bool
}

func (a *asker) outcomes(s *space.Space) outcomes {
	st := a.question.Study
	d := individual.New(st.Model, s, st.Rule)
	if st.Bands != nil {
		b := d.Bander(st.Bands, st.Rule.Low)
		return outcomes{of: func(point []float64) int {
			_, place := b.At(point)
			return place
		}}
	}
	return outcomes{func(point []float64) int {
		if _, positive := d.At(point); positive {
			return 1
		}
		return 0
	}, d.Grouped()}
}

// flip reports whether copies get different outcomes.
func (out outcomes) flip(e *evaluate.Evaluator, x []float64, o *evaluate.Outcome) bool {
	one := out.of(e.Point(x, o.ArgMax))
	if !out.grouped {
		return out.of(e.Point(x, o.ArgMin)) != one
	}
	return slices.ContainsFunc(e.Copies(x).Combinations, func(c int) bool { return out.of(e.Point(x, c)) != one })
}

// point returns an individual's values in the space's order.
func point(s *space.Space, values map[string]float64) []float64 {
	x := make([]float64, len(s.Features))
	for i := range s.Features {
		x[i] = values[s.Features[i].Name]
	}
	return s.Canonical(x)
}

func (a *asker) person(q *problem.Query, e *evaluate.Evaluator, spec question.Spec, x []float64, o evaluate.Outcome) *Person {
	s := q.Space
	p := &Person{Features: s.Names(), Protected: a.out.Protected, Labels: individual.Labels(s, x, false), K: o.K, Gap: o.Gap}
	copies := e.Copies(x)
	outcome, bands := a.outcomes(s), a.out.Decision.Banded()
	for i, c := range copies.Combinations {
		copy, got := Copy{Labels: individual.Labels(s, e.Point(x, c), true), Score: copies.Scores[i]}, outcome.of(e.Point(x, c))
		if positive := got == 1; bands == nil {
			copy.Positive = &positive
		} else {
			copy.Band = bands[got]
		}
		p.Copies = append(p.Copies, copy)
	}
	var here space.Predicate
	for _, i := range s.Free() {
		c := space.Condition{Feature: i, Interval: space.Interval{Lo: x[i], Hi: x[i]}}
		if s.Features[i].Kind == space.Categorical {
			c.Set = []int{int(x[i])}
		}
		here = append(here, c)
	}
	spec = scored(spec)
	spec.Where = here.Format(s)
	command := "certify"
	if a.out.Observed != nil {
		command = "quantify"
	}
	if p.Command = spec.Command(command, true); a.question.Study.Bands == nil {
		p.Command = spec.Command(command, true, "--notion", "score")
	}
	return p
}

// drawn is the number of individuals to draw, drawTime the longest time for it.
const (
	drawn    = 10_000
	drawTime = 3 * time.Second
	drawTry  = 20 // draws per individual wanted
)

// draw evaluates individuals drawn uniformly; nil if none is found.
func draw(ctx context.Context, q *problem.Query, e *evaluate.Evaluator, of outcomes, seed int64, limit time.Duration) *Drawn {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xd1a3))
	until := time.Now().Add(limit)
	out := &Drawn{Flips: new(int)}
	count := map[int]int{}
	var gaps []float64
	const batch = 500
	outcomes := make([]evaluate.Outcome, batch)
	for tries := 0; out.N < drawn && tries < drawn*drawTry && ctx.Err() == nil && time.Now().Before(until); {
		var xs [][]float64
		for ; len(xs) < batch && tries < drawn*drawTry; tries++ {
			x := q.Space.Draw(q.Region.Box, rng)
			if q.Space.ContainsIndividual(x) && q.Space.RegionContains(q.Region, x) {
				xs = append(xs, x)
			}
		}
		e.EvaluateAll(xs, outcomes)
		for i, o := range outcomes[:len(xs)] {
			if o.N == 0 {
				continue
			}
			if out.N == drawn {
				break
			}
			if out.N++; of.flip(e, xs[i], &o) {
				*out.Flips++
			}
			count[o.K]++
			out.MeanK += float64(o.K)
			out.MeanGap += o.Gap
			gaps = append(gaps, o.Gap)
		}
	}
	if out.N == 0 {
		return nil
	}
	out.MeanK, out.MeanGap = out.MeanK/float64(out.N), out.MeanGap/float64(out.N)
	out.K, out.Gaps = view.WholeBins(count), view.GapBins(gaps)
	return out
}

// ends returns the copies with the lowest and the highest score.
func (p *Person) ends() (low, high Copy) {
	byScore := func(a, b Copy) int { return cmp.Compare(a.Score, b.Score) }
	return slices.MinFunc(p.Copies, byScore), slices.MaxFunc(p.Copies, byScore)
}

// sides shows the two copies with the extreme scores side by side, marking what differs.
func (p *Person) sides(rule fairness.Rule) *view.Table {
	low, high := p.ends()
	t := &view.Table{Title: "The two copies that are treated most differently", Columns: []view.Column{{Title: ""}, {Title: "lowest score"}, {Title: "highest score"}},
		Notes: []string{"* protected. What differs is marked; everything else is the same for both."}}
	for _, name := range p.Features {
		if value, shared := p.Labels[name]; shared {
			t.Add(name, value, value)
			continue
		}
		a, b := low.Labels[name], high.Labels[name]
		t.Rows = append(t.Rows, []view.Cell{{Text: name + "*"}, {Text: a, Alarm: a != b}, {Text: b, Alarm: a != b}})
	}
	t.Rows = append(t.Rows, nil)
	t.Add("score", view.Score(low.Score), view.Score(high.Score))
	if low.Band != "" {
		t.Add("band", low.Band, high.Band)
	} else {
		t.Add("decision", decision(low.positive(rule), rule), decision(high.positive(rule), rule))
	}
	return t
}

// positive is the decision about the copy.
func (c *Copy) positive(rule fairness.Rule) bool {
	if c.Positive != nil {
		return *c.Positive
	}
	return rule.Says(c.Score)
}

// decision names a decision. If a low score is favourable, it adds which of the decisions is.
func decision(positive bool, rule fairness.Rule) string {
	switch {
	case !rule.Low && positive:
		return "positive"
	case !rule.Low:
		return "negative"
	case positive:
		return "positive, unfavourable"
	}
	return "negative, favourable"
}

// picture draws all copies.
func (p *Person) picture(epsilon string, d *question.Decision) *view.Figure {
	var copies []individual.Scored
	for _, c := range p.Copies {
		copies = append(copies, individual.Scored{Labels: c.Labels, Score: c.Score})
	}
	if len(d.Banded()) > 0 {
		return individual.Banded(individual.Picture(copies, p.Protected, epsilon, nil), d.Borders())
	}
	rule := d.Rule()
	return individual.Picture(copies, p.Protected, epsilon, &rule)
}
