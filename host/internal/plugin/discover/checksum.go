package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// maxFiles bounds the number of files of a pinned plugin.
const maxFiles = 10_000

// Sum is what a pin records of a file: its content, and whether it is executable.
type Sum struct {
	// SHA256 is the content's checksum in hexadecimal.
	SHA256     string `json:"sha256"`
	Executable bool   `json:"executable,omitempty"`
}

// Sums holds the files of a plugin by their path from the folder that contains the
// plugin, with slashes: "hyfair-search-x" for a program, "hyfair-search-x/main.py"
// and so on for a folder.
type Sums map[string]Sum

// sum hashes every file of the plugin base in dir. Only files and non-empty folders are allowed:
// a link's target can change without the plugin, and a checksum cannot cover an empty folder.
func sum(dir, base string) (Sums, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	out := Sums{}
	return out, walk(root.FS().(lstatFS), base, func(name string, info fs.FileInfo) error {
		if len(out) == maxFiles {
			return fmt.Errorf("%s has more than %d files", filepath.Join(dir, base), maxFiles)
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return err
		}
		out[name] = Sum{hex.EncodeToString(h.Sum(nil)), info.Mode()&0o111 != 0}
		return nil
	})
}

// lstatFS is the file system that walk needs: unlike fs.WalkDir, walk does not follow a
// link at the top.
type lstatFS interface {
	fs.ReadDirFS
	fs.ReadLinkFS
}

// walk visits the files at and below name, those of a folder in order of their names.
func walk(in lstatFS, name string, visit func(name string, info fs.FileInfo) error) error {
	info, err := in.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		return visit(name, info)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link: want only files, and folders that are not empty", name)
	case !info.IsDir():
		return fmt.Errorf("%s is neither a file nor a folder: want only files, and folders that are not empty", name)
	}
	entries, err := in.ReadDir(name)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return fmt.Errorf("%s is an empty folder: want only files, and folders that are not empty", name)
	}
	for _, e := range entries {
		if err := walk(in, path.Join(name, e.Name()), visit); err != nil {
			return err
		}
	}
	return nil
}
