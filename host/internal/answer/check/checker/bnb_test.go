package checker

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// solved runs the solver and makes a certificate of its pieces. A certified bound is the
// solver's.
func solved(t *testing.T, solver sdk.Solver, q *problem.Query) (text []byte, result *sdk.Result) {
	t.Helper()
	return solvedWith(t, solver, q, nil)
}

// solvedWith is solved with options for the solver.
func solvedWith(t *testing.T, solver sdk.Solver, q *problem.Query, options map[string]string) (text []byte, result *sdk.Result) {
	t.Helper()
	st, err := certificate.FromQuery(q)
	if err != nil {
		t.Fatal(err)
	}
	var pieces []sdk.Piece
	result, err = solver.Solve(t.Context(), &problem.Problem{Name: "check", Query: q}, sdk.SolveOptions{
		Proofs: true, Pieces: func(list []sdk.Piece) { pieces = append(pieces, list...) }, Options: options,
	})
	if err != nil {
		t.Fatal(err)
	}
	switch q.Goal {
	case problem.Maximise:
		st.Claim = certificate.Claim{Kind: certificate.Gap, Bound: new(big.Rat).SetFloat64(result.Bound)}
	case problem.MaxK:
		st.Claim = certificate.Claim{Kind: certificate.MaxK, K: int(result.Bound)}
	}
	var b bytes.Buffer
	w, err := certificate.NewWriter(&b, st)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pieces {
		if err := w.AddPiece(p); err != nil {
			t.Fatalf("%s %s: %s, %s; of %d pieces %+v: %v", q.Goal, q.Notion, result.Status, result.Native, len(pieces), p, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), result
}

// TestCertificatesOfTheSolverAreAccepted asks solver-bnb for every kind of claim that can
// be certified, about tiny networks.
func TestCertificatesOfTheSolverAreAccepted(t *testing.T) {
	solver, _ := plugintest.Solver(t, "bnb")
	var leaves Report
	for seed := range uint64(tier.Count(3, 6)) {
		for _, notion := range fairness.Notions {
			for _, goal := range []problem.Goal{problem.Decide, problem.Maximise, problem.MaxK} {
				if goal == problem.MaxK && notion != fairness.Score {
					continue
				}
				r := rand.New(rand.NewPCG(seed, uint64(notion)+20))
				st := randomStatement(r, notion, false)
				// Too many individuals for a full enumeration.
				st.Space.Features[0].Hi = 120
				if st.Region.Box != nil {
					st.Region.Box[0].Hi = 100
				}
				q := &problem.Query{
					Model: st.Network, Space: st.Space, Region: st.Region, Notion: notion, Epsilon: st.Epsilon,
					Forbid: st.Forbid, Goal: goal,
				}
				most := largest(st)
				if math.IsInf(most, -1) && goal == problem.Maximise {
					continue // there is no margin to bound
				}
				if goal == problem.Decide {
					if notion.UsesEpsilon() {
						q.Epsilon = above(most)
					} else if most > 0 {
						continue // not fair
					}
				}
				name := fmt.Sprintf("seed %d, %s, %s", seed, notion, goal)
				text, result := solved(t, solver, q)
				if goal == problem.Decide && result.Status != sdk.Infeasible {
					t.Fatalf("%s: %s, %s", name, result.Status, result.Native)
				}
				reader, err := certificate.NewReader(bytes.NewReader(text))
				if err != nil {
					t.Fatal(err)
				}
				report, err := Run(t.Context(), reader, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if report.Refusal != nil {
					t.Errorf("%s: %s", name, report.Refusal)
				}
				leaves.ByBounds += report.ByBounds
				leaves.Enumerated += report.Enumerated
			}
		}
	}
	if leaves.ByBounds < 50 || leaves.Enumerated < 50 {
		t.Errorf("too few leaves of a sort to show much: %+v", leaves)
	}
}

// TestBlindNetworksAreCertified asks for proofs about networks that do not depend on protected
// inputs, with two copies and more. Leaves with an undecided decision or bin are proved by
// differences, which the checker recomputes.
func TestBlindNetworksAreCertified(t *testing.T) {
	solver, _ := plugintest.Solver(t, "bnb")
	many := 0
	for seed := range uint64(tier.Count(12, 100)) {
		r := rand.New(rand.NewPCG(seed, 92))
		notion := []fairness.Notion{fairness.Decision, fairness.DecisionStrict}[seed%2]
		st := randomStatement(r, notion, false)
		st.Space.Features[0].Hi = 120
		if st.Region.Box != nil {
			st.Region.Box[0].Hi = 100
		}
		first := &st.Network.Layers[0]
		for _, f := range st.Space.Protected() {
			for _, in := range st.Space.Features[f].Inputs {
				for j := range first.Out { // except one neuron without successors
					if w := &first.Row(j)[in.Index]; j > 0 || len(st.Network.Layers) == 1 {
						*w = 0
					}
				}
			}
		}
		if len(st.Network.Layers) > 1 {
			for j := range st.Network.Layers[1].Out {
				st.Network.Layers[1].Row(j)[0] = 0
			}
		}
		q := &problem.Query{Model: st.Network, Space: st.Space, Region: st.Region, Notion: notion, Forbid: st.Forbid, Goal: problem.Decide}
		if seed%3 == 0 {
			if q.Goal, q.Notion, q.Epsilon = problem.MaxK, fairness.Score, big.NewRat(1, 20); q.RegionOrWhole().Count() > 2 {
				continue // bins of many copies are matched one by one
			}
		}
		text, result := solved(t, solver, q)
		if q.Goal == problem.Decide && result.Status != sdk.Infeasible || q.Goal == problem.MaxK && result.Bound > 1 {
			t.Fatalf("seed %d, %s: %s, %s, %v", seed, notion, result.Status, result.Native, result.Bound)
		}
		reader, err := certificate.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		report, err := Run(t.Context(), reader, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if report.Refusal != nil {
			t.Errorf("seed %d, %s: %s", seed, notion, report.Refusal)
		}
		if report.ByBounds > 0 && q.RegionOrWhole().Count() > 2 {
			many++
		}
	}
	if many < 3 {
		t.Errorf("%d questions with more than two copies: too few to show much", many)
	}
}
