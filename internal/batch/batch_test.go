package batch_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

func randomNetwork(r *rand.Rand, inputs int, head relu.Head, scale float64) *relu.Network {
	widths := []int{inputs}
	for range r.IntN(4) {
		widths = append(widths, 1+r.IntN(12))
	}
	out := 1
	if head == relu.HeadSoftmax {
		out = 2
	}
	widths = append(widths, out)
	n := &relu.Network{Head: head, Precision: 64}
	for k := 1; k < len(widths); k++ {
		rectified := k < len(widths)-1 && r.IntN(8) > 0
		n.Layers = append(n.Layers, known.Layer(widths[k-1], widths[k], rectified, func() float64 { return r.NormFloat64() * scale }, r.NormFloat64))
	}
	return n
}

// randomPlan returns the plan of a random network in a random root box; the scale of the weights is
// random, too.
func randomPlan(t *rapid.T, r *rand.Rand, inputs int) (*relu.Network, *batch.Plan, []space.Interval) {
	head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
	scale := rapid.SampledFrom([]float64{1, 1e-3, 1e5, 1e-310}).Draw(t, "scale")
	n := randomNetwork(r, inputs, head, scale)
	root := make([]space.Interval, inputs)
	for i := range root {
		root[i].Lo = r.NormFloat64() * 10
		root[i].Hi = root[i].Lo + r.Float64()*9
	}
	p, err := batch.New(n, root)
	if err != nil {
		t.Fatal(err)
	}
	return n, p, root
}

// fillIn sets random boxes, some of them points, in all lanes.
func fillIn(r *rand.Rand, w *batch.Workspace, root []space.Interval) {
	for v := range w.Lanes() {
		for i, iv := range root {
			lo := iv.Lo + r.Float64()*(iv.Hi-iv.Lo)
			hi := lo + r.Float64()*r.Float64()*(iv.Hi-lo)
			if r.IntN(4) == 0 {
				hi = lo
			}
			w.Centre(i)[v], w.HalfWidth(i)[v] = (lo+hi)/2, (hi-lo)/2
		}
	}
}

// Every logit, computed exactly at random points of random boxes and at their
// corners, lies between its lane's two forms, and within its enclosure.
func TestFormsEncloseExactLogits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		inputs := 1 + r.IntN(4)
		n, p, root := randomPlan(t, r, inputs)
		w := p.NewWorkspace(1 + r.IntN(24))
		if r.IntN(2) == 0 {
			w.Few(1) // bounds hold for all points until a tail is set
		}
		exact := n.Exact()
		for range 2 { // the second time with memory that the first has used
			fillIn(r, w, root)
			w.Intervals = r.IntN(2) == 0
			w.Bound()
			w.Sides()
			form, sides := w.Logit(), [2]batch.Form{w.Side(0), w.Side(1)}
			for i := range root { // slopes between those of two lanes
				row, part := sides[0].Slope(i), float64(r.IntN(3))/2
				for v := range w.Lanes() {
					w.CommonSlope(i)[v] = row[0] + part*(row[w.Lanes()-1]-row[0])
				}
			}
			left, around := make([]float64, w.Lanes()), make([]float64, w.Lanes())
			w.Align(&sides[0], make([]float64, w.Lanes()), left, around)
			for v := range w.Lanes() {
				for range 3 {
					x := make([]*big.Rat, inputs)
					at := new(big.Rat).SetFloat64(form.Base[v])
					for i := range x {
						x[i] = rat(w.Centre(i)[v])
						offset := []float64{-1, 1, 2*r.Float64() - 1}[r.IntN(3)]
						x[i].Add(x[i], new(big.Rat).Mul(rat(w.HalfWidth(i)[v]), rat(offset)))
						at.Add(at, new(big.Rat).Mul(rat(form.Slope(i)[v]), x[i]))
					}
					logit := exact.Logit(x)
					apart := new(big.Rat).Sub(logit, at)
					if apart.Abs(apart).Cmp(new(big.Rat).Add(rat(w.Slack()[v]), rat(p.Error()))) > 0 {
						f, _ := apart.Float64()
						t.Fatalf("lane %d: %g from its form; slack %g, error %g", v, f, w.Slack()[v], p.Error())
					}
					for side, value := range []*big.Rat{logit, new(big.Rat).Neg(logit)} {
						lower := rat(sides[side].Base[v])
						for i := range x {
							lower.Add(lower, new(big.Rat).Mul(rat(sides[side].Slope(i)[v]), x[i]))
						}
						if lower.Sub(lower, value).Cmp(rat(p.Error())) > 0 {
							f, _ := lower.Float64()
							t.Fatalf("lane %d, side %d: %g beyond its form, error %g", v, side, f, p.Error())
						}
					}
					rest := rat(sides[0].Base[v])
					for i := range x {
						slope := new(big.Rat).Sub(rat(sides[0].Slope(i)[v]), rat(w.CommonSlope(i)[v]))
						rest.Add(rest, slope.Mul(slope, x[i]))
					}
					rest.Sub(rest, rat(left[v]))
					if rest.Abs(rest).Cmp(new(big.Rat).Add(rat(around[v]), rat(4*p.Error()))) > 0 {
						f, _ := rest.Float64()
						t.Fatalf("lane %d: what is left of side 0 is %g from its middle; radius %g, error %g", v, f, around[v], 4*p.Error())
					}
					apart.Sub(logit, rat(w.Mid()[v]))
					if apart.Abs(apart).Cmp(new(big.Rat).Add(rat(w.Rad()[v]), rat(p.Error()))) > 0 {
						f, _ := apart.Float64()
						t.Fatalf("lane %d: %g from the middle; radius %g, error %g", v, f, w.Rad()[v], p.Error())
					}
				}
			}
		}
	})
}

