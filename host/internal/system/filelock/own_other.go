//go:build unix && !linux

package filelock

import "golang.org/x/sys/unix"

// Locks of a process: closing any handle of the file frees them all, so a process must open
// the file only once.
const (
	setLock = unix.F_SETLK
	getLock = unix.F_GETLK
)
