package rig

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Need returns the solver if its native libraries are found. If one is missing, it skips
// the test and names the library; with CI=true the test fails instead.
func Need[S sdk.Solver](t testing.TB, s S) S {
	t.Helper()
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, lib := range d.Libraries {
		if lib.Found {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is missing: %s", lib.Name, lib.Problem)
		}
		t.Skipf("SKIPPED, %s is missing: %s", lib.Name, lib.Problem)
	}
	return s
}

// Library fails unless the solver around a native library describes itself, and refuses
// what it must, with the library and without. p is the solver's plugin, spec the
// library's, and asked a problem that the solver can answer. It returns the description.
func Library[L native.Bound](t testing.TB, s sdk.Solver, p *native.Plugin[L], spec native.Spec, asked *problem.Problem) sdk.Description {
	t.Helper()
	describe := func() (sdk.Description, sdk.Library) {
		t.Helper()
		d, err := s.Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Libraries) != 1 {
			t.Fatalf("libraries %+v, want one", d.Libraries)
		}
		return d, d.Libraries[0]
	}
	d, lib := describe()
	for _, f := range problem.Forms {
		if d.Answers(f, problem.Decide) != (f == asked.Form()) || d.Answers(f, problem.Maximise) != (f == asked.Form()) {
			t.Errorf("serves %v; want decide and maximise of %s only", d.Serves, asked.Form())
			break
		}
	}
	if !lib.Found || lib.Name != spec.Name || lib.Version == "" || lib.Path == "" || lib.Problem != "" {
		t.Errorf("library %+v; want %s found, with a version, a path and no problem", lib, spec.Name)
	}
	defaults := map[string]string{} // as a user might give them
	for _, o := range d.Options {
		defaults[o.Name] = o.Default
	}
	if _, err := s.Solve(t.Context(), asked, sdk.SolveOptions{Options: defaults}); err != nil {
		t.Errorf("with every option at its default: %v", err)
	}

	open := p.Open
	defer func() { p.Open = open }()
	p.Open = func() (none L, err error) {
		return none, &native.NotFoundError{Spec: spec, Searched: []string{"/nowhere"}}
	}
	_, lib = describe()
	want := sdk.Library{Name: spec.Name, Hint: spec.Hint, Problem: "no " + strings.Join(spec.Files, ", ") + " in /nowhere"}
	if lib != want {
		t.Errorf("library %+v, want %+v", lib, want)
	}
	for _, q := range []*problem.Problem{{Query: &problem.Query{}}, {MILP: &problem.MILP{}}, {SMT: &problem.Script{Text: "(assert true)"}}} {
		text, is := fmt.Sprintf("incompatible: %s was not found; to install it: %s", spec.Name, spec.Hint), sdk.ErrIncompatible
		if form := q.Form(); form != asked.Form() {
			text, is = fmt.Sprintf("unsupported: %s answers problems in the %s form, this one is in the %s form", spec.Name, asked.Form(), form), sdk.ErrUnsupported
		}
		if _, err := s.Solve(t.Context(), q, sdk.SolveOptions{}); !errors.Is(err, is) || err.Error() != text {
			t.Errorf("error %v, want %q", err, text)
		}
	}
	return d
}

// Refusals fails if parse accepts one of the bad settings. A key is {option, value}; the
// error must wrap sdk.ErrInvalidOption, name the option, and contain the text under the key.
func Refusals[T any](t testing.TB, parse func(map[string]string) (T, error), bad map[[2]string]string) {
	t.Helper()
	for given, words := range bad {
		_, err := parse(map[string]string{given[0]: given[1]})
		if !errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), given[0]) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s=%q: error %v, want one with %q", given[0], given[1], err, words)
		}
	}
}
