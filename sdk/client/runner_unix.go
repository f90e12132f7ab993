//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"
)

// killGroup ends a plugin and all that it started; that it has ended already is not an error.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
