// Package discover finds plugins, starts them, and checks that their kind and name are
// those of their file.
//
// A plugin is a file hyfair-solver-NAME, hyfair-search-NAME or hyfair-model-NAME, or a folder of
// that name with a plugin.yaml, in a plugin folder. No plugin is compiled in, and
// this package names none, except in the order of the default solvers.
package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/go-hclog"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/sdk/client"
)

// EnvDir is the environment variable that names a plugin folder.
const EnvDir = "HYFAIR_PLUGIN_DIR"

// Kinds maps the words of file names and of --kind to kinds of plugins.
var Kinds = map[string]client.Kind{"solver": client.Solver, "search": client.Strategy, "model": client.Model}

// Word returns a kind's word in file names.
func Word(kind client.Kind) string {
	for word, k := range Kinds {
		if k == kind {
			return word
		}
	}
	return ""
}

// FileName returns the name of a plugin's file or folder.
func FileName(kind client.Kind, name string) string { return "hyfair-" + Word(kind) + "-" + name }

// State says whether a plugin's file is known and unchanged.
type State string

const (
	// Unpinned is a plugin that can be started and has no recorded checksum.
	Unpinned State = "unpinned"
	// Bundled is a plugin in a folder of the host's own program.
	Bundled State = "bundled"
	// Pinned is an installed plugin with recorded checksums, which are verified at each start.
	Pinned State = "pinned"
	// Changed is an installed plugin whose files have changed. It is not started.
	Changed State = "changed"
	// NotExecutable is a file with a plugin's name and no permission to execute.
	NotExecutable State = "not executable"
	// Invalid is a folder with a plugin's name whose plugin.yaml is missing or malformed.
	Invalid State = "invalid"
	// Ambiguous is a plugin with the name of another file's plugin.
	Ambiguous State = "ambiguous"
)

// Found is a plugin's file or folder. It has not been started.
type Found struct {
	Kind client.Kind
	Name string
	// Path is the file or the folder; Source describes the place it was found in.
	Path, Source string
	State        State
	// Problem is the reason why it cannot be started, found without reading all of its files;
	// nil if none.
	Problem error
	// Command is the program and its arguments, Dir its working directory
	// (empty: the host's), Language its language according to plugin.yaml.
	Command  []string
	Dir      string
	Language string

	pin *Pin // nil: none
}

// Place is a plugin folder.
type Place struct {
	// The folder.
	Path string `json:"path"`
	// The reason why the folder is searched.
	Source string `json:"source"`
	// The folder exists.
	Exists bool `json:"exists"`
}

// Catalogue holds the plugins found. It is read-only and safe for concurrent use.
type Catalogue struct {
	// Places in order of precedence.
	Places []Place
	// Plugins by kind and name.
	Plugins []Found
	// Logger gets the plugins' output; nil discards it.
	Logger hclog.Logger
}

// New looks for plugins in flagDir (--plugin-dir), $HYFAIR_PLUGIN_DIR, the folder plugins
// next to the host's executable, and hyfair/plugins in the user's data folder
// ($XDG_DATA_HOME, or ~/.local/share). Missing folders are skipped, except flagDir, which
// must exist. Its plugins hide others of the same names. The logger gets the plugins'
// output; nil discards it.
func New(flagDir string, logger hclog.Logger) (*Catalogue, error) {
	if flagDir != "" {
		if info, err := os.Stat(flagDir); err != nil {
			return nil, fmt.Errorf("--plugin-dir: %w", err)
		} else if !info.IsDir() {
			return nil, fmt.Errorf("--plugin-dir: %s is not a folder", flagDir)
		}
	}
	return scan(places(flagDir), logger)
}

// Sources with special rules: the folder of --plugin-dir, and the one next to the host's program.
const (
	givenDir   = "--plugin-dir"
	besideHost = "beside hyfair"
)

// UserFolder returns the folder of installed plugins: hyfair/plugins in the user's data
// folder, $XDG_DATA_HOME or ~/.local/share. It may not exist yet.
func UserFolder() (string, error) {
	dir, err := files.UserData("plugins")
	if err != nil {
		return "", fmt.Errorf("the user has no data folder: %w: set $XDG_DATA_HOME", err)
	}
	return dir, nil
}

// places lists the folders to search, each once.
func places(flagDir string) []Place {
	all := []Place{{Path: flagDir, Source: givenDir}, {Path: os.Getenv(EnvDir), Source: "$" + EnvDir}}
	if self, err := files.Program(); err == nil {
		all = append(all, Place{Path: filepath.Join(filepath.Dir(self), "plugins"), Source: besideHost})
	}
	if dir, err := UserFolder(); err == nil {
		all = append(all, Place{Path: dir, Source: "user's data folder"})
	}
	var out []Place
	var seen []fs.FileInfo
	for _, p := range all {
		if p.Path == "" {
			continue
		}
		info, err := os.Stat(p.Path)
		p.Exists = err == nil && info.IsDir()
		if p.Exists {
			if slices.ContainsFunc(seen, func(s fs.FileInfo) bool { return os.SameFile(s, info) }) {
				continue
			}
			seen = append(seen, info)
		}
		if abs, err := filepath.Abs(p.Path); err == nil {
			p.Path = abs
		}
		out = append(out, p)
	}
	return out
}

