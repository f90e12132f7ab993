package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// BigM lowers q to the paper's MILP (section "Certifying 2-Fairness requirements"),
// with one column per neuron and one binary for each neuron whose sign the bounds
// leave open:
//
//	x ≥ y,  x ≤ y − l·(1 − a),  x ≤ u·a,  x ≥ 0,  l ≤ y ≤ u
//
// Protected features are free in each copy; non-protected ones are shared, except those in
// q.Relax. With relaxed features, copies 1 and 2 must still differ in a protected value. b
// must enclose the network over RelaxedRegion(q).
//
// A query for K bins (Query.Reach) has K copies, ordered by InBins. The error is ErrTooFewBins
// if the bounds exclude K bins, and sdk.ErrUnsupported if a relaxation or a predicate makes the
// copies unequal, or if more than maxEdges edges of bins are within the bounds.
func BigM(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	return lower("bigm", q, b, false, nil)
}

// BigMDifferences is BigM with rows about the difference of the two copies, in which
// shared features cancel. The rows are redundant and tighten the linear relaxation.
// A query for bins gets none.
func BigMDifferences(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	var differences *bound.Difference
	if q.Reach() == 0 {
		differences = Difference(q, b)
	}
	return lower("bigm+diff", q, b, false, differences)
}

// SOS1 is BigM without the binaries and big-M constants of its ReLUs: the argument of
// an unstable ReLU is split into a positive and a negative part, and a special
// ordered set lets only one of the two differ from 0:
//
//	y = x − s,  0 ≤ x ≤ u,  0 ≤ s ≤ −l,  SOS1{x, s}
//
// Solvers branch on the sets themselves; see Encoding.SOS1.
func SOS1(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	return lower("sos1", q, b, true, nil)
}

// lower lowers a query; reluRows documents sets and differences.
func lower(name string, q *problem.Query, b *bound.Bounds, sets bool, differences *bound.Difference) (*Lowered, error) {
	e := &builder{q: q, bounds: b, milp: &problem.MILP{}, fidelity: Exact, inputGain: make([]float64, q.Space.Inputs)}
	var err error
	if e.rows, err = e.rowsOf(sets, differences); err != nil {
		return nil, err
	}
	if math.IsInf(b.Logit.Lo, 0) || math.IsInf(b.Logit.Hi, 0) {
		return nil, ErrUnbounded
	}
	if e.edges, err = binEdges(q, b); err != nil {
		return nil, err
	}
	if e.first, err = firstRegion(q); err != nil {
		return nil, err
	}
	e.spelled = e.needBinaries()
	shared := make([]*featureColumns, len(q.Space.Features))
	for i := range shared {
		if _, relaxed := q.Tolerance(i); !q.Space.Features[i].IsProtected() && !relaxed {
			f := e.feature(i, "", e.first)
			shared[i] = &f
		}
	}
	out := &Lowered{query: q, bounds: b, edges: e.edges}
	region := e.first
	for c := range max(2, q.Reach()) {
		cols, logit := e.copyOf(c, shared, region)
		out.copies = append(out.copies, cols)
		out.Logits = append(out.Logits, logit)
		region = RelaxedRegion(q)
	}
	e.rows.relate()
	e.apart(out.Logits)
	for c := range out.copies {
		e.predicates(c, out.copies[c].features)
	}
	e.relaxations(out.copies[0].features, out.copies[1].features)
	if out.separators = e.separate(); out.separators != nil {
		e.fidelity = max(e.fidelity, Over)
	}
	out.Slack = e.column(problem.Column{Name: "slack", Lo: math.Inf(-1), Hi: math.Inf(1), Role: problem.RoleOther})
	out.Problem = &problem.Problem{Name: name, MILP: e.milp}
	out.Fidelity = e.fidelity
	out.Sensitivity = 1 + e.rows.sensitivity() + e.edges.sensitivity()
	return out, e.milp.Validate()
}

// apart adds a row that bounds the difference of the first and the last copy's logits, if
// that bound is tight enough to be worth a row; see logitsApart.
func (e *builder) apart(logits []int) {
	most, ok := logitsApart(e.bounds)
	if !ok {
		return
	}
	var f form
	f.add(logits[0], 1)
	f.add(logits[len(logits)-1], -1)
	e.row("logits apart", f, -most, most)
}

// builder collects the columns and rows of one MILP while the parts of a query are written.
type builder struct {
	q *problem.Query
	// first is the region of the first copy and of shared features.
	first    space.Region
	bounds   *bound.Bounds
	milp     *problem.MILP
	fidelity Fidelity
	rows     rows
	// spelled marks the features that get one binary per value.
	spelled []bool
	// inputGain is how far each network input moves if every column that it
	// depends on is off by one.
	inputGain []float64
	edges     edges
}

func (e *builder) column(c problem.Column) int {
	e.milp.Columns = append(e.milp.Columns, c)
	return len(e.milp.Columns) - 1
}

// row adds lo ≤ f ≤ hi. The form's constant moves to the sides, which are rounded
// outward.
func (e *builder) row(name string, f form, lo, hi float64) {
	e.milp.Rows = append(e.milp.Rows, problem.Row{Name: name, Lo: minus(lo, f.constant, math.Inf(-1)), Hi: minus(hi, f.constant, math.Inf(1)), Terms: f.terms})
}

// minus is a − b, rounded in the given direction if it is not a float64. (The error
// of a sum is a float64: Knuth, The Art of Computer Programming, volume 2, section
// 4.2.2, theorem B.)
func minus(a, b, towards float64) float64 {
	d := a - b
	if math.IsInf(d, 0) {
		return d
	}
	back := d - a
	if rest := (a - (d - back)) - (b + back); rest != 0 && (rest > 0) == (towards > 0) {
		return math.Nextafter(d, towards)
	}
	return d
}

// copyOf adds copy c of the model and returns its columns and its logit column.
func (e *builder) copyOf(c int, shared []*featureColumns, region space.Region) (copyColumns, int) {
	suffix := fmt.Sprintf("#%d", c+1)
	cols := copyColumns{features: make([]featureColumns, len(shared))}
	inputs := make([]form, e.q.Space.Inputs)
	for i, f := range shared {
		if f == nil {
			own := e.feature(i, suffix, region)
			f = &own
		}
		cols.features[i] = *f
		for k := range f.feature.Inputs {
			in := &f.feature.Inputs[k]
			inputs[in.Index] = f.input(in)
			gain := 0.0
			for _, t := range inputs[in.Index].terms {
				gain += math.Abs(t.Coef)
			}
			if _, relaxed := e.q.Tolerance(i); relaxed && !f.feature.Discrete() {
				gain *= relaxedGain
			}
			e.inputGain[in.Index] = math.Max(e.inputGain[in.Index], gain)
		}
	}
	var out form
	out, cols.lift = e.rows.add(suffix, inputs)
	logit := e.column(problem.Column{Name: "logit" + suffix, Lo: e.bounds.Logit.Lo, Hi: e.bounds.Logit.Hi, Role: problem.RoleLogit})
	out.add(logit, -1)
	e.row("logit"+suffix, out, 0, 0)
	return cols, logit
}
