package record

import (
	"fmt"
	"os"
	"path/filepath"
)

// RunsDir is the folder of the journal that commands use unless told
// otherwise: $HYFAIR_RUNS_DIR, else hyfair/runs in $XDG_DATA_HOME, else in
// ~/.local/share.
func RunsDir() (string, error) {
	if dir := os.Getenv("HYFAIR_RUNS_DIR"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "hyfair", "runs"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the journal: %w; set HYFAIR_RUNS_DIR or use --journal", err)
	}
	return filepath.Join(home, ".local", "share", "hyfair", "runs"), nil
}
