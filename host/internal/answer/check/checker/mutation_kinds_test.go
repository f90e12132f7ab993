package checker

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/certificate"
)

// set replaces a field of the first line.
func set(name string, value any) func(testing.TB, *certificate.Statement, *document) {
	return func(_ testing.TB, _ *certificate.Statement, d *document) { d.header[name] = value }
}

func less(r *big.Rat) string {
	tiny := new(big.Rat).SetFrac64(1, 1<<36)
	return new(big.Rat).Sub(r, tiny).RatString()
}

func claimMutations() []mutation {
	return []mutation{
		{"a smaller ε", true, func(_ testing.TB, st *certificate.Statement, d *document) { d.header["epsilon"] = less(st.Epsilon) }, "breaks the claim"},
		{"no ε", false, func(_ testing.TB, _ *certificate.Statement, d *document) { delete(d.header, "epsilon") }, "ε is missing"},
		{"ε = 0", false, set("epsilon", "0"), "outside 0 < ε < 1"},
		{"ε as an exponent", false, set("epsilon", "1e-2"), "neither a decimal nor a fraction"},
		{"ε over nothing", false, set("epsilon", "1/0"), "neither a decimal nor a fraction"},
		{"the notion of logits", true, set("notion", "logit"), ""},
		{"the notion of decisions", true, set("notion", "decision"), ""},
		{"the strict notion of decisions", true, set("notion", "decision-strict"), ""},
		{"an unknown notion", false, set("notion", "parity"), "known: score"},
		{"a bound below the largest gap", true, func(_ testing.TB, st *certificate.Statement, d *document) {
			d.header["claim"] = map[string]any{"kind": "gap", "bound": less(st.Epsilon)}
		}, "breaks the claim"},
		{"a negative bound", false, set("claim", map[string]any{"kind": "gap", "bound": "-1"}), "not negative"},
		{"a bound without the bound", false, set("claim", map[string]any{"kind": "gap"}), "has a bound"},
		{"a bound with k", false, set("claim", map[string]any{"kind": "gap", "bound": "1", "k": 3}), "a bound and no k"},
		{"k below the largest", true, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.header["claim"] = map[string]any{"kind": "max-k", "k": 1}
		}, ""},
		{"k = 0", false, set("claim", map[string]any{"kind": "max-k", "k": 0}), "whole number"},
		{"an unknown claim", false, set("claim", map[string]any{"kind": "kind"}), "known: fair"},
	}
}

// weight changes a number in the network and seals the file.
func weight(change func(float64) float64, path ...any) func(testing.TB, *certificate.Statement, *document) {
	return func(t testing.TB, _ *certificate.Statement, d *document) {
		values := get(d.network, path[:len(path)-1]...).([]any)
		i := path[len(path)-1].(int)
		values[i] = change(values[i].(float64))
		d.seal(t)
	}
}

