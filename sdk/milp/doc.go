// Package milp is what a solver of problems in the MILP form does around its
// search, whatever library or method it is. A Question holds the problem and its
// limits; a Monitor enforces the limits that the search does not enforce itself
// (cancellation, time, memory), keeps the incumbent and reports progress; Claims and
// Range interpret a native status, and state which numbers a solver takes:
//
//	m := milp.Watch(ctx, q)
//	run(func(e Event) (stop bool) { // the library's callback
//		if e.Point != nil && q.Feasible(e.Point) {
//			m.Found(e.Point)
//		}
//		m.Searched(e.Nodes)
//		_, stop = m.Stopped()
//		return stop
//	})
//	m.End()
//
// How to search, and how far to trust the solver, is each plugin's own decision.
package milp
