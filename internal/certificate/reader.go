package certificate

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Fault is an error in a certificate's text.
type Fault struct {
	// Line counts from 1.
	Line int64
	Err  error
}

func (f *Fault) Error() string { return fmt.Sprintf("line %d: %v", f.Line, f.Err) }

// Unwrap returns the error without its line.
func (f *Fault) Unwrap() error { return f.Err }

// Reader reads a certificate leaf by leaf. Its memory is at most a small multiple of the
// longest line, which may have 64 MiB. Not safe for concurrent use.
type Reader struct {
	statement Statement
	sums      [2]string // of model and space
	r         *bufio.Reader
	line      int64
	buffer    []byte
	leaves    int64
	done      bool
	close     func() error
}

// NewReader reads the statement, plain or compressed, and checks it, including the
// fingerprints. It returns faults of the text as *Fault.
func NewReader(r io.Reader) (*Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("compressed certificate: %w", err)
		}
		b = bufio.NewReaderSize(z, 1<<16)
	}
	out := &Reader{r: b, close: func() error { return nil }}
	s := &out.statement
	for _, parse := range []func(*scanner) error{
		func(sc *scanner) (err error) {
			out.sums[0], out.sums[1], err = s.parseHeader(sc)
			return err
		},
		s.parseModel, s.parseSpace,
		func(sc *scanner) error {
			// Predicates and boxes refer to features of the space, which must be valid.
			if err := s.Space.Validate(); err != nil {
				return err
			}
			return s.parseRegion(sc)
		},
	} {
		sc, err := out.next()
		if err != nil {
			return nil, err
		}
		if err = parse(sc); err == nil {
			err = sc.end()
		}
		if err != nil {
			return nil, out.fault(err)
		}
	}
	if err := s.Validate(); err != nil {
		return nil, out.fault(err)
	}
	return out, out.checkSums()
}

// checkSums compares the fingerprints with the content.
func (r *Reader) checkSums() error {
	of, err := r.statement.modelSHA256()
	if err != nil {
		return err
	}
	if of != r.sums[0] {
		return &Fault{1, fmt.Errorf("network_sha256 is %.64q, but the model below has %s", r.sums[0], of)}
	}
	if of, err = SpaceSHA256(r.statement.Space); err != nil {
		return err
	}
	if of != r.sums[1] {
		return &Fault{1, fmt.Errorf("space_sha256 is %.64q, but the space below has %s", r.sums[1], of)}
	}
	return nil
}

// Statement returns what the certificate is about. The caller must not change it.
func (r *Reader) Statement() *Statement { return &r.statement }

// Fingerprints returns the stated SHA-256 of model and space, which NewReader has
// checked.
func (r *Reader) Fingerprints() (model, space string) { return r.sums[0], r.sums[1] }

// Line returns the number of the line that was read last.
func (r *Reader) Line() int64 { return r.line }

// Next reads the next leaf; after the last one it returns io.EOF. A certificate without
// its end line, or with another number of leaves than that line states, is an error.
// After an error Next must not be called again.
func (r *Reader) Next() (*Leaf, error) {
	if r.done {
		return nil, io.EOF
	}
	sc, err := r.next()
	if err != nil {
		return nil, err
	}
	l, told, err := r.statement.parseLeaf(sc)
	if err == nil {
		err = sc.end()
	}
	if err != nil {
		return nil, r.fault(err)
	}
	if l != nil {
		r.leaves++
		return l, nil
	}
	r.done = true
	if told != r.leaves {
		return nil, r.fault(fmt.Errorf("end: it states %d leaves, but %d were read", told, r.leaves))
	}
	if _, err := r.r.ReadByte(); err == nil {
		return nil, r.fault(errors.New("text follows the end line"))
	} else if !errors.Is(err, io.EOF) {
		return nil, r.fault(err)
	}
	return nil, io.EOF
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.close() }

func (r *Reader) fault(err error) error { return &Fault{r.line, err} }

// next reads a line, without its end.
func (r *Reader) next() (*scanner, error) {
	r.line++
	r.buffer = r.buffer[:0]
	for {
		part, err := r.r.ReadSlice('\n')
		if len(r.buffer)+len(part) > maxLine+1 {
			return nil, r.fault(fmt.Errorf("longer than %d bytes, the maximum", maxLine))
		}
		r.buffer = append(r.buffer, part...)
		switch {
		case err == nil:
			return &scanner{line: r.buffer[:len(r.buffer)-1]}, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil, r.fault(errors.New("the certificate ends before its end line: it was cut short"))
		default:
			return nil, r.fault(err)
		}
	}
}
