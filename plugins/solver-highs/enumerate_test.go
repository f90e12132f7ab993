package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk/sdktest/milptest"
)

func TestOptimumEqualsEnumeration(t *testing.T) { milptest.Optima(t, highsOrSkip(t)) }

func TestDeltasEqualEnumeration(t *testing.T) { milptest.Deltas(t, highsOrSkip(t)) }
