package certificate

import (
	"bufio"
	"fmt"
	"io"
)

// Writer writes a certificate leaf by leaf. Not safe for concurrent use. After
// an error, every further call gives the same one.
type Writer struct {
	statement *Statement
	w         *bufio.Writer
	leaves    int64
	buffer    []byte
	err       error
}

// NewWriter writes the statement, which must pass Validate, and takes leaves
// from then on. Where the claim is known at the end only, see Create.
func NewWriter(w io.Writer, s Statement) (*Writer, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	head, err := s.format()
	if err != nil {
		return nil, err
	}
	out := newLeaves(w, s)
	if _, err := out.w.Write(head); err != nil {
		return nil, err
	}
	return out, nil
}

// newLeaves writes what follows the statement.
func newLeaves(w io.Writer, s Statement) *Writer {
	return &Writer{statement: &s, w: bufio.NewWriterSize(w, 1<<16)}
}

// Add writes a leaf. One that Statement.CheckLeaf refuses is an error.
func (w *Writer) Add(l *Leaf) error {
	if w.err != nil {
		return w.err
	}
	if w.err = w.statement.CheckLeaf(l); w.err != nil {
		w.err = fmt.Errorf("leaf %d: %w", w.leaves, w.err)
		return w.err
	}
	w.buffer = w.statement.appendLeaf(w.buffer[:0], l)
	if len(w.buffer) > maxLine {
		w.err = fmt.Errorf("leaf %d takes %d bytes; at most %d", w.leaves, len(w.buffer), maxLine)
		return w.err
	}
	_, w.err = w.w.Write(w.buffer)
	w.leaves++
	return w.err
}

// Leaves is the number written so far.
func (w *Writer) Leaves() int64 { return w.leaves }

// Close writes the end, without which a certificate is refused as cut short.
// It does not close what the writer writes to.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	var end []byte
	if end, w.err = line(endLine{endJSON{w.leaves}}); w.err != nil {
		return w.err
	}
	if _, w.err = w.w.Write(end); w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}
