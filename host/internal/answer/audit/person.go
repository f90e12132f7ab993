package audit

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// bench audits one group at a time, for one goroutine of auditor.all.
type bench struct {
	*auditor
	lines []line // by protected feature

	// Evaluators for the current group.
	whole *evaluate.Evaluator
	each  []*evaluate.Evaluator // by protected feature

	points   [][]float64
	outcomes []evaluate.Outcome
	effects  [][]evaluate.Outcome // by protected feature
}

func (a *auditor) newBench() *bench {
	n := len(a.lines)
	return &bench{auditor: a, lines: slices.Clone(a.lines), each: make([]*evaluate.Evaluator, n), effects: make([][]evaluate.Outcome, n)}
}

// The number of people evaluated between two checks of the context: few at first, and twice as many as long as that
// takes less than a second.
const firstBatch, mostBatch = 16, 2048

// audit audits a group until the context ends.
func (b *bench) audit(ctx context.Context, g group) (err error) {
	region := b.Region.Clone()
	for n, f := range b.protected {
		region.Values[f] = joined(region.Values[f], g.own[n])
		if b.each[n], err = b.lines[n].with(g.own[n]); err != nil {
			return err
		}
	}
	if b.whole, err = evaluate.NewBanded(b.Model, b.Space, region, b.Epsilon, b.counted()); err != nil {
		return fmt.Errorf("row %d, with the person's own values: %w", g.rows[0], err)
	}
	batch := firstBatch
	for rows := g.rows; len(rows) > 0 && ctx.Err() == nil; {
		part, began := rows[:min(batch, len(rows))], time.Now()
		rows = rows[len(part):]
		if b.done(b.people(part)); time.Since(began) < time.Second {
			batch = min(2*batch, mostBatch)
		}
	}
	return nil
}

// people audits some rows of the group, in their order.
func (b *bench) people(rows []int) ([]Person, [][]at) {
	b.points = b.points[:0]
	for _, i := range rows {
		b.points = append(b.points, b.rows[i])
	}
	b.outcomes = b.evaluate(b.whole, b.outcomes)
	for n, line := range b.each {
		b.effects[n] = b.evaluate(line, b.effects[n])
	}
	people, decisions := make([]Person, len(rows)), make([][]at, len(rows))
	forEach(len(rows), func(i int) { people[i], decisions[i] = b.person(i, rows[i]) })
	return people, decisions
}

// evaluate returns the outcomes of the points. It reuses the memory of out if that is long enough.
func (b *bench) evaluate(e *evaluate.Evaluator, out []evaluate.Outcome) []evaluate.Outcome {
	if len(out) < len(b.points) {
		out = make([]evaluate.Outcome, len(b.points))
	}
	e.EvaluateAll(b.points, out)
	return out
}

