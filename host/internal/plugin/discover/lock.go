package discover

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/system/filelock"
)

// lock keeps other installs out of a plugin folder until release is called, and removes
// what a killed install has left. The operating system frees the lock when the process
// ends.
func lock(ctx context.Context, dir string) (release func(), err error) {
	path := filepath.Join(dir, ".lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		free, err := filelock.Try(f, 0)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		if free {
			break
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	clearStaging(dir)
	return func() { f.Close() }, nil
}

// clearStaging removes incomplete installations. The caller holds the lock.
func clearStaging(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // leftovers are harmless
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), staging) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
