//go:build unix

package pythontest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// The evaluator in Python, with numpy and without, concludes what the one in Go does,
// to the last bit of an entropy, and the slopes are the same. Half of the networks
// have weights for which scores of ½, which is an edge of ε = 1/20, are frequent.
func TestEvaluatorsAgree(t *testing.T) {
	tier.NeedUsual(t)
	s := &space.Space{Inputs: 7, Features: []space.Feature{
		{Name: "age", Kind: space.Integer, Lo: 10, Hi: 40, Protected: []float64{20, 30, 95}, Inputs: []space.Input{{Index: 3, Scale: 0.1, Offset: -2}}},
		{Name: "hours", Kind: space.Integer, Lo: 0, Hi: 60, Inputs: []space.Input{{Index: 0, Scale: 0.05}}},
		{Name: "job", Kind: space.Categorical, Hi: 2, Categories: []string{"a", "b", "c"}, Inputs: []space.Input{
			{Index: 1, Table: []float64{1, 0, 0}}, {Index: 4, Table: []float64{0, 1, 0}}, {Index: 2, Table: []float64{0, 0, 1}},
		}},
		{Name: "sex", Kind: space.Categorical, Hi: 1, Categories: []string{"f", "m"}, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 5, Scale: 1}}},
		{Name: "rate", Kind: space.Real, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 6, Scale: 1}}},
	}, Forbidden: []space.Predicate{
		{{Feature: 1, Interval: space.Interval{Lo: 0, Hi: 20}}, {Feature: 0, Interval: space.Interval{Lo: 25, Hi: 99}}},
		{{Feature: 2, Set: []int{1}}, {Feature: 3, Set: []int{0}}, {Feature: 4, Interval: space.Interval{Lo: 0.5, Hi: 1}}},
	}}
	r := rand.New(rand.NewPCG(5, 8))
	for _, plain := range []string{"", "1"} {
		if plain == "" {
			needModule(t, "numpy")
		}
		need(t)
		p := launch(t, client.Config{
			Path: python, Args: []string{filepath.Join("testdata", "evaluates.py")}, Kind: client.Strategy, NoTLS: true, Env: []string{"PLAIN=" + plain},
		})
		for i := range tier.Count(4, 40) {
			n := halves(r, s.Inputs, i%2 == 0)
			eps := []*big.Rat{big.NewRat(1, 20), big.NewRat(3, 10), big.NewRat(1, 333), big.NewRat(1, 1_000_003)}[i%4]
			if err := agree(t, p.Strategy(), s, n, eps); err != nil {
				t.Errorf("numpy %v, ε = %s: %v", plain == "", eps, err)
			}
		}
	}
}

// halves is a random network, its weights multiples of ½ if so wanted.
func halves(r *rand.Rand, inputs int, whole bool) *relu.Network {
	n := &relu.Network{Head: []relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}[r.IntN(2)], Precision: 64}
	widths := []int{inputs, 6, 5, 1}
	if n.Head == relu.HeadSoftmax {
		widths[3] = 2
	}
	for k, in := range widths[:3] {
		l := relu.Layer{In: in, Out: widths[k+1], ReLU: k < 2}
		for len(l.Weights) < l.In*l.Out {
			l.Weights = append(l.Weights, 0.8*r.NormFloat64())
		}
		for len(l.Bias) < l.Out {
			l.Bias = append(l.Bias, r.NormFloat64())
		}
		for _, numbers := range [][]float64{l.Weights, l.Bias} {
			for i := range numbers {
				if whole {
					numbers[i] = float64(r.IntN(5)-2) / 2
				}
			}
		}
		n.Layers = append(n.Layers, l)
	}
	return n
}

// agree has the strategy propose, and tells it what Go's evaluator says.
func agree(t *testing.T, strategy sdk.Strategy, s *space.Space, n *relu.Network, eps *big.Rat) error {
	e, err := evaluate.New(n, s, space.Region{}, eps)
	if err != nil {
		return err
	}
	g, err := e.Gradient()
	if err != nil {
		return err
	}
	x := make([]float64, len(s.Features))
	for i := range x {
		x[i] = s.Features[i].Lo
	}
	logit, slopes := g.At(x, e.Copies(x).Combinations[0])
	text, err := json.Marshal(append([]float64{logit}, slopes...))
	if err != nil {
		return err
	}
	session, err := strategy.Start(t.Context(), s, sdk.StartOptions{Seed: 3, Epsilon: eps, Region: s.Whole(), Model: n, Options: map[string]string{"slopes": string(text)}})
	if err != nil {
		return err
	}
	defer session.Close()
	var told []sdk.Trial
	for range 3 {
		moves, err := session.Next(t.Context(), told, 50)
		if err != nil {
			return err
		}
		told = nil
		for _, m := range moves {
			o, copies := e.Evaluate(m.Point), e.Copies(m.Point)
			if o.N == 0 {
				return fmt.Errorf("%v is not in the space", m.Point)
			}
			told = append(told, sdk.Trial{
				ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: o.K, Gap: o.Gap, Violates: o.Violates, Shannon: o.Shannon, MinEntropy: o.MinEntropy,
				Scores: copies.Scores, Bins: copies.Bins, Highest: e.Point(m.Point, o.ArgMax), Lowest: e.Point(m.Point, o.ArgMin),
			})
		}
	}
	told[0].Highest = nil // as a host tells that does not know of the pair
	if _, err := session.Next(t.Context(), told, 1); !errors.Is(err, sdk.ErrIncompatible) ||
		!strings.Contains(err.Error(), "doubt needs the extreme pair of an individual's counterfactuals, which this host does not send: use a newer hyfair") {
		return fmt.Errorf("of an older host: %w", err)
	}
	return nil
}
