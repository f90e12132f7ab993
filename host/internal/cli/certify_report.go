package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/answer/partition"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// certifyOutput is the JSON object of hyfair certify; docs/cli.md lists its
// fields.
type certifyOutput struct {
	Study    string  `json:"study"`
	Model    string  `json:"model"`
	Seed     int64   `json:"seed"`
	Seconds  float64 `json:"seconds"`
	Notion   string  `json:"notion"`
	Epsilon  string  `json:"epsilon,omitempty"`
	Encoding string  `json:"encoding"`
	Bounds   string  `json:"bounds"`
	// Protected are the attributes that vary; AskedK is --k, 0 without.
	Protected []string `json:"protected"`
	AskedK    int      `json:"asked_k,omitempty"`

	Verdict string `json:"verdict"`
	// Nobody: fair vacuously, since the constraints leave nobody.
	Nobody bool `json:"nobody,omitempty"`
	// Grade and Tolerance are of the proof that stands behind fair, or behind
	// bound.
	Grade            string  `json:"grade,omitempty"`
	Tolerance        float64 `json:"tolerance"`
	ToleranceFormula string  `json:"tolerance_formula,omitempty"`
	// Gap is the replayed witness's gap or margin; Bound is one that no
	// individual exceeds by more than BoundTolerance, proved to BoundGrade.
	Gap            *float64        `json:"gap"`
	Bound          *float64        `json:"bound"`
	BoundGrade     string          `json:"bound_grade,omitempty"`
	BoundTolerance float64         `json:"bound_tolerance,omitempty"`
	Closed         bool            `json:"closed"`
	Witness        *certifyWitness `json:"witness"`
	K              int             `json:"k,omitempty"`
	Spurious       int             `json:"spurious"`
	Refinements    int             `json:"refinements"`
	Solves         int             `json:"solves"`
	Nodes          int64           `json:"nodes"`
	Splits         int             `json:"splits"`
	Regions        map[string]int  `json:"regions"`
	Reason         string          `json:"reason,omitempty"`
	Faults         []string        `json:"faults,omitempty"`
	// MaxK is null without --max-k, and where there was no time for it.
	MaxK *certifyMaxK `json:"max_k,omitempty"`
	// Partitions is null without --partition.
	Partitions *partition.Report `json:"partitions,omitempty"`
	// Certificate is null where none was written.
	Certificate *certificateJSON `json:"certificate,omitempty"`
	Solver      certifySolver    `json:"solver"`
	Journal     string           `json:"journal,omitempty"`
	// Run is the run's name in the journal.
	Run string `json:"run,omitempty"`
}

type certifySolver struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Library string `json:"library"`
}

type certifyWitness struct {
	X1     map[string]float64 `json:"x1"`
	Z1     map[string]float64 `json:"z1"`
	X2     map[string]float64 `json:"x2"`
	Z2     map[string]float64 `json:"z2"`
	Labels certifyLabels      `json:"labels"`
	Score1 float64            `json:"score1"`
	Score2 float64            `json:"score2"`
	Logit1 float64            `json:"logit1"`
	Logit2 float64            `json:"logit2"`
	// GapFloat32 is the score difference in single precision, the arithmetic of
	// a deployment; null where that overflows.
	GapFloat32 *float64 `json:"gap_float32"`
}

type certifyLabels struct {
	X1 map[string]string `json:"x1"`
	Z1 map[string]string `json:"z1"`
	X2 map[string]string `json:"x2"`
	Z2 map[string]string `json:"z2"`
}

