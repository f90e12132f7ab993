package client

import (
	"errors"
	"os"
	"syscall"
)

// processAttributes put a plugin into a process group of its own, so that
// Ctrl-C does not reach it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends a plugin, though not what it started; what has ended is no
// error.
func killGroup(p *os.Process) error {
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}
