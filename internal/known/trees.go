package known

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// Shares changes a forest into one whose output is a share, in some cases on the border
// of a bin.
func Shares(r *rand.Rand, e *trees.Ensemble) *trees.Ensemble {
	e.Output, e.Base = fairness.LinkShare, -fairness.Half
	n := float64(len(e.Trees))
	share := []func() float64{
		func() float64 { return float64(r.IntN(2)) / n },
		func() float64 { return float64(float32(float64(r.IntN(2)) / n)) },
		func() float64 { return float64(float32(float64(r.IntN(5)) / 4 / n)) },
		func() float64 { return float64(float32(r.Float64() / n)) },
		func() float64 { return r.Float64() / n },
	}[r.IntN(5)]
	for _, t := range e.Trees {
		for i := range t {
			if t[i].IsLeaf() {
				t[i].Value = share()
			}
		}
	}
	return e
}

// Trees draws a forest over a space's inputs. Borders lie on the values that inputs take,
// next to them and between them, with either comparison; some nodes have sets of borders.
// Some trees are a single leaf, some leaves tie, and some sums of leaves round.
func Trees(r *rand.Rand, s *space.Space) *trees.Ensemble {
	values := make([][]float64, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		for k := range f.Inputs {
			in := &f.Inputs[k]
			for v := f.Lo; v <= f.Hi; v++ {
				y := in.Scale*v + in.Offset
				if in.Table != nil {
					y = in.Table[int(v-f.Lo)]
				}
				values[in.Index] = append(values[in.Index], y)
			}
		}
	}
	leaf := []func() float64{
		func() float64 { return float64(r.IntN(5)-2) / 4 },
		func() float64 { return float64(float32(r.NormFloat64())) },
		r.NormFloat64,
		func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(80)-40) },
	}[r.IntN(4)]
	e := &trees.Ensemble{Columns: s.Inputs, Output: fairness.LinkSigmoid, Base: leaf()}
	var grow func(t *trees.Tree, depth int) int32
	grow = func(t *trees.Tree, depth int) int32 {
		at := int32(len(*t))
		if depth == 0 || r.IntN(6) == 0 {
			*t = append(*t, trees.Leaf(leaf()))
			return at
		}
		n := trees.Node{Input: int32(r.IntN(s.Inputs)), Closed: r.IntN(2) == 0, Missing: r.IntN(2) == 0}
		border := func() float64 {
			of := values[n.Input]
			v := of[r.IntN(len(of))]
			switch r.IntN(5) {
			case 0:
				return math.Nextafter(v, math.Inf(2*r.IntN(2)-1))
			case 1:
				b, _ := trees.Rounded(float32(v), n.Closed)
				return b
			case 2:
				return v + r.Float64() - 0.5
			}
			return v
		}
		n.Value = border()
		if r.IntN(4) == 0 {
			list := []float64{n.Value}
			for range 1 + r.IntN(4) {
				list = append(list, border())
			}
			slices.Sort(list)
			list = slices.Compact(list)
			n.Value, n.More = list[0], list[1:]
		}
		*t = append(*t, n)
		left := grow(t, depth-1)
		right := grow(t, depth-1)
		(*t)[at].Left, (*t)[at].Right = left, right
		return at
	}
	for range 1 + r.IntN(5) {
		var t trees.Tree
		grow(&t, r.IntN(5))
		e.Trees = append(e.Trees, t)
	}
	return e
}

// Missing allows missing values for some features; a feature's last value then stands for a
// missing one.
func Missing(r *rand.Rand, s *space.Space) {
	for i := range s.Features {
		f := &s.Features[i]
		n := int(f.Hi - f.Lo)
		if n == 0 || len(f.Inputs) != 1 || r.IntN(4) == 0 {
			continue
		}
		f.Missing, f.Inputs[0] = true, space.Input{Index: f.Inputs[0].Index, Scale: 1}
		if f.Kind == space.Categorical {
			f.Categories[n] = space.MissingName
		}
		if r.IntN(2) == 0 {
			for _, v := range r.Perm(n) {
				f.Inputs[0].Table = append(f.Inputs[0].Table, float64(v)/2)
			}
			f.Inputs[0].Table = append(f.Inputs[0].Table, float64(n))
		}
	}
}

// Lacking returns the forest as the library that trained it evaluates individuals: the
// number that stands for a missing value in the space is passed as missing. It supports
// exact evaluation only.
func Lacking(e *trees.Ensemble, s *space.Space) model.Model {
	gaps := map[int]*big.Rat{}
	for i := range s.Features {
		if f := &s.Features[i]; f.Missing {
			point := make([]float64, len(s.Features))
			for k := range point {
				point[k] = s.Features[k].Hi
			}
			gaps[f.Inputs[0].Index] = s.ExactInputs(point)[f.Inputs[0].Index]
		}
	}
	return &lacking{e, gaps}
}

type lacking struct {
	*trees.Ensemble
	gaps map[int]*big.Rat
}

// Exact implements model.Model.
func (l *lacking) Exact() model.Exact { return &lackingExact{l.Ensemble.Exact(), l.gaps} }

type lackingExact struct {
	model.Exact
	gaps map[int]*big.Rat
}

// Logit implements model.Exact.
func (l *lackingExact) Logit(inputs []*big.Rat) *big.Rat {
	for i, gap := range l.gaps {
		if inputs[i].Cmp(gap) == 0 {
			inputs[i] = nil
		}
	}
	return l.Exact.Logit(inputs)
}
