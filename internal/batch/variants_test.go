package batch

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// chain returns a random network of the given widths.
func chain(r *rand.Rand, widths ...int) *relu.Network {
	n := &relu.Network{Head: relu.HeadSigmoid, Precision: 64}
	for k := 1; k < len(widths); k++ {
		l := relu.Layer{In: widths[k-1], Out: widths[k], ReLU: k < len(widths)-1}
		for range l.In * l.Out {
			l.Weights = append(l.Weights, r.NormFloat64())
		}
		for range l.Out {
			l.Bias = append(l.Bias, r.NormFloat64())
		}
		n.Layers = append(n.Layers, l)
	}
	return n
}

func unit(inputs int) []space.Interval {
	root := make([]space.Interval, inputs)
	for i := range root {
		root[i] = space.Interval{Lo: -1, Hi: 1}
	}
	return root
}

func scatter(r *rand.Rand, w *Workspace) {
	for i := range w.p.inputs {
		for v := range w.Lanes() {
			w.Centre(i)[v], w.HalfWidth(i)[v] = r.Float64()-0.5, r.Float64()*r.Float64()/2
			w.SplitReduction(i)[v] = w.HalfWidth(i)[v] / 2
		}
	}
}

// Every variant computes the same numbers to the last bit, in the loops and in the lanes'
// results.
func TestVariantsAgree(t *testing.T) {
	moved := 0
	for _, widths := range [][]int{{3, 1}, {5, 7, 1}, {12, 16, 8, 1}, {13, 33, 2, 19, 5, 1}} {
		for _, lanes := range []int{8, 16, 24, 32, 56} {
			var first *Workspace
			for _, variant := range simd.Supported(variants) {
				r := rand.New(rand.NewPCG(uint64(lanes), uint64(len(widths))))
				p, err := New(chain(r, widths...), unit(widths[0]))
				if err != nil {
					t.Fatal(err)
				}
				p.lanes = variant
				w := p.NewWorkspace(lanes)
				scatter(r, w)
				w.Few(2)
				for b := range lanes / 2 {
					w.SetTail(b, float64(b%3))
				}
				for i := range p.inputs {
					for v := range lanes {
						w.Variance(i)[v], w.Offset(i)[v] = w.HalfWidth(i)[v-v%2]*w.HalfWidth(i)[v-v%2]/2, w.HalfWidth(i)[v]/16
					}
				}
				w.Bound()
				w.Sides()
				for b := range lanes / 2 {
					moved += w.Moved(b)
				}
				if first == nil {
					first = w
					continue
				}
				compare := func(what string, got, want Form) {
					for i := range p.inputs {
						same(t, variant.name, what+"'s slope", got.Slope(i), want.Slope(i))
					}
					same(t, variant.name, what+"'s base", got.Base, want.Base)
				}
				compare("logit", w.Logit(), first.Logit())
				align := func(w *Workspace, f Form) (mid, rad []float64) {
					for i := range p.inputs {
						fill(w.CommonSlope(i), f.Slope(i)[0])
					}
					mid, rad = make([]float64, w.Lanes()), make([]float64, w.Lanes())
					w.Align(&f, w.Slack(), mid, rad)
					return mid, rad
				}
				for side := range 2 {
					mid, rad := align(w, w.Side(side))
					wantMid, wantRad := align(first, first.Side(side))
					same(t, variant.name, "middle of what is left", mid, wantMid)
					same(t, variant.name, "radius of what is left", rad, wantRad)
				}
				for i := range p.inputs {
					inputs := []int32{int32(i), int32((i + 1) % p.inputs)}
					same(t, variant.name, "halved", w.SplitWidths(inputs), first.SplitWidths(inputs))
				}
				for side := range 2 {
					compare("side", w.Side(side), first.Side(side))
				}
				tables, wanted := tablesOf(w, 2), tablesOf(first, 2)
				for b := range lanes / 2 {
					for side := range 2 {
						row, rest := tables(b, side)
						want, wantRest := wanted(b, side)
						same(t, variant.name, "a side's table", row, want)
						same(t, variant.name, "what is beside the table", []float64{rest}, []float64{wantRest})
					}
				}
				for b := range lanes / 2 {
					if w.Moved(b) != first.Moved(b) {
						t.Errorf("%s: %d ends of box %d are moved, elsewhere %d", variant.name, w.Moved(b), b, first.Moved(b))
					}
				}
				same(t, variant.name, "slack", w.Slack(), first.Slack())
				same(t, variant.name, "mid", w.Mid(), first.Mid())
				same(t, variant.name, "rad", w.Rad(), first.Rad())
			}
		}
	}
	if moved < 1000 {
		t.Errorf("%d ends were moved", moved)
	}
}

