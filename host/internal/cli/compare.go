package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/record"
)

func init() { commands = append(commands, newCompare) }

type compareFlags struct {
	experimentFlags
	solvers []string
	arms    []string
	budget  time.Duration
}

// Defaults of a comparison's settings, for those that neither the flags nor the file give.
const (
	defaultCompareBudget = 100 * time.Second
	defaultCompareRuns   = 10
)

func newCompare(app *App) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare STUDY...",
		Short: "Ask several solvers the same questions under equal rules, and tabulate their answers",
		Long: `Run every arm on every model, several times with different seeds, each task in a
process of its own with the same wall time, threads, memory and order of regions,
and print the paper's Table 1, how spread out the individuals found are, how much
was proved, and which proofs were refuted. A STUDY may also be a comparison file
(studies/rq1.yaml), whose settings flags override. Finished tasks are kept in the
journal: after an interruption the same command resumes.`,
		Example: `  hyfair compare studies/loan --solvers z3,highs --budget 10s --runs 3
  hyfair compare studies/adult.yaml --models 'AC-[1368]' --solvers z3,highs,lpsolve --budget 100s --runs 10
  hyfair compare studies/adult.yaml --arm smt=solver:z3,notion:decision-strict,partition:10 --arm milp=solver:highs,notion:logit,goal:maximise,gap:1e-4
  hyfair compare studies/rq1.yaml --models 'AC-8' --runs 2 --format latex
  hyfair compare --from 3f0 --format csv --plots plots --plot-format pdf`,
		Args: cobra.ArbitraryArgs,
	}
	recall := func(t record.Task) (experiment.Plan, error) { return compare.Recall(t, f.control) }
	cmd.RunE = f.run(app, f.check, recall, func(ctx context.Context, args []string) (experiment.Plan, error) { return f.plan(ctx, app, args) })
	fl := cmd.Flags()
	fl.StringSliceVar(&f.solvers, "solvers", nil, "one arm for each of these solvers, with equal settings")
	fl.StringArrayVar(&f.arms, "arm", nil, "an arm: name=solver:NAME,key:value,… or the name of an arm of the comparison file; may be repeated")
	fl.DurationVar(&f.budget, "budget", defaultCompareBudget, "wall time of each task, loading included")
	f.add(app, cmd, "")
	f.addArms(cmd, defaultCompareRuns, compare.Columns())
	app.addPage(cmd)
	f.plots.add(cmd, "cactus, scatter, profile and contribution of the arms, and their mean ranks")
	cmd.Flag("epsilon").Usage = "ε of the measures and of arms that set none, a score difference (default: the study's)"
	return cmd
}

func (f *compareFlags) check([]string) error {
	if len(f.solvers) > 0 && len(f.arms) > 0 {
		return errors.New("give --solvers or --arm, not both: --solvers a,b is short for --arm a=solver:a --arm b=solver:b")
	}
	return nil
}

// plan returns the plan of flags and arguments, after checking every file and plugin.
func (f *compareFlags) plan(ctx context.Context, app *App, args []string) (*compare.Plan, error) {
	if len(args) == 0 {
		return nil, usage(errors.New("compare wants at least one STUDY or a comparison file; see hyfair compare --help"))
	}
	file := &compare.File{}
	for _, arg := range args {
		if !compare.IsFile(arg) {
			file.Studies = append(file.Studies, gridfile.Study{Path: arg})
			continue
		}
		if len(args) > 1 {
			return nil, usage(fmt.Errorf("%s is a comparison file, which names its studies itself: give it alone", arg))
		}
		var err error
		if file, err = compare.ReadFile(arg); err != nil {
			return nil, usage(err)
		}
	}
	terms, err := f.terms(app, file.Terms, compare.Duration(f.budget).String())
	p := &compare.Plan{Name: file.Name, Arms: file.Arms, Terms: terms, Control: f.control}
	if len(f.solvers) > 0 {
		p.Arms = compare.LikeForLike(f.solvers)
	} else if len(f.arms) > 0 && err == nil {
		p.Arms, err = chosenArms(f.arms, file.Arms)
	}
	if err != nil {
		return nil, usage(err)
	}
	s, err := app.session()
	if err != nil {
		return nil, err
	}
	options, err := app.pluginOptions()
	if err != nil {
		return nil, err
	}
	err = f.networks(app, s, p, file.Studies, func(spec question.Spec, s gridfile.Study) error { return p.AddSubject(spec, s.Partition) })
	if err != nil {
		return nil, err
	}
	if err := p.Resolve(ctx, s, options); err != nil {
		return nil, usageIf(err)
	}
	return p, usage(p.Settle())
}

// chosenArms returns the arms of --arm: described there, or picked from the file.
func chosenArms(texts []string, known []compare.Arm) (out []compare.Arm, err error) {
	for _, text := range texts {
		a, missing := compare.Form.Pick(known, text, "the comparison file")
		if missing != nil {
			if a, err = compare.ParseArm(text); err != nil && !strings.Contains(text, "=") && len(known) > 0 {
				err = missing
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--arm: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}
