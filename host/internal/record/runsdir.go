package record

import (
	"fmt"
	"os"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// RunsDir returns the folder of the default journal: $HYFAIR_RUNS_DIR, else hyfair/runs
// in $XDG_DATA_HOME, else in ~/.local/share.
func RunsDir() (string, error) {
	if dir := os.Getenv("HYFAIR_RUNS_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := files.UserData("runs")
	if err != nil {
		err = fmt.Errorf("no folder for the journal: %w; set HYFAIR_RUNS_DIR or use --journal", err)
	}
	return dir, err
}
