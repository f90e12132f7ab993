package lpsolve

import (
	"sync"

	"github.com/ebitengine/purego"

	"github.com/hyfair/hyfair/sdk/native"
)

// Event is one callback: lp_solve asks at every simplex iteration and every branch
// whether to stop.
type Event struct {
	// Nodes and Calls are the progress of the run: branch-and-bound nodes, and callbacks
	// so far. Both are the same whenever the same model runs with the same settings.
	Nodes, Calls int64
	// Values is a copy of a new incumbent; nil if there is none since the last event.
	Values []float64
	// Relaxation is the optimum of the relaxation without integrality. It is valid if
	// Relaxed is set.
	Relaxation float64
	Relaxed    bool
}

// Handler gets events and returns whether to stop. It runs on the thread that called Run: it
// must be quick and must not panic.
type Handler func(Event) (stop bool)

// Messages of lp_solve (lp_lib.h).
const (
	messageRelaxed  = 16  // MSG_LPOPTIMAL
	messageFirst    = 128 // MSG_MILPFEASIBLE
	messageImproved = 512 // MSG_MILPBETTER
)

// listener is the state of one run; its id in listeners is the callbacks' user data.
type listener struct {
	lib     *Lib
	lp      uintptr
	columns int
	handle  Handler

	latest Event
	// improved is set when a better point was announced. lp_solve copies the point to
	// where it can be read only after the announcement.
	improved bool
}

// A process has few slots for C callbacks and never frees one. So all runs share two, and
// the user data identifies the run.
var (
	abortTrampoline   = sync.OnceValue(func() uintptr { return purego.NewCallback(onAbort) })
	messageTrampoline = sync.OnceValue(func() uintptr { return purego.NewCallback(onMessage) })

	listeners native.Handles[*listener]
)

// onAbort has the signature of lphandle_intfunc.
func onAbort(_, id uintptr) uintptr {
	l := listeners.Get(id)
	if l == nil {
		return 0
	}
	l.latest.Calls++
	e := l.latest
	e.Nodes = l.lib.fn.nodes(l.lp)
	if l.improved {
		l.improved = false
		e.Values = l.lib.values(l.lp, l.columns)
	}
	if l.handle(e) {
		return 1
	}
	return 0
}

// onMessage has the signature of lphandleint_func. Windows demands a result of every callback;
// lp_solve ignores it.
func onMessage(_, id uintptr, message int32) uintptr {
	l := listeners.Get(id)
	switch {
	case l == nil:
	case message == messageRelaxed:
		if !l.latest.Relaxed && l.lib.fn.nodes(l.lp) == 0 {
			l.latest.Relaxation, l.latest.Relaxed = l.lib.fn.objective(l.lp), true
		}
	default:
		l.improved = true
	}
	return 0
}
