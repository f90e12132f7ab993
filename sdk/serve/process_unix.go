//go:build unix

package serve

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// divertStdout sets os.Stdout, for the handshake, to a descriptor that only this
// process has, and redirects descriptor 1 to standard error, so that nothing that a
// native library or a child prints is taken for the handshake. The caller must keep
// the old os.Stdout.
func divertStdout() error {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	os.Stdout = os.NewFile(uintptr(fd), "handshake")
	return unix.Dup2(2, 1)
}

// exitWithParent ends the process when its parent changes: the host died before it
// connected, or its connection stayed open after its death.
func exitWithParent(parent int) {
	for range time.Tick(250 * time.Millisecond) {
		if os.Getppid() != parent {
			os.Exit(0)
		}
	}
}
