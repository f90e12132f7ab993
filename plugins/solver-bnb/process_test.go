package main

import (
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

func TestConformance(t *testing.T) { tier.NeedUsual(t); rig.Conformance(t, client.Solver) }
