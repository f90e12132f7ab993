package relu_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk/model/relu"
)

// xor is 1 where exactly one input is 1, by hand: relu(a+b) − 2·relu(a+b−1).
func xor(head relu.Head) *relu.Network {
	n := &relu.Network{Head: head, Precision: 32, Layers: []relu.Layer{
		{Name: "hidden", In: 2, Out: 2, Weights: []float64{1, 1, 1, 1}, Bias: []float64{0, -1}, ReLU: true},
		{Name: "output", In: 2, Out: 1, Weights: []float64{1, -2}, Bias: []float64{0}},
	}}
	if head == relu.HeadSoftmax {
		last := &n.Layers[1]
		last.Out, last.Weights, last.Bias = 2, []float64{0.5, 0.5, 1.5, -1.5}, []float64{0.25, 0.25}
	}
	return n
}

func TestKnownNetwork(t *testing.T) {
	for _, head := range []relu.Head{relu.HeadSigmoid, relu.HeadLinear, relu.HeadSoftmax} {
		n := xor(head)
		if err := n.Validate(); err != nil {
			t.Fatal(err)
		}
		exact := n.Exact()
		for _, c := range [][3]float64{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 0}, {0.5, 0.25, 0.75}, {-3, 1, 0}} {
			in := c[:2]
			if got := n.Logit(in); got != c[2] {
				t.Errorf("%s: Logit(%v) = %v, want %v", head, in, got, c[2])
			}
			if got := n.Logit32(in); float64(got) != c[2] {
				t.Errorf("%s: Logit32(%v) = %v, want %v", head, in, got, c[2])
			}
			if got := exact.Logit(rationals(in)); got.Cmp(new(big.Rat).SetFloat64(c[2])) != 0 {
				t.Errorf("%s: exact logit at %v is %s, want %v", head, in, got, c[2])
			}
		}
	}
	n := xor(relu.HeadSigmoid)
	if n.Inputs() != 2 || n.Parameters() != 9 || n.Neurons() != 2 {
		t.Errorf("%d inputs, %d parameters, %d neurons; want 2, 9, 2", n.Inputs(), n.Parameters(), n.Neurons())
	}
}

func rationals(values []float64) []*big.Rat {
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		out[i] = new(big.Rat).SetFloat64(v)
	}
	return out
}

func randomNetwork(r *rand.Rand, head relu.Head, value func() float64) *relu.Network {
	widths := []int{1 + r.IntN(4)}
	for range r.IntN(4) {
		widths = append(widths, 1+r.IntN(6))
	}
	return known.Dense(head, value, value, widths...)
}

// naive is the definition, one fraction at a time. magnitude is the same with
// every term positive: what rounding errors are measured against.
func naive(n *relu.Network, inputs []*big.Rat) (logit, magnitude *big.Rat) {
	v, size := inputs, make([]*big.Rat, len(inputs))
	for i := range inputs {
		size[i] = new(big.Rat).Abs(inputs[i])
	}
	for k := range n.Layers {
		l := &n.Layers[k]
		next, nextSize := make([]*big.Rat, l.Out), make([]*big.Rat, l.Out)
		for j := range next {
			sum, total := new(big.Rat).SetFloat64(l.Bias[j]), new(big.Rat).SetFloat64(math.Abs(l.Bias[j]))
			for i := range l.In {
				w := new(big.Rat).SetFloat64(l.Weights[j*l.In+i])
				sum.Add(sum, new(big.Rat).Mul(w, v[i]))
				total.Add(total, w.Mul(w.Abs(w), size[i]))
			}
			if l.ReLU && sum.Sign() < 0 {
				sum.SetInt64(0)
			}
			next[j], nextSize[j] = sum, total
		}
		v, size = next, nextSize
	}
	if n.Head == relu.HeadSoftmax {
		return v[1].Sub(v[1], v[0]), size[1].Add(size[1], size[0])
	}
	return v[0], size[0]
}

