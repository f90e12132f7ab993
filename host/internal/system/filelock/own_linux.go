package filelock

import "golang.org/x/sys/unix"

// Locks of an open file: they end with it and know nothing of other files.
const (
	setLock = unix.F_OFD_SETLK
	getLock = unix.F_OFD_GETLK
)
