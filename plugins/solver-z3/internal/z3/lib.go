// Package z3 is a thin binding of the Z3 library's C interface: it reads SMT-LIB 2 text,
// runs a check that can be interrupted, and returns the model's values as exact
// fractions. It supports Z3 4.8.12 and later.
//
// By default Z3 ends the process on an error. Here every context is made without an error
// handler, and the error code is read after each call.
package z3

import (
	"unsafe"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec says how to find the library.
var Spec = native.Spec{
	Name:  "Z3",
	Files: []string{"libz3.so", "libz3.so.4", "libz3.dylib", "libz3.dll"},
	Hint:  "make setup, or pip install z3-solver",
}

// Lib is the bound library. Safe for concurrent use.
type Lib struct {
	*native.Library
	fn functions
}

// functions are the C functions used, with the signatures of z3_api.h and
// z3_optimization.h. Every object is a uintptr, an enumeration an int32.
type functions struct {
	version   func() string `symbol:"Z3_get_full_version"`
	allocated func() uint64 `symbol:"Z3_get_estimated_alloc_size"`

	mkConfig        func() uintptr                     `symbol:"Z3_mk_config"`
	delConfig       func(config uintptr)               `symbol:"Z3_del_config"`
	mkContext       func(config uintptr) uintptr       `symbol:"Z3_mk_context_rc"`
	delContext      func(c uintptr)                    `symbol:"Z3_del_context"`
	setErrorHandler func(c, handler uintptr)           `symbol:"Z3_set_error_handler"`
	errorCode       func(c uintptr) int32              `symbol:"Z3_get_error_code"`
	errorMessage    func(c uintptr, code int32) string `symbol:"Z3_get_error_msg"`
	interrupt       func(c uintptr)                    `symbol:"Z3_interrupt"`

	incRef       func(c, ast uintptr)                                                                                                         `symbol:"Z3_inc_ref"`
	decRef       func(c, ast uintptr)                                                                                                         `symbol:"Z3_dec_ref"`
	mkSymbol     func(c uintptr, name string) uintptr                                                                                         `symbol:"Z3_mk_string_symbol"`
	mkInt        func(c uintptr) uintptr                                                                                                      `symbol:"Z3_mk_int_sort"`
	mkReal       func(c uintptr) uintptr                                                                                                      `symbol:"Z3_mk_real_sort"`
	mkBool       func(c uintptr) uintptr                                                                                                      `symbol:"Z3_mk_bool_sort"`
	mkConst      func(c, symbol, sort uintptr) uintptr                                                                                        `symbol:"Z3_mk_const"`
	parse        func(c uintptr, text string, sorts uint32, sortNames, sortList *uintptr, decls uint32, declNames, declList *uintptr) uintptr `symbol:"Z3_parse_smtlib2_string"`
	vectorIncRef func(c, v uintptr)                                                                                                           `symbol:"Z3_ast_vector_inc_ref"`
	vectorDecRef func(c, v uintptr)                                                                                                           `symbol:"Z3_ast_vector_dec_ref"`
	vectorSize   func(c, v uintptr) uint32                                                                                                    `symbol:"Z3_ast_vector_size"`
	vectorGet    func(c, v uintptr, i uint32) uintptr                                                                                         `symbol:"Z3_ast_vector_get"`

	mkParams     func(c uintptr) uintptr               `symbol:"Z3_mk_params"`
	paramsIncRef func(c, p uintptr)                    `symbol:"Z3_params_inc_ref"`
	paramsDecRef func(c, p uintptr)                    `symbol:"Z3_params_dec_ref"`
	paramsUint   func(c, p, key uintptr, value uint32) `symbol:"Z3_params_set_uint"`
	paramsBool   func(c, p, key uintptr, value bool)   `symbol:"Z3_params_set_bool"`
	paramsSymbol func(c, p, key, value uintptr)        `symbol:"Z3_params_set_symbol"`

	mkSolver         func(c uintptr) uintptr           `symbol:"Z3_mk_solver"`
	mkSimpleSolver   func(c uintptr) uintptr           `symbol:"Z3_mk_simple_solver"`
	mkSolverForLogic func(c, logic uintptr) uintptr    `symbol:"Z3_mk_solver_for_logic"`
	solverIncRef     func(c, s uintptr)                `symbol:"Z3_solver_inc_ref"`
	solverDecRef     func(c, s uintptr)                `symbol:"Z3_solver_dec_ref"`
	solverSetParams  func(c, s, p uintptr)             `symbol:"Z3_solver_set_params"`
	solverAssert     func(c, s, formula uintptr)       `symbol:"Z3_solver_assert"`
	solverPush       func(c, s uintptr)                `symbol:"Z3_solver_push"`
	solverPop        func(c, s uintptr, levels uint32) `symbol:"Z3_solver_pop"`
	solverCheck      func(c, s uintptr) int32          `symbol:"Z3_solver_check"`
	solverReason     func(c, s uintptr) string         `symbol:"Z3_solver_get_reason_unknown"`
	solverModel      func(c, s uintptr) uintptr        `symbol:"Z3_solver_get_model"`
	solverStatistics func(c, s uintptr) uintptr        `symbol:"Z3_solver_get_statistics"`

	mkOptimize         func(c uintptr) uintptr                                     `symbol:"Z3_mk_optimize"`
	optimizeIncRef     func(c, o uintptr)                                          `symbol:"Z3_optimize_inc_ref"`
	optimizeDecRef     func(c, o uintptr)                                          `symbol:"Z3_optimize_dec_ref"`
	optimizeSetParams  func(c, o, p uintptr)                                       `symbol:"Z3_optimize_set_params"`
	optimizeAssert     func(c, o, formula uintptr)                                 `symbol:"Z3_optimize_assert"`
	optimizeMaximise   func(c, o, term uintptr) uint32                             `symbol:"Z3_optimize_maximize"`
	optimizeMinimise   func(c, o, term uintptr) uint32                             `symbol:"Z3_optimize_minimize"`
	optimizeCheck      func(c, o uintptr, assumptions uint32, list *uintptr) int32 `symbol:"Z3_optimize_check"`
	optimizeReason     func(c, o uintptr) string                                   `symbol:"Z3_optimize_get_reason_unknown"`
	optimizeModel      func(c, o uintptr) uintptr                                  `symbol:"Z3_optimize_get_model"`
	optimizeStatistics func(c, o uintptr) uintptr                                  `symbol:"Z3_optimize_get_statistics"`

	modelIncRef   func(c, m uintptr)                                                   `symbol:"Z3_model_inc_ref"`
	modelDecRef   func(c, m uintptr)                                                   `symbol:"Z3_model_dec_ref"`
	modelEval     func(c, m, term uintptr, completion bool, value unsafe.Pointer) bool `symbol:"Z3_model_eval"`
	isNumeral     func(c, ast uintptr) bool                                            `symbol:"Z3_is_numeral_ast"`
	numeralString func(c, ast uintptr) string                                          `symbol:"Z3_get_numeral_string"`
	boolValue     func(c, ast uintptr) int32                                           `symbol:"Z3_get_bool_value"`

	statsIncRef func(c, s uintptr)                  `symbol:"Z3_stats_inc_ref"`
	statsDecRef func(c, s uintptr)                  `symbol:"Z3_stats_dec_ref"`
	statsSize   func(c, s uintptr) uint32           `symbol:"Z3_stats_size"`
	statsKey    func(c, s uintptr, i uint32) string `symbol:"Z3_stats_get_key"`
	statsIsUint func(c, s uintptr, i uint32) bool   `symbol:"Z3_stats_is_uint"`
	statsUint   func(c, s uintptr, i uint32) uint32 `symbol:"Z3_stats_get_uint_value"`
}

// Open finds and binds the library. If the library does not fit, the returned Lib serves
// Report only.
func Open() (l *Lib, err error) {
	l = &Lib{}
	if l.Library, err = native.Open(Spec, &l.fn); err != nil {
		return l, err
	}
	if l.Version = l.fn.version(); l.Version == "" {
		return l, l.Unfit("does not report its version")
	}
	return l, nil
}

// Allocated returns the memory in bytes that Z3 holds, in all contexts together.
func (l *Lib) Allocated() int64 { return int64(l.fn.allocated()) }
