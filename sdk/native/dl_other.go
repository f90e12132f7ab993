//go:build !(darwin || freebsd || linux || netbsd || windows)

package native

import (
	"fmt"
	"runtime"
)

var systemDirs []string

func dlopen(path string) (uintptr, error) {
	return 0, fmt.Errorf("%s: native libraries are not supported on %s", path, runtime.GOOS)
}

func dlsym(uintptr, string) (uintptr, error) {
	return 0, fmt.Errorf("native libraries are not supported on %s", runtime.GOOS)
}

func fileOf(_, _ uintptr, otherwise string) string { return otherwise }
