package hdf5

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
)

var (
	// ErrUnsupported says that the file uses a feature of HDF5 that this package does not read.
	ErrUnsupported = errors.New("unsupported HDF5 feature")
	// ErrCorrupt says that the file contradicts itself or the format.
	ErrCorrupt = errors.New("corrupt HDF5 file")
	// ErrNotFound says that no object has the name.
	ErrNotFound = errors.New("no such object")
)

// Error describes a fault of a file and its place. It unwraps to one of the errors above.
type Error struct {
	// Path is the path of the object that was being read, "/" for the root group; empty if the
	// fault concerns the entire file.
	Path string
	// Offset is the offset in the file, in bytes, of the faulty structure.
	Offset int64
	// What is the fault, in words.
	What string

	kind error
}

// Error returns path, offset and fault in one line.
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

// Unwrap returns ErrUnsupported, ErrCorrupt or ErrNotFound.
func (e *Error) Unwrap() error { return e.kind }

func corrupt(offset int64, format string, args ...any) *Error {
	return &Error{Offset: offset, What: fmt.Sprintf(format, args...), kind: ErrCorrupt}
}

// unsupported returns an error whose text ends with "is" or "are"; Error appends "not supported".
func unsupported(offset int64, format string, args ...any) *Error {
	return &Error{Offset: offset, What: fmt.Sprintf(format, args...), kind: ErrUnsupported}
}

// located turns an *Error that a called function panicked with into a fault of the object at path,
// and puts words before its What. Exported functions defer it; all other functions panic with an
// *Error.
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
