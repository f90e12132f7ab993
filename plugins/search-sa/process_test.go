package main

import (
	"testing"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/rig"
)

func TestMain(m *testing.M) { rig.Main(m, main) }

// host finds no seeds, and returns a k from 1 to 7 for every individual.
var host = rig.Host{Want: 1, Answer: func(m sdk.Move) sdk.Trial {
	if m.Kind == sdk.MoveSeedFrom {
		return sdk.Trial{Status: sdk.TrialNoSeed}
	}
	return sdk.Trial{Status: sdk.TrialEvaluated, Point: m.Point, K: 1 + int(m.Point[0])%7, Gap: 0.5, Violates: true}
}}

// Two processes with one seed make the same moves.
func TestProcessesAgree(t *testing.T) {
	s, rows := line(100)
	for _, candidate := range []string{"current", "knn"} {
		o := sdk.StartOptions{Seed: 11, Region: s.Whole(), Rows: rows, Options: map[string]string{"candidate": candidate}}
		host.SameSeed(t, func() sdk.Strategy { return rig.Launch(t, client.Strategy).Strategy() }, s, o, 400)
	}
}

// BenchmarkNext measures the round trip of one move to the plugin's process.
func BenchmarkNext(b *testing.B) {
	s, rows := line(100)
	session, err := rig.Launch(b, client.Strategy).Strategy().Start(b.Context(), s, sdk.StartOptions{Seed: 11, Region: s.Whole(), Rows: rows})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	b.ResetTimer()
	host.Drive(b, session, b.N)
}
