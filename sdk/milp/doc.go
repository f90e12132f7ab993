// Package milp does what every solver of the MILP form needs around its search,
// whatever its library or method. A Question holds the problem and its limits; a
// Monitor enforces the limits that the search does not enforce itself (cancellation,
// time, memory), keeps the incumbent and reports progress; Claims interpret a native
// status, and a Range says which numbers a solver accepts:
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
