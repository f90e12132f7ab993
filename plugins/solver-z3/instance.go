package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hyfair/hyfair/plugins/solver-z3/internal/z3"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// instance is Z3's state for a script: its own context with one solver.
type instance struct {
	x      *z3.Context
	solver *z3.Solver
	// formulas are the assertions by level, to check models against.
	formulas [][]*z3.Formulas
	// symbols are the symbols of the script, in order.
	symbols []z3.Constant
}

// newInstance returns an instance without assertions. If Z3 fails, the error is not an
// ErrInvalidProblem: the script is not at fault.
func newInstance(lib *z3.Lib, script *problem.Script, logic string, s settings) (*instance, error) {
	x, err := lib.NewContext()
	if err != nil {
		return nil, err
	}
	in := &instance{x: x, formulas: [][]*z3.Formulas{nil}}
	for _, y := range script.Symbols {
		c, err := x.Constant(y.Name, y.Sort)
		if err != nil {
			x.Close()
			return nil, err
		}
		in.symbols = append(in.symbols, c)
	}
	engine, params := s.native(logic)
	if in.solver, err = x.NewSolver(engine, logic, params); err != nil {
		x.Close()
		return nil, err
	}
	return in, nil
}

// close frees the solver, then the context.
func (in *instance) close() {
	in.solver.Free()
	in.x.Close()
}

// parse reads text that may use the names of the chunks before it.
func (in *instance) parse(before []*chunk, text string) (*z3.Formulas, error) {
	names := prelude(before, text)
	formulas, err := in.x.Parse(names + text)
	var fault *z3.ParseError
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%w: Z3 says: %s", sdk.ErrInvalidProblem, fault.Shifted(strings.Count(names, "\n")))
	}
	return formulas, err
}

// step pops, pushes and asserts. before are the chunks that remain after the pop. If the
// text is at fault, nothing changes.
func (in *instance) step(before []*chunk, pop, push int, added *chunk) error {
	var formulas *z3.Formulas
	if added != nil {
		var err error
		if formulas, err = in.parse(before, added.text); err != nil {
			return err
		}
	}
	if pop > 0 {
		if err := in.solver.Pop(pop); err != nil {
			return err
		}
		keep := len(in.formulas) - pop
		for _, level := range in.formulas[keep:] {
			for _, f := range level {
				f.Free()
			}
		}
		in.formulas = in.formulas[:keep]
	}
	for range push {
		if err := in.solver.Push(); err != nil {
			return err
		}
		in.formulas = append(in.formulas, nil)
	}
	if formulas == nil {
		return nil
	}
	top := len(in.formulas) - 1
	in.formulas[top] = append(in.formulas[top], formulas)
	return in.solver.Assert(formulas)
}

// each visits all formulas that are asserted.
func (in *instance) each(visit func(*z3.Formulas) error) error {
	for _, level := range in.formulas {
		for _, f := range level {
			if err := visit(f); err != nil {
				return err
			}
		}
	}
	return nil
}
