package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk/milptest"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestOptimumEqualsEnumeration(t *testing.T) { milptest.Optima(t, rig.Need(t, solver)) }

func TestDeltasEqualEnumeration(t *testing.T) { milptest.Deltas(t, rig.Need(t, solver)) }