func subjectMutations() []mutation {
	times := func(by float64) func(float64) float64 { return func(v float64) float64 { return v * by } }
	feature := func(i int, name string, value any) func(testing.TB, *certificate.Statement, *document) {
		return func(t testing.TB, _ *certificate.Statement, d *document) {
			get(d.space, "space", "features", i).(map[string]any)[name] = value
			d.seal(t)
		}
	}
	return []mutation{
		{"a weight, not sealed", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.network, "network", "layers", 0, "weights").([]any)[3] = 0.5
		}, "network_sha256"},
		{"a bias, not sealed", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.network, "network", "layers", 1, "bias").([]any)[0] = 0.5
		}, "network_sha256"},
		{"another fingerprint of the network", false, set("network_sha256", strings.Repeat("0", 64)), "network_sha256"},
		{"another fingerprint of the space", false, set("space_sha256", ""), "space_sha256"},
		{"larger weights of the output", true, func(t testing.TB, st *certificate.Statement, d *document) {
			for i := range 4 {
				weight(times(8), "network", "layers", 2, "weights", i)(t, st, d)
			}
		}, ""},
		{"a larger weight of sex", true, func(t testing.TB, st *certificate.Statement, d *document) {
			for j := range 5 {
				weight(times(8), "network", "layers", 0, "weights", j*6+1)(t, st, d)
			}
		}, ""},
		{"another bias of the output", true, weight(func(v float64) float64 { return v - 1 }, "network", "layers", 2, "bias", 0), ""},
		{"a hidden layer without its ReLU", true, func(t testing.TB, _ *certificate.Statement, d *document) {
			for k := range 2 {
				get(d.network, "network", "layers", k).(map[string]any)["relu"] = false
			}
			for _, l := range d.leaves {
				for _, c := range list(l["copies"]) {
					delete(c.(map[string]any), "slopes")
				}
			}
			d.seal(t)
		}, ""},
		{"a weight too few", false, func(t testing.TB, _ *certificate.Statement, d *document) {
			l := get(d.network, "network", "layers", 1).(map[string]any)
			l["weights"] = list(l["weights"])[1:]
		}, "weights for shape"},
		{"a layer left out", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			n := d.network["network"].(map[string]any)
			n["layers"] = slices.Delete(list(n["layers"]), 1, 2)
		}, "takes 4 inputs"},
		{"a softmax of one unit", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.network["network"].(map[string]any)["head"] = "softmax"
		}, "output units"},
		{"a wider domain and region", false, func(t testing.TB, st *certificate.Statement, d *document) {
			feature(0, "hi", 20)(t, st, d)
			get(d.region, "region", "box").([]any)[1] = 20
		}, "no leaf covers age=14..20"},
		{"a map of an input", true, func(t testing.TB, _ *certificate.Statement, d *document) {
			get(d.space, "space", "features", 1, "inputs", 0).(map[string]any)["scale"] = 4
			d.seal(t)
		}, ""},
		{"an entry of a table", false, func(t testing.TB, _ *certificate.Statement, d *document) {
			// Logits far exceed the bounds stated in leaves.
			get(d.space, "space", "features", 2, "inputs", 0, "table").([]any)[0] = 1e6
			d.seal(t)
		}, "is stated to lie"},
		{"a map, not sealed", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.space, "space", "features", 0, "inputs", 0).(map[string]any)["offset"] = -2
		}, "space_sha256"},
		{"a category too few", false, feature(2, "categories", []string{"a", "b"}), "categories"},
		{"a constraint dropped", false, func(t testing.TB, _ *certificate.Statement, d *document) {
			d.space["space"].(map[string]any)["forbidden"] = []any{}
			// The checker would find the truth in enumerated leaves.
			d.leaves = slices.DeleteFunc(d.leaves, func(l map[string]any) bool { return l["enumerated"] == true })
			d.end["end"] = map[string]any{"leaves": len(d.leaves)}
			d.seal(t)
		}, "no copy with the protected values"},
	}
}

func regionMutations() []mutation {
	return []mutation{
		{"a wider region", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "region", "box").([]any)[1] = 14
		}, "no leaf covers age=14"},
		{"a narrower region", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "region", "box").([]any)[1] = 12
		}, "not inside"},
		{"a region beyond the space", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "region", "box").([]any)[0] = -1
		}, "not inside"},
		{"one more protected value", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			values := get(d.region, "region", "values").([]any)
			values[1] = append(list(values[1]), 3.0)
		}, ""},
		{"a protected value that is none", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "region", "values", 1).([]any)[1] = 2
		}, "not a protected value"},
		{"the excluded individual let in", true, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.region["forbid"] = []any{}
		}, "breaks the claim"},
		{"another individual excluded", true, func(_ testing.TB, _ *certificate.Statement, d *document) {
			c := get(d.region, "forbid", 0, 0).(map[string]any)
			c["lo"] = math.Mod(c["lo"].(float64)+1, 13)
			c["hi"] = c["lo"]
		}, "breaks the claim"},
		{"a predicate about a protected feature", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "forbid", 0, 0).(map[string]any)["feature"] = "sex"
		}, "protected feature"},
		{"a predicate about no feature", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			get(d.region, "forbid", 0, 0).(map[string]any)["feature"] = "height"
		}, "unknown feature"},
	}
}

// drop removes a leaf and corrects the count at the end.
func drop(i func(d *document) int) func(testing.TB, *certificate.Statement, *document) {
	return func(_ testing.TB, _ *certificate.Statement, d *document) {
		at := i(d)
		d.leaves = slices.Delete(d.leaves, at, at+1)
		d.end["end"] = map[string]any{"leaves": len(d.leaves)}
	}
}

// edge moves one edge of the box of the first leaf, enumerated or not, that allows it.
func edge(enumerated bool, can func(lo, hi float64) bool, move func(box []any)) func(testing.TB, *certificate.Statement, *document) {
	return func(t testing.TB, _ *certificate.Statement, d *document) {
		for _, l := range d.leaves {
			if box := list(l["box"]); (l["enumerated"] == true) == enumerated && can(box[0].(float64), box[1].(float64)) {
				move(box)
				return
			}
		}
		t.Fatal("no such leaf")
	}
}

