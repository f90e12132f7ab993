package main

import (
	"testing"

	"github.com/hyfair/hyfair/internal/known"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/rig"
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

// Z3 accepts every option at every value.
func TestOptionsAreZ3s(t *testing.T) {
	for _, logic := range []string{"", "(set-logic QF_LRA)"} {
		s := known.Script(logic + "(declare-const x Real)(assert (< 0 x 1))")
		for _, o := range options {
			for _, word := range o.Words {
				if r := solve(t, s, sdk.SolveOptions{Options: map[string]string{o.Name: word}}); r.Status != sdk.Feasible {
					t.Errorf("%s=%s: %v (%s)", o.Name, word, r.Status, r.Native)
				}
			}
		}
	}
}

// Z3's observed explanations, and those that its sources contain.
func TestReasons(t *testing.T) {
	for _, c := range []struct {
		reached sdk.Reason
		native  string
		limited bool
		want    sdk.Reason
	}{
		{sdk.Interrupted, "canceled", false, sdk.Interrupted},
		{sdk.TimeLimit, "canceled", true, sdk.TimeLimit},
		{sdk.MemoryLimit, "interrupted", false, sdk.MemoryLimit},
		{sdk.NoReason, "timeout", false, sdk.TimeLimit},
		{sdk.NoReason, "canceled", false, sdk.Interrupted},
		{sdk.NoReason, "canceled", true, sdk.WorkLimit},
		{sdk.NoReason, "interrupted from keyboard", false, sdk.Interrupted},
		{sdk.NoReason, "max. resource limit exceeded", false, sdk.WorkLimit},
		{sdk.NoReason, "(resource limits reached)", true, sdk.WorkLimit},
		{sdk.NoReason, "max. memory exceeded", false, sdk.MemoryLimit},
		{sdk.NoReason, "memout", false, sdk.MemoryLimit},
		{sdk.NoReason, "Z3 fails to check: out of memory", false, sdk.MemoryLimit},
		{sdk.NoReason, "smt tactic failed to show goal to be sat/unsat (incomplete (theory arithmetic))", false, sdk.Incomplete},
		{sdk.NoReason, "(incomplete quantifiers)", true, sdk.Incomplete},
		{sdk.NoReason, "unknown", false, sdk.Other},
		{sdk.NoReason, "", false, sdk.Other},
	} {
		if got := reasonOf(c.reached, c.native, c.limited); got != c.want {
			t.Errorf("reached %q, %q: %v, want %v", c.reached, c.native, got, c.want)
		}
	}
}
