package client

import "syscall"

// processAttributes puts a plugin into a new process group, so that it can be
// killed with its children and Ctrl-C does not reach it, and lets the kernel kill
// it when the host dies.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
