package discover

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/client"
)

// ownFile writes a copy of the test plugin, which the test may change, and returns its path.
func ownFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	write(t, path, string(text), 0o755)
	return path
}

// packed makes a plugin's folder, with a file in a folder of its own.
func packed(t *testing.T, name string) string {
	t.Helper()
	kind := "solver"
	if strings.HasPrefix(name, "hyfair-search-") {
		kind = "strategy"
	}
	dir := filepath.Join(t.TempDir(), name)
	write(t, filepath.Join(dir, manifestName), "kind: "+kind+"\nlanguage: shell\ncommand: [./run]\n", 0o644)
	write(t, filepath.Join(dir, "run"), "#!/bin/sh\nexec "+binary+" "+name+"\n", 0o755)
	write(t, filepath.Join(dir, "lib", "notes.txt"), "notes", 0o644)
	return dir
}

func install(t *testing.T, path, dir string) *Installed {
	t.Helper()
	in, err := Install(t.Context(), path, dir, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// leftovers are what an install should not have left in the folder.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if _, _, plugin := parseName(e.Name()); !plugin && e.Name() != PinsName && e.Name() != ".lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestInstalledPluginsArePinnedAndUsed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "plugins")
	folder := packed(t, "hyfair-search-folder")
	for _, left := range []string{"__pycache__/main.cpython-39.pyc", ".git/HEAD", ".venv/bin/python", "lib/__pycache__/x.pyc", "empty/__pycache__/x.pyc"} {
		write(t, filepath.Join(folder, left), "left behind", 0o644)
	}
	if in := install(t, ownFile(t, "hyfair-solver-file"), dir); in.Files != 1 || in.Replaced || in.Description.Version != "1.0.0" {
		t.Errorf("%+v", in)
	}
	in := install(t, folder, dir)
	if in.Files != 3 || in.Found.State != Pinned || in.Found.Path != filepath.Join(dir, "hyfair-search-folder") {
		t.Errorf("%+v", in)
	}
	c := only(t, dir)
	for _, l := range c.List(t.Context()) {
		if l.State != Pinned || l.Err != nil {
			t.Errorf("%s is %s: %v", l.Name, l.State, l.Err)
		}
	}
	if len(c.Plugins) != 2 || len(leftovers(t, dir)) != 0 {
		t.Errorf("%d plugins, and %v", len(c.Plugins), leftovers(t, dir))
	}
	p, err := c.Open(t.Context(), client.Strategy, "folder+short", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	text, err := os.ReadFile(filepath.Join(dir, PinsName))
	if err != nil || !strings.Contains(string(text), `"hyfair-search-folder/lib/notes.txt": {`) {
		t.Errorf("%v: %s", err, text)
	}
}

// A virtual environment holds links, and may be one itself: it stays behind, and the plugin
// is still run by its Python.
func TestVirtualEnvironmentsStayBehind(t *testing.T) {
	tier.NeedUsual(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("SKIPPED %s: %v", t.Name(), err)
	}
	for _, linked := range []bool{false, true} {
		folder := packed(t, "hyfair-search-folder")
		place := filepath.Join(folder, ".venv")
		if linked {
			elsewhere := t.TempDir()
			if err := os.Symlink(elsewhere, place); err != nil {
				t.Fatal(err)
			}
			place = elsewhere
		}
		if out, err := exec.Command(python, "-m", "venv", "--without-pip", place).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED %s: %v: %s", t.Name(), err, out)
		}
		in := install(t, folder, filepath.Join(t.TempDir(), "plugins"))
		if _, err := os.Lstat(filepath.Join(in.Found.Path, ".venv")); in.Files != 4 || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("linked %v: %d files, .venv: %v", linked, in.Files, err)
		}
		t.Setenv("HYFAIR_PYTHON", "")
		own := "HYFAIR_PYTHON=" + filepath.Join(folder, ".venv", "bin", "python")
		if env := in.Found.environment(); !slices.Contains(env, own) {
			t.Errorf("linked %v: started with %q, without %s", linked, env, own)
		}
		t.Setenv("HYFAIR_PYTHON", python)
		if env := in.Found.environment(); slices.Contains(env, own) {
			t.Errorf("linked %v: %q over the user's choice", linked, env)
		}
		t.Setenv("HYFAIR_PYTHON", "")
		if err := os.RemoveAll(place); err != nil {
			t.Fatal(err)
		}
		if env := in.Found.environment(); slices.Contains(env, own) {
			t.Errorf("linked %v: %q, which is there no more", linked, env)
		}
	}
}

