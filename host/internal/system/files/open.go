// Package files handles the files that people name on the command line and in
// studies: it opens them if they are regular files, hashes them, writes them as a
// whole or not at all, and says what went wrong with one.
package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Open opens a regular file to read. What is something else is refused with an
// *fs.PathError, unopened: to open a named pipe is to wait for who writes it.
func Open(path string) (*os.File, fs.FileInfo, error) {
	stat, err := Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if kind := kindOf(stat.Mode()); kind != "" {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a file but a " + kind)}
	}
	if copies != nil {
		path, _ = copies.find(path)
	}
	file, err := os.Open(path)
	return file, stat, err
}

// Within opens a file of a folder, which no name leads out of; nil where it is not a regular
// file.
func Within(folder, name string) (*os.File, fs.FileInfo, error) {
	if copies != nil {
		return Open(filepath.Join(folder, name))
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	stat, err := root.Stat(name)
	if err != nil || !stat.Mode().IsRegular() {
		return nil, stat, err
	}
	file, err := root.Open(name)
	return file, stat, err
}

// kindOf names what is not a regular file; empty for one that is.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe, which cannot be read twice: write it to a file first"
	}
	return "device or socket"
}

// Same reports two names of one file, which need not be there.
func Same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if x, err := os.Stat(a); err == nil {
		y, err := os.Stat(b)
		return err == nil && os.SameFile(x, y)
	}
	return place(a) == place(b)
}

// place is a name without links in its folder.
func place(path string) string {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return path
}

// Reason is what went wrong with a file, without its name, which the caller says.
func Reason(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// machine are the errors by which a machine refuses a file whatever its name.
var machine = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}

// OfMachine reports an error of the machine: a full disk, a quota, a broken disk, no more open
// files. Other errors of files (a missing folder, no permission) are of the name that was given.
func OfMachine(err error) bool {
	return slices.ContainsFunc(machine, func(e error) bool { return errors.Is(err, e) })
}

// SHA256 is the hash of a file's content, in hexadecimal, and its size.
func SHA256(path string) (sum string, size int64, err error) {
	f, _, err := Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}