// Every logit of a lattice point, computed exactly, is beyond both sides' tables: its lane's, and the lowest of several
// lanes. This holds for any groups of features, for features away from the tables' values, and with other boxes in other
// lanes. Often the tables are tighter than the sides' forms.
func TestTablesAreBelowExactLogits(t *testing.T) {
	tier.Checks(t, 1000)
	nearer, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		inputs := 2 + r.IntN(4)
		n, p, root := randomPlan(t, r, inputs)
		lanes := 1 + r.IntN(3)
		w := p.NewWorkspace(1 + r.IntN(24))
		if r.IntN(3) == 0 {
			w.SetMostTabled(int32(r.IntN(4)))
		}
		fillIn(r, w, root)
		fixed := r.IntN(inputs) // the only input that differs between a box's lanes
		boxes := w.Lanes() / lanes
		for i := range inputs {
			for v := range boxes * lanes {
				if i != fixed {
					w.Centre(i)[v], w.HalfWidth(i)[v] = w.Centre(i)[v/lanes*lanes], w.HalfWidth(i)[v/lanes*lanes]
				}
			}
		}
		w.Bound()
		w.Sides()
		w.LeaveOut()
		tables, exact := w.NewTables(lanes), n.Exact()
		for range 3 {
			b := r.IntN(boxes)
			sizes := make([]int, min(1+r.IntN(3), inputs-1))
			for g := range sizes {
				sizes[g] = 1 + r.IntN(20)
			}
			tables.Shape(sizes)
			rows, aways, group := make([][]float64, inputs), make([][]float64, inputs), make([]int, inputs)
			next := 0
			for i := range inputs {
				if i == fixed {
					continue
				}
				if group[i] = r.IntN(len(sizes)); next < len(sizes) {
					group[i] = next
					next++
				}
				row, away := tables.Feature(i, group[i], r.IntN(3) == 0)
				c, h := w.Centre(i)[b*lanes], w.HalfWidth(i)[b*lanes]
				for k := range row {
					row[k] = c + (2*r.Float64()-1)*h/2
				}
				for k := range away {
					away[k] = r.Float64() * h / 2
				}
				rows[i], aways[i] = row, away
			}
			among := make([]bool, lanes)
			tables.Look(b)
			tables.Bound(b, 0)
			for side := range 2 {
				for z := range lanes {
					among[z] = r.IntN(2) == 0
				}
				z := r.IntN(lanes)
				among[z] = true
				out := make([]float64, tables.Width())
				rest := tables.Lowest(side, among, out)
				for range 5 {
					at := make([]int, len(sizes))
					lower := rat(rest)
					for g := range at {
						at[g] = r.IntN(sizes[g])
						lower.Add(lower, rat(out[tables.Point(g)+at[g]]))
					}
					x := make([]*big.Rat, inputs)
					form := rat(w.Side(side).Base[b*lanes+z])
					for i := range x {
						centre, radius := w.Centre(i)[b*lanes+z], w.HalfWidth(i)[b*lanes+z]
						if i != fixed {
							if centre, radius = rows[i][at[group[i]]], 0; aways[i] != nil {
								radius = aways[i][at[group[i]]]
							}
						}
						x[i] = rat(centre)
						x[i].Add(x[i], new(big.Rat).Mul(rat(radius), rat(float64(r.IntN(3)-1))))
						side := w.Side(side)
						form.Add(form, new(big.Rat).Mul(rat(side.Slope(i)[b*lanes+z]), x[i]))
					}
					logit := exact.Logit(x)
					if side == 1 {
						logit.Neg(logit)
					}
					if form.Add(form, rat(tables.Error(side))).Cmp(lower) < 0 {
						nearer++
					}
					if lower.Sub(lower, logit).Cmp(rat(tables.Error(side))) > 0 {
						f, _ := lower.Float64()
						t.Fatalf("box %d, lane %d, side %d: %g beyond its table, error %g", b, z, side, f, tables.Error(side))
					}
				}
			}
		}
	})
	if 20*nearer < drawn {
		t.Errorf("tables are nearer than forms at %d points of %d networks", nearer, drawn)
	}
}

