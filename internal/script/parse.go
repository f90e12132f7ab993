// Package script reads SMT-LIB 2 scripts of the fragment that problems are written in
// (quantifier-free, Int, Real and Bool constants) and evaluates them at a point in exact
// arithmetic. It does not solve scripts: it reports whether a given point satisfies one,
// which is what a test of a solver, or of an encoding, needs.
//
// Known commands: declare-const, declare-fun and define-fun without parameters, assert;
// set-logic, set-option and set-info are skipped. Known functions: true, false, and, or,
// not, xor, =>, ite, let, =, distinct, <, <=, >, >=, +, -, *, /, to_real.
package script

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// maxDepth bounds nesting, so that hostile text cannot exhaust the stack.
const maxDepth = 10_000

// Script is a parsed script. It is read-only and safe for concurrent use.
type Script struct {
	// Symbols are the declared constants in order.
	Symbols []Symbol
	// Asserts are the asserted formulas in order.
	Asserts []*Term

	sorts map[string]string
	// defined holds the define-funs in order; each refers to earlier ones only.
	defined []definition
}

type definition struct {
	name string
	body *Term
}

// Symbol is a declared constant of sort Int, Real or Bool.
type Symbol struct{ Name, Sort string }

// Term is an s-expression: an atom, or a list if Atom is empty.
type Term struct {
	Atom string
	List []*Term

	quoted bool     // |…|: never a numeral or a keyword
	number *big.Rat // the value of a numeral or decimal
}

