package people

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Stream reads rows one at a time from a source that can be read only once, such as standard
// input. Not safe for concurrent use.
type Stream struct {
	records *records
	encoder *Encoder
}

// NewStream reads src up to the first row. spec describes the rows, with the column names and
// separators that ReadRows accepts; name identifies the source in errors.
func NewStream(spec *Spec, src io.Reader, name string) (*Stream, error) {
	rows := *spec
	rows.Files, rows.Split = []File{{Path: name}}, Split{}
	buffer := bufio.NewReaderSize(src, bufferBytes)
	first, err := firstRecord(buffer)
	if err == nil && Separator(string(first)) != 0 {
		var names []byte
		names, err = firstRecord(buffer)
		first = append(first, names...)
	}
	if err != nil {
		return nil, &Error{Path: name, Err: err}
	}
	err = settle(&rows, func(format *Format) (*records, error) {
		return newRecords(bytes.NewReader(first), min(bufferBytes, len(first)), &rows.Files[0], format, nil)
	})
	if err != nil {
		return nil, err
	}
	r, err := newRecords(io.MultiReader(bytes.NewReader(first), buffer), bufferBytes, &rows.Files[0], &rows.Format, nil)
	if err != nil {
		return nil, err
	}
	e, err := NewEncoder(&rows, r.columns)
	if err != nil {
		return nil, &Error{Path: name, Err: err}
	}
	return &Stream{records: r, encoder: e}, nil
}

// firstRecord reads the first line, including its end. A source without a line is an error.
func firstRecord(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxRecordBytes:
			return nil, errLongRecord
		case err == nil || errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("the file has no rows")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// Next encodes the next row into dst, with one entry per feature, and returns the line in which it
// begins. It returns io.EOF after the last row. After a *RowError the next row can be read; any
// other error is final.
func (s *Stream) Next(dst []float64) (line int, err error) {
	cells, err := s.records.next()
	if err == nil && cells == nil {
		err = io.EOF
	}
	if err != nil {
		return 0, err
	}
	if err := s.encoder.Encode(dst, cells); err != nil {
		return s.records.line, &RowError{err}
	}
	return s.records.line, nil
}

// RowError is the error of a row that cannot be encoded; it wraps a *CellError.
type RowError struct{ Err error }

func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RowError) Unwrap() error { return e.Err }
