package report

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Person is an individual with all its copies.
type Person struct {
	// The step of the report that found the person: search, certify or audit.
	By string `json:"by"`
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
	// The copy's decision is positive. Absent in reports of older versions.
	Positive *bool `json:"positive,omitempty"`
}

// Drawn summarises individuals that were drawn uniformly and evaluated.
type Drawn struct {
	// The number of individuals drawn.
	N int `json:"n"`
	// The individuals by k.
	K []view.Bin `json:"k"`
	// The individuals by score gap.
	Gaps []view.Bin `json:"gaps"`
	// The mean of their k.
	MeanK float64 `json:"mean_k"`
	// The mean of their gaps.
	MeanGap float64 `json:"mean_gap"`
}

// meet sets the worst of the individuals that earlier steps met, and draws a sample of the space.
func (a *asker) meet(ctx context.Context) {
	q, err := a.question.Scores()
	if err != nil {
		return
	}
	e, err := evaluate.New(q.Model, q.Space, q.Region, q.Epsilon)
	if err != nil { // too many copies, for example
		return
	}
	type met struct {
		by string
		x  map[string]float64
	}
	var all []met
	if s := a.out.Search; s != nil && s.Best != nil {
		all = append(all, met{"search", s.Best.X})
	}
	if v := a.out.Verdict; v != nil && v.Witness != nil {
		all = append(all, met{"certify", v.Witness.X1})
	}
	if r := a.out.Audit; r != nil && r.Rows != nil {
		for row := range r.Rows {
			all = append(all, met{"audit", row.X})
		}
	}
	var worst []float64
	var most evaluate.Outcome
	by := ""
	for _, m := range all {
		x := point(q.Space, m.x)
		if !q.Space.ContainsIndividual(x) || !q.Space.RegionContains(q.Region, x) {
			continue
		}
		if o := e.Evaluate(x); o.N > 1 && (worst == nil || cmp.Or(cmp.Compare(o.K, most.K), cmp.Compare(o.Gap, most.Gap)) > 0) {
			worst, most, by = x, o, m.by
		}
	}
	if worst != nil && most.Gap > 0 {
		a.out.Person = a.person(q, e, worst, most)
		a.out.Person.By = by
	}
	a.out.Space = draw(ctx, q, e, a.request.Seed, max(drawTime/6, min(drawTime, time.Until(a.end)/4)))
}

// point returns an individual's values in the space's order.
func point(s *space.Space, values map[string]float64) []float64 {
	x := make([]float64, len(s.Features))
	for i := range s.Features {
		x[i] = values[s.Features[i].Name]
	}
	return s.Canonical(x)
}

func (a *asker) person(q *problem.Query, e *evaluate.Evaluator, x []float64, o evaluate.Outcome) *Person {
	s := q.Space
	p := &Person{Features: s.Names(), Protected: a.out.Protected, Labels: individual.Labels(s, x, false), K: o.K, Gap: o.Gap}
	copies := e.Copies(x)
	decider := individual.New(q.Model, s, a.question.Study.Rule)
	for i, c := range copies.Combinations {
		_, positive := decider.At(e.Point(x, c))
		p.Copies = append(p.Copies, Copy{individual.Labels(s, e.Point(x, c), true), copies.Scores[i], &positive})
	}
	var here space.Predicate
	for _, i := range s.Free() {
		c := space.Condition{Feature: i, Interval: space.Interval{Lo: x[i], Hi: x[i]}}
		if s.Features[i].Kind == space.Categorical {
			c.Set = []int{int(x[i])}
		}
		here = append(here, c)
	}
	spec := scored(a.spec)
	spec.Where = here.Format(s)
	p.Command = spec.Command("certify", true, "--notion", "score")
	return p
}

// drawn is the number of individuals to draw, drawTime the longest time for it.
const (
	drawn    = 10_000
	drawTime = 3 * time.Second
	drawTry  = 20 // draws per individual wanted
)

// draw evaluates individuals drawn uniformly; nil if none is found.
func draw(ctx context.Context, q *problem.Query, e *evaluate.Evaluator, seed int64, limit time.Duration) *Drawn {
	rng := rand.New(rand.NewPCG(uint64(seed), 0xd1a3))
	until := time.Now().Add(limit)
	out := &Drawn{}
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
		for _, o := range outcomes[:len(xs)] {
			if o.N == 0 {
				continue
			}
			if out.N == drawn {
				break
			}
			out.N++
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
	t.Add("decision", decision(low.positive(rule), rule), decision(high.positive(rule), rule))
	return t
}

// positive is the decision about the copy.
func (c *Copy) positive(rule fairness.Rule) bool {
	if c.Positive != nil {
		return *c.Positive
	}
	return rule.Says(c.Score)
}

// decision names a decision, and says whether it is favourable where that is not the positive one.
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
func (p *Person) picture(epsilon string, rule fairness.Rule) *view.Figure {
	var copies []individual.Scored
	for _, c := range p.Copies {
		copies = append(copies, individual.Scored{Labels: c.Labels, Score: c.Score})
	}
	return individual.Picture(copies, p.Protected, epsilon, rule)
}
