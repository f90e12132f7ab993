package cli

import (
	"github.com/spf13/cobra"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/export"
)

func init() { commands = append(commands, newExport) }

func newExport(app *App) *cobra.Command {
	var r export.Request
	cmd := &cobra.Command{
		Use:   "export STUDY",
		Short: "Write the problem that a solver would get, for other tools",
		Long: `Write a study's question as a file: the rows and columns that a MILP solver plugin
gets (mps, lp), the script that an SMT solver plugin gets (smt2), or a property of
the two copies and a file with their network as ONNX (vnnlib). Comments at the top
state the question and what an answer proves. If the two copies of the network
differ (relaxed queries, rules about one of them), two files ask in both
directions. docs/user/export.md says what an answer of another tool proves.

--encoding, --bounds, --k, --maximize and --relax do not apply to vnnlib. In a folder that --out
names, files are named study-network-notion; --protected each and subsets write one
problem for each set. If the bounds alone decide the question, nothing is written, and the
exit code is 1.`,
		Example: `  hyfair export studies/loan --format mps
  hyfair export studies/adult.yaml --model AC-8 --format smt2 --notion decision-strict --out ac8.smt2
  hyfair export studies/bank.yaml --format vnnlib --notion logit --epsilon 2 --each --out exported/ --json`,
		Args: exactlyOne("STUDY"),
		RunE: asking(app, export.Answer, &r, func(args []string) { r.Study, r.Data, r.Seed = args[0], app.Data, app.Seed }),
	}
	addQuestion(cmd, &r.Spec)
	fl := cmd.Flags()
	fl.StringVar(&r.Notion, "notion", "", "notion of fairness: score, logit, decision or decision-strict (default: the study's)")
	fl.StringVar(&r.Format, "format", "", "format of the file: smt2, mps, lp or vnnlib (default: what the name of --out ends in)")
	fl.StringVar(&r.Encoding, "encoding", "", "lowering of the network (default: bigm for mps and lp, smt for smt2)")
	fl.StringVar(&r.Bounds, "bounds", engine.DefaultBounds, "bounds of the neurons for the lowering: interval or linear")
	fl.StringSliceVar(&r.Relax, "relax", nil, `let a feature differ between the copies by at most this much: "hours-per-week=5"; may be repeated`)
	fl.IntVar(&r.K, "k", 0, "ask whether any individual's counterfactuals reach at least this many outcome bins (3 or more)")
	fl.BoolVar(&r.Maximise, "maximize", false, "ask for the largest margin instead of any violation (not in the score notion)")
	fl.BoolVar(&r.Each, "each", false, "with vnnlib: write one property with one box for each pair of protected combinations, not one property with alternatives")
	fl.StringVar(&r.Out, "out", "", "file to write, or folder to write into: an existing one, or a name that ends in / (default: here)")
	return cmd
}
