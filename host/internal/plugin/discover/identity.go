package discover

import (
	"bufio"
	"crypto/sha256"
	"debug/buildinfo"
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

// Identity is the checksum of a set of files: those of a plugin, of the native libraries it
// loaded, and of its interpreter with all packages; or those of a program. It is read-only.
type Identity struct {
	// SHA256 is a checksum in hexadecimal.
	SHA256 string
	files  []stamp
}

// stamp is a file's size and modification time when it was read.
type stamp struct {
	path     string
	size     int64
	modified time.Time
}

// Identity reads all files of the plugin, its libraries and its interpreter, and the lists of
// files of the installed packages.
func (p *Plugin) Identity() (*Identity, error) {
	r := newReader()
	err := r.take("", p.Found.Path)
	for _, l := range p.Description().Libraries {
		fmt.Fprintf(r.all, "%q %q\n", l.Name, l.Version)
		if l.Found && l.Path != "" && err == nil {
			if err = r.take(l.Name, l.Path); errors.Is(err, fs.ErrNotExist) {
				err = nil // only the loader can resolve the name
			}
		}
	}
	if i := p.Description().Interpreter; i != nil && err == nil {
		err = r.interpreter(i)
	}
	return r.end(p.Found.Path, err)
}

// Version returns the version that the plugin reports, a space, and its build: for a Go program
// built from an unchanged commit that commit, else the start of the checksum of the plugin's files.
func (p *Plugin) Version() string {
	return strings.TrimSpace(p.Description().Version + " " + p.build())
}

// build returns the build of a plugin, see Version; empty if its files cannot be read.
func build(path string) string {
	const length = 12
	if info, err := buildinfo.ReadFile(path); err == nil {
		said := map[string]string{}
		for _, s := range info.Settings {
			said[s.Key] = s.Value
		}
		if commit := said["vcs.revision"]; len(commit) >= length && said["vcs.modified"] == "false" {
			return commit[:length]
		}
	}
	id, err := IdentityOf(path)
	if err != nil {
		return ""
	}
	return id.SHA256[:length]
}

// IdentityOf returns the identity of one file, or of all files of a plugin's folder.
func IdentityOf(path string) (*Identity, error) {
	r := newReader()
	return r.end(path, r.take("", path))
}

// reader computes an identity.
type reader struct {
	all     hash.Hash
	files   []stamp
	folders map[string]bool // folders already read
}

func newReader() *reader { return &reader{all: sha256.New(), folders: map[string]bool{}} }

// take adds a file, or all files of a plugin's folder, under a name. It follows links.
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

// installed is the name of a Python package's list of files and checksums, which identifies the
// package; its folder has the package's name and version.
const installed = "RECORD"

// inside adds the lines of such a list. It skips files outside the packages: scripts begin with
// their interpreter's path, which differs between machines.
func inside(sum io.Writer, list io.Reader) error {
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if file := lines.Text(); !strings.HasPrefix(file, "../") {
			fmt.Fprintln(sum, file)
		}
	}
	return lines.Err()
}

// interpreter adds an interpreter and the packages on its path, including the SDK, which may be
// on the path without being installed.
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

// Changed returns a file that has changed since the identity was computed.
func (i *Identity) Changed() (path string, changed bool) {
	for _, f := range i.files {
		info, err := os.Stat(f.path)
		if err != nil || info.Size() != f.size || !info.ModTime().Equal(f.modified) {
			return f.path, true
		}
	}
	return "", false
}
