// Package fault represents the faults of model files. A reader panics with a fault, so that its functions need no
// error results; the function that reads the entire file turns the panic into an error.
package fault

import "fmt"

// fault is an error in a file.
type fault struct{ error }

// New returns a fault to panic with; its arguments are those of fmt.Errorf.
func New(format string, args ...any) error { return fault{fmt.Errorf(format, args...)} }

// Check panics with an error of another package as a fault.
func Check(err error) {
	if err != nil {
		panic(fault{err})
	}
}

// About prefixes the fault of a panic with words. It must be deferred.
func About(words string) {
	switch f := recover().(type) {
	case nil:
	case fault:
		panic(New("%s: %w", words, f.error))
	default:
		panic(f)
	}
}

// Try calls a function and returns its fault, if any, as an error.
func Try(do func()) (err error) {
	defer Caught(&err)
	do()
	return nil
}

// Caught turns the fault of a panic into an error. It must be deferred.
func Caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}
