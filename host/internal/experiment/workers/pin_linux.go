package workers

import (
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// Cores lists the processors that this process may use; empty if they are unknown or affinity
// cannot be set.
func Cores() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var out []int
	for c := range 64 * len(set) {
		if set.IsSet(c) {
			out = append(out, c)
		}
	}
	return out
}

// start starts a process with affinity to some processors. A child inherits the affinity of the
// thread that forks it, so start sets that thread's affinity for the moment of the fork: the
// child and its children are pinned from their first instruction on.
func start(cmd *exec.Cmd, cores []int) error {
	if len(cores) == 0 {
		return cmd.Start()
	}
	var before, during unix.CPUSet
	for _, c := range cores {
		during.Set(c)
	}
	runtime.LockOSThread()
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	if err := unix.SchedSetaffinity(0, &during); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err := cmd.Start()
	if back := unix.SchedSetaffinity(0, &before); back != nil {
		return err // the thread stays locked, and ends with its goroutine
	}
	runtime.UnlockOSThread()
	return err
}
