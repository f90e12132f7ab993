package batch_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Logits at points are within the plan's error of the exact ones.
func TestEvaluateAgreesWithExactLogits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		n := randomNetwork(r, 3, head, 1)
		root := []space.Interval{{Lo: -1, Hi: 4}, {Lo: 0, Hi: 2}, {Lo: -3, Hi: -1}}
		p, err := batch.New(n, root)
		if err != nil {
			t.Fatal(err)
		}
		w := p.NewWorkspace(16)
		exact := n.Exact()
		for range 2 {
			fillIn(r, w, root)
			w.Evaluate()
			for v := range w.Lanes() {
				logit := exact.Logit([]*big.Rat{rat(w.Centre(0)[v]), rat(w.Centre(1)[v]), rat(w.Centre(2)[v])})
				apart := new(big.Rat).Sub(logit, rat(w.Mid()[v]))
				if apart.Abs(apart).Cmp(rat(p.Error())) > 0 {
					t.Fatalf("lane %d: %v is more than %g from %v", v, w.Mid()[v], p.Error(), logit)
				}
			}
			w.Bound() // uses the same memory in between
		}
	})
}
