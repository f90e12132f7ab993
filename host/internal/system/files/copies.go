package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Copies maps the names of another machine's files to local copies. A process that uses it
// can open copies only: other names do not exist for it, and it writes no files.
type Copies struct {
	// Dir is the folder on the other machine to which relative names refer.
	Dir string `json:"dir"`
	// Files are the paths of the copies, by the original names.
	Files map[string]string `json:"files"`
}

// copies holds the process's copies of files; nil: files are opened under their own names.
var copies *Copies

// Use makes the process use copies from now on. It is for a process that does one task.
func Use(c *Copies) {
	if c == nil {
		return
	}
	copies = &Copies{Dir: c.Dir, Files: map[string]string{}}
	for name, path := range c.Files {
		copies.Files[filepath.Clean(name)] = path
	}
}

// find returns the path of a file's copy, or folder: true if name is a folder with copies.
func (c *Copies) find(name string) (path string, folder bool) {
	name = filepath.Clean(name)
	if path, ok := c.Files[name]; ok {
		return path, false
	}
	for file := range c.Files {
		if name == "." && !filepath.IsAbs(file) || strings.HasPrefix(file, strings.TrimSuffix(name, "/")+"/") {
			return "", true
		}
	}
	return "", false
}

// folder describes a folder that contains copies.
type folder string

func (f folder) Name() string     { return filepath.Base(string(f)) }
func (folder) Size() int64        { return 0 }
func (folder) Mode() fs.FileMode  { return fs.ModeDir | 0o500 }
func (folder) ModTime() time.Time { return time.Time{} }
func (folder) IsDir() bool        { return true }
func (folder) Sys() any           { return nil }

// Stat is os.Stat. A process with copies finds only the copies and their folders.
func Stat(name string) (fs.FileInfo, error) {
	if copies == nil {
		return os.Stat(name)
	}
	path, dir := copies.find(name)
	switch {
	case dir:
		return folder(name), nil
	case path == "":
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return os.Stat(path)
}

// In lists the names of the files in a folder, sorted.
func In(name string) (out []string, err error) {
	if copies != nil {
		if _, dir := copies.find(name); !dir {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		for file := range copies.Files {
			if filepath.Dir(file) == filepath.Clean(name) {
				out = append(out, filepath.Base(file))
			}
		}
		slices.Sort(out)
		return out, nil
	}
	entries, err := os.ReadDir(name)
	for _, e := range entries {
		if !e.IsDir() {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// Abs is filepath.Abs, relative to Dir if there are copies.
func Abs(name string) (string, error) {
	if copies == nil || filepath.IsAbs(name) {
		return filepath.Abs(name)
	}
	return filepath.Join(copies.Dir, name), nil
}
