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
	x        *Context
	s        uintptr
	optimise bool
	work     uint32
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
	return (&Solver{x: x, s: s}).ready(p)
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
	out := &Solver{x: x, s: o, optimise: true}
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
func (s *Solver) Free() {
	if s.optimise {
		s.x.lib.fn.optimizeDecRef(s.x.c, s.s)
	} else {
		s.x.lib.fn.solverDecRef(s.x.c, s.s)
	}
}

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
	if s.optimise {
		f.optimizeSetParams(c, s.s, p)
	} else {
		f.solverSetParams(c, s.s, p)
	}
	return s.x.err("take its parameters")
}

// Assert adds the formulas to the current level; they hold until Pop discards it.
func (s *Solver) Assert(formulas *Formulas) error {
	add := s.x.lib.fn.solverAssert
	if s.optimise {
		add = s.x.lib.fn.optimizeAssert
	}
	return formulas.each(func(formula uintptr) error {
		add(s.x.c, s.s, formula)
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
	f, c := &s.x.lib.fn, s.x.c
	if s.optimise {
		a = Answer(f.optimizeCheck(c, s.s, 0, nil))
	} else {
		a = Answer(f.solverCheck(c, s.s))
	}
	if err := s.x.err("check"); err != nil {
		return Undef, err.Error()
	}
	if a != Undef {
		return a, ""
	}
	if s.optimise {
		reason = f.optimizeReason(c, s.s)
	} else {
		reason = f.solverReason(c, s.s)
	}
	return a, reason
}

// Model returns the model that the last check found, after Sat.
func (s *Solver) Model() (*Model, error) {
	f, c := &s.x.lib.fn, s.x.c
	var m uintptr
	if s.optimise {
		m = f.optimizeModel(c, s.s)
	} else {
		m = f.solverModel(c, s.s)
	}
	if err := s.x.err("give a model"); err != nil {
		return nil, err
	}
	f.modelIncRef(c, m)
	return &Model{x: s.x, m: m}, nil
}

// Work returns what the last check alone counted against Z3's resource limit, 0 if Z3
// does not report it.
func (s *Solver) Work() int64 {
	f, c := &s.x.lib.fn, s.x.c
	var stats uintptr
	if s.optimise {
		stats = f.optimizeStatistics(c, s.s)
	} else {
		stats = f.solverStatistics(c, s.s)
	}
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
