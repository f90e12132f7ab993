package view

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Draw draws pictures into a folder, which it creates, and returns the paths of the files.
func Draw[P Picture](dir, format string, pictures []P) (paths []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, p := range pictures {
		base := fileName(p.FileName())
		name := base
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[name] = true
		path := filepath.Join(dir, name+"."+format)
		if err := files.Write(path, func(file *os.File) error { return p.Write(file, format) }); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths, nil
}

// fileName replaces characters that are unsafe in file names, and cuts what is longer than
// file systems allow.
func fileName(name string) string {
	const most = 200 // bytes
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || strings.ContainsRune(`/\:*?"<>| `, r) {
			return '_'
		}
		return r
	}, name)
	for i := range name {
		if i > most {
			return name[:i]
		}
	}
	return name
}
