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
// docs/reference/cli.md lists its fields.
type Result struct {
	asked.Asked
	Encoding string `json:"encoding"`
	Bounds   string `json:"bounds"`
	// Protected are the attributes that vary; AskedK is Request.K.
	Protected []string `json:"protected"`
	AskedK    int      `json:"asked_k,omitempty"`
	// Class is the class that the question asks about, if each class is asked about in turn.
	Class *int `json:"class,omitempty"`

	Verdict string `json:"verdict"`
	// Next are commands to try if the verdict is undecided, with their purpose.
	Next []Next `json:"next,omitempty"`
	// Nobody: the constraints leave no individual, so the verdict is vacuously fair.
	Nobody bool `json:"nobody,omitempty"`
	// Grade and Tolerance describe the proof of fairness or of Bound.
	Grade            string  `json:"grade,omitempty"`
	Tolerance        float64 `json:"tolerance"`
	ToleranceFormula string  `json:"tolerance_formula,omitempty"`
	// Gap is the replayed witness's gap or margin. Proved to BoundGrade: no individual exceeds
	// Bound by more than BoundTolerance.
	Gap            *float64       `json:"gap"`
	Bound          *float64       `json:"bound"`
	BoundGrade     string         `json:"bound_grade,omitempty"`
	BoundTolerance float64        `json:"bound_tolerance,omitempty"`
	Closed         bool           `json:"closed"`
	Witness        *Witness       `json:"witness"`
	K              int            `json:"k,omitempty"`
	Spurious       int            `json:"spurious"`
	Refinements    int            `json:"refinements"`
	Solves         int            `json:"solves"`
	Nodes          int64          `json:"nodes"`
	Splits         int            `json:"splits"`
	Regions        map[string]int `json:"regions"`
	Reason         string         `json:"reason,omitempty"`
	Faults         []string       `json:"faults,omitempty"`
	// Disagreements are the faults that an evaluated individual refutes.
	Disagreements []string `json:"disagreements,omitempty"`
	// MaxK is null without --max-k, or if time ran out before.
	MaxK *MaxK `json:"max_k,omitempty"`
	// Partitions is null without --partition.
	Partitions *partition.Report `json:"partitions,omitempty"`
	// Certificate is null if none was written.
	Certificate *Certificate `json:"certificate,omitempty"`
	Solver      asked.Solver `json:"solver"`
	// SettledBy is the portfolio member whose proof or witness decided.
	SettledBy string `json:"settled_by,omitempty"`
	Journal   string `json:"journal,omitempty"`
	// Run is the run's name in the journal.
	Run string `json:"run,omitempty"`
	// Where, Relax and Maximise are the Request's.
	Where    string   `json:"where,omitempty"`
	Relax    []string `json:"relax,omitempty"`
	Maximise bool     `json:"maximize,omitempty"`
	// InfiniteBound is the sign of an infinite bound, for which Bound is nil: 1 if no float64
	// bounds the gap, −1 if no individual has two counterfactuals.
	InfiniteBound int `json:"infinite_bound,omitempty"`
}

// MaxK encloses the largest number of bins that one individual's counterfactuals reach.
type MaxK struct {
	// The witness reaches Lo bins; no individual reaches more than Hi.
	Lo int `json:"lo"`
	Hi int `json:"hi"`
	// Certified: Lo equals Hi.
	Certified bool `json:"certified"`
	// Grade and Tolerance describe the proof of Hi.
	Grade     string  `json:"grade"`
	Tolerance float64 `json:"tolerance"`
	Reason    string  `json:"reason,omitempty"`
}

// Witness holds two copies, X and Z each, that refute fairness.
type Witness struct {
	X1     map[string]float64 `json:"x1"`
	Z1     map[string]float64 `json:"z1"`
	X2     map[string]float64 `json:"x2"`
	Z2     map[string]float64 `json:"z2"`
	Labels Labels             `json:"labels"`
	Score1 float64            `json:"score1"`
	Score2 float64            `json:"score2"`
	Logit1 float64            `json:"logit1"`
	Logit2 float64            `json:"logit2"`
	// GapFloat32 is the score difference in single precision, as a deployment computes it; null
	// on overflow.
	GapFloat32 *float64 `json:"gap_float32"`
	// Class1 and Class2 are the classes of the copies, if the question is whether the class
	// changes; nil for a tie.
	Class1 *int `json:"class1,omitempty"`
	Class2 *int `json:"class2,omitempty"`
	// Features names all features in the study's order.
	Features []string `json:"features"`
}

// Next is a command that may decide more.
type Next struct {
	Command string `json:"command"`
	Purpose string `json:"purpose"`
}

// Labels are a witness's values, with category names in place of codes.
type Labels struct {
	X1 map[string]string `json:"x1"`
	Z1 map[string]string `json:"z1"`
	X2 map[string]string `json:"x2"`
	Z2 map[string]string `json:"z2"`
}

// next suggests commands for an undecided question: quantify, another solver or more time,
// and a search.
func (a *asker) next() []Next {
	spec := a.Spec
	if len(spec.Protected) > 0 { // several questions may be asked, and this is one
		spec.Protected = question.Protected(a.query.Space)
	}
	add := func(to []Next, purpose, command string) []Next { return append(to, Next{command, purpose}) }
	var out []Next
	long := fmt.Sprintf("%.0fs", max(time.Minute, 10*a.Timeout).Seconds())
	if len(a.Relax) == 0 && a.study.Class == nil {
		out = add(out, "how many individuals are proved to keep the notion, and how many not", spec.Command("quantify", true, "--timeout", long))
	}
	switch network := proverOf(a.plugins, problem.Decide) != nil; {
	case !network && a.K == 0:
		out = add(out, "a solver that takes the model itself", spec.Command("certify", true, "--solver", "bnb"))
	case a.Timeout > 0:
		out = add(out, "more time", spec.Command("certify", true, "--timeout", long))
	}
	if len(a.Relax) == 0 && a.K == 0 && a.query.Notion.Binned() {
		out = add(out, "looks for an individual whose scores lie further apart", spec.Command("search", false, "--mode", "fast", "--budget", "60s"))
	}
	return out
}

// result converts reports into a Result.
func (a *asker) result(rep *engine.Report, parts *partition.Report, maxK *engine.Extreme) *Result {
	out := &Result{
		Asked:    asked.AskedOf(a.study, a.query, a.Seed, time.Since(a.start).Seconds()),
		Encoding: a.encoding(), Bounds: a.bounds(), Protected: question.Protected(a.query.Space), AskedK: a.K, Class: a.study.Class,
		Verdict: rep.Verdict.String(), Nobody: rep.Nobody, Tolerance: rep.Tolerance, ToleranceFormula: rep.ToleranceFormula,
		Closed: rep.Closed, Spurious: rep.Spurious, Refinements: rep.Refinements,
		Solves: rep.Solves, Nodes: rep.Nodes, Splits: rep.Splits, Regions: map[string]int{}, Reason: rep.Reason, Faults: rep.Faults, Disagreements: engine.Texts(rep.Refuted),
		Partitions: parts, Solver: asked.SolverOf(a.plugins...), SettledBy: rep.By,
		Where: a.Where, Relax: a.Relax, Maximise: a.Maximise,
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
		if a.study.Class != nil {
			out.Witness.Class1, out.Witness.Class2 = a.class(w.Copy1), a.class(w.Copy2)
		}
	}
	return out
}
