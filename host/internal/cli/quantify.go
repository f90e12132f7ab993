package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/session"
)

func init() { commands = append(commands, newQuantify) }

func newQuantify(app *App) *cobra.Command {
	var r quantify.Request
	cmd := &cobra.Command{
		Use:   "quantify STUDY",
		Short: "Prove which shares of the space are fair and unfair, and show what is undecided",
		Long: `Divide the space into what is proved to be treated fairly, what is proved to be
treated unfairly, and what is undecided. The share of discriminated individuals
lies between the second share and one minus the first; the interval shrinks as long
as the solver runs. A uniform sample and the data set's rows, evaluated exactly, are
shown with it. docs/user/quantify.md explains the shares, the map and --partition.

--groups proves rates of groups instead: which share of the women gets a favourable
decision, which share of the men, and their ratio; also of the intersections of several
attributes.

With --k, individuals with that many bins count as discriminated against. --map needs a
single question. With several questions, each gets an equal part of --timeout; writing a
map takes extra time. The exit code is 0 even if a share is undecided, and 4 if the solver
contradicted an exact evaluation.`,
		Example: `  hyfair quantify studies/loan
  hyfair quantify studies/adult.yaml --model AC-1 --protected sex --notion decision --timeout 60s --threads 2
  hyfair quantify studies/loan --map loan.csv --json
  hyfair quantify studies/loan --groups --population classes:8 --min-impact-ratio 0.8`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Study, r.Data, r.Seed = args[0], app.Data, app.Seed
			if cmd.Flags().Changed("min-share") && !ofGroups(r.Groups, r.Gates) {
				return errMinShare
			}
			return runQuantify(cmd.Context(), app, r)
		},
	}
	addQuestion(cmd, &r.Spec)
	app.addPictures(cmd, "the shares, with --map a map over two features, and with --thresholds a curve")
	app.addGates(cmd, &r.Gates)
	addShareGate(cmd, &r.Gates, "max-unfair", "largest share of individuals discriminated against")
	addRatioGate(cmd, &r.Gates, audit.MinImpactRatio, "least impact ratio of the groups of each attribute, and of all together; implies --groups")
	fl := cmd.Flags()
	fl.StringVar(&r.Solver, "solver", "", "solver plugin that quantifies (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.StringVar(&r.Notion, "notion", "", "notion of fairness: score, logit, decision or decision-strict (default: the study's)")
	fl.IntVar(&r.K, "k", 0, "count individuals whose counterfactuals reach at least this many outcome bins (3 or more)")
	addNear(cmd, &r.Spec, "; only bnb takes it")
	addPopulation(cmd, &r.Population, sharesOf)
	fl.BoolVar(&r.Groups, "groups", false, "prove instead which share of each group gets the favourable decision, with differences and impact ratios")
	fl.StringVar(&r.MinShare, "min-share", audit.DefaultMinShare, "for rates of groups: groups with a smaller share of the population are named but not judged")
	fl.StringVar(&r.Thresholds, "thresholds", "", "ask about decisions at each of these thresholds: a list such as 0.2,0.3, or LO..HI (steps of 0.05), or LO..HI:STEP")
	fl.IntVar(&r.Samples, "samples", 10_000, "number of individuals to draw and evaluate; 0: none")
	fl.StringVar(&r.Map, "map", "", "write the boxes into which the space was divided to this file, .csv or .jsonl")
	fl.StringVar(&r.Partition, "partition", "", `answer in parts that are added up: a chunk size for every feature such as 10, or "age=10,hours-per-week=20"`)
	app.addShard(cmd, "with --partition: ")
	fl.BoolVar(&r.Fresh, "fresh", false, "with --partition: begin a new run, even if an interrupted one could be resumed")
	fl.DurationVar(&r.Timeout, "timeout", 0, "limit of wall time for the whole question, such as 60s; 0: until nothing is undecided")
	return cmd
}

// ofGroups reports whether --groups or a gate asks for rates of groups.
func ofGroups(groups bool, gates []gate.Gate) bool {
	return groups || slices.ContainsFunc(gates, func(g gate.Gate) bool { return g.Name == audit.MinImpactRatio })
}

// errMinShare refuses --min-share where it has no effect.
var errMinShare = usage(errors.New("--min-share applies to rates of groups only: add --groups, or leave it out"))

func runQuantify(ctx context.Context, app *App, r quantify.Request) (err error) {
	if r.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	if ofGroups(r.Groups, r.Gates) {
		out, err := ask(ctx, app, quantify.AnswerRates, r)
		return app.interruptedIf(out != nil && out.Interrupted, err)
	}
	out, err := ask(ctx, app, quantify.Answer, r)
	if out != nil && len(out.Questions) > 0 && session.Interrupted(ctx) {
		return interruption("interrupted; what was proved so far is shown", err)
	}
	return err
}
