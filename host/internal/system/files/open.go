// Package files handles the files that users name on the command line and in studies:
// it opens them if they are regular files, hashes them, writes them completely or not
// at all, and explains errors.
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
)

// Open opens a regular file for reading. Anything else is refused with an *fs.PathError
// without opening it: opening a named pipe blocks until it has a writer.
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

// Within opens a file of a folder; names that lead out of the folder are errors. The file is
// nil if it is not a regular one.
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

// kindOf describes what is not a regular file; empty for a regular file.
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

// Same reports whether two paths name the same file, which need not exist.
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

// place returns an absolute name without links in its folder.
func place(path string) string {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(folder, filepath.Base(path))
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return path
}

// Reason returns the error of a file without its name, for callers that add the name.
func Reason(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// OfMachine reports whether an error is the machine's: a full disk, a quota, a broken disk, too
// many open files. Other errors of files (a missing folder, no permission) are due to the name.
func OfMachine(err error) bool { return is(err, machine) }

// Unread reports whether writing to a pipe failed because its reader has closed it.
func Unread(err error) bool { return is(err, unread) }

func is(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// SHA256 returns the hash of a file's content, in hexadecimal, and its size.
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
