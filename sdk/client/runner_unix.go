//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"
)

// killGroup kills a plugin and its process group; it is not an error if they have ended.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