func leafMutations() []mutation {
	wide := func(lo, hi float64) bool { return lo < hi }
	notLast := func(_, hi float64) bool { return hi < 13 }
	notFirst := func(lo, _ float64) bool { return lo > 0 }
	whichever := func(_, _ float64) bool { return true }
	by := func(i int, v float64) func([]any) { return func(box []any) { box[i] = box[i].(float64) + v } }
	return []mutation{
		{"a leaf dropped", false, drop(func(d *document) int { return d.leaf(false) }), "no leaf covers"},
		{"an enumerated leaf dropped", false, drop(func(d *document) int { return d.leaf(true) }), "no leaf covers"},
		{"the last leaf dropped", false, drop(func(d *document) int { return len(d.leaves) - 1 }), "no leaf covers"},
		{"a leaf dropped, the end untouched", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves = d.leaves[1:]
		}, "it states"},
		{"all leaves dropped", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves, d.end = nil, map[string]any{"end": map[string]any{"leaves": 0}}
		}, "no leaf covers"},
		{"a leaf twice", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves = append(d.leaves, d.leaves[0])
			d.end["end"] = map[string]any{"leaves": len(d.leaves)}
		}, "overlap"},
		{"a leaf for another", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves[d.leaf(true)] = d.leaves[d.leaf(false)]
		}, ""},
		{"the region as one more leaf", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves = append(d.leaves, map[string]any{"box": get(d.region, "region", "box"), "enumerated": true})
			d.end["end"] = map[string]any{"leaves": len(d.leaves)}
		}, "overlap"},
		{"an enumerated box shrunk from above", false, edge(true, wide, by(1, -1)), "no leaf covers"},
		{"an enumerated box shrunk from below", false, edge(true, wide, by(0, 1)), "no leaf covers"},
		{"an enumerated box grown upwards", false, edge(true, notLast, by(1, 1)), "overlap"},
		{"an enumerated box grown downwards", false, edge(true, notFirst, by(0, -1)), "overlap"},
		{"a bounded box shrunk", false, edge(false, wide, by(1, -1)), "no leaf covers"},
		{"a box moved", false, edge(true, notLast, func(box []any) { by(0, 1)(box); by(1, 1)(box) }), ""},
		{"a box upside down", false, edge(false, wide, func(box []any) { box[0], box[1] = box[1], box[0] }), "empty"},
		{"a box with a fractional end", false, edge(false, whichever, by(1, 0.5)), ""},
		{"a box outside the region", false, edge(false, whichever, func(box []any) { box[1] = 15.0 }), "not inside"},
		{"a box with a number too few", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves[0]["box"] = list(d.leaves[0]["box"])[1:]
		}, "numbers for"},
		{"a bounded leaf that says enumerated", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves[d.leaf(false)]["enumerated"] = true
		}, "must not have copies"},
		{"nothing enumerated any more", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			// At the largest gap, ε leaves no margin for any relaxation.
			box := get(d.region, "region", "box")
			d.leaves = []map[string]any{{"box": box}}
			d.end["end"] = map[string]any{"leaves": 1}
		}, "do not prove the claim"},
	}
}

