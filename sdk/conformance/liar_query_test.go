package conformance_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// asking limits a hook to network problems.
func asking(change func(*problem.Query)) func(*problem.Problem, *sdk.SolveOptions) {
	return func(p *problem.Problem, _ *sdk.SolveOptions) {
		if p.Query != nil {
			change(p.Query)
		}
	}
}

func networkLiars() []solverLiar {
	return []solverLiar{
		{"network/violating", "everything is fair to it", &bent{tell: func(_ *problem.Problem, r *sdk.Result) { *r = sdk.Result{Status: sdk.Infeasible} }}},
		{"network/no-time", "it takes the end of its time for the end of its search", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			if o.TimeLimit > 0 && o.TimeLimit <= time.Millisecond {
				return &sdk.Result{Status: sdk.Infeasible}, nil
			}
			return right.Solve(ctx, p, o)
		}}},
		{"network/other-family", "it takes every model for a network", &bent{ask: asking(func(q *problem.Query) {
			if _, ok := q.Model.(*relu.Network); !ok {
				q.Model = &relu.Network{Head: relu.HeadSigmoid, Precision: 32, Layers: []relu.Layer{
					{In: q.Model.Inputs(), Out: 1, Weights: make([]float64, q.Model.Inputs()), Bias: []float64{0}},
				}}
			}
		})}},
		{"network/other-family", "it does not say what it refuses", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			r, err := right.Solve(ctx, p, o)
			if errors.Is(err, sdk.ErrUnsupported) {
				err = sdk.ErrUnsupported
			}
			return r, err
		}}},
		{"network/violating", "its copies are the same", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Witness != nil {
				r.Witness.Copy2 = r.Witness.Copy1
			}
		}}},
		{"network/violating", "its copies are two people", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Witness != nil {
				r.Witness.Copy2 = slices.Clone(r.Witness.Copy2)
				r.Witness.Copy2[0] = 0
			}
		}}},
		{"network/violating", "its witness lies outside the domain", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Witness != nil {
				r.Witness.Copy1[0], r.Witness.Copy2[0] = 50, 50
			}
		}}},
		{"network/fair", "it finds a witness everywhere", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.Query != nil && r.Status == sdk.Infeasible {
				*r = sdk.Result{Status: sdk.Feasible, Witness: &sdk.Witness{Copy1: []float64{3, 1}, Copy2: []float64{3, 0}}}
			}
		}}},
		{"network/shares", "it takes a share for a logit", &bent{ask: asking(func(q *problem.Query) {
			e := q.Model.(*trees.Ensemble)
			q.Model = &trees.Ensemble{Columns: e.Columns, Output: fairness.LinkSigmoid, Base: e.Base, Trees: e.Trees}
			q.Notion = fairness.Score
		})}},
		{"network/notions", "it knows the score notion only", &bent{ask: asking(func(q *problem.Query) { q.Notion = fairness.Score })}},
		{"network/maximise", "the first violation is the largest to it", &bent{solve: content}},
		{"network/random", "it takes the ReLUs away", &bent{ask: asking(func(q *problem.Query) {
			layers := q.Model.(*relu.Network).Layers
			for i := range layers {
				layers[i].ReLU = false
			}
		})}},
		{"network/fixed", "a fixed feature has its domain's end to it", &bent{ask: asking(func(q *problem.Query) {
			q.Region = q.RegionOrWhole().Clone()
			for _, i := range q.Space.Free() {
				if f, iv := &q.Space.Features[i], &q.Region.Box[i]; iv.Lo == iv.Hi {
					iv.Lo, iv.Hi = f.Hi, f.Hi
				}
			}
		})}},
		{"network/random-maximise", "it looks at half of the space", &bent{ask: asking(func(q *problem.Query) {
			f := &q.Space.Features[0]
			f.Hi = math.Floor((f.Lo + f.Hi) / 2)
		})}},
		{"network/region", "it searches the whole space", &bent{ask: asking(func(q *problem.Query) { q.Region = q.Space.Whole() })}},
		{"network/constraints", "nothing is forbidden to it", &bent{ask: asking(func(q *problem.Query) { q.Space.Forbidden = nil })}},
		{"network/protected-values", "it clamps protected values to the domain", &bent{ask: asking(func(q *problem.Query) {
			for i := range q.Space.Features {
				f := &q.Space.Features[i]
				f.Protected = slices.Clone(f.Protected)
				for k, v := range f.Protected {
					f.Protected[k] = min(max(v, f.Lo), f.Hi)
				}
			}
		})}},
		{"network/one-value", "it panics on a one-value domain", &bent{ask: asking(func(q *problem.Query) {
			for i := range q.Space.Features {
				if f := &q.Space.Features[i]; f.Lo == f.Hi {
					panic("integer divide by zero")
				}
			}
		})}},
		{"network/exclude", "it finds the same individual again", &bent{ask: asking(func(q *problem.Query) { q.Exclude = nil })}},
		{"network/predicates", "it reads no predicates", &bent{ask: asking(func(q *problem.Query) { q.Require, q.Forbid = nil, nil })}},
		{"network/near", "it looks nowhere but near", &bent{ask: asking(func(q *problem.Query) {
			if q.Near != nil {
				q.Region = q.RegionOrWhole().Clone()
				q.Region.Box[0] = space.Interval{Lo: q.Near[0], Hi: q.Near[0] + 1}
			}
		})}},
		{"network/within", "it forgets the rows", &bent{ask: asking(func(q *problem.Query) { q.Within = nil })}},
		{"network/bands", "bins of ε do for it", &bent{ask: asking(func(q *problem.Query) { q.Bands = nil })}},
		{"network/k", "two bins are enough for it", &bent{ask: asking(func(q *problem.Query) { q.K = 0 })}},
		{"network/relax", "it relaxes nothing", &bent{ask: asking(func(q *problem.Query) { q.Relax = nil })}},
		{"network/real", "it sees whole numbers only", &bent{ask: asking(func(q *problem.Query) {
			for i := range q.Space.Features {
				if f := &q.Space.Features[i]; f.Kind == space.Real && !f.IsProtected() {
					f.Kind = space.Integer
				}
			}
		})}},
	}
}

