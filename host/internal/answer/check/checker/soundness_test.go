package checker

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
)

var numbers = regexp.MustCompile(`-?\d+(\.\d+)?(e[-+]?\d+)?`)

// fumble changes a number somewhere in the text.
func fumble(r *rand.Rand, text []byte) []byte {
	all := numbers.FindAllIndex(text, -1)
	at := all[r.IntN(len(all))]
	v, err := strconv.ParseFloat(string(text[at[0]:at[1]]), 64)
	if err != nil {
		return text
	}
	switch r.IntN(5) {
	case 0:
		v++
	case 1:
		v--
	case 2:
		v *= 1 + r.NormFloat64()/10
	case 3:
		v = -v
	case 4:
		v = 0
	}
	return bytes.Join([][]byte{text[:at[0]], strconv.AppendFloat(nil, v, 'g', -1, 64), text[at[1]:]}, nil)
}

// TestNothingFalseIsAccepted changes numbers anywhere in certificates, including weights
// and claims, and seals the file again as a forger would. Every accepted claim is true by
// enumeration. (Many are accepted: most changes leave the claim true, some leave it
// proved.)
func TestNothingFalseIsAccepted(t *testing.T) {
	tier.NeedUsual(t)
	accepted, falseOnes := 0, 0
	for seed := range uint64(tier.Count(24, 90)) {
		r := rand.New(rand.NewPCG(seed, 9))
		st := randomStatement(r, fairness.Notions[seed%4], false)
		st.Claim.Bound = above(max(0, largest(st)))
		limit, _ := st.Claim.Bound.Float64()
		leaves, _ := prove(r, st, limit-slack, -1)
		if seed%3 == 2 {
			st = randomForest(r, st.Notion, false)
			st.Claim.Bound = above(max(0, largest(st)))
			leaves = quarters(r, st)
		}
		text := write(t, st, leaves)
		for range 14 {
			changed := text
			for range 1 + r.IntN(2) {
				changed = fumble(r, changed)
			}
			d := tryParse(changed)
			if d == nil {
				continue
			}
			d.seal(t)
			reader, err := certificate.NewReader(bytes.NewReader(d.bytes(t)))
			if err != nil {
				continue
			}
			if Points(reader.Statement().Space, reader.Statement().RegionOrWhole().Box).Cmp(big.NewInt(1000)) > 0 {
				continue
			}
			truth := holds(reader.Statement())
			if !truth {
				falseOnes++
			}
			if judge(t, d.bytes(t)) == "" {
				accepted++
				if !truth {
					t.Fatalf("seed %d: accepted, but false:\n%s", seed, d.bytes(t))
				}
			}
		}
	}
	if accepted < tier.Count(8, 30) || falseOnes < tier.Count(5, 20) {
		t.Errorf("%d accepted, %d false: too few to show anything", accepted, falseOnes)
	}
}

// FuzzRun checks any file: the check ends, and an accepted claim is true.
func FuzzRun(f *testing.F) {
	st := oneNeuron()
	st.Space.Features[1].Hi, st.Space.Features[1].Protected = 1, []float64{0, 1}
	box := st.Space.Whole().Box
	f.Add(write(f, st, []*certificate.Leaf{{Box: box, Enumerated: true}}))
	f.Add(write(f, st, []*certificate.Leaf{{Box: box, Copies: copies(st, newReach(st), box)}}))
	f.Add(write(f, st, []*certificate.Leaf{{Box: box, Copies: copies(st, newReach(st), box), Cases: []sdk.CaseProof{{
		First: sdk.CaseSide{Copies: []int{0}, Neurons: []sdk.Neuron{{}}}, Second: sdk.CaseSide{Copies: []int{0, 1}},
		Steps: []sdk.CaseStep{
			{Kind: sdk.CaseReLU}, {Kind: sdk.CaseEnd, Up: 1, Down: 1, Slopes: []float64{1}},
			{Kind: sdk.CaseCut}, {Kind: sdk.CaseEnd, Slopes: []float64{-1}}, {Kind: sdk.CaseEnd, Up: 0.5, Down: 1, Slopes: []float64{0}},
		},
	}}}}))
	st.Claim = certificate.Claim{Kind: certificate.MaxK, K: 2}
	f.Add(write(f, st, []*certificate.Leaf{{Box: box}}))
	forest := randomForest(rand.New(rand.NewPCG(1, 1)), fairness.Logit, false)
	f.Add(write(f, forest, []*certificate.Leaf{{Box: forest.RegionOrWhole().Box}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := certificate.NewReader(bytes.NewReader(text))
		if err != nil {
			return
		}
		st := r.Statement()
		if st.Model().Parameters() > 200 || st.RegionOrWhole().Count() > 20 || len(st.Space.Features) > 10 {
			return // large ones take too long
		}
		if !st.Space.HasReals() && Points(st.Space, st.RegionOrWhole().Box).Cmp(big.NewInt(200)) > 0 {
			return
		}
		report, err := Run(context.Background(), r, Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if report.Refusal == nil && !st.Space.HasReals() && !holds(st) {
			t.Fatalf("accepted, but false: %s", text)
		}
	})
}

// TestRunEndsWithItsContext: an interrupted check accepts nothing.
func TestRunEndsWithItsContext(t *testing.T) {
	st := oneNeuron()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := certificate.NewReader(bytes.NewReader(write(t, st, []*certificate.Leaf{{Box: st.Space.Whole().Box, Enumerated: true}})))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(ctx, r, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestTheFirstLeafAtFaultIsNamed: with many faulty leaves and racing workers.
func TestTheFirstLeafAtFaultIsNamed(t *testing.T) {
	st := original(t)
	limit, _ := st.Epsilon.Float64()
	leaves, _ := prove(rand.New(rand.NewPCG(3, 3)), st, limit-slack, -1)
	d := parse(t, write(t, st, leaves))
	want := 0
	for i, l := range d.leaves {
		if of := list(l["copies"]); i >= 3 && len(of) > 0 {
			of[0].(map[string]any)["logit"] = []float64{100, 101}
			if want == 0 {
				want = i + 1
			}
		}
	}
	for range 20 {
		r, err := certificate.NewReader(bytes.NewReader(d.bytes(t)))
		if err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), r, Options{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		if report.Refusal == nil || report.Refusal.Leaf != int64(want) || report.Refusal.Line != int64(want)+4 {
			t.Fatalf("%v, want leaf %d", report.Refusal, want)
		}
	}
}
