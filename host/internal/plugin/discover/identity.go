package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Identity tells by content what files are: those of a plugin and of the native
// libraries that it says it loaded, or a program's. It is read-only.
type Identity struct {
	// SHA256 is a checksum in hexadecimal.
	SHA256 string
	files  []stamp
}

// stamp is how a file looked when it was read.
type stamp struct {
	path     string
	size     int64
	modified time.Time
}

// Identity reads all files of the plugin and of its libraries.
func (p *Plugin) Identity() (*Identity, error) {
	r := &reader{all: sha256.New(), folders: map[string]bool{}}
	err := r.take("", p.Found.Path)
	for _, l := range p.Description().Libraries {
		fmt.Fprintf(r.all, "%q %q\n", l.Name, l.Version)
		if l.Found && l.Path != "" && err == nil {
			if err = r.take(l.Name, l.Path); errors.Is(err, fs.ErrNotExist) {
				err = nil // a name that only the loader can resolve
			}
		}
	}
	return r.end(p.Found.Path, err)
}

// IdentityOf reads a file.
func IdentityOf(path string) (*Identity, error) {
	r := &reader{all: sha256.New()}
	return r.end(path, r.take("", path))
}

// reader makes an identity.
type reader struct {
	all     hash.Hash
	files   []stamp
	folders map[string]bool // that were read
}

// take reads a file, or all that belongs to a plugin in a folder, links followed, under
// a name.
func (r *reader) take(name, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		own := sha256.New()
		if _, err := io.Copy(own, f); err != nil {
			return err
		}
		fmt.Fprintf(r.all, "%q %x\n", name, own.Sum(nil))
		r.files = append(r.files, stamp{path, info.Size(), info.ModTime()})
		return nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || r.folders[real] {
		return err
	}
	r.folders[real] = true
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		if err == nil && !slices.Contains(NotInstalled, e.Name()) {
			err = r.take(name+"/"+e.Name(), filepath.Join(path, e.Name()))
		}
	}
	return err
}

func (r *reader) end(path string, err error) (*Identity, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &Identity{hex.EncodeToString(r.all.Sum(nil)), r.files}, nil
}

// Changed reports a file that is not as it was when the identity was taken.
func (i *Identity) Changed() (path string, changed bool) {
	for _, f := range i.files {
		info, err := os.Stat(f.path)
		if err != nil || info.Size() != f.size || !info.ModTime().Equal(f.modified) {
			return f.path, true
		}
	}
	return "", false
}
