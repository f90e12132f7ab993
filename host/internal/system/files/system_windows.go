package files

import (
	"os"

	"golang.org/x/sys/windows"
)

// machine lists errors of the machine that do not depend on a file's name, unread those of a
// pipe without a reader.
var (
	machine = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED,
		windows.ERROR_IO_DEVICE, windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY}
	unread = []error{windows.ERROR_BROKEN_PIPE, windows.ERROR_NO_DATA, windows.ERROR_PIPE_NOT_CONNECTED}
)

// userData returns %LocalAppData%.
func userData() (string, error) { return os.UserCacheDir() }
