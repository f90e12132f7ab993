package discover

import (
	"bufio"
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
	"strings"
	"time"

	"github.com/hyfair/hyfair/sdk"
)

// Identity tells by content what files are: those of a plugin, of the native libraries that
// it says it loaded, and of the interpreter that runs it with all of its packages, or a
// program's. It is read-only.
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

// Identity reads all files of the plugin, of its libraries and of its interpreter, and the
// lists of what the packages there have installed.
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
	if i := p.Description().Interpreter; i != nil && err == nil {
		err = r.interpreter(i)
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
		if filepath.Base(path) == installed {
			err = inside(own, f)
		} else {
			_, err = io.Copy(own, f)
		}
		if err != nil {
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

// installed is the name of the list of a Python package's files with their checksums, by
// which the package is known; it lies in a folder with the package's name and version.
const installed = "RECORD"

// inside sums up the lines of such a list. It leaves out files beside the packages: programs,
// which begin with where their interpreter lies and so differ between machines.
func inside(sum io.Writer, list io.Reader) error {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if file := lines.Text(); !strings.HasPrefix(file, "../") {
			fmt.Fprintln(sum, file)
		}
	}
	return lines.Err()
}

// interpreter takes an interpreter and the packages that it finds, the SDK among them, which
// need not be installed.
func (r *reader) interpreter(i *sdk.Interpreter) error {
	fmt.Fprintf(r.all, "interpreter %q\n", i.Version)
	if err := r.take("interpreter", i.Path); err != nil {
		return err
	}
	for _, folder := range i.Folders {
		lists, err := fs.Glob(os.DirFS(folder), "*.dist-info/"+installed)
		for _, list := range lists {
			if err == nil {
				err = r.take(list, filepath.Join(folder, list))
			}
		}
		if err == nil {
			err = r.take("hyfair", filepath.Join(folder, "hyfair"))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
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