// A copy into a plugin folder that was not installed is no harm, and shows.
func TestUnpinnedBesidePinned(t *testing.T) {
	dir := t.TempDir()
	install(t, ownFile(t, "hyfair-solver-a"), dir)
	if err := os.Symlink(binary, filepath.Join(dir, "hyfair-solver-b")); err != nil {
		t.Fatal(err)
	}
	c := only(t, dir)
	if c.Plugins[0].State != Pinned || c.Plugins[1].State != Unpinned {
		t.Errorf("%s, %s", c.Plugins[0].State, c.Plugins[1].State)
	}
	bundled, err := scan([]Place{{Path: dir, Source: besideHost, Exists: true}}, nil)
	if err != nil || bundled.Plugins[0].State != Pinned || bundled.Plugins[1].State != Bundled {
		t.Errorf("%v: %+v", err, bundled.Plugins)
	}
}

// Whatever is done to an installed plugin's files, it is refused by name.
func TestChangedPluginsAreRefused(t *testing.T) {
	tier.NeedUsual(t)
	for name, c := range map[string]struct {
		change func(t *testing.T, folder string)
		says   string
		sound  bool // what is left is a plugin all the same, and can be accepted
	}{
		"content":  {func(t *testing.T, f string) { write(t, filepath.Join(f, "lib/notes.txt"), "Notes", 0o644) }, "lib/notes.txt has changed", true},
		"program":  {func(t *testing.T, f string) { write(t, filepath.Join(f, "run"), "#!/bin/sh\n", 0o755) }, "run has changed", false},
		"manifest": {func(t *testing.T, f string) { write(t, filepath.Join(f, manifestName), "kind: [", 0o644) }, "plugin.yaml has changed", false},
		"mode":     {func(t *testing.T, f string) { chmod(t, filepath.Join(f, "lib/notes.txt"), 0o755) }, "lib/notes.txt has become executable", true},
		"no mode":  {func(t *testing.T, f string) { chmod(t, filepath.Join(f, "run"), 0o644) }, "run has become executable", false},
		"added":    {func(t *testing.T, f string) { write(t, filepath.Join(f, "lib/more.py"), "", 0o644) }, "lib/more.py was added", true},
		"cache":    {func(t *testing.T, f string) { write(t, filepath.Join(f, "__pycache__/x.pyc"), "", 0o644) }, "__pycache__/x.pyc was added", true},
		"folder":   {func(t *testing.T, f string) { mkdir(t, filepath.Join(f, "site")) }, "site is an empty folder", true},
		"missing":  {func(t *testing.T, f string) { remove(t, filepath.Join(f, "lib/notes.txt")) }, "lib is an empty folder", true},
		"link":     {func(t *testing.T, f string) { link(t, filepath.Join(f, "lib/notes.txt")) }, "notes.txt is a symbolic link", false},
		"whole":    {func(t *testing.T, f string) { link(t, f) }, "hyfair-search-x is a symbolic link", false},
		"file":     {func(t *testing.T, f string) { remove(t, f); write(t, f, "#!/bin/sh\n", 0o755) }, "(and 3 more)", false},
		"two files": {func(t *testing.T, f string) {
			remove(t, filepath.Join(f, "run"))
			remove(t, filepath.Join(f, manifestName))
		}, "plugin.yaml is missing (and 1 more)", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			in := install(t, packed(t, "hyfair-search-x"), dir)
			c.change(t, in.Found.Path)
			_, err := only(t, dir).Open(t.Context(), client.Strategy, "x", nil)
			wantError(t, err, in.Found.Path, c.says, "hyfair plugin install --force", "hyfair plugin uninstall x --kind search")
			if !errors.Is(err, ErrChanged) {
				t.Errorf("want ErrChanged: %v", err)
			}
			if l := only(t, dir).List(t.Context())[0]; l.State != Changed || !errors.Is(l.Err, ErrChanged) {
				t.Errorf("it is %s: %v", l.State, l.Err)
			}
			if !c.sound {
				return
			}
			if _, err := Install(t.Context(), in.Found.Path, dir, true, nil); err != nil {
				t.Fatalf("accepting it: %v", err)
			}
			if l := only(t, dir).List(t.Context())[0]; l.State != Pinned || l.Err != nil {
				t.Errorf("accepted, it is %s: %v", l.State, l.Err)
			}
		})
	}
}