func copyMutations() []mutation {
	// in changes the copy with slopes of a bounded leaf.
	in := func(change func(st *certificate.Statement, leaf, c map[string]any)) func(testing.TB, *certificate.Statement, *document) {
		return func(_ testing.TB, st *certificate.Statement, d *document) {
			leaf, c := d.bounded()
			change(st, leaf, c)
		}
	}
	slope := func(i int, v any) func(testing.TB, *certificate.Statement, *document) {
		return in(func(_ *certificate.Statement, _, c map[string]any) { list(c["slopes"])[i] = v })
	}
	return []mutation{
		{"a lower bound above what is attained", false, in(func(st *certificate.Statement, leaf, c map[string]any) {
			lo, _ := attained(st, leaf, c)
			list(c["logit"])[0] = math.Nextafter(lo, math.Inf(1)) + 1e-9
			list(c["logit"])[1] = 1e6
		}), "is stated to lie"},
		{"an upper bound below what is attained", false, in(func(st *certificate.Statement, leaf, c map[string]any) {
			_, hi := attained(st, leaf, c)
			list(c["logit"])[0], list(c["logit"])[1] = -1e6, hi-1e-9
		}), "is stated to lie"},
		{"bounds upside down", false, in(func(_ *certificate.Statement, _, c map[string]any) {
			l := list(c["logit"])
			l[0], l[1] = l[1], l[0]
		}), "must be finite and not empty"},
		{"a bound too few", false, in(func(_ *certificate.Statement, _, c map[string]any) { c["logit"] = list(c["logit"])[:1] }), "two ends"},
		{"the bounds of another copy", false, func(_ testing.TB, st *certificate.Statement, d *document) {
			// A box where all logits of one copy exceed all bounds stated for another.
			for _, l := range d.leaves {
				for _, a := range list(l["copies"]) {
					for _, b := range list(l["copies"]) {
						a, b := a.(map[string]any), b.(map[string]any)
						if lo, _ := attained(st, l, a); len(list(l["copies"])) > 1 && lo > list(b["logit"])[1].(float64) {
							a["logit"] = b["logit"]
							return
						}
					}
				}
			}
			panic("no two copies lie apart")
		}, "is stated to lie"},
		{"a slope above 1", false, slope(2, 1.0000001), "outside 0 to 1"},
		{"a slope below 0", false, slope(2, -1e-9), "outside 0 to 1"},
		{"a slope of no layer", false, slope(0, 3), "no ReLU"},
		{"a slope of the output", false, slope(0, 2), "no ReLU"},
		{"a slope of no neuron", false, slope(1, 5), "which has"},
		{"a slope of a neuron and a half", false, slope(1, 0.5), "not the number of a layer or neuron"},
		{"a slope twice", false, in(func(_ *certificate.Statement, _, c map[string]any) {
			c["slopes"] = append(slices.Clone(list(c["slopes"])[:3]), list(c["slopes"])...)
		}), "out of place"},
		{"a slope without a neuron", false, in(func(_ *certificate.Statement, _, c map[string]any) { c["slopes"] = list(c["slopes"])[1:] }), ""},
		{"a copy dropped", false, in(func(_ *certificate.Statement, leaf, _ map[string]any) { leaf["copies"] = list(leaf["copies"])[1:] }), "no copy with"},
		{"the last copy dropped", false, in(func(_ *certificate.Statement, leaf, _ map[string]any) { leaf["copies"] = list(leaf["copies"])[:3] }), "no copy with"},
		{"all copies dropped", false, in(func(_ *certificate.Statement, leaf, _ map[string]any) { leaf["copies"] = []any{} }), "no copy with"},
		{"a copy twice", false, in(func(_ *certificate.Statement, leaf, _ map[string]any) {
			leaf["copies"] = append(list(leaf["copies"])[:1:1], list(leaf["copies"])[:3]...)
		}), "want increasing order"},
		{"a copy of nobody in the region", false, in(func(_ *certificate.Statement, leaf, c map[string]any) { list(c["protected"])[1] = 3 }), "not a value of"},
		{"a protected value too few", false, in(func(_ *certificate.Statement, leaf, c map[string]any) { c["protected"] = list(c["protected"])[1:] }), "protected values for"},
	}
}

func formMutations() []mutation {
	return []mutation{
		{"another format", false, set("format", "certificate"), "known: hyfair-certificate"},
		{"another version", false, set("version", 5), "version 5"},
		{"an unknown field", false, set("trusted", true), "unknown field"},
		{"a missing field", false, func(_ testing.TB, _ *certificate.Statement, d *document) { delete(d.header, "claim") }, "missing"},
		{"a null", false, set("claim", nil), "expected"},
		{"a number beyond float64", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.leaves[0]["box"].([]any)[0] = json.Number("1e400")
		}, "beyond the range"},
		{"no end", false, func(_ testing.TB, _ *certificate.Statement, d *document) { d.end = nil }, "cut short"},
		{"an end of more leaves", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.end["end"] = map[string]any{"leaves": len(d.leaves) + 1}
		}, "it states"},
		{"something after the end", false, func(_ testing.TB, _ *certificate.Statement, d *document) { d.after = "{}" }, "follows the end"},
		{"a leaf after the end", false, func(_ testing.TB, _ *certificate.Statement, d *document) {
			d.after = fmt.Sprintf("{\"box\":%s,\"enumerated\":true}\n", "[0,0,0,0]")
		}, "follows the end"},
		{"the space before the network", false, func(_ testing.TB, _ *certificate.Statement, d *document) { d.network, d.space = d.space, d.network }, "unknown field"},
	}
}
