package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// PinsName is the file of a plugin folder with the checksums of its plugins' files at
// their installation. Plugins that it does not name are unpinned.
const PinsName = "pins.json"

// maxPins bounds the size of a pins.json.
const maxPins = 16 << 20

// ErrChanged reports that a pinned plugin differs from what was installed.
var ErrChanged = errors.New("not what was installed")

// Pin is a plugin as it was installed.
type Pin struct {
	// Version is the version that the plugin reported.
	Version string `json:"version"`
	Files   Sums   `json:"files"`
}

// pins is a pins.json.
type pins struct {
	// Format is 1.
	Format int `json:"format"`
	// Plugins by the names of their files or folders.
	Plugins map[string]Pin `json:"plugins"`
}

// readPins reads the pins of a plugin folder: none if there is no file.
func readPins(dir string) (pins, error) {
	none := pins{Format: 1, Plugins: map[string]Pin{}}
	path := filepath.Join(dir, PinsName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPins+1))
	if err != nil {
		return none, err
	}
	p, err := parsePins(text)
	if err != nil {
		return none, fmt.Errorf("%s: %w: no plugin in its folder is started; remove the file, and install the plugins again with --force", path, err)
	}
	return p, nil
}

func parsePins(text []byte) (pins, error) {
	if len(text) > maxPins {
		return pins{}, fmt.Errorf("larger than %d bytes", maxPins)
	}
	var p pins
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return pins{}, fmt.Errorf("not a list of pins: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return pins{}, errors.New("not a list of pins: more text follows the list")
	}
	if p.Format != 1 {
		return pins{}, fmt.Errorf("format %d; this hyfair knows format 1", p.Format)
	}
	if p.Plugins == nil {
		p.Plugins = map[string]Pin{}
	}
	for name, pin := range p.Plugins {
		if len(pin.Files) == 0 {
			return pins{}, fmt.Errorf("%q is pinned without files", name)
		}
	}
	return p, nil
}

// write replaces the pins of a plugin folder in one step.
func (p pins) write(dir string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, PinsName), func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return errors.Join(err, f.Chmod(0o644), f.Sync())
	})
}

// verify compares the plugin with its pin; nil if it is not pinned. Files may change between
// this check and their use: a pin detects changes, it does not prevent them.
func (f *Found) verify() error {
	if f.pin == nil {
		return nil
	}
	dir, base := filepath.Split(f.Path)
	now, err := sum(dir, base)
	if err == nil {
		if diff := difference(f.pin.Files, now); len(diff) > 0 {
			more := ""
			if n := len(diff) - 1; n > 0 {
				more = fmt.Sprintf(" (and %d more)", n)
			}
			err = fmt.Errorf("%s%s", diff[0], more)
		}
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s is %w: %w; if the change is intended, hyfair plugin install --force %s accepts it, else hyfair plugin uninstall %s --kind %s removes it",
		f.Path, ErrChanged, err, f.Path, f.Name, Word(f.Kind))
}

// difference describes how the present files differ from those pinned, in order of their
// names.
func difference(pinned, now Sums) []string {
	both := maps.Clone(pinned)
	maps.Copy(both, now)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(both)) {
		was, before := pinned[name]
		is, after := now[name]
		switch {
		case !after:
			out = append(out, name+" is missing")
		case !before:
			out = append(out, name+" was added")
		case was.SHA256 != is.SHA256:
			out = append(out, name+" has changed")
		case was.Executable != is.Executable:
			out = append(out, name+" has become executable, or no longer is")
		}
	}
	return out
}
