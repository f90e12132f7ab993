// Package files opens the files that people name on the command line and in
// studies.
package files

import (
	"errors"
	"io/fs"
	"os"
)

// Open opens a regular file to read. What is something else is refused with an
// *fs.PathError, unopened: to open a named pipe is to wait for who writes it.
func Open(path string) (*os.File, fs.FileInfo, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if kind := kindOf(stat.Mode()); kind != "" {
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a file but a " + kind)}
	}
	file, err := os.Open(path)
	return file, stat, err
}

// kindOf says what is no regular file; empty for one.
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
