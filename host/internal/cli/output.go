package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
)

// output is standard output. It keeps the first error and returns it from every later
// write, so that commands need not check each one. Safe for concurrent use.
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

// close closes the output and returns the error of its first failed write.
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

// diagnostics is standard error. Names of files, of plugins and in studies reach it in errors,
// notes and logs: control characters are replaced there, as on standard output.
type diagnostics struct{ to io.Writer }

func (d *diagnostics) Write(p []byte) (int, error) {
	if _, err := io.WriteString(d.to, view.Steerless(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// message returns the text of an error. Arguments and file names in it are escaped to one line, so
// that none can imitate a message of the program.
func message(err error, args []string) string {
	text := err.Error()
	clean := func(name string) {
		if name != "" {
			text = strings.ReplaceAll(text, name, view.OneLine(name))
		}
	}
	var visit func(error)
	visit = func(err error) {
		switch e := err.(type) { //nolint:errorlint // each error of the tree is visited
		case *fs.PathError:
			clean(e.Path)
		case *os.LinkError:
			clean(e.Old)
			clean(e.New)
		}
		switch e := err.(type) { //nolint:errorlint // each error of the tree is visited
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				visit(inner)
			}
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				visit(inner)
			}
		}
	}
	visit(err)
	for _, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok {
			clean(value)
		}
		clean(arg)
	}
	return text
}

// input is standard input. A signal ends a pending Read. Not safe for concurrent use.
type input struct {
	from   io.Reader
	done   <-chan struct{}
	buffer []byte // of the pending read, which may outlive Read
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

// without returns err with the error what removed from its tree; nil if no other error remains.
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
