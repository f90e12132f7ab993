package quantify

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// kept keeps results in memory.
type kept map[string][]byte

func (k kept) Done(key string) ([]byte, float64, bool) {
	text, ok := k[key]
	return text, 0, ok
}

func (k kept) Complete(key string, result any, _ float64, _ ...record.Event) (err error) {
	k[key], err = json.Marshal(result)
	return err
}

// tired answers every other question.
type tired struct {
	sdk.Solver
	asked int
}

func (s *tired) Solve(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, error) {
	if s.asked++; s.asked%2 == 0 {
		return &sdk.Result{Status: sdk.Unknown, Reason: sdk.TimeLimit, Shares: &sdk.Shares{Fair: new(big.Rat), Unfair: new(big.Rat)}}, nil
	}
	return s.Solver.Solve(ctx, p, o)
}

// Parts decided in several shards, some after a retry, add up to the counts of enumeration,
// with constraints and predicates.
func TestPartsAgainstEnumeration(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	for _, n := range fairness.Notions {
		for seed := range uint64(tier.Count(3, 8)) {
			q := tiny(rand.New(rand.NewPCG(seed, 7)), n)
			want := counted(q)
			all := want[fair] + want[unfair]
			chunks, err := partition.ParseChunks(q.Space, "2")
			if err != nil {
				t.Fatal(err)
			}
			store, lazy := kept{}, &tired{Solver: solver}
			ask := func(of sdk.Solver, shard record.Shard) (*Report, *Counts) {
				t.Helper()
				rep, counts, err := RunParts(t.Context(), q, Options{Solver: of, Description: description, Samples: 200, Seed: 3}, Parts{Chunks: chunks, Shard: shard, Store: store})
				if err != nil || len(rep.Faults) > 0 {
					t.Fatal(err, rep)
				}
				if all > 0 && (rep.Fair.Cmp(big.NewRat(want[fair], all)) > 0 || rep.Unfair.Cmp(big.NewRat(want[unfair], all)) > 0) {
					t.Errorf("%s, seed %d: %v fair and %v unfair of %v", n, seed, rep.Fair, rep.Unfair, want)
				}
				return rep, counts
			}
			ask(lazy, record.Shard{Part: 1, Of: 2})
			ask(lazy, record.Shard{Part: 2, Of: 2})
			before := len(store)
			ask(solver, record.Shard{})
			rep, counts := ask(solver, record.Shard{})
			if counts.Resumed != counts.Total || counts.Complete != counts.Total || counts.Total < 2 || before < counts.Total {
				t.Errorf("%s, seed %d: %+v of %d", n, seed, counts, before)
			}
			if all == 0 {
				if !rep.Nobody() {
					t.Errorf("%s, seed %d: nobody there, and %+v", n, seed, rep)
				}
				continue
			}
			if !rep.Complete || rep.Fair.Cmp(big.NewRat(want[fair], all)) != 0 || rep.Unfair.Cmp(big.NewRat(want[unfair], all)) != 0 || rep.Individuals.Int64() != all {
				t.Errorf("%s, seed %d: %v fair, %v unfair, %+v; want %v", n, seed, rep.Fair, rep.Unfair, rep, want)
			}
		}
	}
}

// A damaged journal proves nothing about a part.
func TestPartsOfADamagedJournal(t *testing.T) {
	solver, description := plugintest.Solver(t, "bnb")
	q := tiny(rand.New(rand.NewPCG(1, 7)), fairness.Score)
	chunks, err := partition.ParseChunks(q.Space, "2")
	if err != nil {
		t.Fatal(err)
	}
	store := kept{}
	ask := func() *Report {
		t.Helper()
		rep, _, err := RunParts(t.Context(), q, Options{Solver: solver, Description: description, Seed: 3}, Parts{Chunks: chunks, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	good := ask()
	for _, bad := range []string{`{"fair":"2","unfair":"0","individuals":"4","complete":true}`, `{"fair":"1","unfair":"-1","individuals":"4","complete":true}`, `{"fair":"1","unfair":"0","individuals":"1/2","complete":true}`, `{"complete":true}`, `[`, `null`} {
		for key := range store {
			store[key] = []byte(bad)
		}
		if rep := ask(); rep.Fair.Cmp(good.Fair) != 0 || rep.Unfair.Cmp(good.Unfair) != 0 {
			t.Errorf("%s: %v and %v, want %v and %v", bad, rep.Fair, rep.Unfair, good.Fair, good.Unfair)
		}
		clear(store)
	}
}
