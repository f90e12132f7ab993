package client

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processAttributes puts a plugin into a new process group, so that Ctrl-C does
// not reach it.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// group is a plugin and its job object, which its children join. Windows ends the
// processes of the job when the host ends in any way.
type group struct {
	process *os.Process
	job     windows.Handle // 0: Windows refused one, and children are not killed
}

func newGroup(p *os.Process) group {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{p, 0}
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	var refused error
	if err == nil {
		err = p.WithHandle(func(handle uintptr) { refused = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
	}
	if err != nil || refused != nil {
		_ = windows.CloseHandle(job)
		job = 0
	}
	return group{p, job}
}

// kill kills the processes of the job; it is not an error if they have ended.
func (g group) kill() error {
	if g.job != 0 {
		return windows.TerminateJobObject(g.job, 1)
	}
	if err := g.process.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func (g group) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}
