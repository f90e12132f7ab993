package rig_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

// bound is a solver that describes itself as said, and answers with an error.
type bound struct {
	sdk.Description
	err error
}

func (b bound) Describe(context.Context) (sdk.Description, error) { return b.Description, nil }

func (b bound) Solve(context.Context, *problem.Problem, sdk.SolveOptions) (*sdk.Result, error) {
	return nil, b.err
}

func serving(forms ...problem.Form) (out []sdk.Service) {
	for _, f := range forms {
		out = append(out, sdk.Service{Form: f, Goal: problem.Decide}, sdk.Service{Form: f, Goal: problem.Maximise})
	}
	return out
}

func TestDescribes(t *testing.T) {
	found := sdk.Library{Name: "Odd", Found: true, Version: "1", Path: "/odd.so"}
	lost := found
	lost.Found = false
	for _, c := range []struct {
		serves    []sdk.Service
		libraries []sdk.Library
		want      string
	}{
		{serving(problem.FormMILP), []sdk.Library{found}, ""},
		{serving(problem.FormSMT), []sdk.Library{found}, "serves "},
		{serving(problem.FormMILP, problem.FormSMT), []sdk.Library{found}, "serves "},
		{serving(problem.FormMILP)[:1], []sdk.Library{found}, "serves "},
		{serving(problem.FormMILP), nil, "libraries [], want one"},
		{serving(problem.FormMILP), []sdk.Library{lost}, "library {Name:Odd Found:false"},
	} {
		s := bound{Description: sdk.Description{Serves: c.serves, Libraries: c.libraries}}
		got := failures(t, func(t testing.TB) { rig.Describes(t, s, problem.FormMILP) })
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v, %v: %q, want %q", c.serves, c.libraries, got, c.want)
		}
	}
	d := rig.Defaults(sdk.Description{Options: []sdk.Option{{Name: "a", Default: "1"}, {Name: "b"}}})
	if len(d) != 2 || d["a"] != "1" || d["b"] != "" {
		t.Errorf("defaults %v", d)
	}
}

func TestLibraryMissing(t *testing.T) {
	want := sdk.Library{Name: "Odd", Hint: "make odd", Problem: "no odd.so"}
	refused := fmt.Errorf("%w: Odd was not found; to install it: make odd", sdk.ErrIncompatible)
	for _, c := range []struct {
		library sdk.Library
		err     error
		want    string
	}{
		{want, refused, ""},
		{sdk.Library{Name: "Odd"}, refused, "libraries [{Name:Odd"},
		{want, nil, "error <nil>"},
		{want, errors.New(refused.Error()), "error incompatible"},
		{want, sdk.ErrIncompatible, "error incompatible"},
	} {
		s := bound{sdk.Description{Libraries: []sdk.Library{c.library}}, c.err}
		got := failures(t, func(t testing.TB) { rig.LibraryMissing(t, s, &problem.Problem{}, want) })
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v, %v: %q, want %q", c.library, c.err, got, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	parse := func(given map[string]string) (int, error) {
		switch {
		case given["a"] == "taken":
			return 0, nil
		case given["a"] == "plain":
			return 0, errors.New("option a: want 1 to 2")
		}
		return 0, fmt.Errorf("%w: option a: want 1 to 2", sdk.ErrInvalidOption)
	}
	for given, want := range map[[2]string]string{
		{"a", "3"}:     "",
		{"a", "taken"}: `a="taken": error <nil>, want one with "1 to 2"`,
		{"a", "plain"}: `a="plain": error option a`,
		{"b", "3"}:     `b="3": error `,
	} {
		got := failures(t, func(t testing.TB) { rig.Refusals(t, parse, map[[2]string]string{given: "1 to 2"}) })
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%v: %q, want %q", given, got, want)
		}
	}
	got := failures(t, func(t testing.TB) { rig.Refusals(t, parse, map[[2]string]string{{"a", "3"}: "2 to 3"}) })
	if !strings.Contains(got, `want one with "2 to 3"`) {
		t.Errorf("other words: %q", got)
	}
}
