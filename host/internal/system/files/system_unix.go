//go:build unix

package files

import (
	"os"
	"path/filepath"
	"syscall"
)

// machine lists errors of the machine that do not depend on a file's name, unread those of a
// pipe without a reader.
var (
	machine = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
	unread  = []error{syscall.EPIPE}
)

func userData() (string, error) {
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}
