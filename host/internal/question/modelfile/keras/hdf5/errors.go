package hdf5

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
)

var (
	// ErrUnsupported is about valid HDF5, as far as was seen, of a kind that this
	// package does not read.
	ErrUnsupported = errors.New("unsupported HDF5 feature")
	// ErrCorrupt says that the file contradicts itself or the format.
	ErrCorrupt = errors.New("corrupt HDF5 file")
	// ErrNotFound says that no object has the name.
	ErrNotFound = errors.New("no such object")
)

// Error says what is wrong with a file and where. It unwraps to one of the
// errors above.
type Error struct {
	// Path is the object that was being read, "/" for the root group, and empty
	// where the file as a whole is meant.
	Path string
	// Offset is the place in the file, in bytes, of the structure concerned.
	Offset int64
	// What is wrong, in words.
	What string

	kind error
}

// Error gives path, offset and fault in one line.
func (e *Error) Error() string {
	where := fmt.Sprintf("offset %#x", e.Offset)
	if e.Path != "" {
		where = e.Path + ", " + where
	}
	if errors.Is(e.kind, ErrUnsupported) {
		return fmt.Sprintf("HDF5 (%s): %s not supported", where, e.What)
	}
	return fmt.Sprintf("HDF5 (%s): %s", where, e.What)
}

// Unwrap gives the kind of error.
func (e *Error) Unwrap() error { return e.kind }

func corrupt(offset int64, format string, args ...any) *Error {
	return &Error{Offset: offset, What: fmt.Sprintf(format, args...), kind: ErrCorrupt}
}

// unsupported reads "<what> not supported"; the words after the noun are
// added by Error.
func unsupported(offset int64, format string, args ...any) *Error {
	return &Error{Offset: offset, What: fmt.Sprintf(format, args...), kind: ErrUnsupported}
}

// located turns the *Error that something below panicked with into a fault of the
// object at path, with words before what is wrong. Exported functions defer it;
// all others panic with an *Error
// as soon as they meet a fault.
func located(path, words string) {
	switch e := recover().(type) {
	case nil:
	case *Error:
		e.Path, e.What = path, words+e.What
		fault.Check(e)
	default:
		panic(e)
	}
}
