// Package native is the base of solver plugins around a native library, without
// cgo: Go alone builds the tree, and the error for a missing library names the
// command that installs it. Open finds the library and binds its C functions to a
// struct of Go functions; Solver and Incremental are a plugin without the part that
// is specific to its library:
//
//	type Lib struct {
//		*native.Library
//		fn struct {
//			version func() string `symbol:"Highs_version"`
//		}
//	}
//
//	func Open() (l *Lib, err error) {
//		l = &Lib{}
//		if l.Library, err = native.Open(spec, &l.fn); err == nil {
//			l.Version = l.fn.version()
//		}
//		return l, err
//	}
//
// Handles are the user data of callbacks. Package milp has what a solver of the MILP
// form needs around a search, in a library or not.
//
// purego.RegisterFunc of github.com/ebitengine/purego documents how Go types stand
// for C types.
package native
