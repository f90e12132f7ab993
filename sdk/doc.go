// Package sdk is what the author of a hyfair plugin imports: the two
// interfaces, Solver and Strategy, and the vocabulary they speak.
//
// A plugin is a small program, whose main is one call:
//
//	func main() { serve.Solver(mySolver{}) }
//
// The host owns everything that must be the same for every plugin: loading,
// lowering, timing, replaying, counting and storing. A plugin owns one idea:
// how to solve one problem, or where to look next. What a solver says is a
// claim; only the host, which replays every point in exact arithmetic,
// concludes.
package sdk