// String writes the term as SMT-LIB text.
func (t *Term) String() string {
	if t.List == nil && t.Atom != "" || t.quoted {
		if t.quoted {
			return "|" + t.Atom + "|"
		}
		return t.Atom
	}
	parts := make([]string, len(t.List))
	for i, s := range t.List {
		parts[i] = s.String()
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// Parse reads a script and reports the first fault with its line.
func Parse(text string) (*Script, error) {
	s := &Script{sorts: map[string]string{}}
	r := &reader{text: text, line: 1}
	for {
		r.space()
		if r.at == len(r.text) {
			return s, nil
		}
		line := r.line
		t, err := r.term(0)
		if err == nil {
			err = s.command(t)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

func (s *Script) command(t *Term) error {
	if len(t.List) == 0 || t.List[0].Atom == "" {
		return fmt.Errorf("want a command, not %s", t)
	}
	name, args := t.List[0].Atom, t.List[1:]
	switch name {
	case "set-logic", "set-option", "set-info":
		return nil
	case "declare-const":
		if len(args) != 2 {
			return fmt.Errorf("declare-const takes a name and a sort, got %d terms", len(args))
		}
		return s.declare(args[0], args[1])
	case "declare-fun":
		if len(args) != 3 || len(args[1].List) != 0 || args[1].Atom != "" {
			return fmt.Errorf("declare-fun: only constants, (declare-fun name () sort), are known")
		}
		return s.declare(args[0], args[2])
	case "define-fun":
		if len(args) != 4 || len(args[1].List) != 0 || args[1].Atom != "" {
			return fmt.Errorf("define-fun: only constants, (define-fun name () sort term), are known")
		}
		if err := s.known(args[3], nil); err != nil {
			return err
		}
		if err := s.declare(args[0], args[2]); err != nil {
			return err
		}
		s.Symbols = s.Symbols[:len(s.Symbols)-1]
		s.defined = append(s.defined, definition{args[0].Atom, args[3]})
		return nil
	case "assert":
		if len(args) != 1 {
			return fmt.Errorf("assert takes one formula, got %d", len(args))
		}
		s.Asserts = append(s.Asserts, args[0])
		return s.known(args[0], nil)
	}
	return fmt.Errorf("unknown command %q", name)
}

func (s *Script) declare(name, sort *Term) error {
	if name.Atom == "" || name.number != nil || (!name.quoted && functions[name.Atom]) {
		return fmt.Errorf("%s cannot be declared; want a name that is not predefined", name)
	}
	if sort.Atom != "Int" && sort.Atom != "Real" && sort.Atom != "Bool" {
		return fmt.Errorf("unknown sort %s; known: Int, Real, Bool", sort)
	}
	if s.sorts[name.Atom] != "" {
		return fmt.Errorf("%s is declared twice", name)
	}
	s.sorts[name.Atom] = sort.Atom
	s.Symbols = append(s.Symbols, Symbol{name.Atom, sort.Atom})
	return nil
}

// known checks that every name in t is a function, a declared constant, or bound by a let
// around t.
func (s *Script) known(t *Term, bound []string) error {
	if t.Atom != "" || t.quoted {
		if t.number != nil || (!t.quoted && functions[t.Atom]) || s.sorts[t.Atom] != "" {
			return nil
		}
		if slices.Contains(bound, t.Atom) {
			return nil
		}
		return fmt.Errorf("unknown name %s", t)
	}
	if len(t.List) == 0 {
		return fmt.Errorf("empty term ()")
	}
	if t.List[0].Atom == "let" && !t.List[0].quoted {
		if len(t.List) != 3 {
			return fmt.Errorf("let takes bindings and a body, got %d terms", len(t.List)-1)
		}
		inner := bound[:len(bound):len(bound)]
		for _, b := range t.List[1].List {
			if len(b.List) != 2 || b.List[0].Atom == "" {
				return fmt.Errorf("let binding %s; want (name term)", b)
			}
			if err := s.known(b.List[1], bound); err != nil {
				return err
			}
			inner = append(inner, b.List[0].Atom)
		}
		return s.known(t.List[2], inner)
	}
	for _, a := range t.List {
		if err := s.known(a, bound); err != nil {
			return err
		}
	}
	return nil
}

// functions are the predefined names.
var functions = map[string]bool{
	"true": true, "false": true, "and": true, "or": true, "not": true, "xor": true, "=>": true,
	"ite": true, "let": true, "=": true, "distinct": true, "<": true, "<=": true, ">": true, ">=": true,
	"+": true, "-": true, "*": true, "/": true, "to_real": true,
}

// reader splits text into terms.
type reader struct {
	text     string
	at, line int
}

// space skips blanks and ; comments.
func (r *reader) space() {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '\n':
			r.line++
			r.at++
		case c == ' ' || c == '\t' || c == '\r':
			r.at++
		case c == ';':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

func (r *reader) term(depth int) (*Term, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	r.space()
	if r.at == len(r.text) {
		return nil, fmt.Errorf("the text ends inside a term")
	}
	switch r.text[r.at] {
	case ')':
		return nil, fmt.Errorf("unexpected )")
	case '(':
		r.at++
		t := &Term{List: []*Term{}}
		for {
			r.space()
			if r.at < len(r.text) && r.text[r.at] == ')' {
				r.at++
				return t, nil
			}
			sub, err := r.term(depth + 1)
			if err != nil {
				return nil, err
			}
			t.List = append(t.List, sub)
		}
	case '|', '"':
		return r.quoted(r.text[r.at])
	}
	return r.atom()
}

func (r *reader) quoted(mark byte) (*Term, error) {
	end := strings.IndexByte(r.text[r.at+1:], mark)
	if end < 0 {
		return nil, fmt.Errorf("the text ends inside %c…%c", mark, mark)
	}
	name := r.text[r.at+1 : r.at+1+end]
	r.line += strings.Count(name, "\n")
	r.at += end + 2
	if name == "" {
		return nil, fmt.Errorf("empty name %c%c", mark, mark)
	}
	return &Term{Atom: name, quoted: true}, nil
}

func (r *reader) atom() (*Term, error) {
	start := r.at
	for r.at < len(r.text) && !strings.ContainsRune(" \t\r\n();|\"", rune(r.text[r.at])) {
		r.at++
	}
	t := &Term{Atom: r.text[start:r.at]}
	if c := t.Atom[0]; c >= '0' && c <= '9' {
		if strings.Trim(t.Atom, "0123456789.") != "" || strings.Count(t.Atom, ".") > 1 || strings.HasSuffix(t.Atom, ".") {
			return nil, fmt.Errorf("%q is not a numeral", t.Atom)
		}
		t.number, _ = new(big.Rat).SetString(t.Atom)
	}
	return t, nil
}

// Literal returns the value of a numeral, a decimal, or the negation of one.
func (t *Term) Literal() (*big.Rat, bool) {
	if t.number != nil {
		return new(big.Rat).Set(t.number), true
	}
	if len(t.List) == 2 && t.List[0].Atom == "-" && t.List[1].number != nil {
		return new(big.Rat).Neg(t.List[1].number), true
	}
	return nil, false
}
