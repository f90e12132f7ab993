package client

import "syscall"

// processAttributes put a plugin into a process group of its own, so that all
// it starts can be ended with it and Ctrl-C does not reach it, and let the
// kernel end it when the host dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
