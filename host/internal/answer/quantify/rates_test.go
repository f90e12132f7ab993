package quantify

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/joint"
	"github.com/hyfair/hyfair/host/internal/answer/quantify/affine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/study"
	draws "github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestRates holds proved rates of groups, their ratios and differences against sums over all individuals: of linear
// models by convolution, of networks and trees by a solver, at any threshold, under each kind of population.
func TestRates(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	together, between, linear, boxes := 0, 0, 0, 0
	for seed := range tier.Count(24, 300) {
		r := rand.New(rand.NewPCG(uint64(seed), 53))
		s := draws.Space(r)
		var m model.Model = draws.Network(r, s.Inputs)
		switch seed % 8 {
		case 0:
		case 1:
			m = draws.Trees(r, s)
		default:
			l := relu.Layer{In: s.Inputs, Out: 1, Bias: []float64{r.NormFloat64()}}
			for range s.Inputs {
				l.Weights = append(l.Weights, r.NormFloat64())
			}
			m = &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{l}}
		}
		st := &study.Study{Model: m, ModelPath: "drawn", Space: s}
		if r.IntN(2) == 0 {
			st.Rule.Threshold, st.Rule.At = big.NewRat(int64(1+r.IntN(9)), 10), r.IntN(2) == 0
		}
		of := &question.Question{Study: st, Space: s, Region: s.Whole()}
		q, err := joint.Yes(of)
		if err != nil {
			continue // numbers too small for a threshold
		}
		var people *population.Population
		if r.IntN(3) > 0 {
			var rows [][]float64
			for range 50 {
				rows = append(rows, q.Space.Draw(q.Space.Whole().Box, r))
			}
			if people, err = population.Of(t.Context(), 1+r.IntN(3), q.Space, rows, 1); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		decider := individual.New(m, s, st.Rule)
		var out Rates
		groups := out.groupsOf(of, q)
		attributes := out.Attributes
		if seed%8 < 2 { // a solver takes longer
			attributes = attributes[:1]
		}
		for _, a := range attributes {
			truth, exact := make([]*float64, len(a.Groups)), make([]*enclosure, len(a.Groups))
			asked := true
			for i := range a.Groups {
				one := *q
				one.Region, groups = groups[0], groups[1:]
				truth[i] = rateOf(&one, s, decider, people)
				g := &a.Groups[i]
				if _, ok := m.(*relu.Network); ok && affine.Suits(&one) {
					within := population.Even(one.Space, one.Region.Box)
					if people != nil {
						within = people.Within(one.Region.Box)
					}
					got, err := affine.Of(t.Context(), &one, within)
					if asked = !errors.Is(err, affine.ErrUnsuited); !asked {
						break // sums of too many steps
					}
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					if got.Individuals.Sign() > 0 {
						exact[i] = &enclosure{new(big.Rat).SetFloat64(got.Unfair), less(new(big.Rat).SetFloat64(got.Fair))}
					}
					linear++
				} else {
					got, err := Run(t.Context(), &one, Options{Solver: solver, Description: description, Population: people})
					if asked = err == nil; !asked {
						break // weights that no solver in floating point takes
					}
					shares := got.Shares()
					if lo, hi := shares.Bounds(); lo != nil {
						exact[i] = &enclosure{lo, hi}
					}
					boxes++
				}
				if g.Rate = exact[i].rounded(); !g.Rate.holds(truth[i]) {
					t.Errorf("seed %d, %s %s: proved %+v, want %v", seed, a.Name, g.Label, g.Rate, truth[i])
				}
				if strings.Contains(a.Name, "×") {
					together++
				}
				if truth[i] != nil && *truth[i] > 0 && *truth[i] < 1 {
					between++
				}
			}
			if asked {
				a.compare(exact)
				a.check(t, truth)
			}
		}
	}
	t.Logf("%d groups of several attributes, %d rates between 0 and 1, %d by convolution, %d by boxes", together, between, linear, boxes)
	if least := tier.Count(6, 72); together < least || between < least || linear < least || boxes < least {
		t.Error("too few")
	}
}

// rateOf is the share of positive decisions in a region; nil without people.
func rateOf(q interface{ RegionOrWhole() space.Region }, s *space.Space, decider *individual.Decider, people *population.Population) *float64 {
	region := q.RegionOrWhole()
	yes, all := 0.0, 0.0
	box := slices.Clone(region.Box)
	whole := *s
	whole.Features = slices.Clone(s.Features)
	for i := range whole.Features {
		whole.Features[i].Protected = nil
	}
	for x := range whole.Individuals(region.Box[:len(s.Features)]) {
		if !s.Allowed(x) {
			continue
		}
		mass := 1.0
		if people != nil {
			for i, v := range x {
				box[i] = space.Interval{Lo: v, Hi: v}
			}
			mass, _ = people.Mass(box)
		}
		all += mass
		if _, positive := decider.At(x); positive {
			yes += mass
		}
	}
	if all == 0 {
		return nil
	}
	rate := yes / all
	return &rate
}

