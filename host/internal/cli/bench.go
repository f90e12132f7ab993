package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/space"
)

func init() { commands = append(commands, newBench) }

func newBench(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the evaluator, and the round trip to a strategy plugin, on this machine",
		Long:  "Measure what a search is made of, on this machine: the evaluator of individuals, and the round trip to a strategy plugin.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(fmt.Errorf("unknown command %q (hyfair bench --help lists them)", "bench "+args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchEvaluator(app), newBenchNext(app))
	return cmd
}

type benchEvaluatorFlags struct {
	question    question.Spec
	individuals int
	budget      time.Duration
}

func newBenchEvaluator(app *App) *cobra.Command {
	var f benchEvaluatorFlags
	cmd := &cobra.Command{
		Use:   "evaluator STUDY",
		Short: "Count the individuals a second that one core evaluates, exactly",
		Long: `Evaluate individuals on one core, over and over for --time, and count how many a
second: all counterfactuals, the gap, k and the entropies, exact. Half of the
individuals are drawn from the space, the others are rows of the study's data,
where there are any. The fastest pass counts, since other work on the machine can
only slow it down.`,
		Example: `  hyfair bench evaluator studies/loan
  hyfair bench evaluator studies/adult.yaml --model AC-4 --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := app.benchEvaluator(cmd.Context(), &f, args[0])
			if err != nil {
				return err
			}
			if app.JSON {
				return app.printJSON(out)
			}
			out.print(app.Stdout)
			return nil
		},
	}
	addQuestion(cmd, &f.question)
	cmd.Flags().IntVar(&f.individuals, "individuals", 5000, "how many different individuals")
	cmd.Flags().DurationVar(&f.budget, "time", 2*time.Second, "how long to measure")
	return cmd
}

// evaluatorBench is the JSON object of hyfair bench evaluator.
type evaluatorBench struct {
	Study string `json:"study"`
	Model string `json:"model"`
	// Kernel is the variant of the vector loops: avx512, avx2 or scalar.
	Kernel string `json:"kernel"`
	// K is the number of protected combinations.
	K           int     `json:"k"`
	Individuals int     `json:"individuals"`
	Rows        int     `json:"rows"`
	Passes      int     `json:"passes"`
	PerSecond   float64 `json:"individuals_per_second"`
	// MeanK and Violating tell of what was evaluated.
	MeanK     float64 `json:"mean_k"`
	Violating float64 `json:"violating"`
	Seed      int64   `json:"seed"`
	Seconds   float64 `json:"seconds"`
}

func (a *App) benchEvaluator(ctx context.Context, f *benchEvaluatorFlags, path string) (*evaluatorBench, error) {
	if f.individuals < 1 || f.individuals > 1<<24 {
		return nil, usage(fmt.Errorf("--individuals %d: want 1 to %d", f.individuals, 1<<24))
	}
	if f.budget <= 0 {
		return nil, usage(fmt.Errorf("--time %v: want a positive time such as 2s", f.budget))
	}
	begin := time.Now()
	q, err := a.open(f.question, path)
	if err != nil {
		return nil, usage(err)
	}
	st := q.Study
	scores, err := q.Scores()
	if err != nil {
		return nil, usage(err)
	}
	e, err := evaluate.New(st.Network, scores.Space, scores.Region, scores.Epsilon)
	if err != nil {
		return nil, usage(err)
	}
	xs, rows, err := benchIndividuals(st, q.Space, q.Region, f.individuals, a.Seed)
	if err != nil {
		return nil, usage(err)
	}
	out := &evaluatorBench{
		Study: st.Name, Model: filepath.Base(st.ModelPath), Kernel: e.Kernel(), K: e.Combinations(),
		Individuals: len(xs), Rows: rows, Seed: a.Seed,
	}
	out.measure(ctx, e, xs, f.budget)
	out.Seconds = time.Since(begin).Seconds()
	return out, ctx.Err()
}

// measure evaluates all individuals at least once.
func (b *evaluatorBench) measure(ctx context.Context, e *evaluate.Evaluator, xs [][]float64, budget time.Duration) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	outs := make([]evaluate.Outcome, len(xs))
	begin := time.Now()
	for b.Passes == 0 || time.Since(begin) < budget && ctx.Err() == nil {
		pass := time.Now()
		e.EvaluateAll(xs, outs)
		b.PerSecond = max(b.PerSecond, float64(len(xs))/time.Since(pass).Seconds())
		b.Passes++
	}
	for i := range outs {
		b.MeanK += float64(outs[i].K) / float64(len(outs))
		if outs[i].Violates {
			b.Violating += 1 / float64(len(outs))
		}
	}
}

// benchIndividuals draws n individuals, every second one from the data's rows
// inside the region, where there are any; rows is how many.
func benchIndividuals(st *study.Study, s *space.Space, region space.Region, n int, seed int64) (xs [][]float64, rows int, err error) {
	var data [][]float64
	if st.HasData() {
		d, err := st.Data()
		if err != nil {
			return nil, 0, err
		}
		for _, x := range d.Points {
			if s.RegionContains(region, x) {
				data = append(data, x)
			}
		}
	}
	r := rand.New(rand.NewPCG(uint64(seed), 0xbe))
	for i := range n {
		if i%2 == 1 && len(data) > 0 {
			xs = append(xs, data[r.IntN(len(data))])
			rows++
			continue
		}
		xs = append(xs, randomIndividual(r, s, region))
	}
	return xs, rows, nil
}

// randomIndividual draws every feature evenly from the region's box. Rules may
// forbid what it draws.
func randomIndividual(r *rand.Rand, s *space.Space, region space.Region) []float64 {
	x := make([]float64, len(s.Features))
	for _, i := range s.Free() {
		in := region.Box[i]
		if s.Features[i].Discrete() {
			lo, hi := math.Ceil(in.Lo), math.Floor(in.Hi)
			x[i] = lo + float64(r.Int64N(int64(hi-lo)+1))
		} else {
			x[i] = in.Lo + r.Float64()*(in.Hi-in.Lo)
		}
	}
	return x
}

func (b *evaluatorBench) print(w io.Writer) {
	fmt.Fprintf(w, "%s with %s: %.0f individuals a second on one core (%s)\n", b.Study, b.Model, b.PerSecond, b.Kernel)
	fmt.Fprintf(w, "each with %d protected combinations: %.2f µs, exact; the fastest of %d passes over %d individuals, %d of them rows\n",
		b.K, 1e6/b.PerSecond, b.Passes, b.Individuals, b.Rows)
	fmt.Fprintf(w, "mean k %.2f, %.1f %% with a gap above ε\n", b.MeanK, 100*b.Violating)
}
