//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks the byte at an offset; false: another process holds it. Closing the file
// frees the lock.
func Try(f *os.File, at int64) (bool, error) {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	err := unix.FcntlFlock(f.Fd(), setLock, &lock)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// Free frees a locked byte.
func Free(f *os.File, at int64) error {
	lock := unix.Flock_t{Type: unix.F_UNLCK, Start: at, Len: 1}
	return unix.FcntlFlock(f.Fd(), setLock, &lock)
}

// Taken reports whether another process has locked the byte.
func Taken(f *os.File, at int64) bool {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	return unix.FcntlFlock(f.Fd(), getLock, &lock) == nil && lock.Type != unix.F_UNLCK
}
