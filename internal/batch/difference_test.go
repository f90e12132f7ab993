package batch_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// The logits of two lanes of one box, computed exactly at the same point, differ by no
// more than their difference and their pair's form allow, for any weights.
func TestDifferencesEncloseExactOnes(t *testing.T) {
	tier.Checks(t, 100)
	var tighter, all, closer, pairs int
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		scale := rapid.SampledFrom([]float64{1, 1, 1, 1e-310}).Draw(t, "scale")
		n := randomNetwork(r, 4, head, scale)
		blind := r.IntN(4) == 0
		if blind { // except for one neuron, which the next layer does not read
			for j := range n.Layers[0].Out {
				if row := n.Layers[0].Row(j); j > 0 || len(n.Layers) == 1 {
					row[2], row[3] = 0, 0
				}
			}
			if len(n.Layers) > 1 {
				for j := range n.Layers[1].Out {
					n.Layers[1].Row(j)[0] = 0
				}
			}
		}
		root := []space.Interval{{Lo: -1, Hi: 4}, {Lo: 0, Hi: 2}, {Lo: -3, Hi: 3}, {Lo: 0, Hi: 1}}
		p, err := batch.New(n, root)
		if err != nil {
			t.Fatal(err)
		}
		group := 1 + r.IntN(5)
		w := p.NewWorkspace(16)
		exact := n.Exact()
		for range 2 {
			fillIn(r, w, root)
			for v := range w.Lanes() { // the lanes of a group differ in inputs 2 and 3
				for i := range 2 {
					w.Centre(i)[v], w.HalfWidth(i)[v] = w.Centre(i)[v-v%group], w.HalfWidth(i)[v-v%group]
				}
				for i := 2; i < 4; i++ {
					w.HalfWidth(i)[v] = 0
				}
			}
			w.Intervals = r.IntN(2) == 0
			w.Bound()
			mid, rad := w.Differences(group, []int32{2, 3})
			for v := range rad {
				if zero := mid[v] == 0 && rad[v] == 0; blind && scale == 1 && !zero {
					t.Fatalf("lane %d of a network that does not see what differs: %v ± %v", v, mid[v], rad[v])
				}
			}
			pairs++
			a := group * r.IntN(w.Lanes()/group)
			a, b := a+r.IntN(group), a+r.IntN(group)
			if r.IntN(2) == 0 { // for a part of the bounded box
				for i := range 2 {
					part := r.Float64()
					for v := a - a%group; v < w.Lanes() && v < a-a%group+group; v++ {
						w.HalfWidth(i)[v] *= part
					}
				}
			}
			most := w.Pair(a, b, group)
			if most < w.Mid()[a]+w.Rad()[a]-w.Mid()[b]+w.Rad()[b] && most < differ(mid, rad, a, b) {
				closer++
			}
			point := func(lane int, at [2]float64) []*big.Rat {
				x := make([]*big.Rat, 4)
				for i := range x {
					x[i] = rat(w.Centre(i)[lane])
					if i < 2 {
						x[i].Add(x[i], new(big.Rat).Mul(rat(w.HalfWidth(i)[lane]), rat(at[i])))
					}
				}
				return x
			}
			// The bounded value also lies below its form, down from the form's maximum.
			weighted := func(up, down, most float64) {
				for range 20 {
					at := [2]float64{float64(r.IntN(3) - 1), 2*r.Float64() - 1}
					d := new(big.Rat).Mul(rat(up), exact.Logit(point(a, at)))
					d.Sub(d, new(big.Rat).Mul(rat(down), exact.Logit(point(b, at))))
					forms, form := w.Pairs(), rat(most)
					for i, v := range at {
						slope := rat(forms.Slope(i)[a])
						below := new(big.Rat).Mul(new(big.Rat).Sub(new(big.Rat).Abs(slope), slope.Mul(slope, rat(v))), rat(w.HalfWidth(i)[a]))
						form.Sub(form, below)
					}
					if d.Cmp(form) > 0 {
						t.Fatalf("lanes %d and %d at %v, weights %v and %v: %s, above the form's %s", a, b, at, up, down, d.FloatString(12), form.FloatString(12))
					}
				}
			}
			weighted(1, 1, most)
			up, down := 1.0, r.Float64()
			if r.IntN(2) == 0 {
				up, down = down, up
			}
			joint := w.Joint(a, b, group, r.IntN(2) == 0)
			most = joint.Most(up, down)
			joint.Form(up, down)
			weighted(up, down, most)
			for v := range w.Lanes() {
				ref := v - v%group
				if all++; rad[v] < w.Rad()[v]+w.Rad()[ref] {
					tighter++
				}
				for range 3 {
					at := [2]float64{float64(r.IntN(3) - 1), 2*r.Float64() - 1}
					d := new(big.Rat).Sub(exact.Logit(point(v, at)), exact.Logit(point(ref, at)))
					if d.Sub(d, rat(mid[v])).Abs(d).Cmp(rat(rad[v])) > 0 {
						f, _ := d.Float64()
						t.Fatalf("lane %d: %g from the middle, radius %g", v, f, rad[v])
					}
				}
			}
		}
	})
	if tighter < all/5 {
		t.Errorf("tighter than two enclosures in %d of %d lanes", tighter, all)
	}
	if closer < pairs/20 {
		t.Errorf("pairs are closer than by enclosures and differences in %d of %d", closer, pairs)
	}
}

// differ bounds by how much lane a's logit exceeds lane b's, by their differences from the
// first lane of their run.
func differ(mid, rad []float64, a, b int) float64 { return mid[a] + rad[a] - mid[b] + rad[b] }
