//go:build unix

package serve

import (
	"os"

	"golang.org/x/sys/unix"
)

// divertStdout points os.Stdout at a descriptor that only this process has,
// where the handshake goes, and descriptor 1 at standard error, so that no
// print of a native library or a child can be taken for the handshake. The
// caller keeps the os.Stdout there was.
func divertStdout() error {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	os.Stdout = os.NewFile(uintptr(fd), "handshake")
	return unix.Dup2(2, 1)
}
