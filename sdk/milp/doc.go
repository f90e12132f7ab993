// Package milp is what a solver of problems in the MILP form does around its
// search, whatever library or method it is. A Question says what is asked; a
// Monitor keeps the limits that the search does not keep by itself (cancellation,
// time, memory), remembers the incumbent and tells of progress; Claims and Range
// say what a native status means, and which numbers a solver takes:
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
// How to search, and how far to believe the solver, is each plugin's own decision.
package milp
