package checker

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// randomBox is a box in the region, sometimes a single point.
func randomBox(r *rand.Rand, st *certificate.Statement) space.Box {
	box := make(space.Box, len(st.Space.Features))
	region := st.RegionOrWhole()
	for _, i := range st.Space.Free() {
		a, b := randomValue(r, st.Space, i, region.Box[i]), randomValue(r, st.Space, i, region.Box[i])
		if r.IntN(4) == 0 {
			b = a
		}
		box[i] = space.Interval{Lo: math.Min(a, b), Hi: math.Max(a, b)}
	}
	return box
}

func randomValue(r *rand.Rand, s *space.Space, feature int, iv space.Interval) float64 {
	if r.IntN(3) == 0 { // bounds are tight at corners
		return []float64{iv.Lo, iv.Hi}[r.IntN(2)]
	}
	if s.Features[feature].Discrete() {
		return iv.Lo + float64(r.IntN(int(iv.Hi-iv.Lo)+1))
	}
	return math.Min(iv.Hi, iv.Lo+r.Float64()*(iv.Hi-iv.Lo))
}

// anySlopes are slopes, good and bad, for about half of the neurons.
func anySlopes(r *rand.Rand, n *relu.Network) (out []sdk.Slope) {
	for k := range n.Layers {
		for j := range n.Layers[k].Out {
			if n.Layers[k].ReLU && r.IntN(2) == 0 {
				out = append(out, sdk.Slope{Layer: k, Neuron: j, Value: []float64{0, 1, r.Float64(), r.Float64() * 1e-30}[r.IntN(4)]})
			}
		}
	}
	return out
}

// anyJoint are slopes of any size for some neurons of two copies, in order.
func anyJoint(r *rand.Rand, n *relu.Network) (out []sdk.JointSlope) {
	for _, s := range anySlopes(r, n) {
		out = append(out, sdk.JointSlope{Layer: s.Layer, Neuron: s.Neuron, Own: 2 * r.NormFloat64(), Other: r.NormFloat64() * s.Value})
	}
	return out
}

// TestFormsEncloseExactValues compares enclosures, with any slopes, with exact values at points of the box.
// Differences of two copies, bounded jointly with any slopes, are compared likewise. Over a single point
// the enclosure is the value itself.
func TestFormsEncloseExactValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		st := randomStatement(r, fairness.Score, r.IntN(2) == 0)
		s, err := newSubject(st)
		if err != nil {
			t.Fatal(err)
		}
		e := &encloser{subject: s}
		exact := st.Network.Exact()
		for range 3 {
			box := randomBox(r, st)
			e.at(box)
			var forms []*logit
			for _, values := range s.reach.combinations {
				forms = append(forms, e.logit(values, anySlopes(r, st.Network)))
			}
			for range 4 {
				x := make([]float64, len(box))
				for i := range x {
					x[i] = randomValue(r, st.Space, i, box[i])
				}
				var values []*big.Rat
				for c, protected := range s.reach.combinations {
					for k, i := range s.protected {
						x[i] = protected[k]
					}
					v := exact.Logit(st.Space.ExactInputs(x))
					f := forms[c]
					lo, hi := rational(&f.lo, f.shift), rational(&f.hi, f.shift)
					if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
						t.Fatalf("logit %v at %v is outside %v to %v", v, x, lo, hi)
					}
					if len(e.frame.groups) == 0 && lo.Cmp(hi) != 0 {
						t.Fatalf("a single point, enclosed by %v to %v", lo, hi)
					}
					values = append(values, v)
				}
				for a := range values {
					for b := range values {
						if a == b {
							continue
						}
						e.two = r.IntN(4) > 0
						first, second := &enclosure{form: forms[a], slopes: anyJoint(r, st.Network)}, &enclosure{form: forms[b]}
						if d := e.difference(first, second, nil); new(big.Rat).Sub(values[a], values[b]).Cmp(d) > 0 {
							t.Fatalf("logits %v and %v are further apart than %v", values[a], values[b], d)
						}
						of := &tangent{up: big.NewInt(r.Int64N(5)), down: big.NewInt(r.Int64N(5))}
						times := func(n *big.Int, v *big.Rat) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetInt(n), v) }
						if d := e.difference(first, second, of); new(big.Rat).Sub(times(of.up, values[a]), times(of.down, values[b])).Cmp(d) > 0 {
							t.Fatalf("%v times logit %v less %v times %v is more than %v", of.up, values[a], of.down, values[b], d)
						}
					}
				}
			}
		}
	})
}

