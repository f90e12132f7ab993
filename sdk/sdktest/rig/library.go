package rig

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Describes fails unless the solver, whose one library is there, describes itself
// as answering questions and optimising in the form and in no other, with the
// library found. It gives the description.
func Describes(t testing.TB, s sdk.Solver, form problem.Form) sdk.Description {
	t.Helper()
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range problem.Forms {
		if d.Answers(f, problem.Decide) != (f == form) || d.Answers(f, problem.Maximise) != (f == form) {
			t.Errorf("serves %v", d.Serves)
			break
		}
	}
	if len(d.Libraries) != 1 {
		t.Fatalf("libraries %+v, want one", d.Libraries)
	}
	if lib := d.Libraries[0]; !lib.Found || lib.Version == "" || lib.Path == "" || lib.Problem != "" {
		t.Errorf("library %+v", lib)
	}
	return d
}

// Defaults gives every option its default, as a user might.
func Defaults(d sdk.Description) map[string]string {
	out := map[string]string{}
	for _, o := range d.Options {
		out[o.Name] = o.Default
	}
	return out
}

// LibraryMissing fails unless a solver whose library was not found describes
// itself with the library as wanted, and refuses the problem in one sentence
// that says how to install it.
func LibraryMissing(t testing.TB, s sdk.Solver, p *problem.Problem, want sdk.Library) {
	t.Helper()
	d, err := s.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Libraries) != 1 || d.Libraries[0] != want {
		t.Errorf("libraries %+v, want %+v", d.Libraries, want)
	}
	_, err = s.Solve(t.Context(), p, sdk.SolveOptions{})
	text := fmt.Sprintf("incompatible: %s was not found; to install it: %s", want.Name, want.Hint)
	if !errors.Is(err, sdk.ErrIncompatible) || err.Error() != text {
		t.Errorf("error %v, want %q", err, text)
	}
}

// Refusals fails unless parse refuses each option's value, by {option, value}, in
// an error that names the option and holds the words given.
func Refusals[T any](t testing.TB, parse func(map[string]string) (T, error), bad map[[2]string]string) {
	t.Helper()
	for given, words := range bad {
		_, err := parse(map[string]string{given[0]: given[1]})
		if !errors.Is(err, sdk.ErrInvalidOption) || !strings.Contains(err.Error(), given[0]) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s=%q: error %v, want one with %q", given[0], given[1], err, words)
		}
	}
}
