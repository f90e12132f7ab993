// Package native finds and binds a native library at run time, for solver
// plugins that have no use for cgo: the tree builds with Go alone, and a
// library that is missing is a sentence with the command that installs it.
//
//	lib, err := native.Open(native.Spec{
//		Name:  "HiGHS",
//		Files: []string{"libhighs.so", "libhighs.so.1"},
//		Hint:  "make setup",
//	})
//	if err != nil {
//		return native.Missing(err) // an sdk.Library for Description.Libraries
//	}
//	var version func() string
//	err = lib.Bind(native.Symbol{Name: "Highs_version", Func: &version})
//
// Report makes an sdk.Library of all that may have become of it. Handles are what
// callbacks get as user data, and package watch keeps the limits of a run.
//
// How Go types stand for C types is github.com/ebitengine/purego's business;
// see purego.RegisterFunc.
package native
