package engine

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Seeder asks a solver for 2-discriminant individuals near a given one: the Solver(·) of the
// paper's Algorithm 1. It searches a box around the individual, which grows while it is fair. A
// seeded random objective chooses among the violating points, so that the answers vary.
type Seeder struct {
	// Query is the study's question in the score notion.
	Query *problem.Query
	// Options as for Run; Maximise and Progress are ignored.
	Options Options
	// WorkLimit bounds each question to the solver; 0: none. With a work limit
	// and no time limit, seeds are the same on every machine.
	WorkLimit int64
	// Spurious, Solves, Faults and Refuted accumulate over all calls.
	Spurious, Solves int
	Faults           []string
	Refuted          []Refutation

	base *run           // shared by all boxes
	of   *problem.Query // the query that base was made for
	// behind is closed when an abandoned question has ended; nil if there is none.
	behind chan struct{}
}

// radii are the shares of each feature's domain by which the box around an
// individual extends, tried in order.
var radii = []float64{0.1, 0.3, 1}

// maxSeedTangents bounds the questions per box.
const maxSeedTangents = 8

// Seed returns a replayed 2-discriminant individual in canonical form, near the given point. ok is
// false if the solver found none, if ctx ended, or while an earlier question runs past its
// deadline. An error means that the solver is lost or the query malformed. Not safe for concurrent
// use.
func (s *Seeder) Seed(ctx context.Context, from []float64, seed int64) (x []float64, ok bool, err error) {
	if s.behind != nil {
		select {
		case <-s.behind:
			s.behind = nil
		default:
			return nil, false, nil
		}
	}
	type answer struct {
		of  Seeder
		x   []float64
		ok  bool
		err error
	}
	ended, mine := make(chan struct{}), *s
	a, inTime := overtime.Within(ctx, func(left context.Context) answer {
		defer close(ended)
		x, ok, err := mine.seed(ctx, left, from, seed)
		return answer{mine, x, ok, err}
	})
	if !inTime {
		s.behind = ended
		return nil, false, nil
	}
	*s = a.of
	return a.x, a.ok, a.err
}

// seed is Seed, but does not abandon a question that outlives ctx.
func (s *Seeder) seed(ctx, left context.Context, from []float64, seed int64) (x []float64, ok bool, err error) {
	rng := rand.New(rand.NewPCG(uint64(seed), 0x5eed))
	for _, radius := range radii {
		region := around(s.Query, from, radius)
		if region.Box == nil {
			continue // from lies too far outside for a box of this size
		}
		w, err := s.box(ctx, left, region, rng, seed)
		switch {
		case w != nil:
			return s.Query.Space.Canonical(w.Copy1), true, nil
		case ctx.Err() != nil:
			return nil, false, nil
		case err != nil:
			return nil, false, err
		}
	}
	return nil, false, nil
}

// box asks for a violating individual in one box.
func (s *Seeder) box(ctx, left context.Context, region space.Region, rng *rand.Rand, seed int64) (*individual.Witness, error) {
	if s.base == nil || s.of != s.Query {
		q := *s.Query
		if q.Notion.UsesEpsilon() {
			q.Notion = q.Model.Link().Notion(fairness.Score)
		}
		q.Goal = problem.Decide
		base, err := newRun(&q, s.Options)
		if err != nil {
			return nil, err
		}
		if base.lower.Form == problem.FormSMT {
			return nil, fmt.Errorf("solver %s takes neither models nor rows and columns, and the search for individuals needs one of the two: %w", s.Options.Description.Name, sdk.ErrUnsupported)
		}
		base.deciding, base.target = true, q.Notion.Threshold(q.Epsilon)
		s.base, s.of = base, s.Query
	}
	r := *s.base
	r.o.Seed, r.left = seed, left
	r.report = &Report{Regions: map[Method]int{}}
	defer func() {
		s.Spurious += r.report.Spurious
		s.Solves += r.report.Solves
		s.Faults, s.Refuted = append(s.Faults, r.report.Faults...), append(s.Refuted, r.report.Refuted...)
	}()
	b := r.bounds(region)
	if r.boundsSuffice(b) {
		return nil, nil
	}
	if r.lower.Form == problem.FormNetwork {
		return s.direct(ctx, &r, region, rng)
	}
	sub := *r.q
	sub.Region = region
	low, err := r.lowered(&sub, b)
	if err != nil {
		return nil, err
	}
	a, err := r.ask(ctx, low, b, encode.InOrder)
	if err != nil {
		return nil, err
	}
	defer a.close()
	a.workLimit = s.WorkLimit
	return a.anyViolation(ctx, rng)
}

// direct asks a solver of the network form. The seed, and a random point of the box to stay
// near, make the answers vary.
func (s *Seeder) direct(ctx context.Context, r *run, region space.Region, rng *rand.Rand) (*individual.Witness, error) {
	q := r.part(region)
	q.Near = q.Space.Draw(region.Box, rng)
	r.workLimit = s.WorkLimit
	res, err := r.question(ctx, q)
	if err != nil || res.Witness == nil {
		return nil, err
	}
	if fault := r.odd(q, res); fault != "" {
		r.blame(fault)
	} else if fault = r.credit(res); fault != "" {
		r.refutation(fault, region, nil, 0)
	}
	return r.report.Witness, nil
}

// anyViolation runs the tangent loop with a random objective in place of the
// slack, which is only kept above stopSlack.
func (a *ask) anyViolation(ctx context.Context, rng *rand.Rand) (*individual.Witness, error) {
	eps, _ := a.target.Float64()
	curve, delta, ok := a.border(eps)
	if !ok {
		return nil, nil
	}
	delta.ColumnBounds = append(delta.ColumnBounds, problem.ColumnBound{Column: a.low.milp.Slack, Lo: stopSlack, Hi: math.Inf(1)})
	delta.Objective = randomObjective(a.low.problem.MILP, rng)
	anything := math.Inf(-1)
	for range maxSeedTangents {
		out, err := a.solve(ctx, delta, &anything)
		if err != nil {
			return nil, err
		}
		if out.witness != nil {
			return out.witness, nil
		}
		if out.Values == nil || out.fault != "" || ctx.Err() != nil {
			return nil, nil
		}
		at := out.Values[a.low.logits[0]].Float64()
		delta = problem.Delta{Rows: []problem.Row{a.low.milp.Tangent(curve, a.order, at)}}
	}
	return nil, nil
}

// randomObjective pulls towards a random corner of the inputs.
func randomObjective(m *problem.MILP, rng *rand.Rand) *problem.Objective {
	o := &problem.Objective{Maximise: true}
	for i := range m.Columns {
		c := &m.Columns[i]
		if (c.Role == problem.RoleInput || c.Role == problem.RoleProtected) && c.Hi > c.Lo {
			o.Terms = append(o.Terms, problem.Term{Column: i, Coef: rng.NormFloat64() / (c.Hi - c.Lo)})
		}
	}
	return o
}

// around returns the part of the query's region within radius of x, where radius is a share of
// each feature's domain. Its Box is nil if the part is empty.
func around(q *problem.Query, x []float64, radius float64) space.Region {
	region := q.RegionOrWhole().Clone()
	for _, i := range q.Space.Free() {
		f := &q.Space.Features[i]
		reach := radius * (f.Hi - f.Lo)
		if f.Discrete() {
			reach = math.Max(1, math.Floor(reach))
		}
		iv := region.Box[i].Intersect(space.Interval{Lo: x[i] - reach, Hi: x[i] + reach})
		if f.Discrete() {
			iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
		}
		if iv.Empty() {
			return space.Region{}
		}
		region.Box[i] = iv
	}
	return region
}
