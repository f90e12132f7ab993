package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/host/internal/answer/guard"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// drawsEach bounds the draws per fresh neighbour on one side of a predicate.
	drawsEach = 500
	// fewest is the least number of neighbours needed on either side to judge a predicate.
	fewest = 30
	// drawnPeople is the number of people drawn from a population.
	drawnPeople = 10_000
)

// test measures candidate i on fresh neighbours.
func (e *explainer) test(ctx context.Context, p space.Predicate, i int) (Predicate, error) {
	out := Predicate{Holds: p, Size: size(p), Coverage: Cover(e.Space, e.Region, p)}
	var err error
	if out.Conditions, err = guard.Conditions(e.Space, p); err != nil {
		return out, err
	}
	rule := guard.Rule{Conditions: out.Conditions}
	out.Text = rule.Text(e.Space)
	n, hits := e.count(p)
	_, all := e.count(nil)
	out.Purity, out.Recall = float64(hits)/float64(n), float64(hits)/float64(all)
	for side, to := range []*Mean{&out.Inside, &out.Outside} {
		rng := rand.New(rand.NewPCG(uint64(e.Seed), streamTest+uint64(2*i+side)))
		holds := func(x []float64) bool { return p.Holds(x) == (side == 0) }
		points, err := e.cloud.Sample(rng, e.Test, drawsEach*e.Test, holds)
		if err != nil {
			return out, err
		}
		ks, err := e.evaluate(ctx, points)
		if err != nil {
			return out, err
		}
		*to = meanOf(ks, e.least, e.most)
	}
	out.Diff = out.Inside.Mean - out.Outside.Mean
	out.Support, out.Plausible = e.supportOf(p), e.plausibly(p)
	switch {
	case min(out.Inside.N, out.Outside.N) < fewest:
		out.Rejected = fmt.Sprintf("too rare to be tested: %d fresh neighbours inside, %d outside", out.Inside.N, out.Outside.N)
	case out.Diff < e.delta:
		out.Rejected = fmt.Sprintf("the means differ by %.2f, less than δ = %v", out.Diff, e.delta)
	}
	return out, nil
}

// size counts conjuncts: each end of a range, or one for a single value or a set of categories.
func size(p space.Predicate) int {
	n := 0
	for i := range p {
		switch iv := p[i].Interval; {
		case p[i].Set != nil || iv.Lo == iv.Hi:
			n++
		default:
			if !math.IsInf(iv.Lo, 0) {
				n++
			}
			if !math.IsInf(iv.Hi, 0) {
				n++
			}
		}
	}
	return n
}

// support evaluates the rows of the data that are individuals of the region.
func (e *explainer) support(ctx context.Context) error {
	if e.Rows == nil {
		return nil
	}
	e.Progress(fmt.Sprintf("%d rows of the data", len(e.Rows)))
	points := [][]float64{}
	for _, x := range e.Rows {
		if e.Space.ContainsIndividual(x) && e.Space.RegionContains(e.Region, x) && e.cloud.lives(e.Space.Canonical(x)) {
			points = append(points, x)
		}
	}
	ks, err := e.evaluate(ctx, points)
	for i := range ks {
		e.rowKs = append(e.rowKs, rowK{points[i], ks[i]})
	}
	return err
}

// plausibly returns the share of people for whom p holds; nil without people.
func (e *explainer) plausibly(p space.Predicate) *Plausible {
	if len(e.people) == 0 {
		return nil
	}
	n, all := 0, len(e.people)
	for _, x := range e.people {
		if p.Holds(x) {
			n++
		}
	}
	out := &Plausible{Share: float64(n) / float64(all), N: all}
	out.Lo, out.Hi = quantify.ClopperPearson(n, all, quantify.Confidence)
	return out
}

// supportOf is p's support in the rows; nil without data.
func (e *explainer) supportOf(p space.Predicate) *Support {
	if e.Rows == nil {
		return nil
	}
	var in, out []float64
	for _, r := range e.rowKs {
		if p.Holds(r.point) {
			in = append(in, r.k)
		} else {
			out = append(out, r.k)
		}
	}
	s := &Support{Rows: len(in), Of: len(e.rowKs), KIn: statistics.Finite(statistics.Mean(in)), KOut: statistics.Finite(statistics.Mean(out))}
	if s.Of > 0 {
		s.Share = float64(s.Rows) / float64(s.Of)
	}
	return s
}
