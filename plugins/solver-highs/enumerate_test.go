package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestOptimumEqualsEnumeration(t *testing.T) { milptest.Optima(t, rig.Need(t, solver)) }

func TestDeltasEqualEnumeration(t *testing.T) { milptest.Deltas(t, rig.Need(t, solver)) }
