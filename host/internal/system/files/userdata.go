package files

import (
	"os"
	"path/filepath"
)

// UserData is hyfair's folder of that name among the user's data: in $XDG_DATA_HOME, or in
// ~/.local/share. It need not be there yet.
func UserData(name string) (string, error) {
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hyfair", name), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "hyfair", name), err
}

// Program is the file of this program: where links to it lead, as far as they can be
// followed.
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
