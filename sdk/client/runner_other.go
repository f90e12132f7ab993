//go:build unix && !linux

package client

import "syscall"

// processAttributes put a plugin into a process group of its own, so that all
// it starts can be ended with it and Ctrl-C does not reach it.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
