package native

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/ebitengine/purego"

	"github.com/hyfair/hyfair/sdk"
)

// EnvDir is the environment variable that lists the folders to search first,
// separated as in PATH.
const EnvDir = "HYFAIR_LIB_DIR"

// Spec says what to look for.
type Spec struct {
	// Name is the library's name in messages ("HiGHS").
	Name string
	// Files are the names its file may have, best first ("libhighs.so",
	// "libhighs.so.1"). All names are tried in one folder before the next.
	Files []string
	// Hint is the command that installs it ("make setup").
	Hint string
}

// Library is a native library that is open and bound. It stays open as long as
// the process, and its functions are as safe for concurrent use as the library
// makes them.
type Library struct {
	// Version is the library's version, for Report; the plugin sets it.
	Version string

	spec   Spec
	path   string
	handle uintptr
}

// Open finds the library, loads it and binds its functions: functions points to
// a struct of function variables with the C functions' signatures, each with the C
// function's name as its tag "symbol".
//
// It searches in this order:
//
//  1. the folders in $HYFAIR_LIB_DIR;
//  2. folders relative to the executable: ../../.deps/lib (for
//     bin/plugins/NAME), ../.deps/lib (for bin/NAME), ../lib; for
//     site-packages/hyfair/_bin/plugins/NAME, the Python packages highspy, highsbox and z3;
//  3. the system's loader, which knows LD_LIBRARY_PATH and its own cache; on Windows the
//     folders of PATH;
//  4. folders of distributions that the loader may not search.
//
// A file that exists and cannot be loaded does not end the search. If nothing is
// found, the error is a *NotFoundError and the Library is nil. If functions are
// missing, the error names them, no function is bound, and the Library can only be
// used for Report.
func Open(s Spec, functions any) (*Library, error) {
	missing := &NotFoundError{Spec: s}
	for _, dir := range searchDirs() {
		if dir == loader {
			dir = ""
		}
		if l := s.openFrom(dir, missing); l != nil {
			return l, l.bind(functions)
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

// bind sets all function variables, or none.
func (l *Library) bind(functions any) error {
	variables := reflect.ValueOf(functions).Elem()
	addresses := make([]uintptr, variables.NumField())
	var missing []string
	for i := range addresses {
		name := variables.Type().Field(i).Tag.Get("symbol")
		var err error
		if addresses[i], err = dlsym(l.handle, name); err != nil {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return l.Unfit("has no %s: it is a version that this program does not know, or another library", strings.Join(missing, ", "))
	}
	for i, address := range addresses {
		// The variables may be unexported, which reflection alone cannot set.
		v := variables.Field(i)
		purego.RegisterFunc(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface(), address)
		if !filepath.IsAbs(l.path) { // the loader chose it
			l.path = fileOf(l.handle, address, l.path)
		}
	}
	return nil
}

// Unfit returns the error of a library that cannot be used. reason follows its name
// and path.
func (l *Library) Unfit(reason string, args ...any) error {
	return fmt.Errorf("%s at %s %s; to install a suitable one: %s", l.spec.Name, l.path, fmt.Sprintf(reason, args...), l.spec.Hint)
}

// Report describes a library that was found; err is the reason why it is unusable, or nil.
func (l *Library) Report(err error) sdk.Library {
	if err != nil {
		return sdk.Library{Name: l.spec.Name, Path: l.path, Hint: l.spec.Hint, Problem: err.Error()}
	}
	return sdk.Library{Name: l.spec.Name, Found: true, Version: l.Version, Path: l.path}
}

// NotFoundError says where a library was searched for and not found.
type NotFoundError struct {
	Spec Spec
	// Searched lists the places, in order, that hold no such file.
	Searched []string
	// Broken holds the loader's message about each file that exists and cannot be
	// loaded.
	Broken []string
}

// Error is one sentence, with the command that installs the library.
func (e *NotFoundError) Error() string {
	if e.Broken != nil {
		return fmt.Sprintf("%s cannot be loaded: %s; to install it: %s", e.Spec.Name, e.Broken[0], e.Spec.Hint)
	}
	return fmt.Sprintf("%s was not found; to install it: %s", e.Spec.Name, e.Spec.Hint)
}

// Report describes everything that was tried, with the results.
func (e *NotFoundError) Report() sdk.Library {
	text := fmt.Sprintf("no %s in %s", strings.Join(e.Spec.Files, ", "), strings.Join(e.Searched, ", "))
	if e.Broken != nil {
		text = strings.Join(e.Broken, "; ") + "; " + text
	}
	return sdk.Library{Name: e.Spec.Name, Hint: e.Spec.Hint, Problem: text}
}
