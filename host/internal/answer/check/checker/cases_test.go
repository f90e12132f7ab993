package checker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// fewPeople is a question about scores of two to sixteen copies. The individuals are few enough for this test to enumerate, and too many
// for the solver to.
func fewPeople(r *rand.Rand, goal problem.Goal) *problem.Query {
	if r.IntN(3) == 0 { // tables, constraints, softmax
		st := randomStatement(r, fairness.Score, false)
		st.Space.Features[0].Hi = 40
		if st.Region.Box != nil {
			st.Region.Box[0].Hi = 30
		}
		return &problem.Query{Model: st.Network, Space: st.Space, Region: st.Region, Notion: st.Notion, Epsilon: big.NewRat(1, 5), Forbid: st.Forbid, Goal: goal}
	}
	s := &space.Space{}
	input := func(scale, offset float64) []space.Input {
		s.Inputs++
		return []space.Input{{Index: s.Inputs - 1, Scale: scale, Offset: offset}}
	}
	protect := func(name string, n int) {
		f := space.Feature{Name: name, Kind: space.Integer, Hi: float64(n - 1), Inputs: input(1/float64(n), -0.25)}
		for v := range n {
			f.Protected = append(f.Protected, float64(v))
		}
		s.Features = append(s.Features, f)
	}
	protect("sex", 2)
	if goal == problem.MaxK || r.IntN(2) == 0 {
		protect("race", 2+r.IntN(7))
	}
	for i := range 3 {
		scale := []float64{0.25, -0.25}[r.IntN(2)]
		s.Features = append(s.Features, space.Feature{Name: fmt.Sprint(i), Kind: space.Integer, Lo: -4, Hi: 4, Inputs: input(scale, 0)})
	}
	return &problem.Query{
		Model: randomNetwork(r, []int{s.Inputs, 6, 5}), Space: s, Region: s.Whole(), Notion: fairness.Score, Epsilon: big.NewRat(1, 5), Goal: goal,
	}
}

// casesOf lists the proofs by cases in a certificate.
func casesOf(d *document) (out []map[string]any) {
	for _, l := range d.leaves {
		for _, c := range list(l["cases"]) {
			out = append(out, c.(map[string]any))
		}
	}
	return out
}

