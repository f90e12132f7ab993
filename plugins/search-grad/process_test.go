package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

func TestConformance(t *testing.T) { rig.Conformance(t, client.Strategy) }

// Two processes with one seed make the same moves and the same number of evaluations.
func TestProcessesAgree(t *testing.T) {
	st := mixed()
	st.host(8).SameSeed(t, func() sdk.Strategy { return rig.Launch(t, client.Strategy).Strategy() }, st.space, st.options(5), 100)
}
