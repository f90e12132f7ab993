package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/client"
	"github.com/hyfair/hyfair/sdk/space"
)

type benchNextFlags struct {
	question question.Spec
	strategy string
	messages int
}

func newBenchNext(app *App) *cobra.Command {
	var f benchNextFlags
	cmd := &cobra.Command{
		Use:   "next [STUDY]",
		Short: "Time the round trip to a strategy plugin",
		Long: `Time Next, the call by which the host asks a strategy plugin for a move: a
message to another process and its answer, the strategy's own thinking included.
First the host only waits, as in paper mode. Then, if the strategy allows its
answers to lag behind, the host asks ahead, is busy for 100 µs, and fetches the
answer: what counts there is the time it spends on asking and fetching. Trials are
made up, no network is evaluated. Without a STUDY the space has ten features and
1,000 rows, made up; a strategy that needs the network needs a STUDY.`,
		Example: `  hyfair bench next
  hyfair bench next studies/adult.yaml --strategy sa+knn --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactlyOne("STUDY")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			out, err := app.benchNext(cmd.Context(), &f, args)
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
	cmd.Flags().StringVar(&f.strategy, "strategy", "sa", "strategy plugin, or one of a plugin's presets")
	cmd.Flags().IntVar(&f.messages, "messages", 5000, "how many calls to time, of each kind")
	return cmd
}

// nextBench is the JSON object of hyfair bench next.
type nextBench struct {
	Strategy string `json:"strategy"`
	Study    string `json:"study,omitempty"`
	Messages int    `json:"messages"`
	// Microseconds a call where the host waits: half of the calls took at most
	// P50, ninety-nine in a hundred at most P99.
	P50 float64 `json:"p50_us"`
	P99 float64 `json:"p99_us"`
	// Pipelined is the median of what a call costs a host that asks ahead; nil
	// for a strategy that has to be told everything first.
	Pipelined *float64 `json:"pipelined_us,omitempty"`
	Seed      int64    `json:"seed"`
	Seconds   float64  `json:"seconds"`
}

func (a *App) benchNext(ctx context.Context, f *benchNextFlags, args []string) (*nextBench, error) {
	if f.messages < 1 || f.messages > 1<<24 {
		return nil, usage(fmt.Errorf("--messages %d: want 1 to %d", f.messages, 1<<24))
	}
	begin := time.Now()
	out := &nextBench{Strategy: f.strategy, Messages: f.messages, Seed: a.Seed}
	caller := &nextCaller{random: rand.New(rand.NewPCG(uint64(a.Seed), 0xbe))}
	catalogue, err := a.catalogue()
	if err != nil {
		return nil, err
	}
	options, err := a.pluginOptions()
	if err != nil {
		return nil, err
	}
	plugin, err := catalogue.Open(ctx, client.Strategy, f.strategy, options)
	if err != nil {
		return nil, badQuestion(usageIf(err))
	}
	defer plugin.Close()
	caller.strategy = plugin.Strategy()
	caller.start = sdk.StartOptions{Seed: a.Seed, Options: plugin.Options}
	d := plugin.Description()
	if len(args) == 0 {
		if d.NeedsNetwork {
			return nil, usage(fmt.Errorf("strategy %s needs the network: name a STUDY", f.strategy))
		}
		caller.anySpace()
	} else if out.Study, err = caller.ofStudy(a, f, args[0], &d); err != nil {
		return nil, usage(err)
	}
	if err := caller.wait(ctx, out); err != nil {
		return nil, err
	}
	if d.Lag >= 1 {
		if err := caller.askAhead(ctx, out); err != nil {
			return nil, err
		}
	}
	out.Seconds = time.Since(begin).Seconds()
	return out, nil
}

// nextCaller plays the host of a search.
type nextCaller struct {
	strategy sdk.Strategy
	space    *space.Space
	start    sdk.StartOptions
	random   *rand.Rand
}

// anySpace stands in for a study: ten features, two of them protected, and rows.
func (c *nextCaller) anySpace() {
	c.space = &space.Space{Inputs: 10}
	for i := range c.space.Inputs {
		c.space.Features = append(c.space.Features, space.Feature{
			Name: fmt.Sprintf("feature %d", i), Kind: space.Integer, Lo: 0, Hi: 20,
			Inputs: []space.Input{{Index: i, Scale: 1}},
		})
	}
	c.space.Features[0].Protected, c.space.Features[1].Protected = []float64{0, 1}, []float64{0, 5, 10}
	c.start.Epsilon, c.start.Region = big.NewRat(1, 20), c.space.Whole()
	for range 1000 {
		c.start.Rows = append(c.start.Rows, randomIndividual(c.random, c.space, c.start.Region))
	}
}

func (c *nextCaller) ofStudy(a *App, f *benchNextFlags, path string, d *sdk.Description) (name string, err error) {
	q, err := a.open(f.question, path)
	if err != nil {
		return "", err
	}
	st := q.Study
	scores, err := q.Scores()
	if err != nil {
		return "", err
	}
	c.space, c.start.Region, c.start.Epsilon = scores.Space, scores.Region, scores.Epsilon
	if d.NeedsNetwork {
		c.start.Network = st.Network
	}
	if d.NeedsRows && st.HasData() {
		data, err := st.Data()
		if err != nil {
			return "", err
		}
		c.start.Rows = data.Points
	}
	return st.Name, nil
}

// warmUp calls are not counted.
const warmUp = 200

// wait times calls that are waited for.
func (c *nextCaller) wait(ctx context.Context, out *nextBench) error {
	session, err := c.strategy.Start(ctx, c.space, c.start)
	if err != nil {
		return err
	}
	defer session.Close()
	var told []sdk.Trial
	var took []time.Duration
	for i := range warmUp + out.Messages {
		begin := time.Now()
		moves, err := session.Next(ctx, told, 1)
		if err != nil {
			return finishedEarly(err, i)
		}
		if i >= warmUp {
			took = append(took, time.Since(begin))
		}
		told = c.trials(moves)
	}
	slices.Sort(took)
	out.P50, out.P99 = micro(took[len(took)/2]), micro(took[len(took)*99/100])
	return nil
}

// busy is what the host does while the strategy thinks.
const busy = 100 * time.Microsecond

// askAhead times the two halves of calls between which the host is busy. Call
// i is told of the moves of call i−2.
func (c *nextCaller) askAhead(ctx context.Context, out *nextBench) error {
	start := c.start
	start.Chains = 2
	session, err := c.strategy.Start(ctx, c.space, start)
	if err != nil {
		return err
	}
	defer session.Close()
	ahead, ok := session.(client.Pipelined)
	if !ok {
		return nil
	}
	var told, next []sdk.Trial
	var took []time.Duration
	for i := range warmUp + out.Messages {
		begin := time.Now()
		if err := ahead.Ask(ctx, told, 1); err != nil {
			return err
		}
		asked := time.Now()
		for time.Since(asked) < busy {
		}
		fetching := time.Now()
		moves, err := ahead.Answer(ctx)
		if err != nil {
			return finishedEarly(err, i)
		}
		if i >= warmUp {
			took = append(took, asked.Sub(begin)+time.Since(fetching))
		}
		told, next = next, c.trials(moves)
	}
	slices.Sort(took)
	median := micro(took[len(took)/2])
	out.Pipelined = &median
	return nil
}

func finishedEarly(err error, calls int) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the strategy was finished after %d calls; ask for fewer --messages", calls)
	}
	return err
}

// trials makes up answers: an individual with any k, at the point proposed.
func (c *nextCaller) trials(moves []sdk.Move) []sdk.Trial {
	out := make([]sdk.Trial, len(moves))
	for i := range moves {
		m := &moves[i]
		if m.Kind == sdk.MoveSeedFrom {
			out[i] = sdk.Trial{ID: m.ID, Status: sdk.TrialNoSolver}
			continue
		}
		k := 1 + c.random.IntN(10)
		out[i] = sdk.Trial{ID: m.ID, Status: sdk.TrialEvaluated, Point: m.Point, K: k, Gap: float64(k) / 20, Violates: k > 1}
	}
	return out
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

func (b *nextBench) print(w io.Writer) {
	fmt.Fprintf(w, "%s: a move costs %.1f µs where the host waits (99 %%: %.1f µs), over %d messages\n", b.Strategy, b.P50, b.P99, b.Messages)
	if b.Pipelined == nil {
		fmt.Fprintln(w, "it has to be told everything first: no asking ahead")
		return
	}
	fmt.Fprintf(w, "asked ahead, %.1f µs of the host's time\n", *b.Pipelined)
}
