package files

import (
	"os"
	"path/filepath"
)

// UserData returns the path of hyfair/name in the user's data folder: $XDG_DATA_HOME, else
// ~/.local/share, on Windows %LocalAppData%. It need not exist.
func UserData(name string) (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hyfair", name), nil
	}
	dir, err := userData()
	return filepath.Join(dir, "hyfair", name), err
}

// Program returns the file of this program, with links followed as far as possible.
func Program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path, nil
}
