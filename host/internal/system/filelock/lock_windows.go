package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Try locks the byte at an offset; false: another process holds it. Closing the file
// frees the lock.
func Try(f *os.File, at int64) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, offset(at))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Free frees a locked byte.
func Free(f *os.File, at int64) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, offset(at))
}

// Taken reports whether another process has locked the byte.
func Taken(f *os.File, at int64) bool {
	free, err := Try(f, at)
	if free {
		Free(f, at)
	}
	return !free && err == nil
}

func offset(at int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
}
