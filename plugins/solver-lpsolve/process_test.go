package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestConformance(t *testing.T) {
	rig.Need(t, solver)
	rig.Conformance(t, client.Solver)
}

func TestProcess(t *testing.T) {
	rig.Need(t, solver)
	milptest.Process(t, rig.Launch(t, client.Solver).Solver(), 500)
}
