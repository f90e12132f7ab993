package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// File is a file that gets its name only when it is complete, with the permissions of the
// file that it replaces. What is not a regular file (a pipe, a device, a link) is written
// in place instead.
type File struct {
	*os.File
	path string // empty: written in place
}

// Create opens a temporary file next to path.
func Create(path string) (*File, error) {
	if copies != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("a task from another machine writes no files")}
	}
	stat, absent := os.Lstat(path)
	if absent == nil && !stat.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return nil, err
		}
		return &File{File: file}, nil
	}
	var file *os.File
	err := fs.ErrExist
	for errors.Is(err, fs.ErrExist) {
		name := fmt.Sprintf(".%s.%x", filepath.Base(path), rand.Uint64())
		file, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		return nil, named(err, path)
	}
	if absent == nil {
		if err := file.Chmod(stat.Mode().Perm()); err != nil {
			return nil, errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}
	return &File{file, path}, nil
}

// Finish closes the file and gives it its name. If written is not nil, or closing fails, the
// file is removed, and an earlier file of that name stays.
func (f *File) Finish(written error) error {
	if f.path == "" {
		return errors.Join(written, f.File.Close())
	}
	err := errors.Join(written, f.File.Close())
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return named(err, f.path)
}

// named replaces the name of the temporary file in an error by path.
func named(err error, path string) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		failed.Path = path
	}
	return err
}

// Discard removes the file; an earlier file of that name stays.
func (f *File) Discard() {
	f.File.Close()
	if f.path != "" {
		os.Remove(f.Name())
	}
}

// Try returns an error if no file could be written to path, before there is anything to
// write. It changes nothing.
func Try(path string) error {
	switch stat, err := os.Lstat(path); {
	case err == nil && stat.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: errors.New("it is a folder")}
	case err == nil && !stat.Mode().IsRegular():
		return nil // opening it may block, or have an effect
	}
	file, err := Create(path)
	if err != nil {
		return err
	}
	file.Discard()
	return nil
}

// Write writes a file completely or not at all.
func Write(path string, write func(*os.File) error) error {
	file, err := Create(path)
	if err != nil {
		return err
	}
	return file.Finish(write(file.File))
}
