// Package lpsolve is a thin binding of the lp_solve 5.5 library: a model built
// from arrays, one run with callbacks that can stop it, and the answer read
// back. A model is made for one run and freed after it, because a run leaves
// its basis and its scale factors behind.
package lpsolve

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec is what the library is looked for by.
var Spec = native.Spec{
	Name:  "lp_solve",
	Files: []string{"liblpsolve55.so", "liblpsolve55.so.0", "liblpsolve55.dylib"},
	Hint:  "make setup, or apt-get install lp-solve",
}

// Lib is the bound library. lp_solve 5.5.2.5 keeps some of a run's state in
// static variables: one Run at a time.
type Lib struct {
	file    *native.Library
	version string
	fn      functions
}

// functions are the C functions used, in the shapes of lp_lib.h: a model is a
// uintptr, int an int32, MYBOOL a uint8 (0 for a failure), COUNTER an int64.
type functions struct {
	version func(major, minor, release, build *int32)
	make    func(rows, columns int32) uintptr
	free    func(lp uintptr)

	rowMode    func(lp uintptr, on uint8) uint8
	addRow     func(lp uintptr, count int32, value *float64, column *int32, kind int32, side float64) uint8
	setRange   func(lp uintptr, row int32, width float64) uint8
	setCost    func(lp uintptr, count int32, value *float64, column *int32) uint8
	setBounds  func(lp uintptr, column int32, lo, hi float64) uint8
	setInteger func(lp uintptr, column int32, on uint8) uint8
	// addSet's kind is 1 or 2, and its answer the set's number, 0 for a failure.
	addSet func(lp uintptr, name *byte, kind, priority, count int32, column *int32, weight *float64) int32

	setVerbose    func(lp uintptr, level int32)
	setScaling    func(lp uintptr, mode int32)
	setRule       func(lp uintptr, rule int32)
	setFloor      func(lp uintptr, mode int32)
	setImprove    func(lp uintptr, mode int32)
	setEpsilons   func(lp uintptr, level int32) uint8
	setSimplex    func(lp uintptr, mode int32)
	setGap        func(lp uintptr, absolute uint8, gap float64)
	setDepthLimit func(lp uintptr, limit int32)
	setBreakFirst func(lp uintptr, on uint8)
	setSolutions  func(lp uintptr, limit int32)

	putAbort   func(lp, callback, user uintptr)
	putMessage func(lp, callback, user uintptr, mask int32)
	solve      func(lp uintptr) int32

	nodes     func(lp uintptr) int64
	solutions func(lp uintptr) int32
	objective func(lp uintptr) float64
	rows      func(lp uintptr) int32
	value     func(lp uintptr, index int32) float64
}

// Open finds and binds the library. The error is a *native.NotFoundError where
// there is none; where there is one that does not fit, the Lib is returned
// with the error, good for Describe only.
func Open() (*Lib, error) {
	file, err := native.Open(Spec)
	if err != nil {
		return nil, err
	}
	l := &Lib{file: file}
	f := &l.fn
	err = file.Bind(
		native.Symbol{Name: "lp_solve_version", Func: &f.version},
		native.Symbol{Name: "make_lp", Func: &f.make},
		native.Symbol{Name: "delete_lp", Func: &f.free},
		native.Symbol{Name: "set_add_rowmode", Func: &f.rowMode},
		native.Symbol{Name: "add_constraintex", Func: &f.addRow},
		native.Symbol{Name: "set_rh_range", Func: &f.setRange},
		native.Symbol{Name: "set_obj_fnex", Func: &f.setCost},
		native.Symbol{Name: "set_bounds", Func: &f.setBounds},
		native.Symbol{Name: "set_int", Func: &f.setInteger},
		native.Symbol{Name: "add_SOS", Func: &f.addSet},
		native.Symbol{Name: "set_verbose", Func: &f.setVerbose},
		native.Symbol{Name: "set_scaling", Func: &f.setScaling},
		native.Symbol{Name: "set_bb_rule", Func: &f.setRule},
		native.Symbol{Name: "set_bb_floorfirst", Func: &f.setFloor},
		native.Symbol{Name: "set_improve", Func: &f.setImprove},
		native.Symbol{Name: "set_epslevel", Func: &f.setEpsilons},
		native.Symbol{Name: "set_simplextype", Func: &f.setSimplex},
		native.Symbol{Name: "set_mip_gap", Func: &f.setGap},
		native.Symbol{Name: "set_bb_depthlimit", Func: &f.setDepthLimit},
		native.Symbol{Name: "set_break_at_first", Func: &f.setBreakFirst},
		native.Symbol{Name: "set_solutionlimit", Func: &f.setSolutions},
		native.Symbol{Name: "put_abortfunc", Func: &f.putAbort},
		native.Symbol{Name: "put_msgfunc", Func: &f.putMessage},
		native.Symbol{Name: "solve", Func: &f.solve},
		native.Symbol{Name: "get_total_nodes", Func: &f.nodes},
		native.Symbol{Name: "get_solutioncount", Func: &f.solutions},
		native.Symbol{Name: "get_working_objective", Func: &f.objective},
		native.Symbol{Name: "get_Norig_rows", Func: &f.rows},
		native.Symbol{Name: "get_var_primalresult", Func: &f.value},
	)
	if err != nil {
		return l, err
	}
	var major, minor, release, build int32
	f.version(&major, &minor, &release, &build)
	l.version = fmt.Sprintf("%d.%d.%d.%d", major, minor, release, build)
	if major != 5 || minor != 5 {
		return l, fmt.Errorf("lp_solve at %s is version %s, 5.5 is wanted; to install a fitting one: %s", file.Path(), l.version, Spec.Hint)
	}
	return l, nil
}

// File is the library's file as loaded.
func (l *Lib) File() *native.Library { return l.file }

// Version is the library's own, such as "5.5.2.5".
func (l *Lib) Version() string { return l.version }
