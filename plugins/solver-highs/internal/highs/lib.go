// Package highs is a thin binding of the HiGHS library's C interface: a whole
// model passed in one call, changes to it, one run with a callback that can
// stop it, and the answer read back. It knows HiGHS 1.10 to 1.15.
package highs

import (
	"fmt"
	"unsafe"

	"github.com/hyfair/hyfair/sdk/native"
)

// Spec is what the library is looked for by.
var Spec = native.Spec{
	Name:  "HiGHS",
	Files: []string{"libhighs.so", "libhighs.so.1", "libhighs.dylib"},
	Hint:  "make setup",
}

// Lib is the bound library. Safe for concurrent use.
type Lib struct {
	file    *native.Library
	version string
	fn      functions
}

// functions are the C functions used, in the shapes of highs_c_api.h; a handle
// is a uintptr, HighsInt an int32, and the result of most a HighsStatus.
type functions struct {
	version   func() string
	sizeofInt func(h uintptr) int32
	create    func() uintptr
	destroy   func(h uintptr)

	passMip func(h uintptr, cols, rows, nonzeros, format, sense int32, offset float64,
		cost, colLo, colHi, rowLo, rowHi *float64, start, index *int32, value *float64, integrality *int32) int32
	setBool   func(h uintptr, name string, value int32) int32
	setInt    func(h uintptr, name string, value int32) int32
	setDouble func(h uintptr, name string, value float64) int32
	setString func(h uintptr, name, value string) int32

	changeBounds func(h uintptr, count int32, set *int32, lo, hi *float64) int32
	changeCosts  func(h uintptr, from, to int32, cost *float64) int32
	changeSense  func(h uintptr, sense int32) int32
	changeOffset func(h uintptr, offset float64) int32
	addRows      func(h uintptr, count int32, lo, hi *float64, nonzeros int32, start, index *int32, value *float64) int32
	deleteRows   func(h uintptr, from, to int32) int32
	setStart     func(h uintptr, count int32, index *int32, value *float64) int32
	clearSolver  func(h uintptr) int32
	zeroClocks   func(h uintptr) int32

	setCallback    func(h, callback, user uintptr) int32
	startCallback  func(h uintptr, kind int32) int32
	callbackItem   func(out unsafe.Pointer, name string) unsafe.Pointer
	run            func(h uintptr) int32
	resetScheduler func(blocking int32)

	modelStatus func(h uintptr) int32
	intInfo     func(h uintptr, name string, value *int32) int32
	int64Info   func(h uintptr, name string, value *int64) int32
	doubleInfo  func(h uintptr, name string, value *float64) int32
	solution    func(h uintptr, colValue, colDual, rowValue, rowDual *float64) int32
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
		native.Symbol{Name: "Highs_version", Func: &f.version},
		native.Symbol{Name: "Highs_getSizeofHighsInt", Func: &f.sizeofInt},
		native.Symbol{Name: "Highs_create", Func: &f.create},
		native.Symbol{Name: "Highs_destroy", Func: &f.destroy},
		native.Symbol{Name: "Highs_passMip", Func: &f.passMip},
		native.Symbol{Name: "Highs_setBoolOptionValue", Func: &f.setBool},
		native.Symbol{Name: "Highs_setIntOptionValue", Func: &f.setInt},
		native.Symbol{Name: "Highs_setDoubleOptionValue", Func: &f.setDouble},
		native.Symbol{Name: "Highs_setStringOptionValue", Func: &f.setString},
		native.Symbol{Name: "Highs_changeColsBoundsBySet", Func: &f.changeBounds},
		native.Symbol{Name: "Highs_changeColsCostByRange", Func: &f.changeCosts},
		native.Symbol{Name: "Highs_changeObjectiveSense", Func: &f.changeSense},
		native.Symbol{Name: "Highs_changeObjectiveOffset", Func: &f.changeOffset},
		native.Symbol{Name: "Highs_addRows", Func: &f.addRows},
		native.Symbol{Name: "Highs_deleteRowsByRange", Func: &f.deleteRows},
		native.Symbol{Name: "Highs_setSparseSolution", Func: &f.setStart},
		native.Symbol{Name: "Highs_clearSolver", Func: &f.clearSolver},
		native.Symbol{Name: "Highs_zeroAllClocks", Func: &f.zeroClocks},
		native.Symbol{Name: "Highs_setCallback", Func: &f.setCallback},
		native.Symbol{Name: "Highs_startCallback", Func: &f.startCallback},
		native.Symbol{Name: "Highs_getCallbackDataOutItem", Func: &f.callbackItem},
		native.Symbol{Name: "Highs_run", Func: &f.run},
		native.Symbol{Name: "Highs_resetGlobalScheduler", Func: &f.resetScheduler},
		native.Symbol{Name: "Highs_getModelStatus", Func: &f.modelStatus},
		native.Symbol{Name: "Highs_getIntInfoValue", Func: &f.intInfo},
		native.Symbol{Name: "Highs_getInt64InfoValue", Func: &f.int64Info},
		native.Symbol{Name: "Highs_getDoubleInfoValue", Func: &f.doubleInfo},
		native.Symbol{Name: "Highs_getSolution", Func: &f.solution},
	)
	if err != nil {
		return l, err
	}
	l.version = f.version()
	h := f.create()
	defer f.destroy(h)
	if size := f.sizeofInt(h); size != 4 {
		return l, fmt.Errorf("HiGHS at %s is built with integers of %d bytes, 4 are wanted; to install a fitting one: %s", file.Path(), size, Spec.Hint)
	}
	return l, nil
}

// File is the library's file as loaded.
func (l *Lib) File() *native.Library { return l.file }

// Version is the library's own, such as "1.15.1".
func (l *Lib) Version() string { return l.version }
