package discover

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// separators are the characters that separate folders in a path.
const separators = `/\`

// executable reports whether a file can be started, by its name: Windows has no permission to
// execute.
func executable(info fs.FileInfo) bool { return strings.EqualFold(filepath.Ext(info.Name()), ".exe") }

// withoutExtension returns a program's name without .exe.
func withoutExtension(file string) string {
	if ext := filepath.Ext(file); strings.EqualFold(ext, ".exe") {
		return strings.TrimSuffix(file, ext)
	}
	return file
}
