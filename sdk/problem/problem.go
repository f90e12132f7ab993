// Package problem defines what a solver is asked: the Query in terms of fairness, and
// the Problem in one of three forms for different kinds of solvers.
package problem

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/internal/named"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// Form is the language a problem is written in.
type Form uint8

const (
	// FormNetwork is the query itself: a model, a space and a question.
	FormNetwork Form = iota + 1
	// FormMILP is rows and columns.
	FormMILP
	// FormSMT is an SMT-LIB 2 script.
	FormSMT
)

// Forms lists every form in order.
var Forms = []Form{FormNetwork, FormMILP, FormSMT}

// String gives the name used in messages and JSON.
func (f Form) String() string { return named.Of(f, "network", "milp", "smt") }

// Goal is what a query wants to know.
type Goal uint8

const (
	// Decide asks for a violating individual (with K > 2: one reaching K bins).
	Decide Goal = iota + 1
	// Maximise asks for the largest gap or margin.
	Maximise
	// Minimise asks for the smallest gap or margin.
	Minimise
	// MaxK asks for the largest number of bins.
	MaxK
	// MinK asks for the smallest number of bins.
	MinK
	// Quantify asks which share of the space is fair.
	Quantify
)

// Goals lists every goal in order.
var Goals = []Goal{Decide, Maximise, Minimise, MaxK, MinK, Quantify}

// String gives the name used in messages and JSON.
func (g Goal) String() string {
	return named.Of(g, "decide", "maximise", "minimise", "max-k", "min-k", "quantify")
}

// RelaxedFeature lets a non-protected feature differ between the copies by at
// most Tolerance (in the feature's own unit), both copies inside the domain.
type RelaxedFeature struct {
	Feature   int
	Tolerance float64
}

// Query is a question about a model in terms of fairness
// (docs/reference/semantics.md). It is read-only once handed over.
type Query struct {
	Model model.Model
	// Scored is the model whose scores are shown, if Model was lowered for another decision
	// border (model.Lowering); nil: Model. It is not sent to plugins.
	Scored model.Model
	// Rule is the decision rule for which Scored was lowered to Model; no plugin sees it.
	Rule  fairness.Rule
	Space *space.Space
	// Region bounds the question; a zero Region means the whole space.
	Region space.Region
	Notion fairness.Notion
	// Epsilon is ε, exact; unused by the decision notions, where it may be nil.
	Epsilon *big.Rat
	// K is the number of bins a witness of Decide must reach; 0 and 2 ask for a
	// 2-discriminant individual.
	K int
	// Bands, if any, are the bins that are counted, in place of those of width ε. Decide and Quantify are then
	// about individuals with copies in K bands; a K of 0 stands for 2. Names do not cross the wire.
	Bands fairness.Bands
	Goal  Goal
	// Relax lists the features that may differ between the copies; with it the
	// copies must also differ in a protected feature (z1 ≠ z2).
	Relax []RelaxedFeature
	// Require and Forbid are predicates over the first copy's point that must,
	// or must not, hold (guards, constraints of a region).
	Require, Forbid []space.Predicate
	// Within, if not nil, restricts the query to individuals near rows of data. Features are not relaxed then.
	Within *space.Vicinity
	// Near is a point that the answer should be close to; nil for none.
	Near []float64
	// Exclude lists individuals that must not be the answer.
	Exclude [][]float64
}

// Validate checks a query and names the first fault.
func (q *Query) Validate() error {
	if q.Model == nil || q.Space == nil {
		return fmt.Errorf("query without a model or a space")
	}
	if err := q.Model.Validate(); err != nil {
		return err
	}
	if err := q.Space.Validate(); err != nil {
		return err
	}
	if q.Model.Inputs() != q.Space.Inputs {
		return fmt.Errorf("the model takes %d inputs, but the space feeds %d", q.Model.Inputs(), q.Space.Inputs)
	}
	if err := q.Notion.Validate(q.Epsilon); err != nil {
		return err
	}
	if err := q.Model.Link().Check(q.Notion); err != nil {
		return err
	}
	if q.Goal < Decide || q.Goal > Quantify {
		return fmt.Errorf("unknown goal %d", q.Goal)
	}
	if q.K < 0 || q.K == 1 {
		return fmt.Errorf("k = %d: want 0, or the 2 or more bins that an individual must reach", q.K)
	}
	if err := q.validateBands(); err != nil {
		return err
	}
	return q.validateParts()
}