func scan(places []Place, logger hclog.Logger) (*Catalogue, error) {
	c := &Catalogue{Places: places, Logger: logger}
	for _, p := range places {
		if !p.Exists {
			continue
		}
		entries, err := os.ReadDir(p.Path)
		if err != nil {
			return nil, fmt.Errorf("looking for plugins (%s): %w", p.Source, err)
		}
		known, pinsErr := readPins(p.Path)
		for _, e := range entries {
			if kind, name, ok := parseName(e.Name()); ok && !c.given(kind, name) {
				f := inspect(kind, name, filepath.Join(p.Path, e.Name()), p.Source)
				f.trust(known, pinsErr)
				c.Plugins = append(c.Plugins, f)
			}
		}
	}
	slices.SortStableFunc(c.Plugins, func(a, b Found) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range c.Plugins {
		f := &c.Plugins[i]
		if same := c.offers(f.Kind, f.Name); len(same) > 1 {
			f.State, f.Problem = Ambiguous, ambiguous(same)
		}
	}
	return c, nil
}

// parseName splits hyfair-solver-NAME, on Windows with or without .exe.
func parseName(file string) (kind client.Kind, name string, ok bool) {
	file = withoutExtension(file)
	for _, kind := range Kinds {
		if name, ok := strings.CutPrefix(file, FileName(kind, "")); ok && name != "" && !strings.HasPrefix(name, ".") {
			return kind, name, true
		}
	}
	return 0, "", false
}

// At returns the plugin in any file or folder; kind 0 is any kind. If path does not have the name
// of a plugin of that kind, the plugin has the given kind and no name; ok is false if kind is 0.
func At(path string, kind client.Kind) (f Found, ok bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	said, name, named := parseName(filepath.Base(abs))
	switch {
	case named && (kind == 0 || kind == said):
		return inspect(said, name, abs, "command line"), true
	case kind == 0:
		return Found{}, false
	}
	return inspect(kind, "", abs, "command line"), true
}

// inspect describes a file or folder without starting it.
func inspect(kind client.Kind, name, path, source string) Found {
	f := Found{Kind: kind, Name: name, Path: path, Source: source, State: Unpinned, Command: []string{path}}
	info, err := os.Stat(path) // follows links
	switch {
	case err != nil:
		f.State, f.Problem = Invalid, err
	case info.IsDir():
		m, err := readManifest(path, kind)
		if err != nil {
			f.State, f.Problem = Invalid, err
			break
		}
		f.Command, f.Dir, f.Language = m.Command, path, m.Language
	case !info.Mode().IsRegular():
		f.State, f.Problem = Invalid, fmt.Errorf("%s is neither a file nor a folder", path)
	case !executable(info):
		f.State, f.Problem = NotExecutable, fmt.Errorf("%s is not executable: chmod +x %s", path, path)
	}
	return f
}

// trust compares the plugin with the pins of its folder. It computes checksums only if the
// plugin has a problem already; otherwise Launch does, when the plugin is started.
func (f *Found) trust(known pins, err error) {
	if err != nil {
		f.State, f.Problem = Invalid, err
		return
	}
	pin, pinned := known.Plugins[filepath.Base(f.Path)]
	switch {
	case pinned:
		f.pin = &pin
		if f.Problem == nil {
			f.State = Pinned
		} else if err := f.verify(); err != nil {
			f.State, f.Problem = Changed, err
		}
	case f.Source == besideHost && f.State == Unpinned:
		f.State = Bundled
	}
}

func (c *Catalogue) offers(kind client.Kind, name string) []Found {
	var out []Found
	for _, f := range c.Plugins {
		if f.Kind == kind && f.Name == name {
			out = append(out, f)
		}
	}
	return out
}

// given reports whether the plugin is in the folder of --plugin-dir.
func (c *Catalogue) given(kind client.Kind, name string) bool {
	same := c.offers(kind, name)
	return len(same) > 0 && same[0].Source == givenDir
}

func ambiguous(same []Found) error {
	paths := make([]string, len(same))
	for i, f := range same {
		paths[i] = fmt.Sprintf("%s (%s)", f.Path, f.Source)
	}
	return fmt.Errorf("%s %s is offered %d times, by %s: remove all but one", same[0].Kind, same[0].Name, len(same), strings.Join(paths, " and "))
}

// ErrNotFound reports that no plugin has the name.
var ErrNotFound = errors.New("no such plugin")

// Find returns the plugin of that name, ready to be started.
func (c *Catalogue) Find(kind client.Kind, name string) (Found, error) {
	same := c.offers(kind, name)
	if len(same) == 0 {
		return Found{}, c.notFound(kind, name, c.names(kind))
	}
	if same[0].Problem != nil {
		return same[0], fmt.Errorf("%s %s: %w", kind, name, same[0].Problem)
	}
	return same[0], nil
}

func (c *Catalogue) names(kind client.Kind) []string {
	var out []string
	for _, f := range c.Plugins {
		if f.Kind == kind && !slices.Contains(out, f.Name) {
			out = append(out, f.Name)
		}
	}
	return out
}

func (c *Catalogue) notFound(kind client.Kind, name string, known []string) error {
	looked := make([]string, len(c.Places))
	for i, p := range c.Places {
		looked[i] = p.Path
		if !p.Exists {
			looked[i] += " (not there)"
		}
	}
	have := "there are none"
	if len(known) > 0 {
		have = "there are " + strings.Join(known, ", ")
	}
	return fmt.Errorf("%s %q: %w; %s; looked for %s in %s", kind, name, ErrNotFound, have, FileName(kind, "NAME"), strings.Join(looked, ", "))
}
