//go:build unix && !linux

package filelock

import "golang.org/x/sys/unix"

// Locks of a process, which ends them all when it closes any one of its open
// files of the same name: open it once in a process.
const (
	setLock = unix.F_SETLK
	getLock = unix.F_GETLK
)
