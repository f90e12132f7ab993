package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestOptionsAreChecked(t *testing.T) {
	rig.Refusals(t, parseOptions, map[[2]string]string{
		{"speed", "high"}:    `no option "speed"`,
		{"engine", "fast"}:   "core, auto, logic",
		{"arith", "1"}:       "auto, 2, 6",
		{"relevancy", ""}:    "auto, 0, 1, 2",
		{"relevancy", "0.5"}: "auto, 0, 1, 2",
	})
}

// Z3 takes every option at every value.
func TestOptionsAreZ3s(t *testing.T) {
	for _, logic := range []string{"", "(set-logic QF_LRA)"} {
		s := scriptOf(t, logic+"(declare-const x Real)(assert (< 0 x 1))")
		for _, o := range options {
			for _, word := range o.words {
				if r := solve(t, s, sdk.SolveOptions{Options: map[string]string{o.Name: word}}); r.Status != sdk.Feasible {
					t.Errorf("%s=%s: %v (%s)", o.Name, word, r.Status, r.Native)
				}
			}
		}
	}
}

// What Z3 has been seen to say, and what its sources say it may.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		cause   cause
		native  string
		limited bool
		want    sdk.Reason
	}{
		{cancelled, "canceled", false, sdk.Interrupted},
		{outOfTime, "canceled", true, sdk.TimeLimit},
		{outOfMemory, "interrupted", false, sdk.MemoryLimit},
		{running, "timeout", false, sdk.TimeLimit},
		{running, "canceled", false, sdk.Interrupted},
		{running, "canceled", true, sdk.WorkLimit},
		{running, "interrupted from keyboard", false, sdk.Interrupted},
		{running, "max. resource limit exceeded", false, sdk.WorkLimit},
		{running, "(resource limits reached)", true, sdk.WorkLimit},
		{running, "max. memory exceeded", false, sdk.MemoryLimit},
		{running, "memout", false, sdk.MemoryLimit},
		{running, "Z3 fails to check: out of memory", false, sdk.MemoryLimit},
		{running, "smt tactic failed to show goal to be sat/unsat (incomplete (theory arithmetic))", false, sdk.Incomplete},
		{running, "(incomplete quantifiers)", true, sdk.Incomplete},
		{running, "unknown", false, sdk.Other},
		{running, "", false, sdk.Other},
	} {
		if got := reasonOf(c.cause, c.native, c.limited); got != c.want {
			t.Errorf("cause %d, %q: %v, want %v", c.cause, c.native, got, c.want)
		}
	}
}
