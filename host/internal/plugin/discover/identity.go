package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Identity tells by content which plugin it is: the sum of its files, and of the
// native libraries that it says it loaded. It is read-only.
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
	out := &Identity{}
	h := sha256.New()
	take := func(name, path string) error {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		own := sha256.New()
		if _, err := io.Copy(own, f); err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %x\n", name, own.Sum(nil))
		out.files = append(out.files, stamp{path, info.Size(), info.ModTime()})
		return nil
	}
	err := filepath.WalkDir(p.Found.Path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(NotInstalled, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(p.Found.Path, path)
		if err != nil {
			return err
		}
		return take(filepath.ToSlash(name), path)
	})
	for _, l := range p.Description().Libraries {
		fmt.Fprintf(h, "%q %q\n", l.Name, l.Version)
		if l.Found && l.Path != "" && err == nil {
			if err = take(l.Name, l.Path); errors.Is(err, fs.ErrNotExist) {
				err = nil // a name that only the loader can resolve
			}
		}
	}
	out.SHA256 = hex.EncodeToString(h.Sum(nil))
	if err != nil {
		err = fmt.Errorf("%s: %w", p.Found.Path, err)
	}
	return out, err
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