func (q *Query) validateBands() error {
	switch {
	case q.Bands == nil:
		return nil
	case !q.Notion.Binned():
		return fmt.Errorf("bands of scores in a query under the notion %s: want score or share", q.Notion)
	case q.Goal == Maximise || q.Goal == Minimise:
		return fmt.Errorf("a query for bands has no gap to %s", q.Goal)
	}
	return q.Bands.Check()
}

// Reach is the number of bins that an individual of Decide must reach; 0 if the query is for a gap or margin.
func (q *Query) Reach() int {
	switch {
	case q.K > 2:
		return q.K
	case q.Bands != nil:
		return 2
	}
	return 0
}

// Binning are the bins that the query counts; its notion must be binned.
func (q *Query) Binning() fairness.Binning { return q.Model.Link().Binning(q.Epsilon, q.Bands) }

func (q *Query) validateParts() error {
	n := len(q.Space.Features)
	if q.Region.Box != nil && (len(q.Region.Box) != n || len(q.Region.Values) != n) {
		return fmt.Errorf("region has %d intervals and %d value lists for %d features", len(q.Region.Box), len(q.Region.Values), n)
	}
	if q.Region.Box != nil {
		for _, i := range q.Space.Protected() {
			if len(q.Region.Values[i]) == 0 {
				return fmt.Errorf("the region leaves protected feature %q no value", q.Space.Features[i].Name)
			}
		}
	}
	if q.Within != nil && len(q.Relax) > 0 {
		return errors.New("individuals near rows of data (--near) cannot have relaxed features (--relax): leave one of the two out")
	}
	for _, r := range q.Relax {
		if r.Feature < 0 || r.Feature >= n || q.Space.Features[r.Feature].IsProtected() {
			return fmt.Errorf("relaxation of feature %d: want a feature that is not protected, from 0 to %d", r.Feature, n-1)
		}
		if !(r.Tolerance >= 0) {
			return fmt.Errorf("relaxation of %q by %v: want 0 or more", q.Space.Features[r.Feature].Name, r.Tolerance)
		}
	}
	for _, list := range [][]space.Predicate{q.Require, q.Forbid} {
		for _, p := range list {
			if err := p.Validate(q.Space); err != nil {
				return err
			}
		}
	}
	for _, x := range append([][]float64{q.Near}, q.Exclude...) {
		if x != nil && len(x) != n {
			return fmt.Errorf("a near or excluded point has %d entries for %d features", len(x), n)
		}
	}
	return nil
}

// RegionOrWhole returns the query's region, or the whole space if none is set.
func (q *Query) RegionOrWhole() space.Region {
	if q.Region.Box == nil {
		return q.Space.Whole()
	}
	return q.Region
}

// Describes reports whether all required predicates and no forbidden ones hold at x, and x is Within.
func (q *Query) Describes(x []float64) bool {
	holds := func(p space.Predicate) bool { return p.Holds(x) }
	fails := func(p space.Predicate) bool { return !p.Holds(x) }
	return (q.Within == nil || q.Within.Has(x)) && !slices.ContainsFunc(q.Require, fails) && !slices.ContainsFunc(q.Forbid, holds)
}

// Excludes reports whether x is one of the individuals that must not be the answer.
func (q *Query) Excludes(x []float64) bool {
	return slices.ContainsFunc(q.Exclude, func(y []float64) bool { return slices.Equal(q.Space.Canonical(y), q.Space.Canonical(x)) })
}

