package checker

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// twoCopies is a question about two copies, with enough individuals that bounds close most leaves.
func twoCopies(r *rand.Rand, notion fairness.Notion) *problem.Query {
	s := &space.Space{Inputs: 5, Features: []space.Feature{{
		Name: "sex", Kind: space.Integer, Hi: 1, Protected: []float64{0, 1}, Inputs: []space.Input{{Index: 0, Scale: 0.5}},
	}}}
	for i := 1; i < s.Inputs; i++ {
		s.Features = append(s.Features, space.Feature{Name: fmt.Sprint(i), Kind: space.Integer, Hi: 15, Inputs: []space.Input{{Index: i, Scale: 1.0 / 8, Offset: -1}}})
	}
	return &problem.Query{
		Model: randomNetwork(r, []int{s.Inputs, 6, 5}), Space: s, Region: s.Whole(), Notion: notion, Epsilon: big.NewRat(1, 20), Goal: problem.Maximise,
	}
}

// TestTwoCopiesAreCheckedTogether: the solver's joint proofs about two copies are accepted. They are refused once the
// joint part is removed, or changed where it matters.
func TestTwoCopiesAreCheckedTogether(t *testing.T) {
	tier.NeedUsual(t)
	solver, _ := plugintest.Solver(t, "bnb")
	joint, tangents, needed := 0, 0, map[string]int{}
	for seed := range uint64(tier.Count(8, 40)) {
		notion := []fairness.Notion{fairness.Logit, fairness.Score}[seed%2]
		text, _ := solved(t, solver, twoCopies(rand.New(rand.NewPCG(seed, 48)), notion))
		if why := judge(t, text); why != "" {
			t.Errorf("seed %d, %s: %s", seed, notion, why)
		}
		joint, tangents = joint+bytes.Count(text, []byte(`"joint"`)), tangents+bytes.Count(text, []byte(`"tangent"`))
		each := func(change func(d *document, c map[string]any)) func(d *document) {
			return func(d *document) {
				for _, l := range d.leaves {
					for _, c := range list(l["copies"]) {
						change(d, c.(map[string]any))
					}
				}
			}
		}
		for name, change := range map[string]func(d *document){
			"no joint slopes": each(func(_ *document, c map[string]any) { delete(c, "joint") }),
			"no tangents":     each(func(_ *document, c map[string]any) { delete(c, "tangent") }),
			"other joint slopes": each(func(_ *document, c map[string]any) {
				for i := range list(c["joint"]) {
					if i%4 >= 2 {
						list(c["joint"])[i] = 3 - list(c["joint"])[i].(float64)
					}
				}
			}),
			"another tangent": each(func(_ *document, c map[string]any) {
				if c["tangent"] != nil {
					c["tangent"] = []any{1e-3, 1}
				}
			}),
			"a smaller bound": func(d *document) {
				bound, _ := new(big.Rat).SetString(get(d.header, "claim", "bound").(string))
				d.header["claim"].(map[string]any)["bound"] = new(big.Rat).Mul(bound, big.NewRat(999999, 1000000)).RatString()
			},
			"version 1": func(d *document) { d.header["version"] = 1 },
		} {
			d := parse(t, text)
			change(d)
			changed := d.bytes(t)
			if bytes.Equal(changed, parse(t, text).bytes(t)) {
				continue
			}
			why := judge(t, changed)
			if why == "" && (name == "a smaller bound" || name == "version 1" && bytes.Contains(text, []byte(`"joint"`))) {
				t.Errorf("seed %d, %s: %s is accepted", seed, notion, name)
			}
			if strings.Contains(why, "prove the claim") || strings.Contains(why, "version 2") || strings.Contains(why, "breaks the claim") {
				needed[name]++
			}
		}
	}
	t.Logf("%d joint slopes, %d tangents; refused: %v", joint, tangents, needed)
	if joint < 50 || tangents < 20 || len(needed) < 6 {
		t.Errorf("%d joint slopes, %d tangents and %v refused do not show much", joint, tangents, needed)
	}
}
