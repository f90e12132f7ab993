package certify

import (
	"fmt"
	"math"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/asked"
	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Results is the answer to a Request.
type Results = asked.Answers[*Result]

// Result is the answer to one question and the JSON object of hyfair certify;
// docs/reference/schema describes its fields.
type Result struct {
	asked.Asked
	// The lowering of the model for the solver.
	Encoding string `json:"encoding"`
	// The bounds of the neurons for the lowering.
	Bounds string `json:"bounds"`
	// The attributes that vary.
	Protected []string `json:"protected"`
	question.Nearby
	// The value of --k.
	AskedK int `json:"asked_k,omitempty"`
	// The class that this answer is about, counted from 0, if a study with class: any asks
	// about each in turn.
	Class *int `json:"class,omitempty"`

	// The verdict: fair, unfair or undecided.
	Verdict string `json:"verdict"`
	// Commands to try if the verdict is undecided.
	Next []Next `json:"next,omitempty"`
	// The constraints leave no individual in the space, so the verdict is fair without any number.
	Nobody bool `json:"nobody,omitempty"`
	// The grade of the proof of a fair verdict: exact, rigorous or numerical.
	Grade string `json:"grade,omitempty"`
	// With a fair verdict, no gap exceeds ε by more than this, in the notion's unit. 0 for exact and
	// rigorous proofs.
	Tolerance float64 `json:"tolerance"`
	// The origin of the tolerance.
	ToleranceFormula string `json:"tolerance_formula,omitempty"`
	// The witness's score difference, logit difference or decision margin; null without a
	// witness.
	Gap *float64 `json:"gap"`
	// No individual's gap exceeds this by more than bound_tolerance; null if no bound is known.
	Bound *float64 `json:"bound"`
	// The grade of the proof behind bound, or behind an infinite_bound of −1.
	BoundGrade string `json:"bound_grade,omitempty"`
	// The tolerance of that proof.
	BoundTolerance float64 `json:"bound_tolerance,omitempty"`
	// With --maximize, the search ended by proof: the witness's gap and bound are at most 10⁻⁶
	// or the solver's tolerance apart, and at most a thousandth of the gap (10⁻¹², if that is
	// more), unless --gap allows more. Without a witness, no gap exceeds bound.
	Closed bool `json:"closed"`
	// Two counterfactuals of one individual, replayed in exact arithmetic. With an unfair verdict they
	// refute fairness; with fair and --maximize they are the worst pair found. Otherwise null.
	Witness *Witness `json:"witness"`
	// The number of bins or bands that the scores of all the individual's counterfactuals fall into; absent without
	// a witness and for a notion without bins.
	K int `json:"k,omitempty"`
	// The number of points that a solver claimed and the replay refused.
	Spurious int `json:"spurious"`
	// The number of tangents added.
	Refinements int `json:"refinements"`
	// The number of questions to the solver.
	Solves int `json:"solves"`
	// The number of the solver's nodes.
	Nodes int64 `json:"nodes"`
	// The number of regions cut in two.
	Splits int `json:"splits"`
	// The number of regions decided, by method: bounds, solver, sampling or enumeration.
	Regions map[string]int `json:"regions"`
	// The reason why the verdict is undecided or the maximum is not closed.
	Reason string `json:"reason,omitempty"`
	// Mistakes in the solver's answers.
	Faults []string `json:"faults,omitempty"`
	// The faults that are claims refuted by an evaluated individual. They end the command with
	// exit code 4.
	Disagreements []string `json:"disagreements,omitempty"`
	// The largest k over all individuals, with --max-k; absent if time ran out before. Its individual is
	// the witness if it reaches 3 bins and --maximize is not given.
	MaxK *MaxK `json:"max_k,omitempty"`
	// The outcome of the parts, with --partition.
	Partitions *partition.Report `json:"partitions,omitempty"`
	// The certificate, if one was written.
	Certificate *Certificate `json:"certificate,omitempty"`
	// The solver that answered.
	Solver asked.Solver `json:"solver"`
	// Of several solvers asked at once, the one whose proof or witness decided.
	SettledBy string `json:"settled_by,omitempty"`
	// The journal's file; absent if no journal is written.
	Journal string `json:"journal,omitempty"`
	// The run's name in the journal; absent if no journal is written.
	Run string `json:"run,omitempty"`
	// The value of --where.
	Where string `json:"where,omitempty"`
	// The values of --relax.
	Relax []string `json:"relax,omitempty"`
	// --maximize was given.
	Maximise bool `json:"maximize,omitempty"`
	// The sign of an infinite bound, for which bound has no number: 1 if no float64 bounds the
	// gap, −1 if no individual has two counterfactuals, which is proved if closed is true.
	InfiniteBound int `json:"infinite_bound,omitempty"`
}

// MaxK encloses the largest number of bins that one individual's counterfactuals reach.
type MaxK struct {
	// The number of bins, or bands, that an exactly evaluated individual reaches.
	Lo int `json:"lo"`
	// The number of bins, or bands, that no individual exceeds, by proof.
	Hi int `json:"hi"`
	// lo equals hi.
	Certified bool `json:"certified"`
	// The grade of the proof of hi.
	Grade string `json:"grade"`
	// The tolerance of that proof, in logits from a bin's edge.
	Tolerance float64 `json:"tolerance"`
	// The reason why lo and hi differ.
	Reason string `json:"reason,omitempty"`
}

// Witness holds two copies, X and Z each, that refute fairness.
type Witness struct {
	// The individual, as the first copy has it.
	X1 map[string]float64 `json:"x1"`
	// The protected values of the first copy, which has the higher logit.
	Z1 map[string]float64 `json:"z1"`
	// The individual, as the second copy has it: equal to x1, unless --relax permits a
	// difference.
	X2 map[string]float64 `json:"x2"`
	// The protected values of the second copy.
	Z2 map[string]float64 `json:"z2"`
	// The same four, with category names.
	Labels Labels `json:"labels"`
	// The first copy's score, exact and then rounded once.
	Score1 float64 `json:"score1"`
	// The second copy's score, exact and then rounded once.
	Score2 float64 `json:"score2"`
	// The first copy's logit, exact and then rounded once.
	Logit1 float64 `json:"logit1"`
	// The second copy's logit, exact and then rounded once.
	Logit2 float64 `json:"logit2"`
	// The score difference in single precision, as a deployment computes it; null on overflow.
	GapFloat32 *float64 `json:"gap_float32"`
	// The class of the first copy, counted from 0, if the question is whether the class
	// changes; absent for a tie.
	Class1 *int `json:"class1,omitempty"`
	// The class of the second copy, likewise.
	Class2 *int `json:"class2,omitempty"`
	// The band of the first copy, for a decision with bands.
	Band1 string `json:"band1,omitempty"`
	// The band of the second copy, likewise.
	Band2 string `json:"band2,omitempty"`
	// The names of all features, in the study's order.
	Features []string `json:"features"`
}

// Next is a command that may decide more.
type Next struct {
	// A command for a shell.
	Command string `json:"command"`
	// The purpose of the command.
	Purpose string `json:"purpose"`
}

// Labels are a witness's values, with category names in place of codes.
type Labels struct {
	// The values of x1 as text.
	X1 map[string]string `json:"x1"`
	// The values of z1 as text.
	Z1 map[string]string `json:"z1"`
	// The values of x2 as text.
	X2 map[string]string `json:"x2"`
	// The values of z2 as text.
	Z2 map[string]string `json:"z2"`
}

// next suggests commands for an undecided question: quantify, another solver or more time,
// and a search.
func (a *asker) next() []Next {
	spec := a.Spec
	if len(spec.Protected) > 0 { // this may be one of several questions
		spec.Protected = question.Protected(a.query.Space)
	}
	add := func(to []Next, purpose, command string) []Next { return append(to, Next{command, purpose}) }
	var out []Next
	long := fmt.Sprintf("%.0fs", max(time.Minute, 10*a.Timeout).Seconds())
	if len(a.Relax) == 0 && a.study.Class == nil {
		out = add(out, "how many individuals are proved to satisfy the notion, and how many to violate it", spec.Command("quantify", true, "--timeout", long))
	}
	switch network := proverOf(a.plugins, problem.Decide) != nil; {
	case !network && a.K == 0:
		out = add(out, "a solver that takes the model itself", spec.Command("certify", true, "--solver", "bnb"))
	case a.Timeout > 0:
		out = add(out, "more time", spec.Command("certify", true, "--timeout", long))
	}
	if len(a.Relax) == 0 && a.K == 0 && a.query.Notion.Binned() && a.query.Bands == nil {
		out = add(out, "looks for an individual whose scores lie further apart", spec.Command("search", false, "--mode", "fast", "--budget", "60s"))
	}
	return out
}

// result converts reports into a Result.
func (a *asker) result(rep *engine.Report, parts *partition.Report, maxK *engine.Extreme) *Result {
	out := &Result{
		Asked:    asked.Of(a.study, a.query, a.Seed, time.Since(a.start).Seconds()),
		Encoding: a.encoding(), Bounds: a.bounds(), Protected: question.Protected(a.query.Space), AskedK: a.K, Class: a.study.Class,
		Verdict: rep.Verdict.String(), Nobody: rep.Nobody, Tolerance: rep.Tolerance, ToleranceFormula: rep.ToleranceFormula,
		Closed: rep.Closed, Spurious: rep.Spurious, Refinements: rep.Refinements,
		Solves: rep.Solves, Nodes: rep.Nodes, Splits: rep.Splits, Regions: map[string]int{}, Reason: rep.Reason, Faults: rep.Faults, Disagreements: engine.Texts(rep.Refuted),
		Partitions: parts, Solver: asked.SolverOf(a.plugins...), SettledBy: rep.By,
		Where: a.Where, Nearby: a.NearbyOf(a.query), Relax: a.Relax, Maximise: a.Maximise,
	}
	if m := maxK; m != nil {
		out.MaxK = &MaxK{int(m.Found), int(m.Bound), m.Settled(), m.Grade.String(), m.Tolerance, m.Reason}
	}
	switch rep.Verdict {
	case engine.Fair:
		out.Grade = rep.Grade.String()
	case engine.Undecided:
		out.Next = a.next()
	}
	switch {
	case !rep.HasBound:
	case math.IsInf(rep.Bound, 1):
		out.InfiniteBound = 1
	case math.IsInf(rep.Bound, -1):
		out.InfiniteBound = -1
	default:
		out.Bound, out.BoundTolerance = &rep.Bound, rep.BoundTolerance
	}
	if rep.BoundGrade != 0 && (out.Bound != nil || rep.Closed && out.InfiniteBound < 0) {
		out.BoundGrade = rep.BoundGrade.String()
	}
	for by, n := range rep.Regions {
		out.Regions[string(by)] = n
	}
	if w := rep.Witness; w != nil {
		s, in := a.query.Space, w.Event().Witness
		out.Gap, out.K = &in.Margin, w.K
		out.Witness = &Witness{
			X1: individual.Values(s, w.Copy1, false), Z1: individual.Values(s, w.Copy1, true), X2: individual.Values(s, w.Copy2, false), Z2: individual.Values(s, w.Copy2, true),
			Labels: Labels{individual.Labels(s, w.Copy1, false), individual.Labels(s, w.Copy1, true), individual.Labels(s, w.Copy2, false), individual.Labels(s, w.Copy2, true)},
			Score1: w.Score1, Score2: w.Score2, Logit1: in.Logit1, Logit2: in.Logit2, Features: s.Names(),
		}
		if !math.IsNaN(w.Float32) {
			out.Witness.GapFloat32 = &w.Float32
		}
		if b := a.study.Bands; a.query.Bands != nil {
			bins := a.query.Binning()
			out.Witness.Band1, out.Witness.Band2 = b[bins.Of(w.Exact1)].Name, b[bins.Of(w.Exact2)].Name
		}
		if a.study.Class != nil {
			out.Witness.Class1, out.Witness.Class2 = a.class(w.Copy1), a.class(w.Copy2)
		}
	}
	return out
}
