package checker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"reflect"
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

// The rules under which a certificate with a part dropped, doubled or swapped is still
// valid. Every other change removes the proof and is refused.
const (
	forPeople  = "the producer, the study and the layers' names are for people"
	ownBounds  = "where no enclosure and no copies are stated, the checker's own count"
	ownSlopes  = "any slope is sound, and the checker has its own where none is given"
	anyOrder   = "leaves have no order"
	lessStrict = "an enclosure that holds is enough, whosever it is"
)

// mutant is a certificate with one part changed, and the rule under which it may be
// accepted; empty: it must be refused.
type mutant struct {
	name, rule string
	text       []byte
}

// mutants changes every part of a solver's certificate in turn.
func mutants(t testing.TB, text []byte) (list []mutant) {
	t.Helper()
	add := func(rule string, lines [][]byte, format string, args ...any) {
		list = append(list, mutant{fmt.Sprintf(format, args...), rule, bytes.Join(lines, nil)})
	}
	lines := slices.Collect(bytes.Lines(text))
	leaf := func(i int) bool { return i >= certificate.StatementLines && i < len(lines)-1 }
	for i := range lines {
		add("", slices.Delete(slices.Clone(lines), i, i+1), "line %d dropped", i+1)
		add("", slices.Insert(slices.Clone(lines), i, lines[i]), "line %d doubled", i+1)
		if i > 0 {
			swapped, rule := slices.Clone(lines), ""
			swapped[i-1], swapped[i] = lines[i], lines[i-1]
			if leaf(i-1) && leaf(i) {
				rule = anyOrder
			}
			add(rule, swapped, "lines %d and %d swapped", i, i+1)
		}
	}
	for i := range lines {
		change := func(rule, name string, edit func(v map[string]any)) {
			v := map[string]any{}
			if err := json.Unmarshal(lines[i], &v); err != nil {
				t.Fatal(err)
			}
			edit(v)
			line, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			add(rule, slices.Replace(slices.Clone(lines), i, i+1, append(line, '\n')), "line %d: %s", i+1, name)
		}
		parts(t, lines[i], change)
	}
	return list
}

// parts changes the parts of one line.
func parts(t testing.TB, line []byte, change func(rule, name string, edit func(map[string]any))) {
	t.Helper()
	v := map[string]any{}
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	copies := list(v["copies"])
	for name := range v {
		rule := map[string]string{"producer": forPeople, "study": forPeople, "copies": ownBounds, "enumerated": ownBounds}[name]
		change(rule, name+" dropped", func(v map[string]any) { delete(v, name) })
		for other := range v {
			if name < other && !reflect.DeepEqual(v[name], v[other]) {
				change("", name+" and "+other+" swapped", func(v map[string]any) { v[name], v[other] = v[other], v[name] })
			}
		}
		if inner, ok := v[name].(map[string]any); ok { // the network, the space, the region, the claim, the end
			for field := range inner {
				change("", name+"."+field+" dropped", func(v map[string]any) { delete(v[name].(map[string]any), field) })
			}
		}
	}
	for c := range copies {
		of := func(v map[string]any, c int) map[string]any { return list(v["copies"])[c].(map[string]any) }
		at := fmt.Sprintf("copy %d ", c)
		change("", at+"dropped", func(v map[string]any) { v["copies"] = slices.Delete(list(v["copies"]), c, c+1) })
		change("", at+"doubled", func(v map[string]any) { v["copies"] = slices.Insert(list(v["copies"]), c, list(v["copies"])[c]) })
		change("", at+"without its values", func(v map[string]any) { delete(of(v, c), "protected") })
		change(ownBounds, at+"without its enclosure", func(v map[string]any) { delete(of(v, c), "logit") })
		change(ownSlopes, at+"without its slopes", func(v map[string]any) { delete(of(v, c), "slopes") })
		change(ownSlopes, at+"without its joint slopes", func(v map[string]any) { delete(of(v, c), "joint") })
		change("", at+"with its enclosure the other way round", func(v map[string]any) { slices.Reverse(list(of(v, c)["logit"])) })
		if c > 0 {
			change("", at+"and the one before swapped", func(v map[string]any) {
				l := list(v["copies"])
				l[c-1], l[c] = l[c], l[c-1]
			})
			for field, rule := range map[string]string{"protected": "", "logit": lessStrict, "slopes": ownSlopes} {
				change(rule, at+"with "+field+" of the one before", func(v map[string]any) { of(v, c)[field] = of(v, c-1)[field] })
			}
		}
		slopes := list(copies[c].(map[string]any)["slopes"])
		for k := 0; k < len(slopes); k += 3 {
			edit := func(rule, name string, edit func(s []any) []any) {
				change(rule, fmt.Sprintf("%sslope %d %s", at, k/3, name), func(v map[string]any) { of(v, c)["slopes"] = edit(list(of(v, c)["slopes"])) })
			}
			edit(ownSlopes, "dropped", func(s []any) []any { return slices.Delete(s, k, k+3) })
			edit("", "doubled", func(s []any) []any { return slices.Insert(s, k, s[k:k+3]...) })
			if k > 0 {
				edit("", "before the one before", func(s []any) []any {
					return slices.Concat(s[:k-3], s[k:k+3], s[k-3:k], s[k+3:])
				})
				edit(ownSlopes, "for the one before", func(s []any) []any { s[k-1], s[k+2] = s[k+2], s[k-1]; return s })
			}
		}
	}
}

