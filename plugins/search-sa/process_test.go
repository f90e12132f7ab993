package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
)

// TestMain lets the test's own program serve as the plugin.
func TestMain(m *testing.M) {
	if os.Getenv("SEARCH_SA_TEST_SERVES") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process starts the plugin and a session in it.
func process(t testing.TB, o sdk.StartOptions) sdk.Session {
	t.Helper()
	self, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.Launch(t.Context(), client.Config{Path: self, Kind: client.Strategy, Env: []string{"SEARCH_SA_TEST_SERVES=1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	s, rows := line(100)
	o.Region, o.Rows = s.Whole(), rows
	session, err := p.Strategy().Start(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func answer(m sdk.Move) sdk.Trial {
	if m.Kind == sdk.MoveSeedFrom {
		return sdk.Trial{ID: m.ID, Status: sdk.TrialNoSeed}
	}
	return sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: 1 + int(m.Point[0])%7, Gap: 0.5, Violates: true}
}

// Two processes with one seed make the same moves.
func TestProcessesAgree(t *testing.T) {
	moves := func(options map[string]string) (all []sdk.Move) {
		session := process(t, sdk.StartOptions{Seed: 11, Options: options})
		var told []sdk.Trial
		for range 400 {
			next, err := session.Next(t.Context(), told, 1)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, next...)
			told = []sdk.Trial{answer(next[0])}
		}
		return all
	}
	for _, candidate := range []string{"current", "knn"} {
		options := map[string]string{"candidate": candidate}
		first := moves(options)
		if diff := cmp.Diff(first, moves(options)); diff != "" {
			t.Errorf("candidate=%s: two processes differ:\n%s", candidate, diff)
		}
	}
}

// BenchmarkNext is the round trip of one move to the plugin's process.
func BenchmarkNext(b *testing.B) {
	session := process(b, sdk.StartOptions{Seed: 11})
	var told []sdk.Trial
	for b.Loop() {
		next, err := session.Next(b.Context(), told, 1)
		if err != nil {
			b.Fatal(err)
		}
		told = []sdk.Trial{answer(next[0])}
	}
}