// content answers a maximisation by any violating individual.
func content(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
	r, err := right.Solve(ctx, p, o)
	if err != nil || p.Query == nil || p.Query.Goal != problem.Maximise {
		return r, err
	}
	any := copyProblem(p)
	any.Query.Region = any.Query.Space.Whole()
	any.Query.Region.Box[0].Hi--
	return right.Solve(ctx, any, o)
}

// reading limits a hook to scripts.
func reading(change func(*problem.Script)) func(*problem.Problem, *sdk.SolveOptions) {
	return func(p *problem.Problem, _ *sdk.SolveOptions) {
		if p.SMT != nil {
			change(p.SMT)
		}
	}
}

func scriptLiars() []solverLiar {
	return []solverLiar{
		{"smt/feasible", "it says feasible and gives one value too many", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.SMT != nil && r.HasPoint() {
				r.Values = append(r.Values, problem.Number{})
			}
		}}},
		{"smt/feasible", "its values are all 0", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.SMT != nil {
				clear(r.Values)
			}
		}}},
		{"smt/infeasible", "it never says infeasible", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			if r.Status == sdk.Infeasible {
				r.Status, r.Reason = sdk.Unknown, sdk.Incomplete
			}
		}}},
		{"smt/integer-infeasible", "Int is Real to it", &bent{ask: reading(func(s *problem.Script) {
			s.Text = strings.ReplaceAll(s.Text, " Int)", " Real)")
		})}},
		{"smt/values", "its values come in an order of its own", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.SMT != nil {
				slices.Reverse(r.Values)
			}
		}}},
		{"smt/values", "its fractions are floats", &bent{tell: func(_ *problem.Problem, r *sdk.Result) {
			for i, v := range r.Values {
				r.Values[i] = problem.Number{Float: v.Float64()}
			}
		}}},
		{"smt/structure", "it gives up at let", &bent{tell: func(p *problem.Problem, r *sdk.Result) {
			if p.SMT != nil && strings.Contains(p.SMT.Text, "(let ") {
				*r = sdk.Result{Status: sdk.Unknown, Reason: sdk.Other}
			}
		}}},
		{"smt/bad-script", "what it cannot parse is satisfiable", &bent{solve: func(ctx context.Context, p *problem.Problem, o sdk.SolveOptions, right sdk.Solver) (*sdk.Result, error) {
			r, err := right.Solve(ctx, p, o)
			if p.SMT != nil && errors.Is(err, sdk.ErrInvalidProblem) {
				return &sdk.Result{Status: sdk.Feasible, Values: make([]problem.Number, len(p.SMT.Symbols))}, nil
			}
			return r, err
		}}},
		{"smt/push-pop", "what is pushed stays", &bent{delta: func(d *problem.Delta) { d.Pop = 0 }}},
		{"smt/maximise", "any model is optimal to it", &bent{
			describe: func(d *sdk.Description) {
				d.Serves = append(d.Serves, sdk.Service{Form: problem.FormSMT, Goal: problem.Maximise})
			},
			ask: reading(func(s *problem.Script) { s.Objective = "" }),
			tell: func(p *problem.Problem, r *sdk.Result) {
				if p.SMT != nil && p.SMT.Objective != "" && r.HasPoint() {
					r.Status = sdk.Optimal
					for i, y := range p.SMT.Symbols {
						if y.Name == p.SMT.Objective {
							r.Objective = r.Values[i].Float64()
						}
					}
				}
			}}},
	}
}
