package train

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/tier"
)

// TestGradient compares back-propagation with finite differences of the loss.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		hidden := rapid.SliceOfN(rapid.IntRange(1, 6), 0, 3).Draw(t, "hidden")
		inputs := rapid.IntRange(1, 5).Draw(t, "inputs")
		label := rapid.IntRange(0, 1).Draw(t, "label")
		penalty := rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "penalty")
		m := newModel(inputs, hidden, rng)
		for i := range m.parameters {
			m.parameters[i] += 0.2 * rng.NormFloat64()
		}
		row := make([]float64, inputs)
		for i := range row {
			row[i] = rng.NormFloat64()
		}

		got := make([]float64, len(m.parameters))
		_, slope := CrossEntropy(m.logit(row), label)
		m.addGradient(got, row, slope)
		m.addPenalty(got, penalty)

		objective := func() float64 {
			value, _ := CrossEntropy(m.logit(row), label)
			for k := range m.layers {
				for _, w := range m.layers[k].weights(m.parameters) {
					value += penalty / 2 * w * w
				}
			}
			return value
		}
		const h = 1e-6
		for i, p := range m.parameters {
			m.parameters[i] = p - h
			below := objective()
			kinks := signs(m)
			m.parameters[i] = p + h
			above := objective()
			m.parameters[i] = p
			if kinks != signs(m) {
				continue // a ReLU switches in between: no derivative to compare with
			}
			if want := (above - below) / (2 * h); math.Abs(got[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("parameter %d: gradient %v, finite difference %v", i, got[i], want)
			}
		}
	})
}

// signs says which ReLUs were active in the last forward pass.
func signs(m *model) string {
	var out strings.Builder
	for k := range m.layers[:len(m.layers)-1] {
		for _, v := range m.layers[k].values {
			if v > 0 {
				out.WriteByte('+')
			} else {
				out.WriteByte('0')
			}
		}
	}
	return out.String()
}

func TestGradientsAddUp(t *testing.T) {
	m := newModel(2, []int{3}, rand.New(rand.NewPCG(1, 0)))
	a, b := []float64{0.3, -0.7}, []float64{-1, 0.4}
	var one, other, both [13]float64
	m.logit(a)
	m.addGradient(one[:], a, 0.5)
	m.addGradient(both[:], a, 0.5)
	m.logit(b)
	m.addGradient(other[:], b, -2)
	m.addGradient(both[:], b, -2)
	for i := range both {
		if math.Abs(one[i]+other[i]-both[i]) > 1e-15 {
			t.Errorf("parameter %d: %v and %v add up to %v", i, one[i], other[i], both[i])
		}
	}
}

// TestAdam follows the optimiser through two steps worked out by hand from
// Algorithm 1 of the paper.
func TestAdam(t *testing.T) {
	parameters := []float64{1, 1}
	a := newAdam(2)
	// With corrected means g and √(g²) the first step is the rate times the sign.
	a.step(parameters, []float64{4, -0.5}, 0.1)
	for i, want := range []float64{0.9, 1.1} {
		if math.Abs(parameters[i]-want) > 1e-8 {
			t.Errorf("first step: parameter %d is %v, want %v", i, parameters[i], want)
		}
	}
	// Second gradient 0: mean 0.9·0.1·4/(1 − 0.81), square 0.999·0.001·16/(1 − 0.999²).
	a.step(parameters, []float64{0, 0}, 0.1)
	want := 0.9 - 0.1*(0.36/0.19)/math.Sqrt(0.015984/0.001999)
	if math.Abs(parameters[0]-want) > 1e-8 {
		t.Errorf("second step: %v, want %v", parameters[0], want)
	}
}

func TestPortableFunctions(t *testing.T) {
	close := func(name string, x, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-15*math.Abs(want) {
			t.Errorf("%s(%v) = %v, package math says %v", name, x, got, want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for range 100000 {
		x := 1400*rng.Float64() - 700
		close("exp", x, exp(x), math.Exp(x))
		x = 2*rng.Float64() - 1
		close("exp", x, exp(x), math.Exp(x))
		x = rng.Float64()
		close("log1p", x, log1p(x), math.Log1p(x))
		x = 60*rng.Float64() - 30
		if got, want := sigmoid(x), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-15*want {
			t.Errorf("sigmoid(%v) = %v, want %v", x, got, want)
		}
	}
	for x, want := range map[float64]float64{
		0: 1, math.Inf(1): math.Inf(1), 710: math.Inf(1), 1e300: math.Inf(1),
		math.Inf(-1): 0, -709: 0, -1e300: 0, 709: math.Exp(709), -708: math.Exp(-708),
	} {
		if got := exp(x); got != want && math.Abs(got-want) > 1e-15*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsNaN(exp(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
	if log1p(0) != 0 {
		t.Error("log1p(0) is not 0")
	}
	close("log1p", 1, log1p(1), math.Ln2)
	for _, x := range []float64{800, -800} {
		if value, slope := CrossEntropy(x, 1); math.Abs(value-max(-x, 0)) > 1e-9 || math.Abs(slope-(min(x, 0)/800)) > 1e-9 {
			t.Errorf("cross-entropy of logit %v and label 1: %v, slope %v", x, value, slope)
		}
	}
}

// TestNoFusedArithmetic looks at the machine code for arm64, where the
// compiler fuses products and sums unless told not to.
func TestNoFusedArithmetic(t *testing.T) {
	tier.NeedLong(t) // it compiles for another processor
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command")
	}
	cmd := exec.Command(goTool, "build", "-gcflags=-S", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go build for arm64: %v\n%.2000s", err, out)
	}
	if !strings.Contains(string(out), "FMULD") {
		t.Fatal("the listing shows no products at all")
	}
	fused := regexp.MustCompile(`\(\S*?([^/\s]+:\d+)\)\s+FN?M(?:ADD|SUB)[SD]`)
	for _, m := range fused.FindAllSubmatch(out, -1) {
		t.Errorf("%s: a product is fused with a sum; write float64(x*y)", m[1])
	}
}
