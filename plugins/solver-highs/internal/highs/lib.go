// Package highs is a thin binding of the HiGHS library's C interface: it passes a model
// in one call, changes it, runs HiGHS with a callback that can stop the run, and reads
// the answer. It supports HiGHS 1.10 to 1.15.
package highs

import (
	"unsafe"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec says how to find the library.
var Spec = native.Spec{
	Name:  "HiGHS",
	Files: []string{"libhighs.so", "libhighs.so.1", "libhighs.dylib", "libhighs.1.dylib", "highs.dll"},
	Hint:  "make setup, or pip install highspy (on Windows highsbox)",
}

// Lib is the bound library. Safe for concurrent use.
type Lib struct {
	*native.Library
	fn functions
}

// functions are the C functions used, with the signatures of highs_c_api.h. A handle is a
// uintptr, HighsInt an int32; most functions return a HighsStatus.
type functions struct {
	version   func() string         `symbol:"Highs_version"`
	sizeofInt func(h uintptr) int32 `symbol:"Highs_getSizeofHighsInt"`
	create    func() uintptr        `symbol:"Highs_create"`
	destroy   func(h uintptr)       `symbol:"Highs_destroy"`

	passMip func(h uintptr, cols, rows, nonzeros, format, sense int32, offset float64,
		cost, colLo, colHi, rowLo, rowHi *float64, start, index *int32, value *float64, integrality *int32) int32 `symbol:"Highs_passMip"`
	setBool   func(h uintptr, name string, value int32) int32   `symbol:"Highs_setBoolOptionValue"`
	setInt    func(h uintptr, name string, value int32) int32   `symbol:"Highs_setIntOptionValue"`
	setDouble func(h uintptr, name string, value float64) int32 `symbol:"Highs_setDoubleOptionValue"`
	setString func(h uintptr, name, value string) int32         `symbol:"Highs_setStringOptionValue"`

	changeBounds func(h uintptr, count int32, set *int32, lo, hi *float64) int32                                          `symbol:"Highs_changeColsBoundsBySet"`
	changeCosts  func(h uintptr, from, to int32, cost *float64) int32                                                     `symbol:"Highs_changeColsCostByRange"`
	changeSense  func(h uintptr, sense int32) int32                                                                       `symbol:"Highs_changeObjectiveSense"`
	changeOffset func(h uintptr, offset float64) int32                                                                    `symbol:"Highs_changeObjectiveOffset"`
	addRows      func(h uintptr, count int32, lo, hi *float64, nonzeros int32, start, index *int32, value *float64) int32 `symbol:"Highs_addRows"`
	deleteRows   func(h uintptr, from, to int32) int32                                                                    `symbol:"Highs_deleteRowsByRange"`
	setStart     func(h uintptr, count int32, index *int32, value *float64) int32                                         `symbol:"Highs_setSparseSolution"`
	clearSolver  func(h uintptr) int32                                                                                    `symbol:"Highs_clearSolver"`
	zeroClocks   func(h uintptr) int32                                                                                    `symbol:"Highs_zeroAllClocks"`

	setCallback    func(h, callback, user uintptr) int32                `symbol:"Highs_setCallback"`
	startCallback  func(h uintptr, kind int32) int32                    `symbol:"Highs_startCallback"`
	callbackItem   func(out unsafe.Pointer, name string) unsafe.Pointer `symbol:"Highs_getCallbackDataOutItem"`
	run            func(h uintptr) int32                                `symbol:"Highs_run"`
	resetScheduler func(blocking int32)                                 `symbol:"Highs_resetGlobalScheduler"`

	modelStatus func(h uintptr) int32                                                `symbol:"Highs_getModelStatus"`
	intInfo     func(h uintptr, name string, value *int32) int32                     `symbol:"Highs_getIntInfoValue"`
	int64Info   func(h uintptr, name string, value *int64) int32                     `symbol:"Highs_getInt64InfoValue"`
	doubleInfo  func(h uintptr, name string, value *float64) int32                   `symbol:"Highs_getDoubleInfoValue"`
	solution    func(h uintptr, colValue, colDual, rowValue, rowDual *float64) int32 `symbol:"Highs_getSolution"`
}

// Open finds and binds the library. If the library does not fit, the returned Lib serves
// Report only.
func Open() (l *Lib, err error) {
	l = &Lib{}
	if l.Library, err = native.Open(Spec, &l.fn); err != nil {
		return l, err
	}
	l.Version = l.fn.version()
	h := l.fn.create()
	defer l.fn.destroy(h)
	if size := l.fn.sizeofInt(h); size != 4 {
		return l, l.Unfit("is built with integers of %d bytes; 4 are needed", size)
	}
	return l, nil
}
