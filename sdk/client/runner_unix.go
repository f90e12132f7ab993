//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"
)

// group is a plugin's process group, by its number.
type group int

func newGroup(p *os.Process) group { return group(p.Pid) }

// kill kills the processes of the group; it is not an error if they have ended.
func (g group) kill() error {
	if err := syscall.Kill(-int(g), syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func (group) close() {}
