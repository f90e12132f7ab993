package filelock

import "golang.org/x/sys/unix"

// Locks of an open file description: they end with it, independently of other handles.
const (
	setLock = unix.F_OFD_SETLK
	getLock = unix.F_OFD_GETLK
)
