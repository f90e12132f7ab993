// Package lpsolve is a thin binding of the lp_solve 5.5 library: it builds a model from
// arrays, runs lp_solve once with callbacks that can stop the run, and reads the answer.
// Each run gets its own model, because a run leaves its basis and its scale factors in
// the model.
package lpsolve

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec says how to find the library.
var Spec = native.Spec{
	Name:  "lp_solve",
	Files: []string{"liblpsolve55.so", "liblpsolve55.so.0", "liblpsolve55.dylib", "lpsolve55.dll"},
	Hint:  "make setup, or apt-get install lp-solve; on Windows put lpsolve55.dll into a folder of PATH",
}

// Lib is the bound library. lp_solve 5.5.2.5 keeps some of a run's state in static
// variables, so only one Run may be active at a time.
type Lib struct {
	*native.Library
	fn functions
}

// functions are the C functions used, with the signatures of lp_lib.h: a model is a
// uintptr, int an int32, MYBOOL a uint8 (0 for a failure), COUNTER an int64.
type functions struct {
	version func(major, minor, release, build *int32) `symbol:"lp_solve_version"`
	make    func(rows, columns int32) uintptr         `symbol:"make_lp"`
	free    func(lp uintptr)                          `symbol:"delete_lp"`

	rowMode    func(lp uintptr, on uint8) uint8                                                             `symbol:"set_add_rowmode"`
	addRow     func(lp uintptr, count int32, value *float64, column *int32, kind int32, side float64) uint8 `symbol:"add_constraintex"`
	setRange   func(lp uintptr, row int32, width float64) uint8                                             `symbol:"set_rh_range"`
	setCost    func(lp uintptr, count int32, value *float64, column *int32) uint8                           `symbol:"set_obj_fnex"`
	setBounds  func(lp uintptr, column int32, lo, hi float64) uint8                                         `symbol:"set_bounds"`
	setInteger func(lp uintptr, column int32, on uint8) uint8                                               `symbol:"set_int"`
	// addSet's kind is 1 or 2; it returns the set's number, 0 for a failure.
	addSet func(lp uintptr, name *byte, kind, priority, count int32, column *int32, weight *float64) int32 `symbol:"add_SOS"`

	setVerbose    func(lp uintptr, level int32)                 `symbol:"set_verbose"`
	setScaling    func(lp uintptr, mode int32)                  `symbol:"set_scaling"`
	setRule       func(lp uintptr, rule int32)                  `symbol:"set_bb_rule"`
	setFloor      func(lp uintptr, mode int32)                  `symbol:"set_bb_floorfirst"`
	setImprove    func(lp uintptr, mode int32)                  `symbol:"set_improve"`
	setEpsilons   func(lp uintptr, level int32) uint8           `symbol:"set_epslevel"`
	setSimplex    func(lp uintptr, mode int32)                  `symbol:"set_simplextype"`
	setGap        func(lp uintptr, absolute uint8, gap float64) `symbol:"set_mip_gap"`
	setDepthLimit func(lp uintptr, limit int32)                 `symbol:"set_bb_depthlimit"`
	setBreakFirst func(lp uintptr, on uint8)                    `symbol:"set_break_at_first"`
	setSolutions  func(lp uintptr, limit int32)                 `symbol:"set_solutionlimit"`

	putAbort   func(lp, callback, user uintptr)             `symbol:"put_abortfunc"`
	putMessage func(lp, callback, user uintptr, mask int32) `symbol:"put_msgfunc"`
	solve      func(lp uintptr) int32                       `symbol:"solve"`

	nodes     func(lp uintptr) int64                `symbol:"get_total_nodes"`
	solutions func(lp uintptr) int32                `symbol:"get_solutioncount"`
	objective func(lp uintptr) float64              `symbol:"get_working_objective"`
	rows      func(lp uintptr) int32                `symbol:"get_Norig_rows"`
	value     func(lp uintptr, index int32) float64 `symbol:"get_var_primalresult"`
}

// Open finds and binds the library. If the library does not fit, the returned Lib serves
// Report only.
func Open() (l *Lib, err error) {
	l = &Lib{}
	if l.Library, err = native.Open(Spec, &l.fn); err != nil {
		return l, err
	}
	var major, minor, release, build int32
	l.fn.version(&major, &minor, &release, &build)
	l.Version = fmt.Sprintf("%d.%d.%d.%d", major, minor, release, build)
	if major != 5 || minor != 5 {
		return l, l.Unfit("is version %s; 5.5 is needed", l.Version)
	}
	return l, nil
}