// oneNeuron is relu(x) on −1 ≤ x ≤ 1 as a logit, with one protected value.
func oneNeuron() *certificate.Statement {
	return &certificate.Statement{
		Network: &relu.Network{Head: relu.HeadSigmoid, Precision: 64, Layers: []relu.Layer{
			{In: 2, Out: 1, Weights: []float64{1, 0}, Bias: []float64{0}, ReLU: true},
			{In: 1, Out: 1, Weights: []float64{1}, Bias: []float64{0}},
		}},
		Space: &space.Space{Inputs: 2, Features: []space.Feature{
			{Name: "x", Kind: space.Integer, Lo: -1, Hi: 1, Inputs: []space.Input{{Index: 0, Scale: 1}}},
			{Name: "z", Kind: space.Integer, Lo: 0, Hi: 0, Protected: []float64{0}, Inputs: []space.Input{{Index: 1, Scale: 1}}},
		}},
		Notion: fairness.Score, Epsilon: big.NewRat(1, 20),
		Claim: certificate.Claim{Kind: certificate.Fair},
	}
}

// TestSlopesAreTheFilesOwn: relu(x) on [−1, 1] lies in [−λ, λ + max(λ, 1−λ)], so that slope
// ½ proves a bound that 0.6 does not.
func TestSlopesAreTheFilesOwn(t *testing.T) {
	st := oneNeuron()
	for _, c := range []struct {
		slopes   []sdk.Slope
		lo, hi   float64
		accepted bool
	}{
		{nil, -0.5, 1, true},
		{[]sdk.Slope{{Value: 0.5}}, -0.5, 1, true},
		{[]sdk.Slope{{Value: 0.5}}, -0.5, math.Nextafter(1, 0), false},
		{[]sdk.Slope{{Value: 0.5}}, math.Nextafter(-0.5, 0), 1, false},
		{[]sdk.Slope{{Value: 0.6}}, -0.5, 1.2, false},
		{[]sdk.Slope{{Value: 0.6}}, -0.6, 1.2, true},
		{[]sdk.Slope{{Value: 0.6}}, -0.6, 1.19, false},
		{[]sdk.Slope{{Value: 0}}, 0, 1, true},
		{[]sdk.Slope{{Value: 0}}, 0, 0.999, false},
		{[]sdk.Slope{{Value: 1}}, -1, 2, true},
		{[]sdk.Slope{{Value: 1}}, -0.999, 2, false},
		{[]sdk.Slope{{Value: 1e-200}}, -1e-30, 1, true},
	} {
		leaf := &certificate.Leaf{Box: st.Space.Whole().Box, Copies: []sdk.CopyProof{
			{Protected: []float64{0}, Logit: space.Interval{Lo: c.lo, Hi: c.hi}, Slopes: c.slopes},
		}}
		why := judge(t, write(t, st, []*certificate.Leaf{leaf}))
		if (why == "") != c.accepted {
			t.Errorf("slopes %v, %v to %v: %q", c.slopes, c.lo, c.hi, why)
		}
	}
}

// TestStatedEnclosuresCount: the claim must follow from the stated enclosures, even if the
// checker's own are tighter.
func TestStatedEnclosuresCount(t *testing.T) {
	st := oneNeuron()
	st.Space.Features[1].Protected = []float64{0, 1}
	st.Network.Layers[0].Weights[1] = 0.05 // without this weight the difference alone suffices
	st.Claim = certificate.Claim{Kind: certificate.MaxK, K: 1}
	box := st.Space.Whole().Box
	box[0] = space.Interval{Lo: 1, Hi: 1}
	st.Region = st.Space.Whole()
	st.Region.Box = box
	leaf := func(hi float64) []*certificate.Leaf {
		var of []sdk.CopyProof
		for z := range 2 {
			of = append(of, sdk.CopyProof{Protected: []float64{float64(z)}, Logit: space.Interval{Lo: 1, Hi: hi}})
		}
		return []*certificate.Leaf{{Box: box, Copies: of}}
	}
	if why := judge(t, write(t, st, leaf(1.06))); why != "" {
		t.Errorf("one bin: %s", why)
	}
	if why := judge(t, write(t, st, leaf(3))); !strings.Contains(why, "do not prove") {
		t.Errorf("several bins are stated to be in reach: %q", why)
	}
}