// weightKinds are sources of weights, from the smallest float64 to the largest.
var weightKinds = map[string]func(*rand.Rand) float64{
	"normal":    func(r *rand.Rand) float64 { return r.NormFloat64() },
	"float32":   func(r *rand.Rand) float64 { return float64(float32(r.NormFloat64())) },
	"subnormal": func(r *rand.Rand) float64 { return float64(r.IntN(2001)-1000) * math.SmallestNonzeroFloat64 },
	"huge":      func(r *rand.Rand) float64 { return r.NormFloat64() * 1e307 },
	"integers":  func(r *rand.Rand) float64 { return float64(r.IntN(7) - 3) },
	"every size": func(r *rand.Rand) float64 {
		if r.IntN(5) == 0 {
			return 0
		}
		return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1050)
	},
}

func TestExactIsTheDefinition(t *testing.T) {
	for name, value := range weightKinds {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}).Draw(t, "head")
				n := randomNetwork(r, head, func() float64 { return value(r) })
				if err := n.Validate(); err != nil {
					t.Fatal(err)
				}
				inputs := make([]*big.Rat, n.Inputs())
				before := make([]string, len(inputs))
				for i := range inputs {
					inputs[i] = big.NewRat(r.Int64N(2001)-1000, 1+r.Int64N(50))
					before[i] = inputs[i].String()
				}
				want, _ := naive(n, inputs)
				exact := n.Exact()
				for range 2 {
					if got := exact.Logit(inputs); got.Cmp(want) != 0 {
						t.Fatalf("exact logit %s, want %s", got, want)
					}
				}
				for i := range inputs {
					if inputs[i].String() != before[i] {
						t.Fatal("the inputs were changed")
					}
				}
			})
		})
	}
}

// TestFloatLogitsAreClose measures the two floating-point passes against the
// exact one, relative to the sizes of the terms summed: layers times (inputs +
// 2) roundings at most, and for float32 those of inputs and weights as well.
func TestFloatLogitsAreClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		head := rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head")
		n := randomNetwork(r, head, r.NormFloat64)
		inputs := make([]float64, n.Inputs())
		for i := range inputs {
			inputs[i] = r.NormFloat64() * 10
		}
		exact := n.Exact().Logit(rationals(inputs))
		_, magnitude := naive(n, rationals(inputs))
		size, _ := magnitude.Float64()
		for what, c := range map[string]struct {
			got  float64
			unit float64
		}{
			"Logit":   {n.Logit(inputs), 0x1p-53},
			"Logit32": {float64(n.Logit32(inputs)), 0x1p-24},
		} {
			d := new(big.Rat).SetFloat64(c.got)
			e, _ := d.Abs(d.Sub(d, exact)).Float64()
			if most := float64(len(n.Layers)*10+2) * c.unit * size; e > most {
				t.Fatalf("%s is %v off, more than %v", what, e, most)
			}
		}
	})
}

func TestExactConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	n := randomNetwork(r, relu.HeadSoftmax, r.NormFloat64)
	exact := n.Exact()
	inputs := make([]*big.Rat, n.Inputs())
	for i := range inputs {
		inputs[i] = big.NewRat(int64(i)+1, 3)
	}
	want := exact.Logit(inputs)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 50 {
				if exact.Logit(inputs).Cmp(want) != 0 {
					t.Error("another answer in another goroutine")
				}
			}
		})
	}
	wait.Wait()
}

