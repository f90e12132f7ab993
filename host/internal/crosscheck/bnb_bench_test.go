package crosscheck

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
)

// What is measured here is solver-bnb as a process of its own: the time that it
// reports, from the problem received to the answer. `make bench-bnb` runs it all
// and prints how busy the machine was.

// secondsVariable names the environment variable that says how long
// BenchmarkUndecided runs each question; a minute if it is not set.
const secondsVariable = "HYFAIR_BENCH_SECONDS"

// solved asks and fails if there is no answer.
func solved(b *testing.B, solver sdk.Solver, q *problem.Query, o sdk.SolveOptions) *sdk.Result {
	b.Helper()
	r, err := solver.Solve(b.Context(), &problem.Problem{Query: q}, o)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// settled is the share that is proved one way or the other, in per cent.
func settled(s *sdk.Shares) float64 {
	fair, _ := s.Fair.Float64()
	unfair, _ := s.Unfair.Float64()
	return 100 * (fair + unfair)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// quiet leaves the time an iteration out of the report: only what the solver
// measured itself belongs there.
func quiet(b *testing.B) { b.ReportMetric(0, "ns/op") }

// BenchmarkFairQuant is the time, in the median over the iterations, to the share
// that FairQuant (Kim, Wang and Wang, ICSE 2025) certifies, decision notion with
// sex protected; beside it FairQuant's seconds, built with -O3, with its own
// limit of 20 splits, on one thread, and how many times that is. FairQuant certifies
// whole boxes; the share here also holds individuals that are counted, proved one
// way or the other, inside boxes that are not settled as a whole.
func BenchmarkFairQuant(b *testing.B) {
	solver, _ := plugintest.Solver(b, "bnb")
	for _, c := range []struct {
		model              string
		certified, seconds float64
	}{
		{"AC-1", 90.7, 1.0}, {"AC-2", 79.9, 11.6}, {"AC-3", 33.3, 15.7}, {"AC-6", 58.8, 2.4},
		{"AC-8", 66.5, 3.4}, {"AC-9", 91.1, 0.75}, {"AC-10", 87.7, 1.4}, {"AC-12", 70.8, 0.22},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", c.model, threads), func(b *testing.B) {
				q := adultBySex(b, c.model, fairness.Decision)
				target := c.certified / 100
				var seconds []float64
				var last *sdk.Result
				for b.Loop() {
					last = solved(b, solver, q, sdk.SolveOptions{Threads: threads, Target: &target, TimeLimit: time.Minute})
					seconds = append(seconds, last.Elapsed.Seconds())
				}
				if settled(last.Shares) < c.certified {
					b.Fatalf("settled %.2f %% in a minute, want %v %%", settled(last.Shares), c.certified)
				}
				s := median(seconds)
				quiet(b)
				b.ReportMetric(s, "s")
				b.ReportMetric(c.seconds, "FairQuant-s")
				b.ReportMetric(c.seconds/s, "times")
				b.ReportMetric(float64(last.Nodes), "boxes")
			})
		}
	}
}

// benchSeconds is what HYFAIR_BENCH_SECONDS says.
func benchSeconds(b *testing.B) int {
	text := os.Getenv(secondsVariable)
	if text == "" {
		return 60
	}
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 {
		b.Fatalf("%s=%s: want a number of seconds", secondsVariable, text)
	}
	return seconds
}

