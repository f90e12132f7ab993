package reference

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/internal/script"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// solveScript tries Bool symbols at 0 and 1, Int symbols between the bounds that
// top-level assertions give, and Real symbols (and Int symbols without bounds) on a small
// grid. If it finds nothing on a grid, it claims nothing.
func solveScript(m *meter, p *problem.Script, o sdk.SolveOptions) (*sdk.Result, error) {
	if p.Objective != "" {
		return nil, fmt.Errorf("optimising a script: %w", sdk.ErrUnsupported)
	}
	s, err := script.Parse(p.Text)
	if err != nil {
		return nil, errors.Join(sdk.ErrInvalidProblem, err)
	}
	complete := true
	domains := make([][]*big.Rat, len(s.Symbols))
	for i, y := range s.Symbols {
		var whole bool
		domains[i], whole = domain(s, y)
		complete = complete && whole
		if o.Options["order"] == "down" {
			slices.Reverse(domains[i])
		}
	}
	values := map[string]*big.Rat{}
	found, err := try(m, s, domains, values)
	if err != nil {
		return nil, errors.Join(sdk.ErrInvalidProblem, err)
	}
	r := &sdk.Result{}
	r.Status, r.Reason = m.conclude(found, false, complete)
	if !found {
		return r, nil
	}
	point := make([]*big.Rat, len(p.Symbols))
	for i, y := range p.Symbols {
		if point[i] = values[y.Name]; point[i] == nil {
			return nil, fmt.Errorf("symbol %q is not declared in the script: %w", y.Name, sdk.ErrInvalidProblem)
		}
	}
	r.Values = numbers(point)
	return r, nil
}

func try(m *meter, s *script.Script, domains [][]*big.Rat, values map[string]*big.Rat) (bool, error) {
	if m.stop() {
		return false, nil
	}
	k := len(values)
	if k == len(domains) {
		return s.Holds(values)
	}
	name := s.Symbols[k].Name
	for _, v := range domains[k] {
		values[name] = v
		if ok, err := try(m, s, domains, values); ok || err != nil || m.reason != sdk.NoReason {
			return ok, err
		}
		delete(values, name)
	}
	return false, nil
}

// domain returns the values to try for a symbol; whole reports whether no other value can
// satisfy the script.
func domain(s *script.Script, y script.Symbol) (values []*big.Rat, whole bool) {
	switch y.Sort {
	case "Bool":
		return []*big.Rat{new(big.Rat), big.NewRat(1, 1)}, true
	case "Real":
		for n := int64(-6); n <= 6; n++ {
			values = append(values, big.NewRat(n, 1), big.NewRat(n, 3))
		}
		return values, false
	}
	var lo, hi *big.Rat
	for _, a := range s.Asserts {
		narrow(a, y.Name, &lo, &hi)
	}
	whole = lo != nil && hi != nil
	if lo == nil {
		lo = big.NewRat(-8, 1)
	}
	if hi == nil {
		hi = big.NewRat(8, 1)
	}
	for v := lo; v.Cmp(hi) <= 0; v = new(big.Rat).Add(v, big.NewRat(1, 1)) {
		values = append(values, v)
	}
	return values, whole
}

// narrow reads the bounds with literal ends that (<= a name b), (>= …) and
// (and …) put on a symbol.
func narrow(t *script.Term, name string, lo, hi **big.Rat) {
	if len(t.List) < 2 {
		return
	}
	head, args := t.List[0].Atom, t.List[1:]
	if head == "and" {
		for _, a := range args {
			narrow(a, name, lo, hi)
		}
		return
	}
	if head == ">=" {
		lo, hi = hi, lo
	} else if head != "<=" {
		return
	}
	for i, a := range args {
		if a.Atom != name {
			continue
		}
		if i > 0 {
			if v, ok := args[i-1].Literal(); ok {
				*lo = v
			}
		}
		if i+1 < len(args) {
			if v, ok := args[i+1].Literal(); ok {
				*hi = v
			}
		}
	}
}