// TestEveryPartIsNeeded changes every part of the solver's certificates. An accepted mutant
// has a rule, and its claim is true.
func TestEveryPartIsNeeded(t *testing.T) {
	tier.NeedUsual(t)
	solver, _ := plugintest.Solver(t, "bnb")
	tried, accepted, constrained := 0, map[string]int{}, 0
	for seed := uint64(0); constrained < tier.Count(1, 2); seed++ {
		r := rand.New(rand.NewPCG(seed, 77))
		st := randomStatement(r, fairness.Score, false)
		if len(st.Space.Forbidden) == 0 || len(st.Network.Layers) < 2 {
			continue
		}
		st.Space.Features[0].Hi, st.Region = 60, space.Region{}
		// In some boxes a constraint forbids one of the copies.
		st.Space.Forbidden = append(st.Space.Forbidden, space.Predicate{{Feature: 0, Interval: space.Interval{Lo: -3, Hi: 20}}, {Feature: 1, Set: []int{0}}})
		q := &problem.Query{Model: st.Network, Space: st.Space, Region: st.Space.Whole(), Notion: st.Notion, Forbid: st.Forbid, Goal: problem.Decide}
		// ε is slightly above the largest gap, so that not all is enumerated.
		q.Epsilon = above(largest(st))
		q.Epsilon.Add(q.Epsilon, new(big.Rat).Mul(big.NewRat(1, 10), new(big.Rat).Sub(big.NewRat(1, 1), q.Epsilon)))
		if q.Epsilon.Cmp(big.NewRat(99, 100)) > 0 {
			continue
		}
		text, _ := solved(t, solver, q)
		if why := judge(t, text); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
		if n := bytes.Count(text, []byte("\n")); n < 9 || n > 30 || !bytes.Contains(text, []byte(`"slopes"`)) {
			continue
		}
		constrained++
		for _, m := range mutants(t, text) {
			if bytes.Equal(m.text, text) {
				continue
			}
			tried++
			why := judge(t, m.text)
			if why != "" {
				continue
			}
			if accepted[m.rule]++; m.rule == "" {
				t.Errorf("seed %d, %s: accepted", seed, m.name)
			}
			reader, err := certificate.NewReader(bytes.NewReader(m.text))
			if err != nil {
				t.Fatal(err)
			}
			if !holds(reader.Statement()) {
				t.Errorf("seed %d, %s: accepted, and the claim is false", seed, m.name)
			}
		}
	}
	if t.Logf("%d mutants; accepted: %v", tried, accepted); tried < tier.Count(100, 400) || len(accepted) < 4 {
		t.Error("too few mutants to show much")
	}
}

// TestEarlierCertificates: earlier versions also make statements about forbidden copies.
// They are accepted if true.
func TestEarlierCertificates(t *testing.T) {
	st := original(t)
	limit, _ := st.Epsilon.Float64()
	leaves, _ := prove(rand.New(rand.NewPCG(3, 3)), st, limit-slack, -1)
	d := parse(t, write(t, st, leaves))
	for _, l := range d.leaves {
		box := list(l["box"])
		if l["copies"] == nil || box[2].(float64) != 2 { // sex=1 is forbidden there
			continue
		}
		more := append(list(l["copies"]), map[string]any{"protected": []any{1, 0}}, map[string]any{"protected": []any{1, 1}})
		l["copies"] = more
		if why := judge(t, d.bytes(t)); why != "" {
			t.Errorf("with copies of nobody: %s", why)
		}
		more[len(more)-1] = map[string]any{"protected": []any{1, 1}, "logit": []any{1e6, 2e6}}
		if why := judge(t, d.bytes(t)); !strings.Contains(why, "is stated to lie") {
			t.Errorf("with an untrue one: %q", why)
		}
		return
	}
	t.Error("no leaf with copies that are forbidden")
}
