package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	bench "github.com/hyfair/hyfair/host/internal/answer/soundness"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/soundness"
)

func init() {
	commands = append(commands, newSoundness)
	works[soundness.Command] = answers(bench.Answer)
}

func newSoundness(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "soundness",
		Short: "Test solvers on networks whose truth is known by construction",
		Long: `Write networks with planted people who are treated unfairly, and the exact truth about
each network (new), and compare what solvers claim with it (run): one false claim
disqualifies a solver. docs/user/soundness.md says how the networks are made, and how to
test a verifier that is not a plugin of hyfair.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSoundnessNew(app), newSoundnessRun(app))
	return cmd
}

func newSoundnessNew(app *App) *cobra.Command {
	var r bench.Request
	cmd := &cobra.Command{
		Use:   "new FOLDER",
		Short: "Write a folder of networks with planted people, and the truth about them",
		Long: `Write instances into a new folder: for each a network (as JSON and as ONNX), a study, a
property for other verifiers (VNN-LIB, with its network as ONNX), and truth.json, which
has the right answer to every question. Each rung of the ladder has eight: three
where one person, ten people or all in a region are treated unfairly, and five variants of
the first where nobody is. The first rung has 1,000 people and 16 neurons, the tenth 10^12 and 1,000.
The same seed writes the same bytes. FOLDER is new or empty, else the exit code is 2.`,
		Example: "  hyfair soundness new bench\n  hyfair soundness new ladder --rungs 10 --seed 7",
		Args:    exactlyOne("FOLDER"),
		RunE:    asking(app, bench.New, &r, func(args []string) { r.Out, r.Seed = args[0], app.Seed }),
	}
	cmd.Flags().IntVar(&r.Rungs, "rungs", 4, fmt.Sprintf("rungs of the ladder, 1 to %d", bench.MaxRungs))
	return cmd
}

// soundnessFlags are the flags of a run over a bench.
type soundnessFlags struct {
	experimentFlags
	plan    soundness.Plan
	timeout time.Duration
}

func newSoundnessRun(app *App) *cobra.Command {
	f := &soundnessFlags{}
	cmd := &cobra.Command{
		Use:   "run FOLDER",
		Short: "Ask solvers the questions of a bench, and compare their claims with the truth",
		Long: `Ask every solver every question of every instance in FOLDER, each in its own process
with the same time, threads and memory: is there a witness (by scores, logits,
decisions), what is the largest gap and the largest k, how many people are treated unfairly.
hyfair asks as certify and quantify do, but neither searches nor enumerates itself. Points
are replayed; a false claim disqualifies the solver, and the file that shows it is named.
Finished tasks are kept in the journal: after an interruption the same command resumes.
The exit code is 4 if a claim is false.`,
		Example: `  hyfair soundness run bench
  hyfair soundness run bench --solver bnb,highs,z3 --timeout 10s --threads 2
  hyfair soundness run bench --solver mine --goals witness,gap --tidy answers.csv
  hyfair soundness run --from 3f0 --format markdown`,
		Args: cobra.ArbitraryArgs,
	}
	cmd.RunE = f.run(app, func([]string) error { return nil }, soundness.Recall, func(ctx context.Context, args []string) (experiment.Plan, error) {
		if err := exactlyOne("FOLDER")(cmd, args); err != nil {
			return nil, err
		}
		return &f.plan, f.settle(ctx, app, args[0])
	})
	fl := cmd.Flags()
	fl.StringSliceVar(&f.plan.Arms, "solver", nil, "solvers to test (default: all that can be used here)")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Second, "time of each question, loading included")
	fl.StringSliceVar(&f.plan.Goals, "goals", bench.Goals(), "what to ask: "+strings.Join(bench.Goals(), ", "))
	f.addDoing(app, cmd, "")
	f.addShown(cmd)
	return cmd
}

// settle completes the plan from flags and the folder, and checks every plugin.
func (f *soundnessFlags) settle(ctx context.Context, app *App, folder string) (err error) {
	f.runs = 1
	p := &f.plan
	if p.Terms, err = f.terms(app, p.Terms, f.timeout.String()); err != nil {
		return usage(err)
	}
	for i := range p.Arms {
		p.Arms[i] = strings.TrimSpace(p.Arms[i])
	}
	for i := range p.Goals {
		p.Goals[i] = strings.TrimSpace(p.Goals[i])
	}
	if err := p.Open(folder); err != nil {
		return usage(err)
	}
	s, err := app.session()
	if err != nil {
		return err
	}
	options, err := app.pluginOptions()
	if err != nil {
		return err
	}
	if err := p.Resolve(ctx, s, options); err != nil {
		return usageIf(err)
	}
	if len(p.Arms) == 0 {
		return usage(errors.New("no solver can be used here; hyfair doctor says what is missing"))
	}
	return usage(p.Settle())
}
