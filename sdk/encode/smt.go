package encode

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// SMT writes the query as an SMT-LIB 2 script in exact rational arithmetic:
// every float64 is written as an exact fraction, integers and categories are Int,
// real features Real, and a table is an ite over the feature's values. An unstable
// ReLU n = max(0, y) has a separate constant, with a choice between its two pieces
// and the bound as a redundant row:
//
//	n ≥ 0,  n ≥ y,  n ≤ 0 ∨ n ≤ y,  n ≤ u
//
// Stable neurons are plain sums; as the bounds are rigorous, the script means
// exactly what the query says.
//
// The script holds the copies, two or q.K, and the conditions on each.
// Non-protected features are shared, except those in q.Relax; with relaxed features,
// copies 1 and 2 must still differ in a protected value. The script has no
// assertion about fairness: Violating, Border, Tangent, SlackAtLeast and InBins
// return text to assert, as deltas of one loaded problem.
//
// b must enclose the network over RelaxedRegion(q), which is the query's region
// where nothing is relaxed. The error says which part of the query is not well
// formed. Queries for bins have the errors that BigM documents.
func SMT(q *problem.Query, b *bound.Bounds) (*LoweredSMT, error) { return lowerSMT(q, b, asCases) }

// SMTIte is SMT with each unstable ReLU as an ite over its sign, without a separate
// constant. Z3 is about three times slower on it.
func SMTIte(q *problem.Query, b *bound.Bounds) (*LoweredSMT, error) { return lowerSMT(q, b, asIte) }

// reluStyle is how an unstable ReLU is written.
type reluStyle uint8

const (
	asCases reluStyle = iota
	asIte
)

func lowerSMT(q *problem.Query, b *bound.Bounds, style reluStyle) (*LoweredSMT, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if n, ok := q.Model.(*relu.Network); ok && len(b.Pre) != len(n.Layers) {
		return nil, fmt.Errorf("bounds of %d layers for a network of %d", len(b.Pre), len(n.Layers))
	}
	if err := (&Encoding{Form: problem.FormSMT}).Takes(q.Model); err != nil {
		return nil, err
	}
	first, err := firstRegion(q)
	if err != nil {
		return nil, err
	}
	edges, err := binEdges(q, b)
	if err != nil {
		return nil, err
	}
	w := &writer{relus: style, q: q, region: RelaxedRegion(q), first: first, bounds: b, script: &problem.Script{}}
	shared := make([]*smtFeature, len(q.Space.Features))
	for i := range shared {
		if _, relaxed := q.Tolerance(i); !q.Space.Features[i].IsProtected() && !relaxed {
			shared[i] = w.feature(i, "", w.first)
		}
	}
	out := &LoweredSMT{Fidelity: Exact, query: q, bounds: b, edges: edges}
	if edges.separators > 0 {
		out.Fidelity = Over
	}
	for c := range max(2, q.Reach()) {
		features, logit := w.copyOf(c, shared)
		out.copies = append(out.copies, features)
		out.Logits = append(out.Logits, logit)
		out.logits = append(out.logits, w.script.Symbols[logit].Name)
	}
	for c := range out.copies {
		w.predicates(c, out.copies[c])
	}
	w.relaxations(out.copies)
	if most, ok := logitsApart(b); ok {
		difference, bound := fmt.Sprintf("(- %s %s)", out.logits[0], out.logits[len(out.logits)-1]), exactly(most)
		w.assert(fmt.Sprintf("(and (<= %s %s) (<= %s %s))", realText(new(big.Rat).Neg(bound)), difference, difference, realText(bound)))
	}
	out.Slack = w.symbol("slack", "Real", problem.RoleOther)
	w.script.Text = w.header() + w.text.String()
	out.Problem = &problem.Problem{Name: "smt", SMT: w.script}
	return out, nil
}

// LoweredSMT is a query in the SMT form: copies of the model over shared
// non-protected features, without assertions about the notion.
type LoweredSMT struct {
	Problem  *problem.Problem
	Fidelity Fidelity
	// Logits are the positions, in the script's symbols, of the copies' logits.
	Logits []int
	// Slack is the position of a free Real: see Tangent.
	Slack int

	query  *problem.Query
	bounds *bound.Bounds
	copies [][]*smtFeature
	logits []string
	edges  edges
}

