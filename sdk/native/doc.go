// Package native is the base of solver plugins around a native library, without
// cgo: the tree builds with Go alone, and a library that is missing is a sentence
// with the command that installs it. Open finds the library and binds its C
// functions to a struct of Go ones; Solver and Incremental are all of a plugin but
// what is its library's:
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
// Handles are what callbacks get as user data. What a solver of the MILP form does
// around a search, in a library or not, is in package milp.
//
// How Go types stand for C types is github.com/ebitengine/purego's business;
// see purego.RegisterFunc.
package native
