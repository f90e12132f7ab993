package native

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// systemDirs are empty: installed libraries are found by PATH.
var systemDirs []string

// dlopen loads a library, and the libraries that it needs from its own folder. A name without
// a folder is looked up in PATH: the system's own search would also try the current folder.
func dlopen(path string) (uintptr, error) {
	if !filepath.IsAbs(path) {
		found := ""
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			file := filepath.Join(dir, path)
			if _, err := os.Stat(file); err == nil && filepath.IsAbs(file) {
				found = file
				break
			}
		}
		if found == "" {
			return 0, fmt.Errorf("%s is in no folder of PATH", path)
		}
		path = found
	}
	handle, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return uintptr(handle), nil
}

func dlsym(handle uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(handle), name)
}

// fileOf asks the system for the file of a library; it returns otherwise if the system does
// not know.
func fileOf(handle, _ uintptr, otherwise string) string {
	var name [windows.MAX_LONG_PATH]uint16
	n, err := windows.GetModuleFileName(windows.Handle(handle), &name[0], uint32(len(name)))
	if err != nil {
		return otherwise
	}
	return windows.UTF16ToString(name[:n])
}
