package relu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/internal/batch"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/notion"
	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/relu"
	"github.com/hyfair/hyfair/sdk"
	model "github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// question is a small network with two inputs that have the same integer values in both copies, and one input that is a
// copy's own.
type question struct {
	network *model.Network
	plan    *batch.Plan
	prover  *relu.Prover
	sides   [2]relu.Side
	own     []bool
}

func draw(t *testing.T, r *rand.Rand) *question {
	t.Helper()
	sizes := []int{3, 2 + r.IntN(4), 1 + r.IntN(4), 1}
	if r.IntN(3) == 0 {
		sizes = []int{3, 2 + r.IntN(5), 1}
	}
	q := &question{network: &model.Network{Head: model.HeadSigmoid, Precision: 64}, own: []bool{false, false, true}}
	for k := range sizes[1:] {
		l := model.Layer{In: sizes[k], Out: sizes[k+1], ReLU: k < len(sizes)-2 && (k == 0 || r.IntN(6) > 0)}
		for range l.Out {
			l.Bias = append(l.Bias, r.NormFloat64())
			for range l.In {
				l.Weights = append(l.Weights, r.NormFloat64())
			}
		}
		q.network.Layers = append(q.network.Layers, l)
	}
	lo, hi := [2]float64{float64(-r.IntN(4)), float64(-r.IntN(4))}, [2]float64{float64(r.IntN(4)), float64(r.IntN(4))}
	root := []space.Interval{{Lo: lo[0], Hi: hi[0]}, {Lo: lo[1], Hi: hi[1]}, {Lo: -2, Hi: 2}}
	var err error
	if q.plan, err = batch.New(q.network, root); err != nil {
		t.Fatal(err)
	}
	w := q.plan.NewWorkspace(2)
	for s := range q.sides {
		own := space.Interval{Lo: float64(r.IntN(3) - 2)}
		own.Hi = own.Lo + float64(r.IntN(3))
		q.sides[s].Inputs = []space.Interval{root[0], root[1], own}
		for i, iv := range q.sides[s].Inputs {
			w.Centre(i)[s], w.HalfWidth(i)[s] = (iv.Lo+iv.Hi)/2, (iv.Hi-iv.Lo)/2
		}
	}
	w.Bound()
	for s := range q.sides {
		for k, l := range q.plan.Layers()[:len(q.plan.Layers())-1] {
			var lo, hi []float64
			for j := range l.Out {
				mid, rad, e := w.Neuron(k, j)
				lo, hi = append(lo, mid[s]-rad[s]-e), append(hi, mid[s]+rad[s]+e)
			}
			q.sides[s].Lo, q.sides[s].Hi = append(q.sides[s].Lo, lo), append(q.sides[s].Hi, hi)
		}
	}
	q.prover = relu.New(q.plan)
	q.prover.Steps = []relu.Step{{Base: lo[0], Width: 1}, {Base: lo[1], Width: 1}, {Base: -2, Width: 1}}
	return q
}

// above returns the most by which an individual is beyond all tangents.
func (q *question) above(tangents []notion.Tangent) float64 {
	most := math.Inf(-1)
	a, b := q.sides[0].Inputs, q.sides[1].Inputs
	for x := a[0].Lo; x <= a[0].Hi; x++ {
		for y := a[1].Lo; y <= a[1].Hi; y++ {
			for z := a[2].Lo; z <= a[2].Hi; z++ {
				for v := b[2].Lo; v <= b[2].Hi; v++ {
					p, q := q.network.Logit([]float64{x, y, z}), q.network.Logit([]float64{x, y, v})
					least := math.Inf(1)
					for _, t := range tangents {
						least = min(least, t.Up*p-t.Down*q-t.Beyond)
					}
					most = max(most, least)
				}
			}
		}
	}
	return most
}

// What is proved holds for all individuals, and what holds for all with a margin is proved. The optima that Found receives
// are individuals of the box.
func TestProve(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 49))
	proved, refused, met := 0, 0, 0
	for i := range tier.Count(1000, 20000) {
		q := draw(t, r)
		tangents := notion.Tangents(0.05+0.9*r.Float64(), nil)
		a, b := &q.sides[0], &q.sides[1]
		switch r.IntN(5) {
		case 0:
			tangents = []notion.Tangent{{Up: 1, Down: 1, Beyond: 3 * r.Float64()}}
		case 1:
			tangents = []notion.Tangent{{Up: 1, Beyond: r.Float64()}, {Down: 1}}
		case 2: // one copy alone
			tangents, b = []notion.Tangent{{Up: 1, Beyond: r.NormFloat64()}}, nil
		case 3:
			tangents, a = []notion.Tangent{{Down: 1, Beyond: r.NormFloat64()}}, nil
		}
		q.prover.Found = func(inputs []float64) {
			met++
			side := a
			if a == nil {
				side = b
			}
			for j, v := range inputs {
				if iv := side.Inputs[j]; v < iv.Lo-1e-6 || v > iv.Hi+1e-6 {
					t.Fatalf("question %d: input %d is %v, beyond %v", i, j, v, iv)
				}
			}
		}
		q.prover.Shown = true
		got, took := q.prover.Prove(a, b, q.own, tangents, 1<<30)
		most := q.above(tangents)
		switch {
		case got && most > 0:
			t.Fatalf("question %d: proved, but somebody is %v beyond", i, most)
		case !got && most < -1e-6:
			t.Fatalf("question %d: not proved by %d coefficients, but nobody is nearer than %v", i, took, most)
		case got:
			proved++
			whole(t, q.prover.Proof())
		default:
			refused++
		}
	}
	if proved < 200 || refused < 100 || met < 200 {
		t.Errorf("%d were proved, %d were not, %d optima were told", proved, refused, met)
	}
}