// Tolerance returns how far a feature that is not protected may differ between the
// copies: the tightest of its relaxations. relaxed is false if it may not differ.
func (q *Query) Tolerance(feature int) (t float64, relaxed bool) {
	for _, r := range q.Relax {
		if r.Feature == feature && (!relaxed || r.Tolerance < t) {
			t, relaxed = r.Tolerance, true
		}
	}
	return t, relaxed
}

// TellsCopiesApart reports whether a predicate is about a protected feature, and so about
// the first copy and not about individuals.
func (q *Query) TellsCopiesApart() bool {
	protected := func(p space.Predicate) bool {
		return slices.ContainsFunc(p, func(c space.Condition) bool { return q.Space.Features[c.Feature].IsProtected() })
	}
	return slices.ContainsFunc(q.Require, protected) || slices.ContainsFunc(q.Forbid, protected)
}

// Logits returns the exact logits of an individual's counterfactuals in the region, in
// the order of Space.Counterfactuals. exact is the query's model.
func (q *Query) Logits(exact model.Exact, x []float64) []*big.Rat {
	var out []*big.Rat
	for _, p := range q.Space.Counterfactuals(q.RegionOrWhole(), x) {
		out = append(out, exact.Logit(q.Space.ExactInputs(p)))
	}
	return out
}

// Violates reports, exactly, whether an individual whose counterfactuals have these
// logits is what Decide looks for: it violates the notion, or reaches K bins.
func (q *Query) Violates(logits []*big.Rat) bool {
	if k := q.Reach(); k > 0 {
		bins := q.Binning()
		return bins.K(logits) >= k
	}
	return q.Notion.Violates(logits, q.Epsilon)
}

// Apart reports, exactly, whether two copies with these logits can be the witness of Decide: whether
// they violate the notion or, with bands, are in two of them.
func (q *Query) Apart(a, b *big.Rat) bool {
	pair := []*big.Rat{a, b}
	if q.Bands != nil {
		bins := q.Binning()
		return bins.K(pair) > 1
	}
	return q.Notion.Violates(pair, q.Epsilon)
}

// Problem is what a solver gets: exactly one of the three forms.
type Problem struct {
	// Name identifies the problem in logs; it carries no meaning.
	Name  string
	Query *Query
	MILP  *MILP
	SMT   *Script
}

// Form says which form is set; 0 if none is.
func (p *Problem) Form() Form {
	switch {
	case p.Query != nil:
		return FormNetwork
	case p.MILP != nil:
		return FormMILP
	case p.SMT != nil:
		return FormSMT
	}
	return 0
}

// Validate checks that exactly one form is set and well formed. The host and
// sdk/serve call it, so a solver may trust its input.
func (p *Problem) Validate() error {
	set := 0
	for _, here := range []bool{p.Query != nil, p.MILP != nil, p.SMT != nil} {
		if here {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("problem has %d forms set; want exactly one", set)
	}
	switch p.Form() {
	case FormNetwork:
		return p.Query.Validate()
	case FormMILP:
		return p.MILP.Validate()
	}
	return p.SMT.Validate()
}

// Script is a problem in SMT-LIB 2: declarations and assertions, without
// check-sat or get-model.
type Script struct {
	Text string
	// Symbols are the constants whose values make up an answer, in order.
	Symbols []Symbol
	// Objective names the Real or Int symbol to optimise; empty: feasibility.
	Objective string
	// Maximise is the direction if Objective is set.
	Maximise bool
}

// Symbol is a declared constant of sort Int, Real or Bool.
type Symbol struct {
	Name string
	Sort string
	Role Role
}

// Validate checks the symbols, and that there is text. The solver parses the text.
func (s *Script) Validate() error {
	if strings.TrimSpace(s.Text) == "" {
		return fmt.Errorf("empty SMT-LIB script")
	}
	for i, y := range s.Symbols {
		if y.Name == "" {
			return fmt.Errorf("symbol %d has no name", i)
		}
		if y.Sort != "Int" && y.Sort != "Real" && y.Sort != "Bool" {
			return fmt.Errorf("symbol %q: sort %q, want Int, Real or Bool", y.Name, y.Sort)
		}
	}
	return nil
}
