package encode

import (
	"fmt"
	"math/big"
	"strings"
)

// realText writes an exact Real: n.0, or (/ n d), negative ones as (- …).
func realText(r *big.Rat) string {
	text := new(big.Int).Abs(r.Num()).String()
	if r.IsInt() {
		text += ".0"
	} else {
		text = "(/ " + text + " " + r.Denom().String() + ")"
	}
	if r.Sign() < 0 {
		return "(- " + text + ")"
	}
	return text
}

// intText writes an Int; v is integral.
func intText(v float64) string {
	n, _ := big.NewFloat(v).Int(nil)
	if n.Sign() < 0 {
		return "(- " + n.Neg(n).String() + ")"
	}
	return n.String()
}

// exactly returns v as an exact fraction; nil if v is not finite.
func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// cleanName replaces the characters of a feature's name that a quoted symbol cannot
// hold or that the script's other names use. A changed name ends in mark, the
// feature's number, to stay unique.
func cleanName(name string, mark int) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`|\@!`, r) {
			return '_'
		}
		return r
	}, name)
	if clean == name {
		return name
	}
	return fmt.Sprintf("%s!%d", clean, mark)
}

// quoted returns a name as an SMT-LIB symbol, in bars if it needs them.
func quoted(name string) string {
	simple := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("~!@$%^&*_-+=<>.?/", r)
	}
	if strings.IndexFunc(name, func(r rune) bool { return !simple(r) }) < 0 {
		return name
	}
	return "|" + name + "|"
}

// call writes (head args…), or the empty case for no argument and the argument
// itself for one.
func call(head, empty string, args []string) string {
	switch len(args) {
	case 0:
		return empty
	case 1:
		return args[0]
	}
	return "(" + head + " " + strings.Join(args, " ") + ")"
}

func allOf(formulas []string) string { return call("and", "true", formulas) }
func anyOf(formulas []string) string { return call("or", "false", formulas) }
func not(formula string) string      { return "(not " + formula + ")" }

// times writes coef·term; coef is not 0.
func times(coef *big.Rat, term string) string {
	if coef.IsInt() && coef.Num().IsInt64() && coef.Num().Int64() == 1 {
		return term
	}
	return "(* " + realText(coef) + " " + term + ")"
}

// value is a Real that the script computes: a constant or a term.
type value struct {
	constant *big.Rat // nil: term is set
	term     string
}

// same reports whether both are the same constant or the same term.
func (v *value) same(other *value) bool {
	if v.constant == nil || other.constant == nil {
		return v.constant == other.constant && v.term == other.term
	}
	return v.constant.Cmp(other.constant) == 0
}

// affine is Σ weights·values + constant as a value; its term is a sum.
func affine(weights []*big.Rat, values []value, constant *big.Rat) value {
	c := new(big.Rat).Set(constant)
	var parts []string
	for i, w := range weights {
		switch {
		case w.Sign() == 0:
		case values[i].constant != nil:
			c.Add(c, new(big.Rat).Mul(w, values[i].constant))
		default:
			parts = append(parts, times(w, values[i].term))
		}
	}
	if len(parts) == 0 {
		return value{constant: c}
	}
	if c.Sign() != 0 {
		parts = append(parts, realText(c))
	}
	return value{term: call("+", "", parts)}
}