func (j *certifyJob) output(rep *certify.Report) *certifyOutput {
	d := j.plugin.Description()
	out := &certifyOutput{
		Study: j.study.Name, Model: filepath.Base(j.study.ModelPath), Seed: j.app.Seed,
		Seconds: time.Since(j.start).Seconds(), Notion: j.query.Notion.String(), Encoding: j.encoding(), Bounds: j.bounds(),
		Protected: question.Protected(j.query.Space), AskedK: j.flags.question.K,
		Verdict: rep.Verdict.String(), Nobody: rep.Nobody, Tolerance: rep.Tolerance, ToleranceFormula: rep.ToleranceFormula,
		Closed: rep.Closed, Spurious: rep.Spurious, Refinements: rep.Refinements,
		Solves: rep.Solves, Nodes: rep.Nodes, Splits: rep.Splits, Regions: map[string]int{}, Reason: rep.Reason, Faults: rep.Faults,
		Solver: certifySolver{d.Name, d.Version, session.Library(d)},
	}
	if j.query.Notion.UsesEpsilon() {
		out.Epsilon = fairness.FormatRat(j.query.Epsilon)
	}
	if rep.Verdict == certify.Fair {
		out.Grade = rep.Grade.String()
	}
	if rep.HasBound && !math.IsInf(rep.Bound, 0) {
		out.Bound, out.BoundTolerance = &rep.Bound, rep.BoundTolerance
		if rep.BoundGrade != 0 {
			out.BoundGrade = rep.BoundGrade.String()
		}
	}
	for by, n := range rep.Regions {
		out.Regions[string(by)] = n
	}
	if w := rep.Witness; w != nil {
		s, in := j.query.Space, w.Event().Witness
		out.Gap, out.K = &in.Margin, w.K
		out.Witness = &certifyWitness{
			X1: individual.Values(s, w.Copy1, false), Z1: individual.Values(s, w.Copy1, true), X2: individual.Values(s, w.Copy2, false), Z2: individual.Values(s, w.Copy2, true),
			Labels: certifyLabels{individual.Labels(s, w.Copy1, false), individual.Labels(s, w.Copy1, true), individual.Labels(s, w.Copy2, false), individual.Labels(s, w.Copy2, true)},
			Score1: w.Score1, Score2: w.Score2, Logit1: in.Logit1, Logit2: in.Logit2,
		}
		if !math.IsNaN(w.Float32) {
			out.Witness.GapFloat32 = &w.Float32
		}
	}
	return out
}

// print shows the result; failed is the error that ended the question, which is
// told elsewhere.
func (j *certifyJob) print(out *certifyOutput, rep *certify.Report, failed error) {
	w := j.app.Stdout
	fmt.Fprintf(w, "%s, network %s: %s\n", out.Study, out.Model, j.questionInWords())
	fmt.Fprintf(w, "solver %s %s", out.Solver.Name, out.Solver.Version)
	if out.Solver.Library != "" {
		fmt.Fprintf(w, " (%s)", out.Solver.Library)
	}
	if out.Encoding == certify.Direct {
		fmt.Fprint(w, ", asked about the network itself\n\n")
	} else {
		fmt.Fprintf(w, ", %s encoding, %s bounds\n\n", out.Encoding, out.Bounds)
	}
	j.printVerdict(w, out, rep)
	out.MaxK.print(w)
	if out.Partitions != nil {
		printPartitions(w, out.Partitions)
	}
	if wit := rep.Witness; wit != nil {
		fmt.Fprintln(w)
		view.Of(individual.Pair(j.query.Space, wit.Copy1, wit.Copy2, wit.Score1, wit.Score2)).Write(w, view.Text, view.Options{})
	}
	fmt.Fprintf(w, "\n%s, %.2f s\n", effort(out), out.Seconds)
	if out.Spurious > 0 {
		fmt.Fprintf(w, "%d points did not survive the replay\n", out.Spurious)
	}
	for _, f := range out.Faults {
		if failed != nil && f == failed.Error() {
			continue
		}
		fmt.Fprintf(j.app.Stderr, "hyfair: %s\n", f)
	}
}

func (j *certifyJob) questionInWords() string {
	names := strings.Join(question.Protected(j.query.Space), " × ")
	cut := ""
	if j.flags.question.Where != "" {
		cut = " where " + j.flags.question.Where
	}
	if len(j.flags.question.Relax) > 0 {
		names += ", who may also differ by " + strings.Join(j.flags.question.Relax, ", ") + ","
	}
	if j.flags.question.K > 0 {
		return fmt.Sprintf("do anybody's counterfactuals in %s reach %d or more bins of width %s%s?", names, j.flags.question.K, fairness.FormatRat(j.query.Epsilon), cut)
	}
	if unit := j.query.Notion.Unit(); unit != "" {
		return fmt.Sprintf("do counterfactuals in %s get %ss more than ε = %s apart%s?", names, unit, fairness.FormatRat(j.query.Epsilon), cut)
	}
	return fmt.Sprintf("do counterfactuals in %s get different decisions (%s)%s?", names, j.query.Notion, cut)
}

