package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// output is standard output. It keeps the first error, which every later write
// gets too: what a command prints, it need not watch. Safe for concurrent use.
type output struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	o.lost(err)
	return n, o.err
}

// close ends the output and returns the error that a part of it was lost by.
func (o *output) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c, ok := o.to.(io.Closer); ok && o.err == nil {
		o.lost(c.Close())
	}
	return o.err
}

// lost keeps an error, without the name of a file that the user did not give.
func (o *output) lost(err error) {
	if err != nil {
		o.err = fmt.Errorf("standard output cannot be written: %w", files.Reason(err))
	}
}

// input is standard input, whose reading a signal ends. Not safe for concurrent
// use.
type input struct {
	from   io.Reader
	done   <-chan struct{}
	buffer []byte // of the read under way, which may outlive Read
}

func (i *input) Read(p []byte) (int, error) {
	select {
	case <-i.done:
		return 0, context.Canceled
	default:
	}
	i.buffer = slices.Grow(i.buffer[:0], len(p))[:len(p)]
	read := make(chan func() (int, error), 1)
	go func(buffer []byte) {
		n, err := i.from.Read(buffer)
		read <- func() (int, error) { return copy(p, buffer[:n]), err }
	}(i.buffer)
	select {
	case got := <-read:
		return got()
	case <-i.done:
		return 0, context.Canceled
	}
}

// without takes one error out of another, as if it had not happened.
func without(err, what error) error {
	if what == nil || !errors.Is(err, what) {
		return err
	}
	var rest []error
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			rest = append(rest, without(e, what))
		}
	}
	return errors.Join(rest...)
}
