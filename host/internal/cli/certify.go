package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/sdk/encode"
)

func init() { commands = append(commands, newCertify) }

func newCertify(app *App) *cobra.Command {
	var r certify.Request
	encodings := []string{engine.Direct}
	for _, e := range encode.Encodings {
		encodings = append(encodings, e.Name)
	}
	cmd := &cobra.Command{
		Use:   "certify STUDY",
		Short: "Prove individual fairness, or show two people who refute it",
		Long: `Ask a solver whether any individual of the study has two counterfactuals that are
treated differently. A point it finds is replayed through the network in exact
arithmetic before it counts; a proof is printed with its grade and tolerance.

  --encoding: network (the solver takes the question itself), bigm (the paper's MILP), bigm+diff (with
    rows on the difference of the copies), sos1 (special ordered sets instead of binaries), smt
    or smt-ite (SMT-LIB 2 in exact rationals, a ReLU as a choice or as an ite).
  --bounds: linear is back-substitution, tighter than interval; with lp the solver also tightens each
    unstable neuron, and a proof is numerical.
  --relax: both copies stay inside --where, and differ in a protected value.
  --k: unfair means that an individual reaches that many bins, fair that none does.
  --certificate: the solver, which must write proofs as bnb does, is run again on the entire region.
    With --maximize, even with --max-k, it proves the largest gap's bound, whatever --gap is.
  --timeout: with several questions, each gets an equal part of the remaining time.

The exit code is 0 for every verdict, unless --check is given or a claim was refuted (4).
docs/user/certify.md explains verdicts and grades, docs/user/partition.md --partition.`,
		Example: `  hyfair certify studies/loan
  hyfair certify studies/adult.yaml --model AC-8 --where "age=30..39,hours-per-week=31..40"
  hyfair certify studies/bank.yaml --notion logit --epsilon 2 --maximize --timeout 60s --json`,
		Args: exactlyOne("STUDY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Study, r.Data, r.Seed = args[0], app.Data, app.Seed
			return runCertify(cmd.Context(), app, r)
		},
	}
	addQuestion(cmd, &r.Spec)
	app.addPage(cmd)
	app.addGates(cmd, &r.Gates)
	fl := cmd.Flags()
	fl.StringVar(&r.Solver, "solver", "", "solver plugin, or several to ask at once, such as bnb+highs (default: the first usable of bnb, highs, z3, lpsolve)")
	fl.StringVar(&r.Notion, "notion", "", "notion of fairness: score, logit, decision or decision-strict (default: the study's)")
	fl.StringVar(&r.Encoding, "encoding", "", "lowering of the network for the solver: "+strings.Join(encodings, ", ")+" (default: network, or bigm or smt for a solver of these forms)")
	fl.StringVar(&r.Bounds, "bounds", "", "how the neurons are bounded for --encoding: interval, linear or lp (default: linear for smt, otherwise interval)")
	fl.StringSliceVar(&r.Relax, "relax", nil, `let a feature differ between the copies by at most this much: "hours-per-week=5"; may be repeated`)
	addNear(cmd, &r.Spec, "; only bnb takes it")
	fl.IntVar(&r.K, "k", 0, "ask whether any individual's counterfactuals reach at least this many outcome bins (3 or more)")
	fl.BoolVar(&r.MaxK, "max-k", false, "after the verdict, look for the largest number of outcome bins that one individual's counterfactuals reach, and bound it from above")
	fl.BoolVar(&r.Climb, "climb", true, "look for a violation by local search before asking the solver, and give it the best individual as a start")
	fl.BoolVar(&r.Maximise, "maximize", false, "after the verdict, look for the largest gap and bound it from above")
	fl.Float64Var(&r.Gap, "gap", 0, "relative gap between the bound and the best value found at which maximising may stop; 0: as close as the solver's tolerance allows, or within 10⁻⁷ for scores if the solver takes the model itself")
	fl.DurationVar(&r.Timeout, "timeout", 0, "limit of wall time for the whole question, such as 60s; 0: no limit")
	fl.StringVar(&r.Certificate, "certificate", "", "write the proof of a fair verdict to this file, or with --maximize or --max-k the proof of the bound; compressed if the name ends in .gz; hyfair check verifies it")
	fl.Var(&gateFlag{&r.Gates, "check", "string", func(name, bound string) (gate.Gate, error) {
		return gate.Word(name, bound, engine.Fair.String(), engine.Unfair.String())
	}}, "check", "the verdict expected, fair or unfair: exit with code 3 if it differs")
	fl.StringVar(&r.Partition, "partition", "", `decide the question in parts: a chunk size for every feature such as 10, "age=10,hours-per-week=20", or adaptive`)
	fl.BoolVar(&r.All, "all", false, "with --partition: decide every part, not only up to the first witness")
	fl.DurationVar(&r.SoftTimeout, "soft-timeout", partition.DefaultSoftTimeout, "with --partition: limit of wall time for each question to the solver")
	app.addShard(cmd, "with --partition: ")
	fl.BoolVar(&r.Fresh, "fresh", false, "with --partition: begin a new run, even if an interrupted one could be resumed")
	return cmd
}

func runCertify(ctx context.Context, app *App, r certify.Request) (err error) {
	if r.Set, err = app.pluginOptions(); err != nil {
		return err
	}
	out, err := ask(ctx, app, certify.Answer, r)
	if out != nil && session.Interrupted(ctx) {
		return interruption("interrupted; what was found so far is shown", err)
	}
	return err
}
