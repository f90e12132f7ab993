package search

import (
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/hyfair/hyfair/host/internal/plugin/plugintest"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/record"
	"github.com/hyfair/hyfair/host/internal/system/clock"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/evaluate"
)

func TestMain(m *testing.M) { plugintest.Main(m) }

// BenchmarkFast is a fast search of the shipped study by real plugins; it reports
// the individuals evaluated per second. Its profile (-cpuprofile) shows the host's
// cost of the boundary to the plugin.
func BenchmarkFast(b *testing.B) {
	st, err := study.Load("../../../../studies/loan", study.Options{})
	if err != nil {
		b.Fatal(err)
	}
	data, err := st.Data()
	if err != nil {
		b.Fatal(err)
	}
	region := st.Space.Whole()
	evaluator, err := evaluate.New(st.Model, st.Space, region, big.NewRat(1, 20))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"rw", "sa", "climb"} {
		b.Run(name, func(b *testing.B) {
			p, err := client.Launch(b.Context(), client.Config{Path: plugintest.Build(b, "search-"+name), Kind: client.Strategy})
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			var evaluations int64
			b.ResetTimer()
			for range b.N {
				r := Run(b.Context(), Config{
					Space: st.Space, Region: region, Evaluator: evaluator, Strategy: name, Seed: 1,
					Budget: Budget{Evals: 500_000}, Fast: &Fast{Chains: DefaultChains, Ahead: p.Description().Lag > 0, Keep: DefaultKeep},
					Stream: &record.Stream{Clock: clock.Wall(time.Now())},
					Start: func(ctx context.Context) (sdk.Session, error) {
						o := sdk.StartOptions{Seed: 1, Epsilon: big.NewRat(1, 20), Region: region, Rows: data.Points, Chains: DefaultChains}
						if p.Description().NeedsModel {
							o.Model = st.Model
						}
						return p.Strategy().Start(ctx, st.Space, o)
					},
				})
				if r.Err != nil {
					b.Fatal(r.Err)
				}
				evaluations += r.Evaluations
			}
			b.ReportMetric(float64(evaluations)/b.Elapsed().Seconds(), "individuals/s")
		})
	}
}
