package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/experiment/compare"
	"github.com/hyfair/hyfair/host/internal/experiment/gridfile"
	"github.com/hyfair/hyfair/host/internal/question"
)

func init() { commands = append(commands, newCompare) }

type compareFlags struct {
	experimentFlags
	solvers []string
	arms    []string
	budget  time.Duration
}

// Defaults of a comparison that neither flags nor a file settle.
const (
	defaultCompareBudget = 100 * time.Second
	defaultCompareRuns   = 10
)

func newCompare(app *App) *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare STUDY...",
		Short: "Put the same questions to several solvers under equal rules, and tabulate who answers what",
		Long: `Run every arm on every model, several times with different seeds, each task in a
process of its own with the same wall time, threads, memory and order of regions,
and print the paper's Table 1, how spread out the individuals found are, how much
was proved, and which proofs were refuted. A STUDY may also be a comparison file
(studies/rq1.yaml), whose settings flags override. What is done is kept in the
journal: the same command again resumes it after an interruption.`,
		Example: `  hyfair compare studies/loan --solvers z3,highs --budget 10s --runs 3
  hyfair compare studies/adult.yaml --models 'AC-[1368]' --solvers z3,highs,lpsolve --budget 100s --runs 10
  hyfair compare studies/adult.yaml --arm smt=solver:z3,notion:decision-strict,partition:10 --arm milp=solver:highs,notion:logit,goal:maximise,gap:1e-4
  hyfair compare studies/rq1.yaml --models 'AC-8' --runs 2 --format latex
  hyfair compare --from 3f0 --format csv --plots plots --plot-format pdf`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(args); err != nil {
				return usage(err)
			}
			show := f.plots.shower(app, f.show)
			if f.from != "" {
				return f.recall(app, compare.Recall, show)
			}
			p, err := f.plan(cmd.Context(), app, args)
			if err != nil {
				return err
			}
			return f.conduct(cmd.Context(), app, p, show)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.solvers, "solvers", nil, "an arm for each of these solvers, alike in all else")
	fl.StringArrayVar(&f.arms, "arm", nil, "an arm: name=solver:NAME,key:value,… or the name of an arm of the comparison file; may be repeated")
	fl.DurationVar(&f.budget, "budget", defaultCompareBudget, "time of each task, loading included")
	f.add(app, cmd, "")
	f.addArms(cmd, defaultCompareRuns, compare.Columns())
	app.addPage(cmd)
	f.plots.add(cmd, "cactus, scatter, profile and contribution of the arms, and their mean ranks")
	cmd.Flag("epsilon").Usage = "ε of the measures and of arms without their own, a score difference (default: the study's)"
	return cmd
}

func (f *compareFlags) validate(args []string) error {
	if len(f.solvers) > 0 && len(f.arms) > 0 {
		return errors.New("give --solvers or --arm, not both: --solvers a,b is short for --arm a=solver:a --arm b=solver:b")
	}
	return f.experimentFlags.validate(args)
}

// plan is what flags and arguments ask for, with every file and plugin looked
// at.
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
	p, err := f.merge(app, file)
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
	if err := f.models.Each(file.Studies, app.Data, func(spec question.Spec, s gridfile.Study) error { return p.AddSubject(spec, s.Partition) }); err != nil {
		return nil, usage(err)
	}
	for i := range p.Subjects {
		question.CountsBins(p.Subjects[i].Clustering, s.Note)
	}
	if err := p.Resolve(ctx, s, options); err != nil {
		return nil, usageIf(err)
	}
	return p, usage(p.Settle())
}

// merge lets flags override the file.
func (f *compareFlags) merge(app *App, file *compare.File) (*compare.Plan, error) {
	terms, err := f.terms(app, file.Terms, compare.Duration(f.budget).String())
	p := &compare.Plan{Name: file.Name, Arms: file.Arms, Solvers: map[string]experiment.Plugin{}, Terms: terms}
	if err != nil {
		return nil, err
	}
	switch {
	case len(f.solvers) > 0:
		p.Arms = compare.LikeForLike(f.solvers)
	case len(f.arms) > 0:
		p.Arms, err = chosenArms(f.arms, file.Arms)
	}
	return p, err
}

// chosenArms are those of --arm: described there, or picked from the file.
func chosenArms(texts []string, known []compare.Arm) ([]compare.Arm, error) {
	var out []compare.Arm
	for _, text := range texts {
		if i := slices.IndexFunc(known, func(a compare.Arm) bool { return a.Name == text }); i >= 0 {
			out = append(out, known[i])
			continue
		}
		a, err := compare.ParseArm(text)
		if err != nil {
			if !strings.Contains(text, "=") && len(known) > 0 {
				var names []string
				for i := range known {
					names = append(names, known[i].Name)
				}
				err = fmt.Errorf("%q is no arm of the comparison file, which has %s", text, strings.Join(names, ", "))
			}
			return nil, fmt.Errorf("--arm: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}
