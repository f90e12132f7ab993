package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// BigM is the paper's MILP (section "Certifying 2-Fairness requirements"),
// with one column a neuron and one binary for each neuron whose sign the
// bounds leave open:
//
//	x ≥ y,  x ≤ y − l·(1 − a),  x ≤ u·a,  x ≥ 0,  l ≤ y ≤ u
//
// Protected features are free in each copy, non-protected ones shared, but for
// those that q.Relax lets differ: then copies 1 and 2 also differ in a protected
// value. b must enclose the network over RelaxedRegion(q).
//
// A query for more than two bins has as many copies, to be put in order by
// InBins: ErrTooFewBins where nobody can reach so many, sdk.ErrUnsupported where
// a relaxation or a predicate tells its copies apart.
func BigM(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	e := &builder{q: q, bounds: b}
	return e.lower("bigm")
}

// BigMDifferences is BigM with rows about the difference of the two copies,
// which follow from the others and tighten the linear relaxation: shared
// features cancel in it. A query for more than two bins is lowered as BigM
// does.
func BigMDifferences(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	e := &builder{q: q, bounds: b}
	if q.K <= 2 {
		e.differences = bound.Differences(q.Network, q.Space, RelaxedRegion(q), tolerances(q), b)
	}
	return e.lower("bigm+diff")
}

// SOS1 is BigM without the binaries and constants of its ReLUs: a ReLU of open
// sign splits its argument into a positive and a negative part, and a special
// ordered set lets only one of them differ from 0:
//
//	y = x − s,  0 ≤ x ≤ u,  0 ≤ s ≤ −l,  SOS1{x, s}
//
// Solvers branch on the sets themselves; see Encoding.Sets.
func SOS1(q *problem.Query, b *bound.Bounds) (*Lowered, error) {
	e := &builder{q: q, bounds: b, sets: true}
	return e.lower("sos1")
}

func (e *builder) lower(name string) (*Lowered, error) {
	q, b := e.q, e.bounds
	if math.IsInf(b.Logit.Lo, 0) || math.IsInf(b.Logit.Hi, 0) {
		return nil, ErrUnbounded
	}
	var err error
	if e.edges, err = binEdges(q, b); err != nil {
		return nil, err
	}
	if e.first, err = firstRegion(q); err != nil {
		return nil, err
	}
	e.milp, e.fidelity = &problem.MILP{}, Exact
	e.spelled, e.inputGain = e.needBinaries(), make([]float64, q.Space.Inputs)
	shared := make([]*featureColumns, len(q.Space.Features))
	for i := range shared {
		if !q.Space.Features[i].IsProtected() && !isRelaxed(q, i) {
			f := e.feature(i, "", e.first)
			shared[i] = &f
		}
	}
	out := &Lowered{query: q, bounds: b, edges: e.edges}
	region := e.first
	for c := range max(2, q.K) {
		cols, logit := e.copyOf(c, shared, region)
		out.copies = append(out.copies, cols)
		out.Logits = append(out.Logits, logit)
		region = RelaxedRegion(q)
	}
	if e.differences != nil {
		e.differenceRows(out)
	}
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
	out.Sensitivity = e.sensitivity()
	return out, e.milp.Validate()
}

// builder builds one MILP.
type builder struct {
	q *problem.Query
	// first is the region of the first copy and of shared features.
	first    space.Region
	bounds   *bound.Bounds
	milp     *problem.MILP
	fidelity Fidelity
	// sets: ReLUs are written as special ordered sets.
	sets bool
	// spelled marks the features that get one binary a value.
	spelled []bool
	// differences, where not nil, bound the copies' neurons against each other;
	// before then holds each copy's neurons before the activation, by layer.
	differences *bound.Difference
	before      [][][]form
	// inputGain is how far each network input moves where every column it is
	// made of is off by one.
	inputGain []float64
	edges     edges
}

func (e *builder) column(c problem.Column) int {
	e.milp.Columns = append(e.milp.Columns, c)
	return len(e.milp.Columns) - 1
}

// row adds lo ≤ f ≤ hi, the form's constant moved to the sides and those rounded
// outward.
func (e *builder) row(name string, f form, lo, hi float64) {
	e.milp.Rows = append(e.milp.Rows, problem.Row{Name: name, Lo: minus(lo, f.constant, math.Inf(-1)), Hi: minus(hi, f.constant, math.Inf(1)), Terms: f.terms})
}

// minus is a − b, rounded towards a side where it is not a float64. (The error
// of a sum is one, and is found as in Knuth, The Art of Computer Programming,
// volume 2, section 4.2.2, theorem B.)
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

// copyOf adds one copy of the network and returns its columns and its logit's.
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
			if isRelaxed(e.q, i) && !f.feature.Discrete() {
				gain *= relaxedGain
			}
			e.inputGain[in.Index] = math.Max(e.inputGain[in.Index], gain)
		}
	}
	layers := e.q.Network.Layers
	v := inputs
	if e.differences != nil {
		e.before = append(e.before, make([][]form, len(layers)))
	}
	for k := range layers[:len(layers)-1] {
		var columns []neuronColumns
		v, columns = e.hidden(k, suffix, v)
		cols.neurons = append(cols.neurons, columns)
	}
	cols.neurons = append(cols.neurons, nil)
	last := &layers[len(layers)-1]
	out := affineOf(last, 0, v)
	if e.q.Network.Head == relu.HeadSoftmax {
		diff := affineOf(last, 1, v)
		diff.plus(out, -1)
		out = diff
	}
	logit := e.column(problem.Column{Name: "logit" + suffix, Lo: e.bounds.Logit.Lo, Hi: e.bounds.Logit.Hi, Role: problem.RoleLogit})
	out.add(logit, -1)
	e.row("logit"+suffix, out, 0, 0)
	return cols, logit
}

func affineOf(l *relu.Layer, j int, v []form) form {
	out := form{constant: l.Bias[j]}
	for i, w := range l.Row(j) {
		if w != 0 {
			out.plus(v[i], w)
		}
	}
	return out
}
