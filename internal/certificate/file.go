package certificate

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// File is a certificate whose claim may be set until Close. Not safe for concurrent
// use.
type File struct {
	*Writer
	spool *os.File     // the leaves, until the claim is known
	zip   *gzip.Writer // nil if not compressed
}

// Create begins a certificate at path, compressed if path ends in .gz. The claim may be set
// until Close: see SetClaim. Until then the leaves are in a temporary file in path's folder.
// The caller must call Close or Abort.
func Create(path string, s Statement) (*File, error) {
	if err := s.validateSubject(); err != nil {
		return nil, err
	}
	spool, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".leaves-*")
	if err != nil {
		return nil, err
	}
	f := &File{spool: spool}
	to := io.Writer(spool)
	if strings.HasSuffix(path, ".gz") {
		f.zip = gzip.NewWriter(spool)
		to = f.zip
	}
	f.Writer = newLeaves(to, s)
	return f, nil
}

// SetClaim replaces the statement's claim, for instance by a bound that is known only
// when the solver stops.
func (f *File) SetClaim(c Claim) { f.statement.Claim = c }

// Close completes the certificate and writes it to a writer. After an error it acts as
// Abort.
func (f *File) Close(to io.Writer) error {
	return errors.Join(f.close(to), f.Abort())
}

func (f *File) close(to io.Writer) error {
	if err := f.Writer.Close(); err != nil {
		return err
	}
	if f.zip != nil {
		if err := f.zip.Close(); err != nil {
			return err
		}
	}
	if err := f.statement.Validate(); err != nil {
		return err
	}
	head, err := f.statement.format()
	if err != nil {
		return err
	}
	return f.assemble(to, head)
}

// assemble writes the statement, then copies the leaves. Compressed streams may
// follow one another and are read as one.
func (f *File) assemble(out io.Writer, head []byte) error {
	if f.zip != nil {
		z := gzip.NewWriter(out)
		if _, err := z.Write(head); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	} else if _, err := out.Write(head); err != nil {
		return err
	}
	if _, err := f.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(out, f.spool)
	return err
}

// Abort abandons the certificate and removes the temporary file. After Close it does
// nothing.
func (f *File) Abort() error {
	if f.spool == nil {
		return nil
	}
	err := errors.Join(f.spool.Close(), os.Remove(f.spool.Name()))
	f.spool = nil
	return err
}

// Open reads the certificate at path up to its leaves. The caller must call Close.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.close = f.Close
	return r, nil
}
