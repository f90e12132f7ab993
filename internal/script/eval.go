package script

import (
	"fmt"
	"maps"
	"math/big"
)

// Value is what a term evaluates to: a number if Rat is not nil, else a truth value.
type Value struct {
	Rat  *big.Rat
	Bool bool
}

// Holds reports whether every assertion holds at the values. Every symbol needs one: a
// Bool 0 or 1, an Int an integer. An ill-sorted term, or a division by zero, is an error.
func (s *Script) Holds(values map[string]*big.Rat) (bool, error) {
	env := make(map[string]Value, len(s.sorts))
	for _, y := range s.Symbols {
		v, ok := values[y.Name]
		if !ok || v == nil {
			return false, fmt.Errorf("no value for %q", y.Name)
		}
		switch {
		case y.Sort == "Bool":
			if v.Sign() != 0 && v.Cmp(one) != 0 {
				return false, fmt.Errorf("value %s of %q is neither 0 nor 1", v.RatString(), y.Name)
			}
			env[y.Name] = Value{Bool: v.Sign() != 0}
		case y.Sort == "Int" && !v.IsInt():
			return false, fmt.Errorf("value %s of %q is not an integer", v.RatString(), y.Name)
		default:
			env[y.Name] = Value{Rat: v}
		}
	}
	for _, d := range s.defined {
		v, err := s.eval(d.body, env)
		if err != nil {
			return false, err
		}
		env[d.name] = v
	}
	for _, a := range s.Asserts {
		v, err := s.eval(a, env)
		if err != nil {
			return false, err
		}
		if v.Rat != nil {
			return false, fmt.Errorf("asserted term is a number: %s", a)
		}
		if !v.Bool {
			return false, nil
		}
	}
	return true, nil
}

// maxBits bounds a number's size: repeated squaring must not fill the memory.
const maxBits = 1 << 16

var one = big.NewRat(1, 1)

func (s *Script) eval(t *Term, env map[string]Value) (Value, error) {
	if t.number != nil {
		return Value{Rat: t.number}, nil
	}
	if t.Atom != "" {
		if v, ok := env[t.Atom]; ok {
			return v, nil
		}
		if t.Atom == "true" || t.Atom == "false" {
			return Value{Bool: t.Atom == "true"}, nil
		}
		return Value{}, fmt.Errorf("%q has no value", t.Atom)
	}
	head, args := t.List[0].Atom, t.List[1:]
	switch head {
	case "let":
		inner := make(map[string]Value, len(env)+len(args[0].List))
		maps.Copy(inner, env)
		for _, b := range args[0].List {
			v, err := s.eval(b.List[1], env)
			if err != nil {
				return v, err
			}
			inner[b.List[0].Atom] = v
		}
		return s.eval(args[1], inner)
	case "ite":
		if len(args) != 3 {
			return Value{}, fmt.Errorf("ite takes three terms, got %s", t)
		}
		c, err := s.eval(args[0], env)
		if err != nil || c.Rat != nil {
			return c, fault(err, t)
		}
		if c.Bool {
			return s.eval(args[1], env)
		}
		return s.eval(args[2], env)
	}
	vals := make([]Value, len(args))
	numbers := 0
	for i, a := range args {
		v, err := s.eval(a, env)
		if err != nil {
			return v, err
		}
		if v.Rat != nil {
			numbers++
		}
		vals[i] = v
	}
	switch {
	case len(vals) == 0:
		return Value{}, fault(nil, t)
	case numbers == len(vals):
		return arithmetic(head, vals, t)
	case numbers == 0:
		return logic(head, vals, t)
	}
	return Value{}, fault(nil, t)
}

func fault(err error, t *Term) error {
	if err != nil {
		return err
	}
	text := t.String()
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return fmt.Errorf("ill-sorted or unknown term %s", text)
}

func logic(head string, v []Value, t *Term) (Value, error) {
	switch head {
	case "not":
		if len(v) == 1 {
			return Value{Bool: !v[0].Bool}, nil
		}
	case "and", "or":
		for _, x := range v {
			if x.Bool == (head == "or") {
				return x, nil
			}
		}
		return Value{Bool: head == "and"}, nil
	case "xor":
		odd := false
		for _, x := range v {
			odd = odd != x.Bool
		}
		return Value{Bool: odd}, nil
	case "=>": // right associative
		for _, x := range v[:len(v)-1] {
			if !x.Bool {
				return Value{Bool: true}, nil
			}
		}
		return v[len(v)-1], nil
	case "=":
		for _, x := range v[1:] {
			if x.Bool != v[0].Bool {
				return Value{}, nil
			}
		}
		return Value{Bool: true}, nil
	case "distinct":
		return Value{Bool: len(v) == 1 || len(v) == 2 && v[0].Bool != v[1].Bool}, nil
	}
	return Value{}, fault(nil, t)
}

func arithmetic(head string, v []Value, t *Term) (Value, error) {
	holds := func(ok func(cmp int) bool) (Value, error) {
		for i := 1; i < len(v); i++ {
			if !ok(v[i-1].Rat.Cmp(v[i].Rat)) {
				return Value{}, nil
			}
		}
		return Value{Bool: true}, nil
	}
	switch head {
	case "=":
		return holds(func(c int) bool { return c == 0 })
	case "<":
		return holds(func(c int) bool { return c < 0 })
	case "<=":
		return holds(func(c int) bool { return c <= 0 })
	case ">":
		return holds(func(c int) bool { return c > 0 })
	case ">=":
		return holds(func(c int) bool { return c >= 0 })
	case "distinct":
		for i := range v {
			for j := range i {
				if v[i].Rat.Cmp(v[j].Rat) == 0 {
					return Value{}, nil
				}
			}
		}
		return Value{Bool: true}, nil
	case "to_real":
		if len(v) == 1 {
			return v[0], nil
		}
	case "+", "-", "*", "/":
		return combine(head, v, t)
	}
	return Value{}, fault(nil, t)
}

func combine(head string, v []Value, t *Term) (Value, error) {
	if head == "-" && len(v) == 1 {
		return Value{Rat: new(big.Rat).Neg(v[0].Rat)}, nil
	}
	sum := new(big.Rat).Set(v[0].Rat)
	for _, x := range v[1:] {
		switch head {
		case "+":
			sum.Add(sum, x.Rat)
		case "-":
			sum.Sub(sum, x.Rat)
		case "*":
			sum.Mul(sum, x.Rat)
		case "/":
			if x.Rat.Sign() == 0 {
				return Value{}, fmt.Errorf("division by zero in %s", t)
			}
			sum.Quo(sum, x.Rat)
		}
		if sum.Num().BitLen()+sum.Denom().BitLen() > maxBits {
			return Value{}, fmt.Errorf("a number has more than %d bits, the maximum", maxBits)
		}
	}
	return Value{Rat: sum}, nil
}
