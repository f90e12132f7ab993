package native

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"

	"github.com/hyfair/hyfair/sdk"
)

// EnvDir is the environment variable that names folders to search before all
// others, separated as in PATH.
const EnvDir = "HYFAIR_LIB_DIR"

// Spec says what to look for.
type Spec struct {
	// Name is the library's name for people ("HiGHS").
	Name string
	// Files are the names its file may have, best first ("libhighs.so",
	// "libhighs.so.1"). All names are tried in one folder before the next.
	Files []string
	// Hint is the command that installs it ("make setup").
	Hint string
}

// Library is an open native library. It stays open as long as the process.
// Not safe for concurrent use until all of Bind's calls are done; the bound
// functions are as safe as the library makes them.
type Library struct {
	spec   Spec
	path   string
	handle uintptr
}

// Open finds the library and loads it. Searched in this order:
//
//  1. the folders in $HYFAIR_LIB_DIR;
//  2. folders relative to the executable: ../../.deps/lib (for
//     bin/plugins/NAME), ../.deps/lib (for bin/NAME), ../lib;
//  3. the system's loader, which knows LD_LIBRARY_PATH and its own cache;
//  4. folders that distributions use without telling the loader.
//
// A file that is there and cannot be loaded does not end the search. The error
// is a *NotFoundError.
func Open(s Spec) (*Library, error) {
	missing := &NotFoundError{Spec: s}
	for _, dir := range searchDirs() {
		if dir == loader {
			if l := s.openFrom("", missing); l != nil {
				return l, nil
			}
			continue
		}
		if l := s.openFrom(dir, missing); l != nil {
			return l, nil
		}
	}
	return nil, missing
}

// openFrom tries every file name in one folder; "" leaves it to the loader.
func (s Spec) openFrom(dir string, missing *NotFoundError) *Library {
	there := false
	for _, file := range s.Files {
		path := file
		if dir != "" {
			path = filepath.Join(dir, file)
			if _, err := os.Stat(path); err != nil {
				continue
			}
			there = true
		}
		handle, err := dlopen(path)
		if err == nil {
			return &Library{spec: s, path: path, handle: handle}
		}
		if dir != "" {
			missing.Broken = append(missing.Broken, err.Error())
		}
	}
	if !there {
		if dir == "" {
			dir = "the system's loader"
		}
		missing.Searched = append(missing.Searched, dir)
	}
	return nil
}

// Path is the file loaded, as far as it is known: where the loader chose it,
// the bare file name until the first symbol is bound.
func (l *Library) Path() string { return l.path }

// Symbol is a C function to bind.
type Symbol struct {
	Name string
	// Func points to a Go function variable of the C function's shape.
	Func any
	// Optional leaves the variable nil where the library has no such symbol.
	Optional bool
}

// Bind sets every Symbol's function variable, or none: the error names all
// symbols that are missing.
func (l *Library) Bind(symbols ...Symbol) error {
	addresses := make([]uintptr, len(symbols))
	var missing []string
	for i, s := range symbols {
		address, err := dlsym(l.handle, s.Name)
		if err != nil && !s.Optional {
			missing = append(missing, s.Name)
		}
		addresses[i] = address
	}
	if missing != nil {
		return fmt.Errorf("%s at %s has no %s: it is another version than this program knows, or another library; to install a fitting one: %s",
			l.spec.Name, l.path, strings.Join(missing, ", "), l.spec.Hint)
	}
	for i, s := range symbols {
		if addresses[i] == 0 {
			continue
		}
		purego.RegisterFunc(s.Func, addresses[i])
		if !filepath.IsAbs(l.path) {
			l.path = fileOf(addresses[i], l.path)
		}
	}
	return nil
}

// Describe fills an sdk.Library for a library found and bound.
func (l *Library) Describe(version string) sdk.Library {
	return sdk.Library{Name: l.spec.Name, Found: true, Version: version, Path: l.path}
}

// Unusable fills an sdk.Library for a library that was found and could not be
// bound or used, for the reason given.
func (l *Library) Unusable(err error) sdk.Library {
	return sdk.Library{Name: l.spec.Name, Path: l.path, Hint: l.spec.Hint, Problem: err.Error()}
}

// NotFoundError says where a library was looked for in vain.
type NotFoundError struct {
	Spec Spec
	// Searched lists the places, in order, that hold no such file.
	Searched []string
	// Broken holds the loader's word on each file that is there and cannot be
	// loaded.
	Broken []string
}

// Error is one sentence with the command that helps.
func (e *NotFoundError) Error() string {
	if e.Broken != nil {
		return fmt.Sprintf("%s cannot be loaded: %s; to install it: %s", e.Spec.Name, e.Broken[0], e.Spec.Hint)
	}
	return fmt.Sprintf("%s was not found; to install it: %s", e.Spec.Name, e.Spec.Hint)
}

// Problem tells all that was tried and seen.
func (e *NotFoundError) Problem() string {
	text := fmt.Sprintf("no %s in %s", strings.Join(e.Spec.Files, ", "), strings.Join(e.Searched, ", "))
	if e.Broken != nil {
		text = strings.Join(e.Broken, "; ") + "; " + text
	}
	return text
}

// Missing fills an sdk.Library from Open's error.
func Missing(err error) sdk.Library {
	var e *NotFoundError
	if !errors.As(err, &e) {
		return sdk.Library{Problem: err.Error()}
	}
	return sdk.Library{Name: e.Spec.Name, Hint: e.Spec.Hint, Problem: e.Problem()}
}