// publicStudy is the study of a public network, AC-1 to AC-12 or BM-1 to BM-8.
func publicStudy(b *testing.B, name string) *study.Study {
	b.Helper()
	file := "adult.yaml"
	if name[0] == 'B' {
		file = "bank.yaml"
	}
	st, err := study.Load("../../../studies/"+file, study.Options{DataRoot: dataRoot(b), Model: name})
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// BenchmarkLargest is the largest gap of scores and of logits, by bnb, by HiGHS and by both as a
// portfolio, and the largest k by bnb, of all networks and protected features (K = 90 and 2), on
// two threads: the best that was found, how far the bound is above it, and the seconds, of
// HYFAIR_BENCH_SECONDS.
func BenchmarkLargest(b *testing.B) {
	limit := time.Duration(benchSeconds(b)) * time.Second
	var members []engine.Options
	for _, name := range []string{"bnb", "highs"} {
		solver, description := plugintest.Solver(b, name)
		members = append(members, engine.Options{Solver: solver, Description: description, Climb: true})
	}
	arms := []engine.Options{members[0], members[1], {Portfolio: members}}
	for i := range 20 {
		name := fmt.Sprintf("AC-%d", i+1)
		if i >= 12 {
			name = fmt.Sprintf("BM-%d", i-11)
		}
		st := publicStudy(b, name)
		measured := func(what string, largest func(ctx context.Context) (best, bound float64, err error)) {
			b.Run(name+"/"+what, func(b *testing.B) {
				var best, bound, seconds float64
				for b.Loop() {
					ctx, cancel := context.WithTimeout(b.Context(), limit)
					from := time.Now()
					var err error
					best, bound, err = largest(ctx)
					seconds = time.Since(from).Seconds()
					cancel()
					if err != nil {
						b.Fatal(err)
					}
				}
				quiet(b)
				b.ReportMetric(best, "best")
				b.ReportMetric(bound-best, "open")
				b.ReportMetric(seconds, "s")
			})
		}
		for _, notion := range []fairness.Notion{fairness.Score, fairness.Logit} {
			for i, o := range arms {
				measured(fmt.Sprintf("%s/%s", notion, []string{"bnb", "highs", "bnb+highs"}[i]), func(ctx context.Context) (best, bound float64, err error) {
					o.Threads, o.Maximise = 2, true
					rep, err := engine.Run(ctx, &problem.Query{Model: st.Model, Space: st.Space, Notion: notion, Epsilon: st.Epsilon}, o)
					if err != nil {
						return 0, 0, err
					}
					if rep.Witness != nil {
						best = rep.Witness.Margin
					}
					return best, rep.Bound, nil
				})
			}
		}
		measured("k/bnb", func(ctx context.Context) (best, bound float64, err error) {
			o := members[0]
			o.Threads = 2
			e, err := engine.Enclose(ctx, &problem.Query{Model: st.Model, Space: st.Space, Notion: fairness.Score, Epsilon: st.Epsilon, Goal: problem.MaxK}, o, nil)
			if err != nil {
				return 0, 0, err
			}
			return e.Found, e.Bound, nil
		})
	}
}

// BenchmarkUndecided is the share that is left undecided, in per cent, on two
// threads after the seconds that HYFAIR_BENCH_SECONDS says.
func BenchmarkUndecided(b *testing.B) {
	seconds := benchSeconds(b)
	solver, _ := plugintest.Solver(b, "bnb")
	for _, model := range []string{"AC-1", "AC-2", "AC-3", "AC-4", "AC-5", "AC-6", "AC-7", "AC-8", "AC-9", "AC-11"} {
		b.Run(fmt.Sprintf("%s/%ds", model, seconds), func(b *testing.B) {
			q := adultBySex(b, model, fairness.Decision)
			var last *sdk.Result
			for b.Loop() {
				last = solved(b, solver, q, sdk.SolveOptions{Threads: 2, TimeLimit: time.Duration(seconds) * time.Second})
			}
			quiet(b)
			b.ReportMetric(100-settled(last.Shares), "%undecided")
			b.ReportMetric(float64(last.Nodes)/last.Elapsed.Seconds(), "boxes/s")
		})
	}
}

// BenchmarkFirstWitness is the time to the first individual of a gap above 0.05,
// all protected features at once (K = 90 and 2), in the median over five seeds.
func BenchmarkFirstWitness(b *testing.B) {
	solver, _ := plugintest.Solver(b, "bnb")
	for _, sub := range subjects() {
		if len(sub.space.Forbidden) > 0 {
			continue
		}
		b.Run(sub.name, func(b *testing.B) {
			st := publicStudy(b, sub.name)
			q := &problem.Query{Model: st.Model, Space: st.Space, Notion: fairness.Score, Epsilon: st.Epsilon, Goal: problem.Decide}
			var ms []float64
			for b.Loop() {
				var five []float64
				for seed := range int64(5) {
					r := solved(b, solver, q, sdk.SolveOptions{Threads: 2, Seed: seed, TimeLimit: time.Minute})
					if r.Witness == nil {
						b.Fatalf("no witness: %+v", r)
					}
					five = append(five, 1000*r.Elapsed.Seconds())
				}
				ms = append(ms, median(five))
			}
			quiet(b)
			b.ReportMetric(median(ms), "ms")
		})
	}
}

// BenchmarkScaling is boxes a second on one thread and on two, for the same tree:
// in turns, so that what else the machine does hits both, in the median.
func BenchmarkScaling(b *testing.B) {
	solver, _ := plugintest.Solver(b, "bnb")
	for _, model := range []string{"AC-1", "AC-3", "AC-8", "AC-12"} {
		b.Run(model, func(b *testing.B) {
			q := adultBySex(b, model, fairness.Decision)
			var rates [2][]float64
			var ratios []float64
			for b.Loop() {
				for range 3 {
					var now [2]float64
					for i := range now {
						r := solved(b, solver, q, sdk.SolveOptions{Threads: 1 + i, WorkLimit: 500_000})
						now[i] = float64(r.Nodes) / r.Elapsed.Seconds()
						rates[i] = append(rates[i], now[i])
					}
					ratios = append(ratios, now[1]/now[0])
				}
			}
			quiet(b)
			b.ReportMetric(median(rates[0]), "boxes/s-1")
			b.ReportMetric(median(rates[1]), "boxes/s-2")
			b.ReportMetric(median(ratios), "times")
		})
	}
}