// forEach calls do for 0 to n−1 on GOMAXPROCS goroutines.
func forEach(n int, do func(int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// person audits the i-th of the points.
func (b *bench) person(i, row int) (p Person, decisions []at) {
	x, o := b.points[i], &b.outcomes[i]
	switch {
	case b.Number:
		return b.predicted(i, row), nil
	case b.classes != nil:
		return b.classified(i, row), nil
	}
	score, positive := b.decider.At(x)
	p = Person{
		Index: row, N: o.N, K: o.K, Gap: o.Gap, Unfair: b.unfair(b.whole, x, o), Shannon: o.Shannon, MinEntropy: o.MinEntropy,
		Score: score, Positive: positive, Effects: make([]Effect, len(b.each)),
	}
	high, low := b.whole.Point(x, o.ArgMax), b.whole.Point(x, o.ArgMin)
	most, _ := b.decider.At(high)
	least, _ := b.decider.At(low)
	p.High, p.Low = Copy{b.protectedOf(high), most}, Copy{b.protectedOf(low), least}
	flips := func(d *individual.Decider, positive bool) bool {
		return b.flipsAt(d, x, scored{high, most}, scored{low, least}, positive)
	}
	if b.decider.Coarse() {
		b.exactly(x, &p)
	}
	switch {
	case b.bander != nil:
		b.band(x, &p)
	case !b.decider.Coarse():
		p.Flips = flips(b.decider, positive)
	}
	for _, d := range b.deciders {
		own := d.Yes(x, score)
		decisions = append(decisions, at{own, flips(d, own)})
	}
	if b.moved() {
		p.Unfair = p.Flips
	}
	for n, line := range b.each {
		p.Effects[n] = b.effect(x, b.protected[n], line, &b.effects[n][i], &p)
	}
	return p, decisions
}

// predicted audits the i-th of the points with a model that predicts a number.
func (b *bench) predicted(i, row int) Person {
	x := b.points[i]
	p := Person{Index: row, K: 1, Score: b.decider.Output(x), Effects: make([]Effect, len(b.each))}
	of := func(e *evaluate.Evaluator) (low, high Copy, sum float64) {
		low.Score, high.Score = math.Inf(1), math.Inf(-1)
		for _, c := range e.Copies(x).Combinations {
			point := e.Point(x, c)
			v := b.decider.Output(point)
			if sum += v; v < low.Score {
				low = Copy{b.protectedOf(point), v}
			}
			if v > high.Score {
				high = Copy{b.protectedOf(point), v}
			}
		}
		return low, high, sum
	}
	p.N, p.Unfair = b.outcomes[i].N, b.unfair(b.whole, x, &b.outcomes[i])
	p.Low, p.High, _ = of(b.whole)
	p.Gap = p.High.Score - p.Low.Score
	for n, line := range b.each {
		o, e := &b.effects[n][i], &p.Effects[n]
		low, high, sum := of(line)
		e.N, e.K, e.Gap, e.Unfair = o.N, 1, high.Score-low.Score, b.unfair(line, x, o)
		e.Worst, e.WorstScore, e.Best, e.BestScore = low.Z[n], low.Score, high.Z[n], high.Score
		if e.N > 1 {
			e.Advantage = p.Score - (sum-p.Score)/float64(e.N-1)
		}
	}
	return p
}

// exactly sets the extreme copies, the gap and Flips from the decider, for models on which the evaluator's scores
// are too coarse.
func (b *bench) exactly(x []float64, p *Person) {
	p.High.Score, p.Low.Score = math.Inf(-1), math.Inf(1)
	for _, c := range b.whole.Copies(x).Combinations {
		point := b.whole.Point(x, c)
		score, yes := b.decider.At(point)
		if score > p.High.Score {
			p.High = Copy{b.protectedOf(point), score}
		}
		if score < p.Low.Score {
			p.Low = Copy{b.protectedOf(point), score}
		}
		p.Flips = p.Flips || yes != p.Positive
	}
	p.Gap = p.High.Score - p.Low.Score
}

// moved reports whether the notion compares decisions by a rule other than the default, which the evaluators
// do not know.
func (b *bench) moved() bool { return b.Notion == fairness.Decision && !b.Rule.IsDefault() }

// counted are the bands that k counts; nil: it counts bins.
func (c *Config) counted() fairness.Bands {
	if c.Notion != 0 {
		return nil
	}
	return c.Bands
}

// unfair reports whether the counterfactuals of x in e, with outcome o, violate
// the notion.
func (b *bench) unfair(e *evaluate.Evaluator, x []float64, o *evaluate.Outcome) bool {
	if b.Notion == 0 {
		return o.Violates
	}
	return e.Violates(x, b.Notion, b.Limit)
}

func (b *bench) protectedOf(point []float64) []float64 {
	z := make([]float64, len(b.protected))
	for n, f := range b.protected {
		z[n] = point[f]
	}
	return z
}

// effect computes the Effect of one protected feature on the person at x. o is the outcome of the
// person's values in line, p the person as far as known.
func (b *bench) effect(x []float64, feature int, line *evaluate.Evaluator, o *evaluate.Outcome, p *Person) Effect {
	e := Effect{N: o.N, K: o.K, Gap: o.Gap, Unfair: b.unfair(line, x, o), Best: x[feature], Worst: x[feature]}
	copies := line.Copies(x)
	scores, points := copies.Scores, make([][]float64, len(copies.Combinations))
	own := 0
	for i, c := range copies.Combinations {
		if points[i] = line.Point(x, c); points[i][feature] == x[feature] {
			own = i
		}
	}
	if scores = b.decider.Scores(points, scores); b.decider.Coarse() {
		e.Gap = slices.Max(scores) - slices.Min(scores)
	}
	e.BestScore, e.WorstScore = scores[own], scores[own]
	sum := 0.0
	for i, score := range scores {
		if i == own {
			continue
		}
		sum += score
		if score > e.BestScore {
			e.Best, e.BestScore = points[i][feature], score
		}
		if score < e.WorstScore {
			e.Worst, e.WorstScore = points[i][feature], score
		}
		e.Flips = e.Flips || b.bander == nil && b.decider.Yes(points[i], score) != p.Positive
	}
	if b.bander != nil {
		e.Enters, _ = b.enters(line, x, p.Class, b.bander.Of)
		e.Flips = len(e.Enters) > 0
	}
	if b.moved() {
		e.Unfair = e.Flips
	}
	if len(scores) > 1 {
		e.Advantage = scores[own] - sum/float64(len(scores)-1)
	}
	if b.Rule.Low {
		e.Best, e.BestScore, e.Worst, e.WorstScore = e.Worst, e.WorstScore, e.Best, e.BestScore
		e.Advantage = 0 - e.Advantage // never -0
	}
	return e
}
