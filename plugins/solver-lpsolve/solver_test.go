package main

import (
	"testing"

	"github.com/hyfair/hyfair/plugins/solver-lpsolve/internal/lpsolve"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestAnswers(t *testing.T) { milptest.Answers(t, rig.Need(t, solver), "unbounded") }

func TestSameProblemTwice(t *testing.T) { milptest.SameTwice(t, rig.Need(t, solver)) }

// What every plugin around a library must do apart from answering.
func TestLibrary(t *testing.T) {
	rig.Library(t, rig.Need(t, solver), &solver.Plugin, lpsolve.Spec, &problem.Problem{MILP: &problem.MILP{}})
}
