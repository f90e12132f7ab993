package engine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// TestRogueProcesses is about what only a process can do: end, hang, flood.
func TestRogueProcesses(t *testing.T) {
	tier.NeedUsual(t)
	path := plugintest.Program(t, "host/internal/answer/certify/engine/testdata/rogue")
	run := func(t *testing.T, ctx context.Context, maximise bool, set map[string]string) (*engine.Report, error) {
		t.Helper()
		p, err := client.Launch(t.Context(), client.Config{Path: path, Kind: client.Solver, KillGrace: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		q := tenure(fairness.Score, 10)
		rep, err := engine.Run(ctx, q, engine.Options{Solver: p.Solver(), Description: p.Description(), Encoding: "bigm", Maximise: maximise, Enumerate: -1, Set: set})
		if rep == nil {
			t.Fatal("no report:", err)
		}
		sound(t, q, rep)
		return rep, err
	}
	for _, c := range []struct {
		mode, err, fault string
		verdict          engine.Verdict
	}{
		{mode: "", verdict: engine.Unfair},
		{mode: "flood", verdict: engine.Unfair},
		{mode: "exit", err: "last words", fault: "last words"},
		{mode: "exit-with-incumbent", verdict: engine.Unfair},
		{mode: "panic", err: "out of luck", fault: "out of luck"},
		{mode: "error", err: "no licence", fault: "no licence"},
		{mode: "infeasible", verdict: engine.Unfair, fault: "a replayed witness has"},
		{mode: "short", err: "garbage", fault: "garbage"},
	} {
		t.Run("mode "+c.mode, func(t *testing.T) {
			rep, err := run(t, t.Context(), false, map[string]string{"mode": c.mode})
			if rep.Verdict != c.verdict || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("verdict %s, error %v", rep.Verdict, err)
			}
			if c.fault != "" && !holdsFault(rep, c.fault) {
				t.Errorf("faults %q", rep.Faults)
			}
		})
		if c.err == "" {
			continue
		}
		t.Run("maximising, mode "+c.mode, func(t *testing.T) {
			rep, err := run(t, t.Context(), true, map[string]string{"mode": c.mode, "from": "2"})
			if rep.Verdict != engine.Unfair || err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("verdict %s, error %v", rep.Verdict, err)
			}
		})
	}
	for _, c := range []struct {
		mode    string
		verdict engine.Verdict
	}{{"deaf", engine.Undecided}, {"patient", engine.Undecided}, {"deaf-with-incumbent", engine.Unfair}} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel() // what each does is wait
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began := time.Now()
			rep, err := run(t, ctx, true, map[string]string{"mode": c.mode})
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("took %v with a limit of 1 s", took)
			} else {
				t.Logf("took %v with a limit of 1 s", took.Round(time.Millisecond))
			}
			if err != nil || rep.Verdict != c.verdict || rep.Verdict == engine.Undecided && rep.Reason != "time limit" || len(rep.Faults) > 0 {
				t.Errorf("error %v, report %+v", err, rep)
			}
		})
	}
}
