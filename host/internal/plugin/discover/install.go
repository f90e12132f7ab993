package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// staging is the prefix of incomplete installations in a plugin folder. With it a name is
// not a plugin's, so an incomplete plugin is never found.
const staging = ".staging-"

// NotInstalled lists the folders within a plugin's folder that are not copied: caches,
// which may come from another Python and would be run unchecked, and the author's tools.
// Links with these names are not copied either.
var NotInstalled = []string{"__pycache__", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv"}

// interpreterName is the file of an installed folder with the path of the Python that runs it:
// that of the virtual environment, which is not copied.
const interpreterName = ".interpreter"

// noteInterpreter writes interpreterName into the copy of a plugin's folder that has a
// virtual environment.
func noteInterpreter(from, copied string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	python := filepath.Join(from, ".venv", "bin", "python")
	if !isProgram(python) {
		return nil
	}
	return os.WriteFile(filepath.Join(copied, interpreterName), []byte(python+"\n"), 0o644)
}

// interpreter returns the path in interpreterName; empty if there is none, or if the program
// no longer exists.
func interpreter(folder string) string {
	text, err := os.ReadFile(filepath.Join(folder, interpreterName))
	if python := strings.TrimSpace(string(text)); err == nil && isProgram(python) {
		return python
	}
	return ""
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && executable(info)
}

// Installed is a plugin after its installation.
type Installed struct {
	Found       Found
	Description sdk.Description
	// Replaced reports whether an earlier plugin was replaced.
	Replaced bool
	// Files is the number of the plugin's files.
	Files int
}

// Install copies the plugin at path into the plugin folder dir, which is created
// if it is missing, and pins it. The copy is first started and asked to describe
// itself: a plugin that does not run there is not installed. An existing plugin
// is replaced only with force, in one step, pinned or not. Concurrent installs
// wait for one another.
func Install(ctx context.Context, path, dir string, force bool, logger hclog.Logger) (*Installed, error) {
	source, err := installable(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer release()
	known, err := readPins(dir)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(source.Path)
	target := filepath.Join(dir, base)
	_, err = os.Lstat(target)
	replaced := err == nil
	if replaced && !force {
		return nil, fmt.Errorf("%s exists already: --force replaces it", target)
	}
	stage, err := os.MkdirTemp(dir, staging)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(stage)
	if err := copyPlugin(source.Path, filepath.Join(stage, base)); err != nil {
		return nil, err
	}
	if err := noteInterpreter(source.Path, filepath.Join(stage, base)); err != nil {
		return nil, err
	}
	files, description, err := rehearse(ctx, source, stage, base, logger)
	if err != nil {
		return nil, err
	}
	known.Plugins[base] = Pin{Version: description.Version, Files: files}
	if err := exchange(stage, target, func() error { return known.write(dir) }); err != nil {
		return nil, err
	}
	found := inspect(source.Kind, source.Name, target, "installed")
	found.State = Pinned
	return &Installed{found, description, replaced, len(files)}, nil
}

// installable returns the plugin at path, links followed, under the name in path.
func installable(path string) (Found, error) {
	f, ok := At(path, 0)
	if !ok {
		return f, fmt.Errorf("%s: a plugin's file or folder is called hyfair-solver-NAME, hyfair-search-NAME or hyfair-model-NAME: rename it", path)
	}
	return f, f.Problem
}

// rehearse starts the staged copy and returns its checksums, which starting it must not
// change.
func rehearse(ctx context.Context, source Found, stage, base string, logger hclog.Logger) (Sums, sdk.Description, error) {
	before, err := sum(stage, base)
	if err != nil {
		return nil, sdk.Description{}, err
	}
	copied := inspect(source.Kind, source.Name, filepath.Join(stage, base), "staged")
	p, err := copied.Launch(ctx, logger)
	if err != nil {
		return nil, sdk.Description{}, fmt.Errorf("not installed: a copy of %s in another folder does not run: %w", source.Path, err)
	}
	description := p.Description()
	p.Close()
	after, err := sum(stage, base)
	if err != nil {
		return nil, sdk.Description{}, err
	}
	if diff := difference(before, after); len(diff) > 0 {
		return nil, sdk.Description{}, fmt.Errorf("not installed: running the plugin changes its own files: %s; have it write elsewhere", diff[0])
	}
	return after, description, nil
}

// exchange replaces the target by the staged plugin and then calls commit; if that fails
// the old target is restored.
func exchange(stage, target string, commit func() error) error {
	fresh, old := filepath.Join(stage, filepath.Base(target)), filepath.Join(stage, "replaced")
	if err := os.Rename(target, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Rename(fresh, target)
	if err == nil {
		if err = commit(); err == nil {
			return nil
		}
		err = errors.Join(err, os.Rename(target, fresh))
	}
	if back := os.Rename(old, target); !errors.Is(back, fs.ErrNotExist) {
		err = errors.Join(err, back)
	}
	return err
}

// copyPlugin copies a program, or a folder without NotInstalled. Links within it are
// refused: their targets may be outside.
func copyPlugin(from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer root.Close()
	base, n := filepath.Base(from), 0
	in := workplaceless{root.FS().(lstatFS), base}
	return walk(in, base, func(name string, info fs.FileInfo) error {
		if n++; n > maxFiles {
			return fmt.Errorf("%s has more than %d files: a plugin's folder holds the plugin only", from, maxFiles)
		}
		within := strings.TrimPrefix(strings.TrimPrefix(name, base), "/")
		return copyFile(root, name, filepath.Join(to, filepath.FromSlash(within)), info.Mode())
	})
}

// workplaceless is a file system without the folders of NotInstalled and without empty ones.
type workplaceless struct {
	lstatFS
	base string
}

func (w workplaceless) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := w.lstatFS.ReadDir(name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		if !e.Type().IsRegular() && slices.Contains(NotInstalled, e.Name()) {
			return true
		}
		if !e.IsDir() {
			return false
		}
		inner, err := w.ReadDir(path.Join(name, e.Name()))
		return err == nil && len(inner) == 0
	}), err
}

func copyFile(root *os.Root, from, to string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	in, err := root.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	perm := fs.FileMode(0o644)
	if mode&0o111 != 0 {
		perm = 0o755
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	// The umask may have cleared bits; the pin records the executable bit.
	return errors.Join(err, out.Chmod(perm), out.Close())
}

// Uninstall removes the installed plugin of that name, changed or not, and its pin from
// the plugin folder dir, and returns it. Kind 0 means either kind, if only one has the name.
func Uninstall(ctx context.Context, dir string, kind client.Kind, name string) (Found, error) {
	if _, err := os.Stat(dir); err != nil {
		return Found{}, fmt.Errorf("nothing is installed: %w", err)
	}
	release, err := lock(ctx, dir)
	if err != nil {
		return Found{}, err
	}
	defer release()
	known, err := readPins(dir)
	if err != nil {
		return Found{}, err
	}
	var found []Found
	for base := range known.Plugins {
		k, n, ok := parseName(base)
		if ok && n == name && (kind == 0 || kind == k) {
			found = append(found, Found{Kind: k, Name: n, Path: filepath.Join(dir, base), State: Pinned})
		}
	}
	switch len(found) {
	case 0:
		return Found{}, fmt.Errorf("%q: %w is installed in %s; remove an unpinned plugin there by hand", name, ErrNotFound, dir)
	case 2:
		return Found{}, fmt.Errorf("%q is the name of a solver and of a strategy: say which with --kind", name)
	}
	stage, err := os.MkdirTemp(dir, staging)
	if err != nil {
		return Found{}, err
	}
	defer os.RemoveAll(stage)
	base := filepath.Base(found[0].Path)
	if err := os.Rename(found[0].Path, filepath.Join(stage, base)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Found{}, err
	}
	delete(known.Plugins, base)
	return found[0], known.write(dir)
}

// Free returns an error if a plugin elsewhere has the name of the one at path, so that
// installing it in dir would make the name ambiguous.
func (c *Catalogue) Free(path, dir string) error {
	f, err := installable(path)
	if err != nil {
		return err
	}
	for _, other := range c.offers(f.Kind, f.Name) {
		if filepath.Dir(other.Path) != dir {
			return fmt.Errorf("%s %s is found already, as %s (%s), and a name offered twice is an error: remove that one, or move it out of the plugin folders, first",
				f.Kind, f.Name, other.Path, other.Source)
		}
	}
	return nil
}
