// Package z3 is a thin binding of the Z3 library's C interface: SMT-LIB 2 text
// in, a check that can be interrupted, and the model's values back as exact
// fractions. It knows Z3 from 4.8.12 on.
//
// Z3's own way of reporting an error is to end the process. Here every context
// is made without an error handler, and the error code is read after each call.
package z3

import (
	"fmt"
	"unsafe"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec is what the library is looked for by.
var Spec = native.Spec{
	Name:  "Z3",
	Files: []string{"libz3.so", "libz3.so.4", "libz3.dylib"},
	Hint:  "make setup",
}

// Lib is the bound library. Safe for concurrent use.
type Lib struct {
	file    *native.Library
	version string
	fn      functions
}

// functions are the C functions used, in the shapes of z3_api.h and
// z3_optimization.h; every object is a uintptr, an enumeration an int32.
type functions struct {
	version   func() string
	allocated func() uint64

	mkConfig        func() uintptr
	delConfig       func(config uintptr)
	mkContext       func(config uintptr) uintptr
	delContext      func(c uintptr)
	setErrorHandler func(c, handler uintptr)
	errorCode       func(c uintptr) int32
	errorMessage    func(c uintptr, code int32) string
	interrupt       func(c uintptr)

	incRef       func(c, ast uintptr)
	decRef       func(c, ast uintptr)
	mkSymbol     func(c uintptr, name string) uintptr
	mkInt        func(c uintptr) uintptr
	mkReal       func(c uintptr) uintptr
	mkBool       func(c uintptr) uintptr
	mkConst      func(c, symbol, sort uintptr) uintptr
	parse        func(c uintptr, text string, sorts uint32, sortNames, sortList *uintptr, decls uint32, declNames, declList *uintptr) uintptr
	vectorIncRef func(c, v uintptr)
	vectorDecRef func(c, v uintptr)
	vectorSize   func(c, v uintptr) uint32
	vectorGet    func(c, v uintptr, i uint32) uintptr

	mkParams     func(c uintptr) uintptr
	paramsIncRef func(c, p uintptr)
	paramsDecRef func(c, p uintptr)
	paramsUint   func(c, p, key uintptr, value uint32)
	paramsBool   func(c, p, key uintptr, value bool)
	paramsSymbol func(c, p, key, value uintptr)

	mkSolver         func(c uintptr) uintptr
	mkSimpleSolver   func(c uintptr) uintptr
	mkSolverForLogic func(c, logic uintptr) uintptr
	solverIncRef     func(c, s uintptr)
	solverDecRef     func(c, s uintptr)
	solverSetParams  func(c, s, p uintptr)
	solverAssert     func(c, s, formula uintptr)
	solverPush       func(c, s uintptr)
	solverPop        func(c, s uintptr, levels uint32)
	solverCheck      func(c, s uintptr) int32
	solverReason     func(c, s uintptr) string
	solverModel      func(c, s uintptr) uintptr
	solverStatistics func(c, s uintptr) uintptr

	mkOptimize         func(c uintptr) uintptr
	optimizeIncRef     func(c, o uintptr)
	optimizeDecRef     func(c, o uintptr)
	optimizeSetParams  func(c, o, p uintptr)
	optimizeAssert     func(c, o, formula uintptr)
	optimizeMaximise   func(c, o, term uintptr) uint32
	optimizeMinimise   func(c, o, term uintptr) uint32
	optimizeCheck      func(c, o uintptr, assumptions uint32, list *uintptr) int32
	optimizeReason     func(c, o uintptr) string
	optimizeModel      func(c, o uintptr) uintptr
	optimizeStatistics func(c, o uintptr) uintptr

	modelIncRef   func(c, m uintptr)
	modelDecRef   func(c, m uintptr)
	modelEval     func(c, m, term uintptr, completion bool, value unsafe.Pointer) bool
	isNumeral     func(c, ast uintptr) bool
	numeralString func(c, ast uintptr) string
	boolValue     func(c, ast uintptr) int32

	statsIncRef func(c, s uintptr)
	statsDecRef func(c, s uintptr)
	statsSize   func(c, s uintptr) uint32
	statsKey    func(c, s uintptr, i uint32) string
	statsIsUint func(c, s uintptr, i uint32) bool
	statsUint   func(c, s uintptr, i uint32) uint32
}

// Open finds and binds the library. The error is a *native.NotFoundError where
// there is none; where there is one that does not fit, the Lib is returned
// with the error, good for File only.
func Open() (*Lib, error) {
	file, err := native.Open(Spec)
	if err != nil {
		return nil, err
	}
	l := &Lib{file: file}
	if err := file.Bind(l.fn.symbols()...); err != nil {
		return l, err
	}
	l.version = l.fn.version()
	if l.version == "" {
		return l, fmt.Errorf("Z3 at %s does not tell its version; to install a fitting one: %s", file.Path(), Spec.Hint)
	}
	return l, nil
}

// symbols ties the C names to the fields.
func (f *functions) symbols() []native.Symbol {
	return []native.Symbol{
		{Name: "Z3_get_full_version", Func: &f.version},
		{Name: "Z3_get_estimated_alloc_size", Func: &f.allocated},
		{Name: "Z3_mk_config", Func: &f.mkConfig},
		{Name: "Z3_del_config", Func: &f.delConfig},
		{Name: "Z3_mk_context_rc", Func: &f.mkContext},
		{Name: "Z3_del_context", Func: &f.delContext},
		{Name: "Z3_set_error_handler", Func: &f.setErrorHandler},
		{Name: "Z3_get_error_code", Func: &f.errorCode},
		{Name: "Z3_get_error_msg", Func: &f.errorMessage},
		{Name: "Z3_interrupt", Func: &f.interrupt},
		{Name: "Z3_inc_ref", Func: &f.incRef},
		{Name: "Z3_dec_ref", Func: &f.decRef},
		{Name: "Z3_mk_string_symbol", Func: &f.mkSymbol},
		{Name: "Z3_mk_int_sort", Func: &f.mkInt},
		{Name: "Z3_mk_real_sort", Func: &f.mkReal},
		{Name: "Z3_mk_bool_sort", Func: &f.mkBool},
		{Name: "Z3_mk_const", Func: &f.mkConst},
		{Name: "Z3_parse_smtlib2_string", Func: &f.parse},
		{Name: "Z3_ast_vector_inc_ref", Func: &f.vectorIncRef},
		{Name: "Z3_ast_vector_dec_ref", Func: &f.vectorDecRef},
		{Name: "Z3_ast_vector_size", Func: &f.vectorSize},
		{Name: "Z3_ast_vector_get", Func: &f.vectorGet},
		{Name: "Z3_mk_params", Func: &f.mkParams},
		{Name: "Z3_params_inc_ref", Func: &f.paramsIncRef},
		{Name: "Z3_params_dec_ref", Func: &f.paramsDecRef},
		{Name: "Z3_params_set_uint", Func: &f.paramsUint},
		{Name: "Z3_params_set_bool", Func: &f.paramsBool},
		{Name: "Z3_params_set_symbol", Func: &f.paramsSymbol},
		{Name: "Z3_mk_solver", Func: &f.mkSolver},
		{Name: "Z3_mk_simple_solver", Func: &f.mkSimpleSolver},
		{Name: "Z3_mk_solver_for_logic", Func: &f.mkSolverForLogic},
		{Name: "Z3_solver_inc_ref", Func: &f.solverIncRef},
		{Name: "Z3_solver_dec_ref", Func: &f.solverDecRef},
		{Name: "Z3_solver_set_params", Func: &f.solverSetParams},
		{Name: "Z3_solver_assert", Func: &f.solverAssert},
		{Name: "Z3_solver_push", Func: &f.solverPush},
		{Name: "Z3_solver_pop", Func: &f.solverPop},
		{Name: "Z3_solver_check", Func: &f.solverCheck},
		{Name: "Z3_solver_get_reason_unknown", Func: &f.solverReason},
		{Name: "Z3_solver_get_model", Func: &f.solverModel},
		{Name: "Z3_solver_get_statistics", Func: &f.solverStatistics},
		{Name: "Z3_mk_optimize", Func: &f.mkOptimize},
		{Name: "Z3_optimize_inc_ref", Func: &f.optimizeIncRef},
		{Name: "Z3_optimize_dec_ref", Func: &f.optimizeDecRef},
		{Name: "Z3_optimize_set_params", Func: &f.optimizeSetParams},
		{Name: "Z3_optimize_assert", Func: &f.optimizeAssert},
		{Name: "Z3_optimize_maximize", Func: &f.optimizeMaximise},
		{Name: "Z3_optimize_minimize", Func: &f.optimizeMinimise},
		{Name: "Z3_optimize_check", Func: &f.optimizeCheck},
		{Name: "Z3_optimize_get_reason_unknown", Func: &f.optimizeReason},
		{Name: "Z3_optimize_get_model", Func: &f.optimizeModel},
		{Name: "Z3_optimize_get_statistics", Func: &f.optimizeStatistics},
		{Name: "Z3_model_inc_ref", Func: &f.modelIncRef},
		{Name: "Z3_model_dec_ref", Func: &f.modelDecRef},
		{Name: "Z3_model_eval", Func: &f.modelEval},
		{Name: "Z3_is_numeral_ast", Func: &f.isNumeral},
		{Name: "Z3_get_numeral_string", Func: &f.numeralString},
		{Name: "Z3_get_bool_value", Func: &f.boolValue},
		{Name: "Z3_stats_inc_ref", Func: &f.statsIncRef},
		{Name: "Z3_stats_dec_ref", Func: &f.statsDecRef},
		{Name: "Z3_stats_size", Func: &f.statsSize},
		{Name: "Z3_stats_get_key", Func: &f.statsKey},
		{Name: "Z3_stats_is_uint", Func: &f.statsIsUint},
		{Name: "Z3_stats_get_uint_value", Func: &f.statsUint},
	}
}

// File is the library's file as loaded.
func (l *Lib) File() *native.Library { return l.file }

// Version is the library's own, such as "4.8.12.0".
func (l *Lib) Version() string { return l.version }

// Allocated is the memory in bytes that Z3 holds, in all contexts together.
func (l *Lib) Allocated() int64 { return int64(l.fn.allocated()) }
