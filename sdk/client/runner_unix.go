//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"
)

// killGroup ends a plugin and all that it started; what has ended is no error.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
