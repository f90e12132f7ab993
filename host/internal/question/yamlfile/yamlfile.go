// Package yamlfile reads the YAML files that people write: studies, comparison files and
// grids. Errors name file, line and column, and all independent mistakes are reported together.
// The time for hostile files is bounded. Callers define the meaning of keys.
package yamlfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Read returns the content of a file for Parse. It reads at most one byte more than Parse accepts.
func Read(path string) ([]byte, error) {
	f, _, err := files.Open(path)
	if err == nil {
		defer f.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(f, maxFileBytes+1)); err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", path, files.Reason(err))
}

// HasKey reports whether the file has this top-level key, even if it has mistakes elsewhere;
// false for an unreadable file.
func HasKey(path, key string) bool {
	text, err := Read(path)
	return err == nil && strings.Contains("\n"+string(text), "\n"+key+":")
}
