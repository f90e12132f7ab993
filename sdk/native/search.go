package native

import (
	"os"
	"path/filepath"
)

// loader stands for the system's own search in the list of folders.
const loader = "\x00loader"

// searchDirs lists the folders in the order that Open documents.
func searchDirs() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv(EnvDir)) {
		if dir != "" {
			dirs = append(dirs, dir)
		}
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		dirs = append(dirs, besideExecutable(exe)...)
	}
	return append(append(dirs, loader), systemDirs...)
}

// besideExecutable lists the folders for libraries near an executable.
func besideExecutable(exe string) []string {
	at := filepath.Dir(exe)
	return []string{
		filepath.Join(at, "..", "..", ".deps", "lib"),
		filepath.Join(at, "..", ".deps", "lib"),
		filepath.Join(at, "..", "lib"),
		filepath.Join(at, "..", "..", "..", "highspy"),
		filepath.Join(at, "..", "..", "..", "highsbox", "highs_dist", "bin"), // Windows: highspy has no library
		filepath.Join(at, "..", "..", "..", "z3", "lib"),
	}
}
