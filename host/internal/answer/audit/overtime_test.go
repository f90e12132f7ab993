package audit

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestASignalEndsAnEvaluation: if the context ends while people with 20,164 copies each are evaluated on a
// wide network, they are abandoned and counted as unreached.
func TestASignalEndsAnEvaluation(t *testing.T) {
	const values, width = 142, 4000
	s := &space.Space{Inputs: 2}
	for i, name := range []string{"a", "b"} {
		f := space.Feature{Name: name, Kind: space.Integer, Hi: values - 1, Inputs: []space.Input{{Index: i, Scale: 1.0 / 128}}}
		for v := range values {
			f.Protected = append(f.Protected, float64(v))
		}
		s.Features = append(s.Features, f)
	}
	hidden := relu.Layer{In: 2, Out: width, Weights: make([]float64, 2*width), Bias: make([]float64, width), ReLU: true}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range hidden.Weights {
		hidden.Weights[i] = rng.NormFloat64()
	}
	for i := range hidden.Bias {
		hidden.Bias[i] = rng.NormFloat64()
	}
	n := &relu.Network{Precision: 64, Head: relu.HeadSigmoid, Layers: []relu.Layer{
		hidden, {In: width, Out: 1, Weights: hidden.Bias, Bias: []float64{0}},
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	rows := make([][]float64, 3)
	for i := range rows {
		rows[i] = []float64{float64(i), 0}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r, err := Run(ctx, Config{Model: n, Space: s, Region: s.Whole(), Epsilon: big.NewRat(1, 20)}, rows)
		if !errors.Is(err, context.DeadlineExceeded) || r == nil || r.Unreached+len(r.People) != len(rows) {
			t.Errorf("%+v, error %v", r, err)
		}
	}()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the audit goes on")
	}
}
