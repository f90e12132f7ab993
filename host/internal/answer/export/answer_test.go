package export

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestASignalLeavesNoHalfFile: a file that is incomplete when the signal comes is removed.
func TestASignalLeavesNoHalfFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	err := new(Result).file(ctx, filepath.Join(dir, "x.mps"), "", func(w io.Writer) error {
		_, before := io.WriteString(w, "ROWS\n")
		cancel()
		_, after := io.WriteString(w, "COLUMNS\n")
		return errors.Join(before, after)
	})
	left, _ := os.ReadDir(dir)
	if !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Errorf("error %v, files %v", err, left)
	}
}