// tablesOf returns tables for workspaces with boxes of the given number of lanes, all with the same
// points.
func tablesOf(w *Workspace, lanes int) func(b, side int) (row []float64, rest float64) {
	w.LeaveOut()
	t := w.NewTables(lanes)
	return func(b, side int) ([]float64, float64) {
		r := rand.New(rand.NewPCG(uint64(b), 54))
		sizes := []int{1 + r.IntN(40), 1 + r.IntN(9)}
		t.Shape(sizes)
		for i := range w.p.inputs {
			if i%5 == 4 {
				continue // it does not vary
			}
			row, away := t.Feature(i, i%2, i%3 == 0)
			for k := range row {
				row[k] = 2*r.Float64() - 1
			}
			for k := range away {
				away[k] = r.Float64() / 8
			}
		}
		t.Look(b)
		t.Bound(b, 0)
		out := make([]float64, t.Width())
		rest := t.Lowest(side, nil, out)
		return out, rest + t.Mean(side, 0)
	}
}

// The results of a box's lanes depend on no other lane's box, nor on boxes that were
// bounded before.
func TestLanesShareNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	p, err := New(chain(r, 6, 12, 9, 9, 1), unit(6))
	if err != nil {
		t.Fatal(err)
	}
	const lanes, group = 16, 2
	fill := func(w *Workspace) {
		scatter(r, w)
		for b := range lanes / group {
			w.SetTail(b, float64(r.IntN(3)))
		}
		for i := range p.inputs {
			for v := range lanes {
				half := w.HalfWidth(i)[v]
				w.Variance(i)[v], w.Offset(i)[v] = half*half/2, half/16
			}
		}
	}
	bound := func(w *Workspace) {
		w.Intervals = true
		w.Bound()
		w.Sides()
	}
	w := p.NewWorkspace(lanes)
	w.Few(group)
	for range 200 {
		fill(w)
		bound(w)
		other := p.NewWorkspace(lanes)
		other.Few(group)
		fill(other)
		const b = 3
		for v := b * group; v < (b+1)*group; v++ {
			for i := range p.inputs {
				for _, row := range []func(*Workspace, int) []float64{(*Workspace).Centre, (*Workspace).HalfWidth, (*Workspace).Variance, (*Workspace).Offset} {
					row(other, i)[v] = row(w, i)[v]
				}
			}
		}
		other.SetTail(b, w.few.tau[b])
		bound(other)
		box := func(row []float64) []float64 { return row[b*group : (b+1)*group] }
		for k := range len(p.layers) - 1 {
			for j := range p.layers[k].out {
				mid, rad, _ := w.Neuron(k, j)
				otherMid, otherRad, _ := other.Neuron(k, j)
				same(t, "beside other boxes", "a neuron's middle", box(otherMid), box(mid))
				same(t, "beside other boxes", "a neuron's radius", box(otherRad), box(rad))
			}
		}
		for side := range 2 {
			f, g := w.Side(side), other.Side(side)
			same(t, "beside other boxes", "a side's base", box(g.Base), box(f.Base))
		}
		if w.Moved(b) != other.Moved(b) {
			t.Fatalf("%d ends are moved, %d beside other boxes", w.Moved(b), other.Moved(b))
		}
	}
}

func same(t *testing.T, variant, what string, got, want []float64) {
	t.Helper()
	for v := range got {
		if got[v] != want[v] {
			t.Fatalf("%s: %s of lane %d is %v, elsewhere %v", variant, what, v, got[v], want[v])
		}
	}
}

func BenchmarkBound(b *testing.B) {
	for _, c := range []struct {
		name   string
		widths []int
	}{
		{"12-16-8", []int{13, 16, 8, 1}}, {"13-100", []int{13, 100, 1}}, {"13-50", []int{13, 50, 1}},
		{"deep", []int{13, 10, 5, 5, 5, 5, 5, 5, 5, 5, 1}}, {"13-100-100", []int{13, 100, 100, 1}},
	} {
		for _, lanes := range []int{16, 32, 64} {
			b.Run(c.name+"/"+string(rune('0'+lanes/10))+string(rune('0'+lanes%10)), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				p, _ := New(chain(r, c.widths...), unit(13))
				w := p.NewWorkspace(lanes)
				scatter(r, w)
				for b.Loop() {
					w.Bound()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(lanes), "ns/lane")
			})
		}
	}
}
