package z3

import (
	"fmt"
	"unsafe"
)

func addressOf(p *uintptr) unsafe.Pointer { return unsafe.Pointer(p) }

// Answer is the result of a check, a Z3_lbool.
type Answer int32

// The answers, by Z3's numbers.
const (
	Unsat Answer = -1
	Undef Answer = 0
	Sat   Answer = 1
)

// Engine is one of Z3's ways to build a solver.
type Engine int

const (
	// Combined tries preprocessing tactics first, and the incremental core once
	// there is a second check or a push.
	Combined Engine = iota
	// Core is the incremental core alone.
	Core
	// ForLogic is Z3's strategy for the named logic.
	ForLogic
)

// Params are Z3's parameters by name; a value is a uint32, a bool or a string.
type Params map[string]any

// Solver looks for a model of its formulas: one of Z3's solvers, or its optimiser. It
// belongs to its context.
type Solver struct {
	x    *Context
	s    uintptr
	fn   calls
	work uint32
}

// calls are the functions of the C interface that differ between a solver and an optimiser.
type calls struct {
	free              func(c, s uintptr)
	set, add          func(c, s, p uintptr)
	check             func(c, s uintptr) int32
	reason            func(c, s uintptr) string
	model, statistics func(c, s uintptr) uintptr
}

// NewSolver returns an empty solver. Only ForLogic uses logic.
func (x *Context) NewSolver(e Engine, logic string, p Params) (*Solver, error) {
	f := &x.lib.fn
	var s uintptr
	switch e {
	case Core:
		s = f.mkSimpleSolver(x.c)
	case ForLogic:
		s = f.mkSolverForLogic(x.c, f.mkSymbol(x.c, logic))
	default:
		s = f.mkSolver(x.c)
	}
	if err := x.err("make a solver"); err != nil {
		return nil, err
	}
	f.solverIncRef(x.c, s)
	return (&Solver{x: x, s: s, fn: calls{f.solverDecRef, f.solverSetParams, f.solverAssert, f.solverCheck, f.solverReason, f.solverModel, f.solverStatistics}}).ready(p)
}

// NewOptimiser returns an optimiser of one objective, a constant. Its parameters differ
// from a solver's, and it has no seed.
func (x *Context) NewOptimiser(objective Constant, maximise bool, p Params) (*Solver, error) {
	f := &x.lib.fn
	o := f.mkOptimize(x.c)
	if err := x.err("make an optimiser"); err != nil {
		return nil, err
	}
	f.optimizeIncRef(x.c, o)
	check := func(c, o uintptr) int32 { return f.optimizeCheck(c, o, 0, nil) }
	out := &Solver{x: x, s: o, fn: calls{f.optimizeDecRef, f.optimizeSetParams, f.optimizeAssert, check, f.optimizeReason, f.optimizeModel, f.optimizeStatistics}}
	if maximise {
		f.optimizeMaximise(x.c, o, objective.ast)
	} else {
		f.optimizeMinimise(x.c, o, objective.ast)
	}
	if err := x.err("take the objective"); err != nil {
		return nil, err
	}
	return out.ready(p)
}

// ready sets the first parameters. It keeps Z3 from installing its own handler of SIGINT
// during a check: the Go runtime does not know that handler, and it would end the
// process.
func (s *Solver) ready(p Params) (*Solver, error) {
	if err := s.Set(Params{"ctrl_c": false}); err != nil {
		s.Free()
		return nil, err
	}
	if err := s.Set(p); err != nil {
		s.Free()
		return nil, err
	}
	return s, nil
}

// Free drops the solver.
func (s *Solver) Free() { s.fn.free(s.x.c, s.s) }

// Set sets parameters; one that Z3 does not know is an error.
func (s *Solver) Set(values Params) error {
	f, c := &s.x.lib.fn, s.x.c
	p := f.mkParams(c)
	f.paramsIncRef(c, p)
	defer f.paramsDecRef(c, p)
	for name, value := range values {
		key := f.mkSymbol(c, name)
		switch v := value.(type) {
		case uint32:
			f.paramsUint(c, p, key, v)
		case bool:
			f.paramsBool(c, p, key, v)
		case string:
			f.paramsSymbol(c, p, key, f.mkSymbol(c, v))
		default:
			return fmt.Errorf("parameter %s has type %T; want uint32, bool or string", name, value)
		}
	}
	s.fn.set(c, s.s, p)
	return s.x.err("take its parameters")
}

// Assert adds the formulas to the current level; they hold until Pop discards it.
func (s *Solver) Assert(formulas *Formulas) error {
	return formulas.each(func(formula uintptr) error {
		s.fn.add(s.x.c, s.s, formula)
		return s.x.err("take an assertion")
	})
}

// Push opens a level; not for an optimiser.
func (s *Solver) Push() error {
	s.x.lib.fn.solverPush(s.x.c, s.s)
	return s.x.err("push")
}

// Pop discards levels; not for an optimiser.
func (s *Solver) Pop(levels int) error {
	s.x.lib.fn.solverPop(s.x.c, s.s, uint32(levels))
	return s.x.err("pop")
}

// Check looks for a model. If it neither finds one nor proves that there is none, reason
// is Z3's explanation.
func (s *Solver) Check() (a Answer, reason string) {
	a = Answer(s.fn.check(s.x.c, s.s))
	if err := s.x.err("check"); err != nil {
		return Undef, err.Error()
	}
	if a != Undef {
		return a, ""
	}
	return a, s.fn.reason(s.x.c, s.s)
}

// Model returns the model that the last check found, after Sat.
func (s *Solver) Model() (*Model, error) {
	m := s.fn.model(s.x.c, s.s)
	if err := s.x.err("give a model"); err != nil {
		return nil, err
	}
	s.x.lib.fn.modelIncRef(s.x.c, m)
	return &Model{x: s.x, m: m}, nil
}

// Work returns what the last check alone counted against Z3's resource limit, 0 if Z3
// does not report it.
func (s *Solver) Work() int64 {
	f, c := &s.x.lib.fn, s.x.c
	stats := s.fn.statistics(c, s.s)
	if s.x.err("report its statistics") != nil {
		return 0
	}
	f.statsIncRef(c, stats)
	defer f.statsDecRef(c, stats)
	for i := range f.statsSize(c, stats) {
		if f.statsKey(c, stats, i) == "rlimit count" && f.statsIsUint(c, stats, i) {
			before := s.work
			s.work = f.statsUint(c, stats, i)
			return int64(s.work - before)
		}
	}
	return 0
}