// whole checks that a proof's steps are one tree, whose ends have a slope for each neuron.
func whole(t *testing.T, c sdk.CaseProof) {
	t.Helper()
	open := 1
	for i, s := range c.Steps {
		if open == 0 || s.Kind == sdk.CaseEnd && len(s.Slopes) != len(c.First.Neurons)+len(c.Second.Neurons) {
			t.Fatalf("step %d of %+v", i, c)
		}
		if open++; s.Kind == sdk.CaseEnd {
			open -= 2
		}
	}
	if open != 0 {
		t.Fatalf("%d steps are missing: %+v", open, c)
	}
}

// A smaller work limit proves less, but nothing else.
func TestWorkIsBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 49))
	gaveUp := 0
	for range 300 {
		q := draw(t, r)
		tangents := notion.Tangents(0.3, nil)
		whole, took := q.prover.Prove(&q.sides[0], &q.sides[1], q.own, tangents, 1<<30)
		again, less := q.prover.Prove(&q.sides[0], &q.sides[1], q.own, tangents, took/2)
		if again && !whole || less > took {
			t.Fatalf("half of the work proved %v with %d, all of it %v with %d", again, less, whole, took)
		}
		if whole && !again {
			gaveUp++
		}
		q.prover.Stop = func() bool { return true }
		if got, _ := q.prover.Prove(&q.sides[0], &q.sides[1], q.own, tangents, 1<<30); got {
			t.Fatal("proved after the stop")
		}
	}
	if gaveUp < 5 {
		t.Errorf("%d were given up", gaveUp)
	}
}

// No individual lies between the values at which an input is split, for any scale, offset, number of values and distance of
// the box from 0.
func TestCutsLeaveNobodyOut(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 50))
	refused := 0
	for i := range tier.Count(600, 6000) {
		values := []int{70, 5000, 1400000}[r.IntN(3)]
		scale, offset := []float64{1.0 / 3, 1 / 105000.0, -0.7}[r.IntN(3)], []float64{0, -1.8, 0.3}[r.IntN(3)]
		at := func(v int) float64 { return scale*float64(v) + offset }
		// The logit is −|x − peak|/scale, with its maximum at a value.
		v := r.IntN(values)
		if r.IntN(2) == 0 {
			v = min(max(int(-offset/scale)+r.IntN(5)-2, 0), values-1)
		}
		peak, steep := at(v), 1/math.Abs(scale)
		n := &model.Network{Head: model.HeadSigmoid, Precision: 64, Layers: []model.Layer{
			{In: 2, Out: 2, ReLU: true, Weights: []float64{1, 0, -1, 0}, Bias: []float64{-peak, peak}},
			{In: 2, Out: 1, Weights: []float64{-steep, -steep}, Bias: []float64{0}},
		}}
		lo, hi := max(0, v-1-r.IntN(20)), min(values-1, v+1+r.IntN(20))
		iv := space.Interval{Lo: min(at(lo), at(hi)), Hi: max(at(lo), at(hi))}
		plan, err := batch.New(n, []space.Interval{{Lo: min(at(0), at(values-1)), Hi: max(at(0), at(values-1))}, {Lo: 0, Hi: 1}})
		if err != nil {
			t.Fatal(err)
		}
		w := plan.NewWorkspace(2)
		var sides [2]relu.Side
		for s := range sides {
			sides[s].Inputs = []space.Interval{{Lo: math.Nextafter(iv.Lo, -1e9), Hi: math.Nextafter(iv.Hi, 1e9)}, {Lo: float64(s), Hi: float64(s)}}
			for j, iv := range sides[s].Inputs {
				w.Centre(j)[s], w.HalfWidth(j)[s] = (iv.Lo+iv.Hi)/2, (iv.Hi-iv.Lo)/2
			}
		}
		w.Bound()
		for s := range sides {
			var lo, hi []float64
			for j := range 2 {
				mid, rad, e := w.Neuron(0, j)
				lo, hi = append(lo, mid[s]-rad[s]-e), append(hi, mid[s]+rad[s]+e)
			}
			sides[s].Lo, sides[s].Hi = [][]float64{lo}, [][]float64{hi}
		}
		p := relu.New(plan)
		first, last := at(0), at(values-1)
		p.Steps = []relu.Step{relu.StepOf(first, last, values), {}}
		// One individual's logit is 0, and all others' are below −1 or so.
		if proved, _ := p.Prove(&sides[0], &sides[1], []bool{false, true}, []notion.Tangent{{Up: 1, Beyond: -0.5}}, 1<<30); proved {
			t.Fatalf("question %d: nobody above −0.5 of values %d to %d, but %d has 0 (scale %v, offset %v)", i, lo, hi, v, scale, offset)
		}
		if proved, _ := p.Prove(&sides[0], &sides[1], []bool{false, true}, []notion.Tangent{{Up: 1, Beyond: 0.01}}, 1<<30); !proved {
			refused++
		}
	}
	if refused > 0 {
		t.Errorf("%d times it was not proved that nobody has more than the largest", refused)
	}
}
