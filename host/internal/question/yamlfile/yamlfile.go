// Package yamlfile reads the YAML files that people write: studies, comparison
// files and grids. Every mistake names file, line and column, all that can be told
// apart are reported together, and nothing in a hostile file takes more than a
// moment. What the keys of a file mean is for the package that reads it.
package yamlfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Read reads the bytes of a file, which Parse takes.
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

// HasKey reports whether the path is a file with this key at its top level, even
// if there are mistakes in it. What cannot be read has none.
func HasKey(path, key string) bool {
	text, err := Read(path)
	return err == nil && strings.Contains("\n"+string(text), "\n"+key+":")
}
