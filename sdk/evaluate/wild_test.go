package evaluate_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/sdktest/wild"
)

// TestNetworksOfEveryShape holds every variant against the definitions on
// networks that a loader can produce and nobody trains: hidden layers without
// ReLU, wider than all the others, dead and doubled neurons, weights from denormal
// to huge; and on ε and regions of that kind.
func TestNetworksOfEveryShape(t *testing.T) {
	linear := 0
	for seed := range uint64(200) {
		q := wild.Query(rand.New(rand.NewPCG(seed, 11)), fairness.Score)
		for _, l := range q.Network.Layers[:len(q.Network.Layers)-1] {
			if !l.ReLU {
				linear++
				break
			}
		}
		people := 0
		for _, e := range eachVariant(t, q.Network, q.Space, q.Epsilon) {
			wild.Everybody(q, func(x []float64) {
				if people++; people < 25 { // exact evaluation is what takes the time
					agree(t, e, q.Network, q.Space, q.Space.Whole(), q.Epsilon, x, e.Evaluate(x))
				}
			})
		}
	}
	if linear < 40 {
		t.Errorf("%d networks with linear hidden layers were drawn", linear)
	}
}