// TestDifferencesProveWhatIntervalsCannot: the logits of two copies vary together over a
// wide range.
func TestDifferencesProveWhatIntervalsCannot(t *testing.T) {
	st := oneNeuron()
	st.Space.Features[0].Lo, st.Space.Features[0].Hi = 0, 10
	st.Space.Features[1].Hi, st.Space.Features[1].Protected = 1, []float64{0, 1}
	st.Network.Layers[0].Weights[1] = 0.25 // logits x and x + ¼
	whole := []*certificate.Leaf{{Box: st.Space.Whole().Box}}
	for _, c := range []struct {
		notion   fairness.Notion
		kind     certificate.ClaimKind
		bound    string
		accepted bool
	}{
		{fairness.Logit, certificate.Gap, "0.25", true},
		{fairness.Logit, certificate.Gap, "0.2499", false},
		{fairness.Score, certificate.Gap, "0.0622", true},   // σ(¼) − σ(0) = 0.06217…
		{fairness.Score, certificate.Gap, "0.06217", false}, // 0.062176…
		{fairness.Decision, certificate.Gap, "0.25", true},  // x = 0: l1 = ¼, l2 = 0
		{fairness.Decision, certificate.Gap, "0.24", false},
		{fairness.DecisionStrict, certificate.Gap, "0.125", true},
		{fairness.DecisionStrict, certificate.Gap, "0", true}, // no logit is below 0
		{fairness.DecisionStrict, certificate.Fair, "", true},
		{fairness.Decision, certificate.Fair, "", false},
	} {
		st.Notion, st.Claim = c.notion, certificate.Claim{Kind: c.kind}
		if c.bound != "" {
			st.Claim.Bound, _ = new(big.Rat).SetString(c.bound)
		}
		if c.accepted && !holds(st) {
			t.Fatalf("%s %s: the referee disagrees", c.notion, c.bound)
		}
		if why := judge(t, write(t, st, whole)); (why == "") != c.accepted {
			t.Errorf("%s, %s %s: %q", c.notion, c.kind, c.bound, why)
		}
	}
}

// TestRealFeaturesAreNotEnumerated: they have too many values.
func TestRealFeaturesAreNotEnumerated(t *testing.T) {
	st := oneNeuron()
	st.Space.Features[0].Kind = space.Real
	box := st.Space.Whole().Box
	if why := judge(t, write(t, st, []*certificate.Leaf{{Box: box, Enumerated: true}})); !strings.Contains(why, "takes any value") {
		t.Errorf("enumerated: %q", why)
	}
	halves := func(low, high space.Interval) []*certificate.Leaf {
		a, b := append(space.Box(nil), box...), append(space.Box(nil), box...)
		a[0], b[0] = low, high
		return []*certificate.Leaf{{Box: a}, {Box: b}}
	}
	for _, c := range []struct {
		low, high space.Interval
		why       string
	}{
		{space.Interval{Lo: -1, Hi: 0.25}, space.Interval{Lo: 0.25, Hi: 1}, ""},
		{space.Interval{Lo: -1, Hi: 0.25}, space.Interval{Lo: math.Nextafter(0.25, 1), Hi: 1}, "no leaf covers"},
		{space.Interval{Lo: -1, Hi: math.Nextafter(0.25, 1)}, space.Interval{Lo: 0.25, Hi: 1}, "overlap"},
		{space.Interval{Lo: -1, Hi: 1}, space.Interval{Lo: 0.25, Hi: 0.25}, "covers nothing"},
	} {
		why := judge(t, write(t, st, halves(c.low, c.high)))
		if c.why == "" && why != "" || !strings.Contains(why, c.why) {
			t.Errorf("%v and %v: %q", c.low, c.high, why)
		}
	}
}

// TestLargeQuestionsAreRefusedAtOnce: a small file cannot make the checker allocate
// gigabytes.
func TestLargeQuestionsAreRefusedAtOnce(t *testing.T) {
	st := oneNeuron()
	for range 2000 {
		st.Network.Layers = append([]relu.Layer{
			{In: 2, Out: 2, Weights: []float64{5e-324, 1, 0, 1}, Bias: []float64{0, 5e-324}, ReLU: true},
		}, st.Network.Layers...)
	}
	why := judge(t, write(t, st, []*certificate.Leaf{{Box: st.Space.Whole().Box}}))
	if !strings.Contains(why, "GiB") {
		t.Errorf("%q", why)
	}
}