// holds reports whether the interval holds the number, but for the rounding of sums; both may be nil.
func (i *Interval) holds(v *float64) bool {
	if i == nil || v == nil {
		return i == nil && v == nil
	}
	return i.Lo <= *v+1e-9 && *v <= i.Hi+1e-9
}

// check holds ratios and differences against the true rates.
func (a *RatedAttribute) check(t *testing.T, truth []*float64) {
	t.Helper()
	highest, lowest, n := 0.0, 1.0, 0
	for _, rate := range truth {
		if rate != nil {
			highest, lowest, n = max(highest, *rate), min(lowest, *rate), n+1
		}
	}
	for i, rate := range truth {
		g := &a.Groups[i]
		if rate == nil || n < 2 {
			if g.ImpactRatio != nil || g.Difference != nil {
				t.Errorf("%s %s: %+v of a group without people, or without others", a.Name, g.Label, g)
			}
			continue
		}
		lower, ratio := highest-*rate, *rate/highest
		if !g.Difference.holds(&lower) || g.ImpactRatio != nil && !g.ImpactRatio.holds(&ratio) {
			t.Errorf("%s %s: difference %+v and ratio %+v, want %v and %v", a.Name, g.Label, g.Difference, g.ImpactRatio, lower, ratio)
		}
	}
	lower, ratio := highest-lowest, lowest/highest
	if n > 1 && (!a.Difference.holds(&lower) || a.ImpactRatio != nil && !a.ImpactRatio.holds(&ratio)) {
		t.Errorf("%s: difference %+v and ratio %+v, want %v and %v", a.Name, a.Difference, a.ImpactRatio, lower, ratio)
	}
	if highest == 0 && a.ImpactRatio != nil {
		t.Errorf("%s: the ratio %+v of 0/0", a.Name, a.ImpactRatio)
	}
}

// TestRatesRefuse: what does not apply to rates is refused by name.
func TestRatesRefuse(t *testing.T) {
	for want, r := range map[string]Request{
		"--notion": {Spec: question.Spec{Notion: fairness.Score.String()}}, "--k": {Spec: question.Spec{K: 3}}, "--map": {Map: "x.csv"}, "--thresholds": {Thresholds: "0.3"}, "--partition": {Partition: "10"},
	} {
		if err := r.validateRates(); err == nil || !strings.Contains(err.Error(), want+" does not apply to --groups") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestRatesJudge: groups of few people are named but not judged, and too many intersections have no rates.
func TestRatesJudge(t *testing.T) {
	s := &space.Space{Inputs: 1, Features: []space.Feature{
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}},
		{Name: "race", Kind: space.Categorical, Hi: 2, Categories: []string{"x", "y", "z"}, Protected: []float64{0, 1, 2}},
		{Name: "years", Kind: space.Integer, Hi: 3, Inputs: []space.Input{{Scale: 1}}},
	}}
	net := &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{-1}}}}
	of := &question.Question{Study: &study.Study{Model: net, ModelPath: "net", Space: s}, Space: s, Region: s.Whole()}
	q, err := joint.Yes(of)
	if err != nil {
		t.Fatal(err)
	}
	cells := filepath.Join(t.TempDir(), "cells.csv")
	if err := os.WriteFile(cells, []byte("sex,race,weight\nf,x,50\nf,y,2\nm,x,40\nm,y,7\nm,z,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	people, err := population.Source{Kind: "weights", File: cells}.Of(t.Context(), q.Space, nil, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	var out Rates
	out.judge(people, q.Region.Box, out.groupsOf(of, q), big.NewRat(2, 100))
	var got []string
	for _, a := range out.Attributes {
		for _, g := range a.Groups {
			got = append(got, fmt.Sprintf("%s %s %.2f %v", a.Name, g.Label, *g.Share, g.Judged))
		}
	}
	want := []string{
		"sex f 0.52 true", "sex m 0.48 true", "race x 0.90 true", "race y 0.09 true", "race z 0.01 false",
		"sex × race f, x 0.50 true", "sex × race f, y 0.02 true", "sex × race f, z 0.00 false",
		"sex × race m, x 0.40 true", "sex × race m, y 0.07 true", "sex × race m, z 0.01 false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	race := &s.Features[1]
	for len(race.Categories) <= audit.MostIntersections/2 {
		race.Protected = append(race.Protected, float64(len(race.Categories)))
		race.Hi, race.Categories = float64(len(race.Categories)), append(race.Categories, fmt.Sprint("r", len(race.Categories)))
	}
	of.Region = s.Whole()
	if q, err = joint.Yes(of); err != nil {
		t.Fatal(err)
	}
	out = Rates{}
	if groups := out.groupsOf(of, q); len(out.Attributes) != 2 || len(groups) != 2+len(race.Categories) || !strings.Contains(out.NoIntersections, "sex × race has more than 200 groups") {
		t.Errorf("%d attributes, %d groups, %q", len(out.Attributes), len(groups), out.NoIntersections)
	}
}
