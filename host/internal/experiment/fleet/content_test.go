package fleet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A worker's cache loses files that were unused for long, and keeps all others.
func TestCacheIsPruned(t *testing.T) {
	c := cache{dir: t.TempDir()}
	old, fresh := strings.Repeat("0", 64), strings.Repeat("1", 64)
	for _, name := range []string{old, fresh, "notes.txt"} {
		path := filepath.Join(c.dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-2 * unused)
		if name == fresh {
			at = time.Now().Add(-unused / 2)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.prune(); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(c.dir)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if err != nil || !slices.Equal(left, []string{fresh, "notes.txt"}) {
		t.Errorf("%q is left, %v", left, err)
	}
}
