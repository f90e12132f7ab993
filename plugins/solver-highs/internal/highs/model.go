package highs

import (
	"fmt"
	"math"
	"runtime"

	"github.com/hyfair/hyfair/sdk/native"
)

// Values of HighsStatus and of the matrix format in C.
const (
	statusError = -1
	rowwise     = 2
)

// Rows are constraints in sparse row-wise form. Row i has the entries from Start[i] to
// Start[i+1], the last one to the end.
type Rows struct {
	Lo, Hi []float64
	Start  []int32
	Index  []int32
	Value  []float64
}

// Problem is a MILP in the arrays that HiGHS takes. Integer has an entry per column: 1
// for an integer column, else 0.
type Problem struct {
	Maximise bool
	Offset   float64
	Cost     []float64
	Lo, Hi   []float64
	Integer  []int32
	Rows     Rows
}

// Model is a model that HiGHS holds. Not safe for concurrent use.
type Model struct {
	lib     *Lib
	h       uintptr
	columns int
}

// New returns an empty model that prints nothing. The caller must Close it.
func (l *Lib) New() (*Model, error) {
	h := l.fn.create()
	if h == 0 {
		return nil, fmt.Errorf("HiGHS has no memory for another model")
	}
	m := &Model{lib: l, h: h}
	if err := m.SetBool("output_flag", false); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Close frees the model.
func (m *Model) Close() {
	m.lib.fn.destroy(m.h)
	m.h = 0
}

// Pass replaces the model.
func (m *Model) Pass(p *Problem) error {
	rc := m.lib.fn.passMip(m.h, int32(len(p.Cost)), int32(len(p.Rows.Lo)), int32(len(p.Rows.Value)), rowwise,
		sense(p.Maximise), p.Offset, native.Array(p.Cost), native.Array(p.Lo), native.Array(p.Hi), native.Array(p.Rows.Lo), native.Array(p.Rows.Hi),
		native.Array(p.Rows.Start), native.Array(p.Rows.Index), native.Array(p.Rows.Value), native.Array(p.Integer))
	m.columns = len(p.Cost)
	return check(rc, "the model")
}

// SetBool sets an option by HiGHS's name for it. It is an error if HiGHS has no bool
// option of that name.
func (m *Model) SetBool(name string, value bool) error {
	var v int32
	if value {
		v = 1
	}
	return check(m.lib.fn.setBool(m.h, name, v), "%v for its option %s", value, name)
}

// SetInt is SetBool for an integer option; a value outside the option's range is an
// error.
func (m *Model) SetInt(name string, value int32) error {
	return check(m.lib.fn.setInt(m.h, name, value), "%v for its option %s", value, name)
}

// SetFloat is SetInt for a float64 option.
func (m *Model) SetFloat(name string, value float64) error {
	return check(m.lib.fn.setDouble(m.h, name, value), "%v for its option %s", value, name)
}

// SetString is SetBool for a string option.
func (m *Model) SetString(name, value string) error {
	return check(m.lib.fn.setString(m.h, name, value), "%q for its option %s", value, name)
}

// ChangeBounds replaces the bounds of the columns, which are in ascending order.
func (m *Model) ChangeBounds(columns []int32, lo, hi []float64) error {
	if len(columns) == 0 {
		return nil
	}
	rc := m.lib.fn.changeBounds(m.h, int32(len(columns)), native.Array(columns), native.Array(lo), native.Array(hi))
	return check(rc, "the new bounds")
}

// ChangeObjective replaces the objective; cost has an entry per column.
func (m *Model) ChangeObjective(maximise bool, offset float64, cost []float64) error {
	if err := check(m.lib.fn.changeSense(m.h, sense(maximise)), "the objective's direction"); err != nil {
		return err
	}
	if err := check(m.lib.fn.changeOffset(m.h, offset), "the objective's offset"); err != nil {
		return err
	}
	return check(m.lib.fn.changeCosts(m.h, 0, int32(len(cost)-1), native.Array(cost)), "the objective")
}

// AddRows appends rows to the model.
func (m *Model) AddRows(r *Rows) error {
	if len(r.Lo) == 0 {
		return nil
	}
	rc := m.lib.fn.addRows(m.h, int32(len(r.Lo)), native.Array(r.Lo), native.Array(r.Hi), int32(len(r.Value)),
		native.Array(r.Start), native.Array(r.Index), native.Array(r.Value))
	return check(rc, "the new rows")
}

// DeleteRows removes the rows from, from+1, … to-1.
func (m *Model) DeleteRows(from, to int) error {
	if from >= to {
		return nil
	}
	return check(m.lib.fn.deleteRows(m.h, int32(from), int32(to-1)), "to delete rows")
}

// SetStart proposes values for some columns. HiGHS refuses values outside the bounds, and
// completes the other columns.
func (m *Model) SetStart(columns []int32, values []float64) error {
	return check(m.lib.fn.setStart(m.h, int32(len(columns)), native.Array(columns), native.Array(values)), "the start values")
}

// Forget drops the state of earlier runs (basis, solution, clocks), so that the next run
// depends only on the model and the options.
func (m *Model) Forget() error {
	if err := check(m.lib.fn.clearSolver(m.h), "to forget its last run"); err != nil {
		return err
	}
	return check(m.lib.fn.zeroClocks(m.h), "to reset its clocks")
}

// Run solves the model and calls the handler from HiGHS's threads until it returns; see
// Handler. Status has the result.
//
// HiGHS ties its worker threads to the thread that calls it. So a run locks its thread and
// ends the workers afterwards; the next run may then use another number of threads, from
// another thread.
func (m *Model) Run(handle Handler) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := listeners.Add(&listener{lib: m.lib, columns: m.columns, handle: handle})
	defer listeners.Remove(id)
	if err := check(m.lib.fn.setCallback(m.h, trampoline(), id), "a callback"); err != nil {
		return err
	}
	for _, kind := range kinds {
		if err := check(m.lib.fn.startCallback(m.h, int32(kind)), "to call back"); err != nil {
			return err
		}
	}
	m.lib.fn.run(m.h) // the model status says more than its result
	m.lib.fn.resetScheduler(1)
	return nil
}

// Status returns the HighsModelStatus after a run.
func (m *Model) Status() int { return int(m.lib.fn.modelStatus(m.h)) }

// Solution returns the point that HiGHS holds after a run, a value per column; nil if it
// holds no feasible point.
func (m *Model) Solution() []float64 {
	const feasible = 2 // kHighsSolutionStatusFeasible
	var status int32
	if m.lib.fn.intInfo(m.h, "primal_solution_status", &status) == statusError || status != feasible {
		return nil
	}
	values := make([]float64, m.columns)
	if m.lib.fn.solution(m.h, native.Array(values), nil, nil, nil) == statusError {
		return nil
	}
	return values
}

// Bound returns the bound that a MIP's search has proved, NaN if there is none.
func (m *Model) Bound() float64 {
	var v float64
	if m.lib.fn.doubleInfo(m.h, "mip_dual_bound", &v) == statusError || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Nodes returns the number of branch-and-bound nodes of the run.
func (m *Model) Nodes() int64 {
	var v int64
	if m.lib.fn.int64Info(m.h, "mip_node_count", &v) == statusError {
		return 0
	}
	return max(v, 0)
}

func sense(maximise bool) int32 {
	if maximise {
		return -1
	}
	return 1
}

func check(rc int32, what string, args ...any) error {
	if rc != statusError {
		return nil
	}
	return fmt.Errorf("HiGHS refuses "+what, args...)
}