// TestLogit32RoundsEverywhere: single precision loses what it has to lose.
func TestLogit32RoundsEverywhere(t *testing.T) {
	one := func(w, b float64) *relu.Network {
		return &relu.Network{Head: relu.HeadSigmoid, Precision: 64,
			Layers: []relu.Layer{{In: 1, Out: 1, Weights: []float64{w}, Bias: []float64{b}}}}
	}
	for name, c := range map[string]struct{ w, b, x, want float64 }{
		"input":    {1, 0, 1 + 0x1p-40, 1},
		"weight":   {1 + 0x1p-40, 0, 1, 1},
		"sum":      {1, 1 << 24, 1, 1 << 24},
		"overflow": {3e38, 0, 10, math.Inf(1)},
	} {
		if got := one(c.w, c.b).Logit32([]float64{c.x}); float64(got) != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestValidateRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*relu.Network)
		want  string
	}{
		"no layers":          {func(n *relu.Network) { n.Layers = nil }, "no layers"},
		"precision":          {func(n *relu.Network) { n.Precision = 16 }, "16 bits"},
		"zero width":         {func(n *relu.Network) { n.Layers[0].Out = 0 }, "layer 0 (hidden): shape 0×2"},
		"absurd width":       {func(n *relu.Network) { n.Layers[0].In = 1 << 30 }, "outside 1 to"},
		"weights missing":    {func(n *relu.Network) { n.Layers[0].Weights = []float64{1} }, "1 weights for shape 2×2"},
		"biases missing":     {func(n *relu.Network) { n.Layers[0].Bias = nil }, "0 biases for 2 neurons"},
		"NaN weight":         {func(n *relu.Network) { n.Layers[0].Weights[3] = math.NaN() }, "weight of neuron 1 from input 1 is NaN"},
		"infinite bias":      {func(n *relu.Network) { n.Layers[1].Bias[0] = math.Inf(-1) }, "layer 1 (output): bias of neuron 0"},
		"layers do not meet": {func(n *relu.Network) { n.Layers[1].In, n.Layers[1].Weights = 1, []float64{1} }, "takes 1 inputs, layer 0 gives 2"},
		"ReLU at the end":    {func(n *relu.Network) { n.Layers[1].ReLU = true }, "output layer has a ReLU"},
		"no head":            {func(n *relu.Network) { n.Head = 0 }, "unknown head"},
		"head and outputs":   {func(n *relu.Network) { n.Head = relu.HeadSoftmax }, "1 output units with a softmax"},
	} {
		n := xor(relu.HeadSigmoid)
		c.spoil(n)
		if err := n.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestGradient: backpropagation agrees with differences of the network's own logits.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for k := range 12 {
		n := randomNetwork(r, []relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}[k%3], r.NormFloat64)
		gradient := n.Gradient()
		at := make([]float64, n.Inputs())
		for range 50 {
			for i := range at {
				at[i] = r.NormFloat64()
			}
			logit, slopes := gradient(at)
			if want := n.Logit(at); math.Abs(logit-want) > 1e-9 {
				t.Fatalf("logit %v, want %v", logit, want)
			}
			for i := range at {
				const h = 1e-7
				beside := func(d float64) float64 {
					x := slices.Clone(at)
					x[i] += d
					return n.Logit(x)
				}
				if want := (beside(h) - beside(-h)) / (2 * h); math.Abs(slopes[i]-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("slope %d is %v, the difference quotient %v", i, slopes[i], want)
				}
			}
		}
	}
}

// TestLogitError: the bound holds, for inputs that are off as well.
func TestLogitError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := randomNetwork(r, rapid.SampledFrom([]relu.Head{relu.HeadSigmoid, relu.HeadSoftmax}).Draw(t, "head"), r.NormFloat64)
		at, largest, off := make([]float64, n.Inputs()), make([]float64, n.Inputs()), make([]float64, n.Inputs())
		exact := make([]*big.Rat, len(at))
		for i := range at {
			at[i], off[i] = r.NormFloat64(), math.Ldexp(r.Float64(), -10-r.IntN(40))
			largest[i] = math.Abs(at[i])
			exact[i] = new(big.Rat).Add(new(big.Rat).SetFloat64(at[i]), new(big.Rat).SetFloat64(off[i]*(2*r.Float64()-1)*0.999))
		}
		d := new(big.Rat).SetFloat64(n.Logit(at))
		is, _ := d.Abs(d.Sub(d, n.Exact().Logit(exact))).Float64()
		if most := n.LogitError(largest, off); is > most {
			t.Fatalf("%v off, more than %v", is, most)
		}
	})
}
