package checker

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// TestFormsOfCasesAreUpperBounds: with any slopes, the form at the end of a case bounds the functional of every pair of
// copies from its two sides, for every individual in the case.
func TestFormsOfCasesAreUpperBounds(t *testing.T) {
	pairs, nobody, met := 0, 0, 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 51))
		st := randomStatement(r, fairness.Score, seed%4 == 3)
		st.Version = 3
		s, err := newSubject(st)
		if err != nil {
			t.Fatal(err)
		}
		e, at := &encloser{subject: s}, &encloser{subject: s}
		box := randomBox(r, st)
		e.at(box)
		var forms []*logit
		for _, c := range e.reach.combinations {
			forms = append(forms, e.logit(c, anySlopes(r, st.Network)))
		}
		// A side has the first copies, the last ones or one, and slopes for some neurons.
		side := func() (out sdk.CaseSide) {
			from := r.IntN(len(forms))
			for i := from; i < min(len(forms), from+1+r.IntN(4)); i++ {
				out.Copies = append(out.Copies, i)
			}
			for k, l := range st.Network.Layers {
				for j := range l.Out {
					if l.ReLU && r.IntN(2) == 0 {
						out.Neurons = append(out.Neurons, sdk.Neuron{Layer: k, Index: j})
					}
				}
			}
			return out
		}
		proof := &sdk.CaseProof{First: side(), Second: side()}
		n := len(proof.First.Neurons) + len(proof.Second.Neurons)
		type kept struct {
			neuron int
			sign   int
		}
		var path []kept
		left := slices.Clone(box)
		c := &refuter{encloser: e, f: e.functionalOf(proof, forms), proof: proof, box: box}
		for range r.IntN(4) {
			if n == 0 {
				break
			}
			i := r.IntN(n)
			lo, hi := c.sum(i)
			if r.IntN(2) == 0 {
				if lo.Sign() < 0 {
					lo.SetInt64(0)
				}
				path = append(path, kept{i, 1})
			} else {
				if hi.Sign() > 0 {
					hi.SetInt64(0)
				}
				path = append(path, kept{i, -1})
			}
		}
		for _, i := range st.Space.Free() {
			if iv := left[i]; st.Space.Features[i].Discrete() && iv.Lo < iv.Hi && r.IntN(3) == 0 {
				left[i] = halves(iv)[r.IntN(2)]
			}
		}
		e.at(left)
		c.f.up, c.f.down, c.f.times = big.NewInt(int64(r.IntN(4))), big.NewInt(int64(r.IntN(4))), big.NewInt(int64(1+r.IntN(3)))
		for i := range n {
			of, which := c.neuron(i)
			c.f.slopes[of.Layer][which][of.Index] = r.NormFloat64()
		}
		form := e.substitute(&c.f)
		if form == nil {
			nobody++
		}
		for range 40 {
			point := make(space.Box, len(left))
			for _, i := range st.Space.Free() {
				v := randomValue(r, st.Space, i, left[i])
				point[i] = space.Interval{Lo: v, Hi: v}
			}
			at.at(point)
			var people []*logit
			for _, c := range e.reach.combinations {
				people = append(people, at.logit(c, nil))
			}
			for _, a := range proof.First.Copies {
				for _, b := range proof.Second.Copies {
					within := !slices.ContainsFunc(path, func(p kept) bool {
						of, which := c.neuron(p.neuron)
						copied := people[[]int{a, b}[which]]
						return copied.sums[of.Layer].lo[of.Index].Sign()*p.sign < 0
					})
					if !within {
						continue
					}
					pairs++
					p, q := rational(&people[a].lo, people[a].shift), rational(&people[b].lo, people[b].shift)
					p.Mul(p, new(big.Rat).SetInt(c.f.up))
					v := p.Sub(p, q.Mul(q, new(big.Rat).SetInt(c.f.down)))
					switch {
					case form == nil:
						t.Fatalf("seed %d: somebody is left", seed)
					case v.Cmp(e.frame.most(term{one, form})) > 0:
						t.Fatalf("seed %d: %v is above the form's largest value", seed, v)
					case v.Cmp(e.frame.most(term{one, form})) == 0:
						met++
					}
				}
			}
		}
	}
	if t.Logf("%d pairs, %d met, %d without anybody", pairs, met, nobody); pairs < 1000 {
		t.Error("that does not show much")
	}
}
