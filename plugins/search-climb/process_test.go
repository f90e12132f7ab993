package main

import (
	"context"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/conformance"
)

// TestMain lets the test's own program serve as the plugin.
func TestMain(m *testing.M) {
	if os.Getenv("SEARCH_CLIMB_TEST_SERVES") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// launch starts the plugin in a process of its own.
func launch(t testing.TB) sdk.Strategy {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Launch(t.Context(), client.Config{Path: self, Kind: client.Strategy, Env: []string{"SEARCH_CLIMB_TEST_SERVES=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p.Strategy()
}

func TestConformance(t *testing.T) {
	conformance.Strategy(t, launch(t), conformance.Options{
		NewStrategy: func(context.Context) (sdk.Strategy, error) { return launch(t), nil },
	})
}

// Two processes with one seed make the same moves, and evaluate as often.
func TestProcessesAgree(t *testing.T) {
	st := grid(3, 6)
	search := func() ([]sdk.Move, int64) {
		s, err := launch(t).Start(t.Context(), st.space, st.options(5))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		moves := st.drive(t, s, 100, 8)
		return moves, s.(sdk.Evaluating).Evaluations()
	}
	first, one := search()
	second, two := search()
	if diff := cmp.Diff(first, second); diff != "" || one != two {
		t.Errorf("two processes differ, with %d and %d evaluations:\n%s", one, two, diff)
	}
}

var twentieth = big.NewRat(1, 20)