// effort says who did the work.
func effort(out *certifyOutput) string {
	switch {
	case out.Solves > 0:
		return fmt.Sprintf("solver asked %s, %d nodes", times(out.Solves), out.Nodes)
	case out.Partitions == nil && out.Regions[string(certify.BySampling)] > 0:
		return "found by local search: the solver was not needed"
	case out.Verdict == certify.Undecided.String():
		return "the solver was not asked"
	}
	return "the solver was not needed"
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func (j *certifyJob) printVerdict(w io.Writer, out *certifyOutput, rep *certify.Report) {
	what := j.query.Notion.Quantity()
	if rep.Nobody {
		fmt.Fprintf(w, "FAIR, grade %s, vacuously: the constraints leave nobody in the space asked about\n", rep.Grade)
		return
	}
	if j.flags.question.K > 0 {
		j.printBins(w, rep)
		return
	}
	switch rep.Verdict {
	case certify.Unfair:
		fmt.Fprintf(w, "UNFAIR: %s %s, replayed in exact arithmetic", what, upTo(rep.Witness.Margin, 6))
		if rep.Witness.K > 0 {
			fmt.Fprintf(w, "; this person's counterfactuals fall into k = %d bins", rep.Witness.K)
		}
		fmt.Fprintln(w)
	case certify.Fair:
		fmt.Fprintf(w, "FAIR, grade %s", rep.Grade)
		if rep.Tolerance > 0 {
			limit := "0"
			if out.Epsilon != "" {
				limit = out.Epsilon
			}
			fmt.Fprintf(w, ": no %s exceeds %s + %.2g\n(tolerance: %s)", what, limit, rep.Tolerance, rep.ToleranceFormula)
		}
		fmt.Fprintln(w)
	default:
		fmt.Fprintf(w, "UNDECIDED: %s\n", rep.Reason)
	}
	if !rep.HasBound || (rep.Verdict == certify.Fair && !j.flags.maximise) {
		return
	}
	switch {
	case rep.Closed && math.IsInf(rep.Bound, -1):
		fmt.Fprintf(w, "proved (%s): nobody has two counterfactuals with a %s\n", rep.BoundGrade, what)
	case math.IsInf(rep.Bound, 0) && !(rep.Closed || j.flags.maximise || rep.Verdict == certify.Undecided):
	case math.IsInf(rep.Bound, 0):
		fmt.Fprintf(w, "largest %s: best known %s, no bound that float64 can hold\n", what, bestOf(rep))
	case rep.Closed && rep.Witness == nil:
		fmt.Fprintf(w, "proved (%s): no %s exceeds %.9g", rep.BoundGrade, what, rep.Bound)
		if rep.BoundTolerance > 0 {
			fmt.Fprintf(w, " + %.2g", rep.BoundTolerance)
		}
		fmt.Fprintln(w)
	case rep.Closed:
		fmt.Fprintf(w, "largest %s: %s, proved (%s): none exceeds %.9g", what, bestOf(rep), rep.BoundGrade, rep.Bound)
		if rep.BoundTolerance > 0 {
			fmt.Fprintf(w, " + %.2g", rep.BoundTolerance)
		}
		fmt.Fprintln(w)
	case j.flags.maximise || rep.Verdict == certify.Undecided:
		fmt.Fprintf(w, "largest %s: best known %s, bound %.6g (not closed: %s)\n", what, bestOf(rep), rep.Bound, rep.Reason)
	}
}

// printBins is the verdict on a question for many bins.
func (j *certifyJob) printBins(w io.Writer, rep *certify.Report) {
	switch rep.Verdict {
	case certify.Unfair:
		fmt.Fprintf(w, "REACHED: this person's counterfactuals fall into k = %d bins, evaluated exactly\n", rep.Witness.K)
	case certify.Fair:
		fmt.Fprintf(w, "NOT REACHED, grade %s: nobody's counterfactuals fall into %d bins\n", rep.Grade, j.flags.question.K)
		if rep.Tolerance > 0 {
			fmt.Fprintf(w, "(tolerance %.2g: %s)\n", rep.Tolerance, rep.ToleranceFormula)
		}
	default:
		fmt.Fprintf(w, "UNDECIDED: %s\n", rep.Reason)
	}
}

func bestOf(rep *certify.Report) string {
	if rep.Witness == nil {
		return "none"
	}
	return upTo(rep.Witness.Margin, 9)
}

// upTo is a number in so many digits, or that float64 cannot hold it.
func upTo(v float64, digits int) string {
	if math.IsInf(v, 0) {
		return fmt.Sprintf("beyond %.4g", view.Finite(v))
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
