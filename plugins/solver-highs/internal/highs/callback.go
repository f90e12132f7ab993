package highs

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/hyfair/hyfair/sdk/native"
)

// Kind is HiGHS's number for the kind of a callback.
type Kind int32

const (
	// SimplexInterrupt comes while the simplex method solves an LP.
	SimplexInterrupt Kind = 1
	// IPMInterrupt comes while the interior point method solves an LP.
	IPMInterrupt Kind = 2
	// MIPImproved comes with a better incumbent.
	MIPImproved Kind = 4
	// MIPInterrupt comes when the branch and bound can stop.
	MIPInterrupt Kind = 6
)

// kinds are the callbacks that Run asks for. The MIP's interrupt gives the bounds: the
// logging callback, which also has them, is silent when HiGHS prints nothing.
var kinds = []Kind{SimplexInterrupt, IPMInterrupt, MIPImproved, MIPInterrupt}

// Event is one callback.
type Event struct {
	Kind Kind
	// Values is the new incumbent, a copy; MIPImproved only.
	Values []float64
	// Bound and Nodes are the progress of a MIP's search; MIPImproved and MIPInterrupt
	// only. Bound may be infinite.
	Bound float64
	Nodes int64
}

// Handler gets events and returns whether to stop; HiGHS obeys on the three interrupts
// only. A Handler runs on the solver's threads: it must be quick, safe for concurrent
// use, and must not panic.
type Handler func(Event) (stop bool)

// listener is the state of one run; its id in listeners is the callback's user data.
type listener struct {
	lib     *Lib
	columns int
	handle  Handler
}

// A process has few slots for C callbacks and never frees one. So all runs share one, and
// the user data identifies the run.
var (
	trampoline = sync.OnceValue(func() uintptr { return purego.NewCallback(onEvent) })

	listeners native.Handles[*listener]
)

// onEvent has the signature of HighsCCallbackType. The layout of *out differs between
// versions, so its fields are read by name. *in begins with the int user_interrupt in all
// versions. Windows demands a result of every callback; HiGHS ignores it.
func onEvent(kind int32, _, out, in unsafe.Pointer, id uintptr) uintptr {
	l := listeners.Get(id)
	if l == nil {
		return 0
	}
	e := Event{Kind: Kind(kind)}
	if e.Kind == MIPImproved || e.Kind == MIPInterrupt {
		e.Bound = *(*float64)(l.lib.fn.callbackItem(out, "mip_dual_bound"))
		e.Nodes = max(0, *(*int64)(l.lib.fn.callbackItem(out, "mip_node_count")))
	}
	if e.Kind == MIPImproved {
		e.Values = l.incumbent(out)
	}
	if l.handle(e) && e.Kind != MIPImproved && in != nil {
		*(*int32)(in) = 1
	}
	return 0
}

// incumbent copies the point of an improvement; it returns nil if there is none.
func (l *listener) incumbent(out unsafe.Pointer) []float64 {
	point := (*float64)(l.lib.fn.callbackItem(out, "mip_solution"))
	if point == nil {
		return nil
	}
	return append([]float64(nil), unsafe.Slice(point, l.columns)...)
}
