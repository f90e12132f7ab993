//go:build unix && !linux

package client

import "syscall"

// processAttributes puts a plugin into a new process group, so that it can be
// killed with its children and Ctrl-C does not reach it.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
