//go:build unix

package discover

import "io/fs"

// separators are the characters that separate folders in a path.
const separators = "/"

// executable reports whether a file can be started.
func executable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// withoutExtension returns the name unchanged: programs have no extension.
func withoutExtension(file string) string { return file }
