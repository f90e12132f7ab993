package main

import (
	"context"
	"errors"
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/native"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestAnswers(t *testing.T) { milptest.Answers(t, lpsolveOrSkip(t), "unbounded") }

func TestSameProblemTwice(t *testing.T) { milptest.SameTwice(t, lpsolveOrSkip(t)) }

func TestOtherForms(t *testing.T) {
	p := &problem.Problem{SMT: &problem.Script{Text: "(declare-const x Int)"}}
	if _, err := newSolver().Solve(context.Background(), p, sdk.SolveOptions{}); !errors.Is(err, sdk.ErrUnsupported) {
		t.Errorf("error %v, want ErrUnsupported", err)
	}
}

func TestDescribe(t *testing.T) {
	d := rig.Describes(t, lpsolveOrSkip(t), problem.FormMILP)
	// Every default is a value the option takes.
	solve(t, &problem.MILP{}, sdk.SolveOptions{Options: rig.Defaults(d)})
}

func TestWithoutTheLibrary(t *testing.T) {
	missing := &native.NotFoundError{Spec: lpsolve.Spec, Searched: []string{"/nowhere"}}
	s := &solver{open: func() (*lpsolve.Lib, error) { return nil, missing }}
	want := sdk.Library{Name: "lp_solve", Hint: "make setup, or apt-get install lp-solve", Problem: "no liblpsolve55.so, liblpsolve55.so.0, liblpsolve55.dylib in /nowhere"}
	rig.LibraryMissing(t, s, &problem.Problem{MILP: &problem.MILP{}}, want)
}
