package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/sdktest/rig"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

func TestConformance(t *testing.T) { rig.Conformance(t, client.Solver) }