func TestChangedProgramIsRefused(t *testing.T) {
	dir := t.TempDir()
	in := install(t, ownFile(t, "hyfair-solver-x"), dir)
	f, err := os.OpenFile(in.Found.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("\x00"); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	_, err = only(t, dir).Open(t.Context(), client.Solver, "x", nil)
	wantError(t, err, in.Found.Path, "hyfair-solver-x has changed")
	if found, err := Uninstall(t.Context(), dir, 0, "x"); err != nil || found.Path != in.Found.Path {
		t.Errorf("uninstalling what was changed: %v", err)
	}
	if c := only(t, dir); len(c.Plugins) != 0 || len(leftovers(t, dir)) != 0 {
		t.Errorf("left: %+v, %v", c.Plugins, leftovers(t, dir))
	}
}

func TestPinsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	install(t, ownFile(t, "hyfair-solver-x"), dir)
	for text, says := range map[string]string{
		"":                      "not a list of pins",
		`{"format": 1`:          "not a list of pins",
		`{"format": 2}`:         "format 2",
		`{"format": 1} {}`:      "more text follows the list",
		`{"format": 1, "x": 1}`: "unknown field",
		`{"format": 1, "plugins": {"hyfair-solver-x": {"version": "1"}}}`: "pinned without files",
	} {
		write(t, filepath.Join(dir, PinsName), text, 0o644)
		_, err := only(t, dir).Open(t.Context(), client.Solver, "x", nil)
		wantError(t, err, filepath.Join(dir, PinsName), says, "remove the file")
		if _, err := Install(t.Context(), ownFile(t, "hyfair-solver-y"), dir, true, nil); err == nil {
			t.Errorf("%q: pins that were not understood are overwritten", text)
		}
	}
}

