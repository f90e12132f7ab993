package serve

import (
	"os"

	"golang.org/x/sys/windows"
)

// divertStdout sets os.Stdout, for the handshake, to a handle that only this process has,
// and makes standard error the standard output of native libraries and children, so that
// nothing that they print is taken for the handshake.
func divertStdout() error {
	var own windows.Handle
	self := windows.CurrentProcess()
	if err := windows.DuplicateHandle(self, windows.Handle(os.Stdout.Fd()), self, &own, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return err
	}
	os.Stdout = os.NewFile(uintptr(own), "handshake")
	return windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd()))
}

// exitWithParent ends the process when its parent ends, before it connected or with its
// connection open.
func exitWithParent(parent int) {
	if p, err := os.FindProcess(parent); err == nil {
		if _, err = p.Wait(); err == nil {
			os.Exit(0)
		}
	}
}