// With Few, open hidden neurons behind the first layer are bounded from both sides. With an excluded mass of zero,
// enclosures hold at every point and are narrower than without Few; they also hold if the points' spread is unknown.
func TestOpenNeuronsAreBoundedFromBothSides(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	narrower, of := 0, 0
	for range 200 {
		inputs := 2 + r.IntN(4)
		n := randomNetwork(r, inputs, relu.HeadSigmoid, 1)
		root := make([]space.Interval, inputs)
		for i := range root {
			root[i] = space.Interval{Lo: -1, Hi: 1}
		}
		p, err := batch.New(n, root)
		if err != nil {
			t.Fatal(err)
		}
		plain, w := p.NewWorkspace(16), p.NewWorkspace(16)
		w.Few(2)
		fillIn(r, w, root)
		for i := range root {
			copy(plain.Centre(i), w.Centre(i))
			copy(plain.HalfWidth(i), w.HalfWidth(i))
		}
		plain.Bound()
		for b := range w.Lanes() / 2 * r.IntN(2) {
			w.SetTail(b, 0.5)
			for i := range root {
				copy(w.Offset(i), w.HalfWidth(i))
			}
		}
		w.Bound()
		for v := range w.Lanes() {
			for point := range 9 {
				values := make([]float64, inputs)
				for i := range values {
					values[i] = w.Centre(i)[v] + w.HalfWidth(i)[v]*[]float64{-1, 1, 2*r.Float64() - 1}[r.IntN(3)]
				}
				for k, l := range n.Layers[:len(n.Layers)-1] {
					next := make([]float64, l.Out)
					for j := range next {
						y := l.Bias[j]
						for i, c := range l.Row(j) {
							y += c * values[i]
						}
						mid, rad, _ := w.Neuron(k, j)
						if math.Abs(y-mid[v]) > rad[v]+1e-9*(1+math.Abs(y)) {
							t.Fatalf("layer %d, neuron %d: %g is not within %g ± %g", k, j, y, mid[v], rad[v])
						}
						if _, wide, _ := plain.Neuron(k, j); point == 0 && k > 0 && l.ReLU && math.Abs(mid[v]) < rad[v] {
							if of++; rad[v] < 0.95*wide[v] {
								narrower++
							}
						}
						if next[j] = y; l.ReLU {
							next[j] = max(y, 0)
						}
					}
					values = next
				}
			}
		}
	}
	t.Logf("%d of %d open neurons are narrower by a twentieth", narrower, of)
	if narrower < of/5 {
		t.Errorf("%d of %d open neurons are narrower by a twentieth", narrower, of)
	}
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// The forms are about as tight as the bounds of another method for a single box, and
// exact up to rounding if no ReLU's sign is open.
func TestTightness(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var width, other float64
	for range 200 {
		n := randomNetwork(r, 3, relu.HeadSigmoid, 1)
		root := []space.Interval{{Lo: -1, Hi: 1}, {Lo: 0, Hi: 2}, {Lo: -3, Hi: -1}}
		p, err := batch.New(n, root)
		if err != nil {
			t.Fatal(err)
		}
		w := p.NewWorkspace(8)
		fillIn(r, w, root)
		w.Bound()
		for v := range w.Lanes() {
			box := make([]space.Interval, 3)
			point := true
			for i := range box {
				c, d := w.Centre(i)[v], w.HalfWidth(i)[v]
				box[i] = space.Interval{Lo: c - d, Hi: c + d}
				point = point && d == 0
			}
			b := bound.Linear(n, box).Logit
			width, other = width+2*w.Rad()[v], other+b.Hi-b.Lo
			if point && w.Rad()[v] > 2*p.Error()+1e-12 {
				t.Errorf("radius %g over a point", w.Rad()[v])
			}
		}
	}
	if width > 1.5*other {
		t.Errorf("total width %g, against %g of the other bounds", width, other)
	}
}

func TestRefusesHugeNetworks(t *testing.T) {
	n := &relu.Network{Head: relu.HeadLinear, Precision: 64, Layers: []relu.Layer{{In: 1, Out: 1, Weights: []float64{1e40}, Bias: []float64{0}}}}
	if _, err := batch.New(n, []space.Interval{{Lo: 0, Hi: 1}}); err == nil {
		t.Error("no error")
	}
	n.Layers[0].Weights[0] = math.MaxFloat32 / 1e20
	if _, err := batch.New(n, []space.Interval{{Lo: 0, Hi: 1}}); err != nil {
		t.Error(err)
	}
}
