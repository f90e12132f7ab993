package z3

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Codes of Z3_error_code that are handled differently.
const (
	codeOK     = 0
	codeParser = 4
)

// Context holds terms, solvers and models. Only Interrupt is safe for concurrent use.
type Context struct {
	lib *Lib
	c   uintptr
}

// NewContext returns an empty context. The caller must Close it.
func (l *Lib) NewContext() (*Context, error) {
	config := l.fn.mkConfig()
	defer l.fn.delConfig(config)
	c := l.fn.mkContext(config)
	if c == 0 {
		return nil, fmt.Errorf("Z3 has no memory for another context")
	}
	l.fn.setErrorHandler(c, 0) // before anything can fail
	return &Context{lib: l, c: c}, nil
}

// Close frees the context with all that is in it.
func (x *Context) Close() {
	if x.c != 0 {
		x.lib.fn.delContext(x.c)
		x.c = 0
	}
}

// Interrupt asks a running check to stop. A check that has not begun yet may miss it, so
// repeat it until the check returns. An interrupted context may stay interrupted, so only
// Close it afterwards. Interrupt may be called from another goroutine until Close.
func (x *Context) Interrupt() { x.lib.fn.interrupt(x.c) }

// err returns the error of the previous call, nil if it succeeded.
func (x *Context) err(what string) error {
	code := x.lib.fn.errorCode(x.c)
	if code == codeOK {
		return nil
	}
	message := strings.TrimSpace(x.lib.fn.errorMessage(x.c, code))
	if code == codeParser {
		return &ParseError{Text: message}
	}
	return fmt.Errorf("Z3 fails to %s: %s", what, message)
}

// ParseError is Z3's message about text that it cannot read.
type ParseError struct{ Text string }

// complaint is a message of the parser; several come on separate lines.
var complaint = regexp.MustCompile(`\(error "line (\d+) column (\d+): (.*)"\)`)

// Error returns the first message without Z3's syntax, its line counted from 1.
func (e *ParseError) Error() string { return e.Shifted(0) }

// Shifted is Error with line numbers reduced by lines, for a text that follows lines of its own.
func (e *ParseError) Shifted(lines int) string {
	m := complaint.FindStringSubmatch(e.Text)
	if m == nil {
		return e.Text
	}
	line, _ := strconv.Atoi(m[1])
	return fmt.Sprintf("line %d, column %s: %s", line-lines, m[2], m[3])
}

// Formulas are assertions parsed from text.
type Formulas struct {
	x      *Context
	vector uintptr
}

// Parse reads declarations and assertions. The text must declare every name that it uses;
// a name with the same sort is the same constant everywhere in a context. A fault in the
// text is a *ParseError.
func (x *Context) Parse(text string) (*Formulas, error) {
	// Z3's parser does not clear an earlier error code; any other call does.
	x.lib.fn.mkInt(x.c)
	v := x.lib.fn.parse(x.c, text, 0, nil, nil, 0, nil, nil)
	if err := x.err("read the script"); err != nil {
		return nil, err
	}
	x.lib.fn.vectorIncRef(x.c, v)
	return &Formulas{x: x, vector: v}, nil
}

// Free drops the formulas; solvers keep what was asserted.
func (f *Formulas) Free() { f.x.lib.fn.vectorDecRef(f.x.c, f.vector) }

func (f *Formulas) each(visit func(formula uintptr) error) error {
	for i := range f.x.lib.fn.vectorSize(f.x.c, f.vector) {
		if err := visit(f.x.lib.fn.vectorGet(f.x.c, f.vector, i)); err != nil {
			return err
		}
	}
	return nil
}

// Constant is a named constant. Closing its context frees it.
type Constant struct{ ast uintptr }

// Constant returns the constant of that name and sort: Int, Real or Bool.
func (x *Context) Constant(name, sort string) (Constant, error) {
	f := &x.lib.fn
	make := map[string]func(uintptr) uintptr{"Int": f.mkInt, "Real": f.mkReal, "Bool": f.mkBool}[sort]
	if make == nil {
		return Constant{}, fmt.Errorf("unknown sort %q; known: Int, Real, Bool", sort)
	}
	s := make(x.c)
	f.incRef(x.c, s)
	defer f.decRef(x.c, s)
	a := f.mkConst(x.c, f.mkSymbol(x.c, name), s)
	if err := x.err("name a constant"); err != nil {
		return Constant{}, err
	}
	f.incRef(x.c, a)
	return Constant{a}, nil
}

// Model is an assignment. It stays valid while its context is open.
type Model struct {
	x *Context
	m uintptr
}

// Free drops the model.
func (m *Model) Free() { m.x.lib.fn.modelDecRef(m.x.c, m.m) }

// eval calls read with the value of a term. It completes the model if that leaves the value
// undefined.
func (m *Model) eval(term uintptr, read func(value uintptr) error) error {
	f := &m.x.lib.fn
	var value uintptr
	ok := f.modelEval(m.x.c, m.m, term, true, addressOf(&value))
	if err := m.x.err("evaluate a term"); err != nil {
		return err
	}
	if !ok || value == 0 {
		return fmt.Errorf("Z3's model has no value for a term")
	}
	f.incRef(m.x.c, value)
	defer f.decRef(m.x.c, value)
	return read(value)
}

// numeral matches rational numbers as Z3 writes them.
var numeral = regexp.MustCompile(`^-?[0-9]+(/[0-9]+)?$`)

// Value returns the constant's exact value; for a truth value, 0 or 1. If it is not
// rational, the error is an *IrrationalError.
func (m *Model) Value(c Constant) (*big.Rat, error) {
	f := &m.x.lib.fn
	var out *big.Rat
	err := m.eval(c.ast, func(value uintptr) error {
		if b := f.boolValue(m.x.c, value); b != 0 {
			out = big.NewRat(int64(b+1)/2, 1) // 1 true, −1 false
			return nil
		}
		if !f.isNumeral(m.x.c, value) {
			return &IrrationalError{"an expression"}
		}
		text := f.numeralString(m.x.c, value)
		if err := m.x.err("write a number"); err != nil {
			return err
		}
		if !numeral.MatchString(text) {
			return &IrrationalError{text}
		}
		out, _ = new(big.Rat).SetString(text)
		return nil
	})
	return out, err
}

// Satisfies reports whether every formula evaluates to true.
func (m *Model) Satisfies(formulas *Formulas) (bool, error) {
	all := true
	err := formulas.each(func(formula uintptr) error {
		return m.eval(formula, func(value uintptr) error {
			all = all && m.x.lib.fn.boolValue(m.x.c, value) == 1
			return nil
		})
	})
	return all, err
}

// IrrationalError reports a value that is not rational. Models of scripts with products of
// unknowns may have such values.
type IrrationalError struct{ Text string }

func (e *IrrationalError) Error() string { return "a value is not a rational number: " + e.Text }
