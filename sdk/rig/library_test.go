package rig_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/internal/record"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

// odd is a library that is there.
type odd struct{}

func (odd) Report(error) sdk.Library {
	return sdk.Library{Name: "Odd", Found: true, Version: "1", Path: "/odd.so"}
}

var spec = native.Spec{Name: "Odd", Files: []string{"libodd.so"}, Hint: "make odd"}

// bent is a solver around odd that may bend what it says.
type bent struct {
	*native.Solver[odd]
	describe func(*sdk.Description)
	solve    func(error) error
}

func (b bent) Describe(ctx context.Context) (sdk.Description, error) {
	d, err := b.Solver.Describe(ctx)
	if b.describe != nil {
		b.describe(&d)
	}
	return d, err
}

func (b bent) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	r, err := b.Solver.Solve(ctx, p, o)
	if b.solve != nil {
		err = b.solve(err)
	}
	return r, err
}

func TestLibrary(t *testing.T) {
	for _, c := range []struct {
		describe func(*sdk.Description)
		solve    func(error) error
		want     string
	}{
		{nil, nil, ""},
		{func(d *sdk.Description) { d.Serves[1].Form = problem.FormSMT }, nil, "serves "},
		{func(d *sdk.Description) {
			d.Serves = append(d.Serves, sdk.Service{Form: problem.FormSMT, Goal: problem.Decide})
		}, nil, "serves "},
		{func(d *sdk.Description) { d.Libraries = nil }, nil, "libraries [], want one"},
		{func(d *sdk.Description) { d.Libraries[0].Found = false }, nil, "library {Name:Odd Found:false"},
		{func(d *sdk.Description) { d.Libraries[0].Hint = "" }, nil, "library {Name:Odd Found:false"},
		{func(d *sdk.Description) { d.Options[0].Default = "2" }, nil, "with every option at its default: a=2"},
		{nil, func(err error) error {
			if errors.Is(err, sdk.ErrIncompatible) {
				return nil
			}
			return err
		}, "error <nil>, want \"incompatible: Odd was not found; to install it: make odd"},
		{nil, func(err error) error {
			if errors.Is(err, sdk.ErrUnsupported) {
				return errors.New(err.Error())
			}
			return err
		}, "error unsupported: Odd answers problems in the milp form, this one is in the network form"},
	} {
		s := bent{&native.Solver[odd]{
			Plugin: native.Plugin[odd]{
				About: sdk.Description{Name: "odd", Options: []sdk.Option{{Name: "a", Default: "1"}}}, Form: problem.FormMILP, Library: "Odd",
				Open: func() (odd, error) { return odd{}, nil },
			},
			Answer: func(_ context.Context, _ odd, _ *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
				if o.Options["a"] != "1" {
					return nil, errors.New("a=" + o.Options["a"])
				}
				return &sdk.Result{}, nil
			},
		}, c.describe, c.solve}
		got := failures(t, func(t testing.TB) { rig.Library(t, s, &s.Plugin, spec, &problem.Problem{MILP: &problem.MILP{}}) })
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, want %q", got, c.want)
		}
		if _, err := s.Open(); err != nil {
			t.Errorf("the library is not given back: %v", err)
		}
	}
}

// described is a solver of which no more is asked.
type described struct {
	sdk.Solver
	sdk.Description
}

func (d described) Describe(context.Context) (sdk.Description, error) { return d.Description, nil }

// A library that is missing skips a test, unless it is promised.
func TestNeed(t *testing.T) {
	for _, c := range []struct {
		ci               string
		found            bool
		failed, skipping string
	}{
		{"", true, "", ""},
		{"true", true, "", ""},
		{"", false, "", "SKIPPED, Odd is missing: no libodd.so"},
		{"true", false, "Odd is missing: no libodd.so", ""},
	} {
		t.Setenv("CI", c.ci)
		s := described{Description: sdk.Description{Libraries: []sdk.Library{{Name: "Odd", Found: c.found, Problem: "no libodd.so"}}}}
		got := record.Of(t, func(t testing.TB) { rig.Need(t, s) })
		if got.Failed() != c.failed || got.Skipped != c.skipping {
			t.Errorf("CI=%q, found: %v: failed %q, skipped %q", c.ci, c.found, got.Failed(), got.Skipped)
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
