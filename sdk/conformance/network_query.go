package conformance

import (
	"context"
	"errors"
	"math/big"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// networkQueryCases test the parts of a query beyond network, space, notion and ε. A
// solver may refuse each part with ErrUnsupported, which skips the case; ignoring the
// part is a failure.
var networkQueryCases = []Case[*SolverEnv]{
	optionalQuery("network/region", "the region cuts the box and the protected values", func() queries {
		cut := func(change func(*space.Region)) *problem.Query {
			return bent("1/2", func(q *problem.Query) {
				q.Region = q.Space.Whole()
				change(&q.Region)
			})
		}
		return queries{
			{"a ≤ 2", cut(func(r *space.Region) { r.Box[0].Hi = 2 }), known.Infeasible},
			{"s = 1 only", cut(func(r *space.Region) { r.Values[1] = []float64{1} }), known.Infeasible},
			{"a = 3", cut(func(r *space.Region) { r.Box[0].Lo = 3 }), known.Feasible},
		}
	}),
	optionalQuery("network/constraints", "combinations that are forbidden are not in the space", func() queries {
		forbid := func(p ...space.Predicate) *problem.Query {
			return bent("1/2", func(q *problem.Query) { q.Space.Forbidden = p })
		}
		high := space.Condition{Feature: 0, Interval: space.Interval{Lo: 3, Hi: inf}}
		return queries{
			{"a ≥ 3 forbidden", forbid(space.Predicate{high}), known.Infeasible},
			{"a ≥ 3 with s = 0 forbidden", forbid(space.Predicate{high, {Feature: 1, Interval: space.Interval{}}}), known.Infeasible},
			{"a ≤ 2 forbidden", forbid(space.Predicate{{Feature: 0, Interval: space.Interval{Lo: -inf, Hi: 2}}}), known.Feasible},
		}
	}),
	optionalQuery("network/protected-values", "protected values need not lie in the feature's domain", func() queries {
		values := func(v ...float64) *problem.Query {
			return bent("1/2", func(q *problem.Query) { q.Space.Features[1].Protected = v })
		}
		// At s = 5 the logit is a + 11 and at s = −4 it is −1.
		return queries{{"0 and 5", values(0, 5), known.Feasible}, {"-4 and 0", values(-4, 0), known.Infeasible}, {"-4 and 5", values(-4, 5), known.Feasible}, {"1 only", values(1), known.Infeasible}}
	}),
	optionalQuery("network/one-value", "features with a single value, protected or not, are handled", func() queries {
		return queries{
			{"a = 3", bent("1/2", func(q *problem.Query) { q.Space.Features[0].Lo = 3 }), known.Feasible},
			{"a = 0", bent("1/2", func(q *problem.Query) { q.Space.Features[0].Hi = 0 }), known.Infeasible},
		}
	}),
	optionalQuery("network/exclude", "an excluded individual is not the answer", func() queries {
		exclude := func(points ...[]float64) *problem.Query {
			return bent("1/2", func(q *problem.Query) { q.Exclude = points })
		}
		return queries{{"a = 3 excluded", exclude([]float64{3, 1}), known.Infeasible}, {"others excluded", exclude([]float64{0, 0}, []float64{2, 0}), known.Feasible}}
	}),
	optionalQuery("network/predicates", "required predicates hold at the first copy, forbidden ones do not", func() queries {
		upTo := func(hi float64) []space.Predicate {
			return []space.Predicate{{{Feature: 0, Interval: space.Interval{Lo: 0, Hi: hi}}}}
		}
		return queries{
			{"a ≤ 2 required", bent("1/2", func(q *problem.Query) { q.Require = upTo(2) }), known.Infeasible},
			{"a ≤ 3 forbidden", bent("1/2", func(q *problem.Query) { q.Forbid = upTo(3) }), known.Infeasible},
			{"a ≤ 2 forbidden", bent("1/2", func(q *problem.Query) { q.Forbid = upTo(2) }), known.Feasible},
		}
	}),
	optionalQuery("network/near", "a point to stay near is a preference that changes no verdict", func() queries {
		near := func(eps string) *problem.Query {
			return bent(eps, func(q *problem.Query) { q.Near = []float64{0, 0} })
		}
		return queries{{"near a = 0", near("1/2"), known.Feasible}, {"near a = 0, fair", near("31/50"), known.Infeasible}}
	}),
	optionalQuery("network/within", "only individuals within a distance of a row are asked about", func() queries {
		within := func(distance *big.Rat, rows ...[]float64) *problem.Query {
			return bent("1/2", func(q *problem.Query) {
				var err error
				if q.Within, err = space.NewVicinity(q.Space, rows, distance); err != nil {
					panic(err) // the rows are in the domain
				}
			})
		}
		// Only a = 3, the end of the domain, is unfair; its distance from a = 2 is ⅓.
		return queries{
			{"rows other than a = 3", within(new(big.Rat), []float64{0, 0}, []float64{2, 1}), known.Infeasible},
			{"the row a = 3", within(new(big.Rat), []float64{0, 0}, []float64{3, 0}), known.Feasible},
			{"less than ⅓ from a = 2", within(ratio("33/100"), []float64{2, 0}), known.Infeasible},
			{"⅓ from a = 2", within(ratio("1/3"), []float64{2, 0}), known.Feasible},
		}
	}),
	optionalQuery("network/k", "a witness of k bins reaches k bins", func() queries {
		// At a = 3 the values 0, ½ (logit ½) and 1 give scores 0.27, 0.62, 0.88.
		k := func(k int) *problem.Query {
			return bent("1/4", func(q *problem.Query) {
				q.K = k
				q.Space.Features[1].Kind = space.Real
				q.Space.Features[1].Protected = []float64{0, 0.5, 1}
			})
		}
		return queries{{"k = 3", k(3), known.Feasible}, {"k = 4", k(4), known.Infeasible}}
	}),
	optionalQuery("network/bands", "bands are counted in place of bins of ε: two, or k if it is set", func() queries {
		// At a = 3 the values 0, ½ (logit ½) and 1 give scores 0.27, 0.62, 0.88.
		bands := func(k int, least ...string) *problem.Query {
			return bent("31/50", func(q *problem.Query) {
				q.K = k
				q.Space.Features[1].Kind = space.Real
				q.Space.Features[1].Protected = []float64{0, 0.5, 1}
				q.Bands = fairness.Bands{{Name: "0", Least: new(big.Rat)}}
				for _, text := range least {
					q.Bands = append(q.Bands, fairness.Band{Name: text, Least: ratio(text)})
				}
			})
		}
		return queries{
			{"0.7", bands(0, "7/10"), known.Feasible}, {"0.1 and 0.9", bands(0, "1/10", "9/10"), known.Infeasible},
			{"three of 0.5 and 0.7", bands(3, "1/2", "7/10"), known.Feasible}, {"three of 0.7 and 0.8", bands(3, "7/10", "4/5"), known.Infeasible},
		}
	}),
	optionalQuery("network/relax", "a relaxed feature may differ between the copies, within its tolerance", func() queries {
		relax := func(eps string, by float64) *problem.Query {
			return bent(eps, func(q *problem.Query) {
				q.Relax = []problem.RelaxedFeature{{Feature: 0, Tolerance: by}}
				first := &q.Model.(*relu.Network).Layers[0]
				first.Weights, first.Bias = []float64{1, 1}, []float64{0}
			})
		}
		// The logit is a + s − 1, so the largest gap is σ(0) − σ(−1) = 0.2311 without
		// relaxation, σ(1) − σ(−1) = 0.4621 at a distance of 1, and
		// σ(3) − σ(−1) = 0.6836 at a distance of 3.
		return queries{
			{"distance 0", relax("2/5", 0), known.Infeasible},
			{"distance 1", relax("2/5", 1), known.Feasible},
			{"distance 1, fair", relax("1/2", 1), known.Infeasible},
			{"distance 3", relax("17/25", 3), known.Feasible},
		}
	}),
	optionalQuery("network/real", "a real-valued feature is searched over its whole interval", func() queries {
		// At a = 2.5 the gap is 0.5486, at a = 2 it is 0.4621.
		real := func(eps string) *problem.Query {
			return bent(eps, func(q *problem.Query) { q.Space.Features[0].Kind, q.Space.Features[0].Hi = space.Real, 2.5 })
		}
		return queries{{"real a", real("1/2"), known.Feasible}, {"real a, fair", real("11/20"), known.Infeasible}}
	}),
}

// optionalQuery makes a case that a solver may decline.
func optionalQuery(name, doc string, list func() queries) Case[*SolverEnv] {
	return on(problem.Decide, name, doc, func(ctx context.Context, e *SolverEnv) error {
		for _, k := range list() {
			r, err := e.solve(ctx, k.problem(), sdk.SolveOptions{})
			if errors.Is(err, sdk.ErrUnsupported) {
				return skip("declined: %v", err)
			}
			if err == nil && r.Status == sdk.Unknown && r.Reason == sdk.Incomplete {
				return skip("declined: %s", known.Said(r, nil))
			}
		}
		return askAll(ctx, e, problem.Decide, list())
	})
}
