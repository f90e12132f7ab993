package encode

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// feature declares feature i over the region; suffix marks the copy in names.
func (w *writer) feature(i int, suffix string, region space.Region) *smtFeature {
	f := &w.q.Space.Features[i]
	out := &smtFeature{feature: f, symbol: -1, integer: f.Discrete(), values: region.Values[i]}
	role := problem.RoleInput
	if f.IsProtected() {
		role = problem.RoleProtected
		out.lo, out.hi = out.values[0], out.values[len(out.values)-1]
	} else {
		out.lo, out.hi = region.Box[i].Lo, region.Box[i].Hi
	}
	if out.lo == out.hi {
		out.constant = out.lo
		return out
	}
	sort := "Real"
	if out.integer {
		sort = "Int"
	}
	// The prefix keeps a feature's name distinct from the script's other names.
	name := "in." + cleanName(f.Name, i) + suffix
	out.name = quoted(name)
	out.symbol = w.symbol(name, sort, role)
	if f.IsProtected() && !out.consecutive() {
		var any []string
		for _, v := range out.values {
			any = append(any, out.equals(v))
		}
		w.assert(anyOf(any))
	} else {
		w.assert("(<= " + out.literal(out.lo) + " " + out.name + " " + out.literal(out.hi) + ")")
	}
	return out
}

// consecutive reports whether the value list has all integers between its ends.
func (f *smtFeature) consecutive() bool {
	return f.integer && f.hi-f.lo == float64(len(f.values)-1)
}

// literal writes a value in the feature's sort.
func (f *smtFeature) literal(v float64) string {
	if f.integer {
		return intText(v)
	}
	return realText(exactly(v))
}

func (f *smtFeature) equals(v float64) string { return "(= " + f.name + " " + f.literal(v) + ")" }

// real is the feature as a Real.
func (f *smtFeature) real() value {
	switch {
	case f.symbol < 0:
		return value{constant: exactly(f.constant)}
	case f.integer:
		return value{term: "(to_real " + f.name + ")"}
	}
	return value{term: f.name}
}

// input is one network input fed by the feature.
func (f *smtFeature) input(in *space.Input) value {
	if in.Table == nil {
		return affine([]*big.Rat{exactly(in.Scale)}, []value{f.real()}, exactly(in.Offset))
	}
	return f.table(in.Table)
}

// table selects an entry by the feature's value: the entry that most values
// share comes last, for all values not named before.
func (f *smtFeature) table(table []float64) value {
	var entries []float64 // in order of first use
	users := map[float64][]float64{}
	for _, v := range f.discrete() {
		t := table[int(v-f.feature.Lo)]
		if users[t] == nil {
			entries = append(entries, t)
		}
		users[t] = append(users[t], v)
	}
	rest := slices.MaxFunc(entries, func(a, b float64) int { return len(users[a]) - len(users[b]) })
	if len(entries) == 1 {
		return value{constant: exactly(rest)}
	}
	text := realText(exactly(rest))
	for _, t := range entries {
		if t == rest {
			continue
		}
		var here []string
		for _, v := range users[t] {
			here = append(here, f.equals(v))
		}
		text = "(ite " + anyOf(here) + " " + realText(exactly(t)) + " " + text + ")"
	}
	return value{term: text}
}

// relaxations binds the other copies to the first: each relaxed feature lies within
// its tolerance, and at least one protected value differs.
func (w *writer) relaxations(copies [][]*smtFeature) {
	if len(w.q.Relax) == 0 {
		return
	}
	for c := 1; c < len(copies); c++ {
		for _, r := range w.q.Relax {
			one, other := copies[0][r.Feature].real(), copies[c][r.Feature].real()
			apart := affine([]*big.Rat{big.NewRat(1, 1), big.NewRat(-1, 1)}, []value{one, other}, new(big.Rat))
			if apart.constant != nil {
				apart.term = realText(apart.constant)
			}
			t := exactly(r.Tolerance)
			if t == nil {
				continue // there is no limit
			}
			w.assert(fmt.Sprintf("(<= %s %s %s)", realText(new(big.Rat).Neg(t)), apart.term, realText(t)))
		}
		var differ []string
		for _, i := range w.q.Space.Protected() {
			if one := copies[0][i]; one.symbol >= 0 {
				differ = append(differ, not("(= "+one.name+" "+copies[c][i].name+")"))
			}
		}
		w.assert(anyOf(differ))
	}
}