// Region is the region that was lowered, in which the first copy lies.
func (l *LoweredSMT) Region() space.Region { return l.query.RegionOrWhole() }

// Decode turns an answer into one point per copy. Integers, categories and
// protected values are exact, and a value that the script does not allow is an
// error. A real feature's exact value is rounded to the nearest float64 in its
// interval, which may undo a tiny violation; so the host replays the point, as for
// every solver.
func (l *LoweredSMT) Decode(values []problem.Number) ([][]float64, error) {
	symbols := l.Problem.SMT.Symbols
	if len(values) != len(symbols) {
		return nil, fmt.Errorf("%d values for %d symbols", len(values), len(symbols))
	}
	points := make([][]float64, len(l.copies))
	for c, features := range l.copies {
		points[c] = make([]float64, len(features))
		for i, f := range features {
			v, err := f.decode(values)
			if err != nil {
				return nil, fmt.Errorf("copy %d, feature %q: %w", c+1, f.feature.Name, err)
			}
			points[c][i] = v
		}
	}
	mend(l.query, points)
	return points, nil
}

// Witness is Decode for a query with two copies.
func (l *LoweredSMT) Witness(values []problem.Number) (*sdk.Witness, error) {
	return witness(l.Decode(values))
}

// smtFeature is a feature of one copy in the script: a symbol, or a constant if the
// region leaves a single value.
type smtFeature struct {
	feature *space.Feature
	symbol  int    // −1: the constant
	name    string // of the symbol
	integer bool
	// constant is the only value; it is set if there is no symbol.
	constant float64
	// values lists the values of a protected feature; for others it is nil, and all
	// values from lo to hi are allowed (only the integers, if integer is set).
	values []float64
	lo, hi float64
}

func (f *smtFeature) decode(values []problem.Number) (float64, error) {
	if f.symbol < 0 {
		return f.constant, nil
	}
	n := values[f.symbol]
	v := n.Float64()
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("value %s is not finite", n)
	}
	switch {
	case f.values != nil:
		if !slices.Contains(f.values, v) {
			return 0, fmt.Errorf("value %s is not one of %v", n, f.values)
		}
	case f.integer:
		if v != math.Trunc(v) || v < f.lo || v > f.hi {
			return 0, fmt.Errorf("value %s is not an integer from %v to %v", n, f.lo, f.hi)
		}
	default:
		v = math.Min(math.Max(v, f.lo), f.hi)
	}
	return v, nil
}

// discrete lists every value of a feature that is constant or not a Real.
func (f *smtFeature) discrete() []float64 {
	switch {
	case f.symbol < 0:
		return []float64{f.constant}
	case f.values != nil:
		return f.values
	}
	var out []float64
	for v := f.lo; v <= f.hi; v++ {
		out = append(out, v)
	}
	return out
}

// writer collects the text and the symbols of one script while the parts of a query are
// written.
type writer struct {
	relus reluStyle
	q     *problem.Query
	// first is the region of the first copy and of shared features; region encloses
	// all copies.
	first, region space.Region
	bounds        *bound.Bounds
	script        *problem.Script
	text          strings.Builder
	integers      bool
	// reads holds the values that each layer of the first copy of a network reads. Later
	// copies share the neurons that have the same inputs.
	reads [][]value
}

func (w *writer) header() string {
	if w.integers {
		return "(set-logic QF_LIRA)\n"
	}
	return "(set-logic QF_LRA)\n"
}

// symbol declares a constant and returns its position.
func (w *writer) symbol(name, sort string, role problem.Role) int {
	fmt.Fprintf(&w.text, "(declare-const %s %s)\n", quoted(name), sort)
	w.integers = w.integers || sort == "Int"
	w.script.Symbols = append(w.script.Symbols, problem.Symbol{Name: name, Sort: sort, Role: role})
	return len(w.script.Symbols) - 1
}

func (w *writer) assert(formula string) {
	w.text.WriteString(assertion(formula))
}

func assertion(formula string) string { return "(assert " + formula + ")\n" }

// define defines a name for a Real; it returns constants unchanged.
func (w *writer) define(name string, v value) value {
	if v.constant != nil {
		return v
	}
	fmt.Fprintf(&w.text, "(define-fun %s () Real %s)\n", name, v.term)
	return value{term: name}
}