func TestInstallRefuses(t *testing.T) {
	dir := t.TempDir()
	linked := packed(t, "hyfair-search-linked")
	link(t, filepath.Join(linked, "lib", "notes.txt"))
	restless := packed(t, "hyfair-search-restless")
	write(t, filepath.Join(restless, "run"), "#!/bin/sh\ndate >lib/log\nexec "+binary+" hyfair-search-restless\n", 0o755)
	homesick := packed(t, "hyfair-search-homesick")
	write(t, filepath.Join(homesick, "run"), "#!/bin/sh\ntest -f ../at-home || { echo not at home >&2; exit 3; }\nexec "+binary+" hyfair-search-homesick\n", 0o755)
	write(t, filepath.Join(filepath.Dir(homesick), "at-home"), "", 0o644)
	plain := filepath.Join(t.TempDir(), "hyfair-solver-plain")
	write(t, plain, "text", 0o644)
	for path, says := range map[string]string{
		ownFile(t, "mine"):                 "rename it",
		ownFile(t, "hyfair-solver-liar"):   `calls itself "somebody-else"`,
		ownFile(t, "hyfair-solver-broken"): "the plugin's own last words",
		linked:                             "notes.txt is a symbolic link",
		restless:                           "lib/log was added",
		homesick:                           "not at home",
		plain:                              "chmod +x",
		filepath.Join(dir, "hyfair-solver-absent"): "no such file",
		t.TempDir(): "rename it",
	} {
		_, err := Install(t.Context(), path, dir, false, nil)
		wantError(t, err, says)
	}
	install(t, ownFile(t, "hyfair-solver-x"), dir)
	_, err := Install(t.Context(), ownFile(t, "hyfair-solver-x"), dir, false, nil)
	wantError(t, err, filepath.Join(dir, "hyfair-solver-x"), "--force")
	if in, err := Install(t.Context(), packed(t, "hyfair-solver-x"), dir, true, nil); err != nil || !in.Replaced || in.Files != 3 {
		t.Errorf("%+v, %v", in, err)
	}
	if c := only(t, dir); len(c.Plugins) != 1 || len(leftovers(t, dir)) != 0 {
		t.Errorf("left: %+v, %v", c.Plugins, leftovers(t, dir))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Install(ended, ownFile(t, "hyfair-solver-y"), dir, false, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"y", "hyfair-solver-x"} {
		_, err := Uninstall(t.Context(), dir, 0, name)
		wantError(t, err, "no such plugin", dir)
	}
	install(t, ownFile(t, "hyfair-search-x"), dir)
	_, err = Uninstall(t.Context(), dir, 0, "x")
	wantError(t, err, "--kind")
	if found, err := Uninstall(t.Context(), dir, client.Strategy, "x"); err != nil || found.Kind != client.Strategy {
		t.Errorf("%+v, %v", found, err)
	}
}

// A plugin put in another place as well would be an error in every command.
func TestInstallOfANameTakenElsewhere(t *testing.T) {
	elsewhere, dir := folder(t, "hyfair-solver-a"), t.TempDir()
	mine := ownFile(t, "hyfair-solver-a")
	wantError(t, only(t, elsewhere, dir).Free(mine, dir), filepath.Join(elsewhere, "hyfair-solver-a"))
	install(t, mine, dir)
	if err := only(t, dir).Free(mine, dir); err != nil {
		t.Errorf("what --force replaces: %v", err)
	}
	_, err := only(t, elsewhere, dir).Open(t.Context(), client.Solver, "a", nil)
	wantError(t, err, filepath.Join(elsewhere, "hyfair-solver-a"), filepath.Join(dir, "hyfair-solver-a"))
}

func TestInstallsAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	names := []string{"hyfair-solver-a", "hyfair-solver-b", "hyfair-search-a", "hyfair-search-b"}
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		path := packed(t, name)
		wg.Go(func() { _, errs[i] = Install(t.Context(), path, dir, false, nil) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, l := range only(t, dir).List(t.Context()) {
		names = slices.DeleteFunc(names, func(n string) bool { return n == filepath.Base(l.Path) })
		if l.State != Pinned || l.Err != nil {
			t.Errorf("%s is %s: %v", l.Name, l.State, l.Err)
		}
	}
	if len(names) > 0 {
		t.Errorf("lost: %v", names)
	}
}

// An install that was killed leaves nothing that would be found, and the next
// one clears it away.
func TestInstallThatWasKilled(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, staging+"123", "hyfair-solver-x"), "half", 0o755)
	if c := only(t, dir); len(c.Plugins) != 0 {
		t.Errorf("found: %+v", c.Plugins)
	}
	install(t, ownFile(t, "hyfair-solver-x"), dir)
	if left := leftovers(t, dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

// A Python plugin must not write bytecode into its own folder.
func TestFolderPluginsAreToldNotToWriteBytecode(t *testing.T) {
	dir := packed(t, "hyfair-search-x")
	write(t, filepath.Join(dir, "run"), "#!/bin/sh\nif [ -z \"$PYTHONDONTWRITEBYTECODE\" ]; then date >lib/cache; fi\nexec "+binary+" hyfair-search-x\n", 0o755)
	if in := install(t, dir, t.TempDir()); in.Files != 3 {
		t.Errorf("%+v", in)
	}
}

func FuzzPins(f *testing.F) {
	f.Add([]byte(`{"format": 1, "plugins": {"hyfair-solver-x": {"version": "1.0.0", "files": {"hyfair-solver-x": {"sha256": "00", "executable": true}}}}}`))
	f.Add([]byte(`{"format": 1, "plugins": null}`))
	f.Add([]byte(`[[[[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePins(text)
		if err != nil {
			return
		}
		for name, pin := range p.Plugins {
			if len(pin.Files) == 0 {
				t.Errorf("%q is pinned without files", name)
			}
		}
		dir := t.TempDir()
		if err := p.write(dir); err != nil {
			t.Fatal(err)
		}
		if again, err := readPins(dir); err != nil || len(again.Plugins) != len(p.Plugins) {
			t.Errorf("written and read again: %v", err)
		}
	})
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// link moves the file or folder away and leaves a link to it.
func link(t *testing.T, path string) {
	t.Helper()
	away := filepath.Join(t.TempDir(), filepath.Base(path))
	if err := os.Rename(path, away); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(away, path); err != nil {
		t.Fatal(err)
	}
}
