package certificate

import (
	"bufio"
	"fmt"
	"io"
)

// Writer writes a certificate leaf by leaf. Not safe for concurrent use. After an error,
// every further call returns the same error.
type Writer struct {
	statement *Statement
	w         *bufio.Writer
	leaves    int64
	buffer    []byte
	err       error
}

// NewWriter writes the statement, which must pass Validate, and returns a Writer for the
// leaves. If the claim is known only at the end, use Create.
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

// newLeaves returns a Writer for what follows the statement.
func newLeaves(w io.Writer, s Statement) *Writer {
	return &Writer{statement: &s, w: bufio.NewWriterSize(w, 1<<16)}
}

// Add writes a leaf. A leaf that Statement.CheckLeaf refuses is an error.
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
		w.err = fmt.Errorf("leaf %d takes %d bytes; at most %d are allowed", w.leaves, len(w.buffer), maxLine)
		return w.err
	}
	_, w.err = w.w.Write(w.buffer)
	w.leaves++
	return w.err
}

// Leaves returns the number of leaves written so far.
func (w *Writer) Leaves() int64 { return w.leaves }

// Close writes the end line, without which a reader refuses the certificate as cut short.
// It does not close the underlying writer.
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