// endsOf lists the end steps of a proof by cases.
func endsOf(c map[string]any) (out [][]any) {
	for _, s := range list(c["steps"]) {
		if e := list(s.(map[string]any)["end"]); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// treeOf is the number of steps in the first tree.
func treeOf(steps []any) (n int) {
	for left := 1; left > 0; left-- {
		if steps[n].(map[string]any)["end"] == nil {
			left += 2
		}
		n++
	}
	return n
}

// without removes the root step of a proof by cases and its i-th subtree of two.
func without(i int, c map[string]any) bool {
	steps := list(c["steps"])
	if treeOf(steps) == 1 {
		return false
	}
	first := treeOf(steps[1:])
	if i == 0 {
		c["steps"] = steps[1+first:]
	} else {
		c["steps"] = steps[1 : 1+first]
	}
	return true
}

// caseMutations change a proof by cases, or its leaf, and report whether they applied. why is set for those that are always refused: a part
// of the reason.
var caseMutations = []struct {
	name   string
	change func(r *rand.Rand, leaf, c map[string]any) bool
	why    string
}{
	{"no cases", func(_ *rand.Rand, leaf, _ map[string]any) bool { delete(leaf, "cases"); return true }, ""},
	{"one direction missing", func(_ *rand.Rand, leaf, _ map[string]any) bool {
		leaf["cases"] = list(leaf["cases"])[1:]
		return true
	}, ""},
	{"the other direction", func(_ *rand.Rand, _, c map[string]any) bool {
		c["first"], c["second"] = c["second"], c["first"]
		return true
	}, ""},
	{"without the first case", func(_ *rand.Rand, _, c map[string]any) bool { return without(0, c) }, ""},
	{"without the second case", func(_ *rand.Rand, _, c map[string]any) bool { return without(1, c) }, ""},
	{"the cases swapped", func(_ *rand.Rand, _, c map[string]any) bool {
		steps := list(c["steps"])
		if treeOf(steps) == 1 {
			return false
		}
		first := treeOf(steps[1:])
		c["steps"] = slices.Concat(steps[:1], steps[1+first:], steps[1:1+first])
		return true
	}, ""},
	{"a slope's sign", func(r *rand.Rand, _, c map[string]any) bool {
		all := endsOf(c)
		e := all[r.IntN(len(all))]
		for i := 2; i < len(e); i++ {
			if v := e[i].(float64); v > 0.1 || v < -0.1 {
				e[i] = -v
				return true
			}
		}
		return false
	}, ""},
	{"all slopes", func(_ *rand.Rand, _, c map[string]any) bool {
		for _, e := range endsOf(c) {
			for i := 2; i < len(e); i++ {
				e[i] = e[i].(float64) + 0.5
			}
		}
		return true
	}, ""},
	{"the weights", func(_ *rand.Rand, _, c map[string]any) bool {
		for _, e := range endsOf(c) {
			e[0], e[1] = 1e-3, 1
		}
		return true
	}, ""},
	{"no weights", func(_ *rand.Rand, _, c map[string]any) bool {
		for _, e := range endsOf(c) {
			e[0], e[1] = 0, 0
		}
		return true
	}, ""},
	{"another neuron", func(_ *rand.Rand, _, c map[string]any) bool {
		for _, s := range list(c["steps"]) {
			if n, ok := s.(map[string]any)["relu"].(float64); ok && n > 0 {
				s.(map[string]any)["relu"] = n - 1
				return true
			}
		}
		return false
	}, ""},
	{"no such neuron", func(_ *rand.Rand, _, c map[string]any) bool {
		list(c["steps"])[0] = map[string]any{"relu": 1000}
		return true
	}, "neuron 1000: want at least 0 and less than"},
	{"a missing branch", func(_ *rand.Rand, _, c map[string]any) bool {
		c["steps"] = list(c["steps"])[:len(list(c["steps"]))-1]
		return true
	}, "ends before it is complete"},
	{"a branch too many", func(_ *rand.Rand, _, c map[string]any) bool {
		c["steps"] = append(list(c["steps"]), list(c["steps"])[len(list(c["steps"]))-1])
		return true
	}, "completes the tree, yet more follow"},
	{"a missing slope", func(_ *rand.Rand, _, c map[string]any) bool {
		e := endsOf(c)[0]
		if len(e) < 3 {
			return false
		}
		for _, s := range list(c["steps"]) {
			if s := s.(map[string]any); s["end"] != nil {
				s["end"] = e[:len(e)-1]
			}
		}
		return true
	}, "slopes for"},
	{"a slope beyond all numbers", func(_ *rand.Rand, _, c map[string]any) bool {
		e := endsOf(c)[0]
		if len(e) < 3 {
			return false
		}
		e[2] = json.Number("1e999")
		return true
	}, "beyond the range"},
	{"a negative weight", func(_ *rand.Rand, _, c map[string]any) bool { endsOf(c)[0][0] = -1.0; return true }, "weights -1"},
	{"too deep", func(_ *rand.Rand, _, c map[string]any) bool {
		if len(endsOf(c)[0]) < 3 {
			return false
		}
		steps := list(c["steps"])
		for range 300 {
			steps = slices.Concat([]any{map[string]any{"relu": 0}}, steps, []any{map[string]any{"end": endsOf(c)[0]}})
		}
		c["steps"] = steps
		return true
	}, "deep"},
	{"another box", func(_ *rand.Rand, leaf, _ map[string]any) bool {
		box := list(leaf["box"])
		if box[0].(float64) == box[1].(float64) {
			return false
		}
		box[0] = box[0].(float64) + 1
		return true
	}, "no leaf covers"},
	{"of logits", nil, ""},
	{"version 2", nil, "version 3"},
}

// TestCasesAreChecked: the solver's proofs by cases are accepted and true. They are refused after a change that matters, and a false claim
// is refused with any proof.
func TestCasesAreChecked(t *testing.T) {
	tier.NeedUsual(t)
	solver, _ := plugintest.Solver(t, "bnb")
	steps, proofs, hulls := map[string]int{}, map[problem.Goal]int{}, 0
	refused := map[string]int{}
	for seed := range uint64(tier.Count(14, 100)) {
		r := rand.New(rand.NewPCG(seed, 50))
		goal := []problem.Goal{problem.Maximise, problem.MaxK}[seed%2]
		text, _ := solvedWith(t, solver, fewPeople(r, goal), map[string]string{"cases": "0"})
		d := parse(t, text)
		all := casesOf(d)
		if len(all) == 0 {
			continue
		}
		name := fmt.Sprintf("seed %d, %s", seed, goal)
		if why := judge(t, text); why != "" {
			t.Fatalf("%s: %s", name, why)
		}
		reader, err := certificate.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if !holds(reader.Statement()) {
			t.Fatalf("%s: accepted, but false", name)
		}
		proofs[goal] += len(all)
		for _, c := range all {
			if len(list(get(c, "first", "copies")))+len(list(get(c, "second", "copies"))) > 2 {
				hulls++
			}
			for _, s := range list(c["steps"]) {
				for kind := range s.(map[string]any) {
					steps[kind]++
				}
			}
		}
		for range 12 { // as a forger who seals the file again
			d := tryParse(fumble(r, text))
			if d == nil {
				continue
			}
			d.seal(t)
			reader, err := certificate.NewReader(bytes.NewReader(d.bytes(t)))
			if err == nil && Points(reader.Statement().Space, reader.Statement().RegionOrWhole().Box).Cmp(big.NewInt(2000)) <= 0 &&
				judge(t, d.bytes(t)) == "" && !holds(reader.Statement()) {
				t.Fatalf("%s: accepted, but false:\n%s", name, d.bytes(t))
			}
		}
		for _, m := range caseMutations {
			d := parse(t, text)
			at := slices.IndexFunc(d.leaves, func(l map[string]any) bool { return len(list(l["cases"])) > 0 })
			leaf := d.leaves[at]
			switch {
			case m.name == "of logits" && goal == problem.Maximise:
				d.header["notion"] = "logit"
			case m.name == "of logits":
				continue
			case m.name == "version 2":
				d.header["version"] = 2
			case !m.change(r, leaf, list(leaf["cases"])[0].(map[string]any)):
				continue
			}
			why := judge(t, d.bytes(t))
			if m.why != "" && !strings.Contains(why, m.why) {
				t.Errorf("%s, %s: %q, want %q", name, m.name, why, m.why)
			}
			if why != "" {
				refused[m.name]++
			}
			// The same proof for a false claim.
			switch claim := d.header["claim"].(map[string]any); goal {
			case problem.Maximise:
				bound, _ := new(big.Rat).SetString(claim["bound"].(string))
				claim["bound"] = bound.Mul(bound, big.NewRat(999999, 1000000)).RatString()
			default:
				k := claim["k"].(float64)
				if k < 2 {
					continue
				}
				claim["k"] = k - 1
			}
			if judge(t, d.bytes(t)) == "" {
				t.Errorf("%s: a smaller bound with %s is accepted", name, m.name)
			}
		}
	}
	t.Logf("%v proofs by cases, %d of hulls, steps %v; refused: %v", proofs, hulls, steps, refused)
	if proofs[problem.Maximise] < tier.Count(8, 20) || proofs[problem.MaxK] < tier.Count(1, 5) || hulls < tier.Count(2, 5) || steps["relu"] < tier.Count(15, 50) || steps["cut"] < tier.Count(1, 5) || len(refused) < len(caseMutations) {
		t.Errorf("%v proofs, %d of hulls, steps %v and %v refused do not show much", proofs, hulls, steps, refused)
	}
}
