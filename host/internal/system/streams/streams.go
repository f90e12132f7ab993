// Package streams reports which standard streams were closed when the process started. The
// Go runtime opens /dev/null in place of a closed one before any code of the program runs,
// so that output is lost without an error. On Linux the Makefile links the program with an
// entry of its own (-E hyfair_entry), which asks the kernel first and then jumps to the
// runtime's. Without that entry no stream counts as closed.
package streams

import (
	"errors"
	"io"
	"os"
)

// closedAtStart is 1 for standard input and for standard output if they were closed; the
// entry sets it.
var closedAtStart [2]byte

// closed is a stream that was closed when the process started.
type closed struct{}

var errClosed = errors.New("it is closed")

func (closed) Read([]byte) (int, error)  { return 0, errClosed }
func (closed) Write([]byte) (int, error) { return 0, errClosed }

// Input returns standard input. Reading fails if it was closed when the process started.
func Input() io.Reader {
	if closedAtStart[0] != 0 {
		return closed{}
	}
	return os.Stdin
}

// Output returns standard output. Writing fails if it was closed when the process started.
func Output() io.Writer {
	if closedAtStart[1] != 0 {
		return closed{}
	}
	return os.Stdout
}
