package client

import (
	"errors"
	"os"
	"syscall"
)

// processAttributes puts a plugin into a new process group, so that Ctrl-C does
// not reach it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup kills a plugin, but not its children; it is not an error if it has
// ended.
func killGroup(p *os.Process) error {
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
