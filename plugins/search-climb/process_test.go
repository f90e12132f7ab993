package main

import (
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

func TestConformance(t *testing.T) { tier.NeedUsual(t); rig.Conformance(t, client.Strategy) }

// Two processes with one seed make the same moves and the same number of evaluations.
func TestProcessesAgree(t *testing.T) {
	st := grid(3, 6)
	st.host(8).SameSeed(t, func() sdk.Strategy { return rig.Launch(t, client.Strategy).Strategy() }, st.space, st.options(5), 100)
}
