package encode

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// ErrTooFewBins reports that no individual of the region can reach the query's number of bins:
// the bounds of the logits, or the number of protected combinations, exclude it.
var ErrTooFewBins = errors.New("fewer bins can be reached than are asked for")

// ErrUnbounded is returned by a lowering to rows if float64 cannot bound the model's
// values over the region.
var ErrUnbounded = errors.New("float64 cannot bound the model's values over this region: use z3, which is exact, or --partition, since smaller parts have tighter bounds")

// maxEdges is the largest number of edges of a lowering: the rows grow with its
// square, and a tiny ε has a million bins, too many for any solver.
const maxEdges = 1 << 9

// edges encloses, in increasing order, the logits at which bins begin. It leaves out those
// that no logit within the bounds can cross. A query for k bins asks for ordered copies,
// with a different edge between every two neighbours,
//
//	logit of copy i  <  edge  ≤  logit of copy i+1
//
// which the k − 1 separators choose. Separator i leaves edges for those before
// and after it, so it has reach() edges to choose from, starting at edge i.
// A query for a gap or margin has no edges.
type edges struct {
	at         []space.Interval
	first      int // the bin below at[0]
	separators int
}

func (e *edges) reach() int { return len(e.at) - e.separators + 1 }

// binEdges returns the edges of a query for bins. The error says why no individual can
// satisfy the query. A query for a gap or margin has no edges.
func binEdges(q *problem.Query, b *bound.Bounds) (edges, error) {
	var out edges
	k := q.Reach()
	if k == 0 {
		return out, nil
	}
	if err := oneIndividual(q); err != nil {
		return out, err
	}
	if n := q.RegionOrWhole().Count(); n < k {
		return out, fmt.Errorf("%d protected combinations: %w", n, ErrTooFewBins)
	}
	bins := q.Binning()
	last := bins.Count() - 1
	if !math.IsInf(b.Logit.Lo, -1) {
		out.first = bins.Of(exactly(b.Logit.Lo))
	}
	if !math.IsInf(b.Logit.Hi, 1) {
		last = bins.Of(exactly(b.Logit.Hi))
	}
	count := last - out.first
	if out.separators = k - 1; count < out.separators {
		return out, fmt.Errorf("bins %d to %d: %w", out.first, last, ErrTooFewBins)
	}
	if count > maxEdges {
		return out, fmt.Errorf("ε = %s has %d bins within reach, more than %d: %w", fairness.FormatRat(q.Epsilon), count+1, maxEdges+1, sdk.ErrUnsupported)
	}
	within := false // some k − 1 neighbouring edges lie within the copies' distance
	for j := range count {
		lo, hi := bins.Edge(out.first + 1 + j)
		out.at = append(out.at, space.Interval{Lo: lo, Hi: hi})
		if from := j - out.separators + 1; from >= 0 {
			within = within || !(math.Nextafter(lo-out.at[from].Hi, math.Inf(-1)) > b.Apart())
		}
	}
	if !within {
		return out, fmt.Errorf("%d bins of logits at most %v apart: %w", k, b.Apart(), ErrTooFewBins)
	}
	return out, nil
}

// oneIndividual checks that nothing in a query for many bins distinguishes one copy
// from another, so that the copies can be ordered.
func oneIndividual(q *problem.Query) error {
	if err := fairness.CheckEpsilon(q.Epsilon, fairness.Score); err != nil {
		return fmt.Errorf("bins: %w", err)
	}
	if len(q.Relax) > 0 {
		return fmt.Errorf("a relaxed query for %d bins: %w", q.Reach(), sdk.ErrUnsupported)
	}
	if q.TellsCopiesApart() {
		return fmt.Errorf("a query for %d bins with a predicate on a protected feature of one copy: %w", q.Reach(), sdk.ErrUnsupported)
	}
	return nil
}

// asked checks that the arguments of InBins match the query that was lowered.
func (e *edges) asked(q *problem.Query, eps *big.Rat, k int) error {
	if e.separators == 0 || k != q.Reach() || eps == nil || eps.Cmp(q.Epsilon) != 0 {
		return fmt.Errorf("InBins: got k = %d and ε = %v, want the k = %d and ε = %v of the lowered query, which must ask for bins", k, eps, q.Reach(), q.Epsilon)
	}
	return nil
}

// sensitivity bounds the error of the separators' rows per unit of error in a row
// or binary.
func (e *edges) sensitivity() float64 {
	if e.separators == 0 {
		return 0
	}
	total := 1.0
	for _, at := range e.at {
		total += math.Max(math.Abs(at.Lo), math.Abs(at.Hi))
	}
	return total
}

// separate adds one binary for each separator and edge in its reach. Rows keep the
// separators in order.
func (e *builder) separate() [][]int {
	var out [][]int
	var before []form // before[d]: the last separator is at most d edges from its first
	for i := range e.edges.separators {
		columns := make([]int, e.edges.reach())
		upTo := make([]form, len(columns))
		var sum form
		for d := range columns {
			columns[d] = e.column(problem.Column{
				Name: fmt.Sprintf("bin %d begins between #%d and #%d", e.edges.first+1+i+d, i+1, i+2),
				Hi:   1, Integer: true, Role: problem.RoleOther, Priority: e.rows.depth() + 1,
			})
			sum.add(columns[d], 1)
			upTo[d] = clone(sum)
		}
		e.row(fmt.Sprintf("#%d and #%d are separated", i+1, i+2), sum, 1, 1)
		for d := range before[:max(0, len(before)-1)] {
			later := clone(upTo[d])
			later.plus(before[d], -1)
			e.row(fmt.Sprintf("separators %d and %d in order %d", i, i+1, d+1), later, math.Inf(-1), 0)
		}
		out, before = append(out, columns), upTo
	}
	return out
}

// InBins returns the delta that puts the copies of a query for k > 2 bins of ε into
// different bins, in increasing order, each at a distance of at least the slack's
// value, in logits, from the edges that separate it from its neighbours. The
// slack's maximum is negative only if no individual reaches k bins. ε and k must be
// those of the query that was lowered.
//
// The edges are logarithms, rounded outward, and a point on the upper edge of its
// bin is allowed: an over-approximation that a positive slack excludes.
func (l *Lowered) InBins(eps *big.Rat, k int) (problem.Delta, error) {
	if err := l.edges.asked(l.query, eps, k); err != nil {
		return problem.Delta{}, err
	}
	var d problem.Delta
	for i, columns := range l.separators {
		below := form{terms: []problem.Term{{Column: l.Logits[i], Coef: 1}, {Column: l.Slack, Coef: 1}}}
		above := form{terms: []problem.Term{{Column: l.Logits[i+1], Coef: 1}, {Column: l.Slack, Coef: -1}}}
		for at, column := range columns {
			below.add(column, -l.edges.at[i+at].Hi)
			above.add(column, -l.edges.at[i+at].Lo)
		}
		d.Rows = append(d.Rows,
			problem.Row{Name: fmt.Sprintf("#%d below separator %d", i+1, i+1), Lo: math.Inf(-1), Hi: 0, Terms: below.terms},
			problem.Row{Name: fmt.Sprintf("#%d above separator %d", i+2, i+1), Lo: 0, Hi: math.Inf(1), Terms: above.terms})
	}
	return d, nil
}

// liftSeparators sets the separators if the copies' logits are in different bins
// in increasing order, and leaves them open otherwise.
func (l *Lowered) liftSeparators(start []float64) {
	bins := make([]int, len(l.Logits)) // counted from the lowest within reach
	for c, column := range l.Logits {
		for bins[c] < len(l.edges.at) && l.edges.at[bins[c]].Lo <= start[column] {
			bins[c]++
		}
		if c > 0 && bins[c] <= bins[c-1] {
			return
		}
	}
	for i, columns := range l.separators {
		for at, column := range columns {
			start[column] = 0
			if i+at == bins[i+1]-1 {
				start[column] = 1
			}
		}
	}
}

// InBins returns the assertions that put the copies of a query for k > 2 bins of ε
// into different bins, in increasing order, each at a distance of at least the
// slack's value, in logits, from the edges that separate it from its neighbours;
// the slack is not negative. SlackAtLeast asks for points well inside their bins,
// which survive a replay. ε and k must be those of the query that was lowered.
//
// The edges are logarithms, rounded outward to float64: the only over-approximation.
func (l *LoweredSMT) InBins(eps *big.Rat, k int) (string, error) {
	if err := l.edges.asked(l.query, eps, k); err != nil {
		return "", err
	}
	slack := l.Problem.SMT.Symbols[l.Slack].Name
	text := l.SlackAtLeast(new(big.Rat))
	for i := range l.edges.separators {
		var ways []string
		for _, at := range l.edges.at[i : i+l.edges.reach()] {
			ways = append(ways, fmt.Sprintf("(and (< (+ %s %s) %s) (<= %s (- %s %s)))",
				l.logits[i], slack, realText(exactly(at.Hi)), realText(exactly(at.Lo)), l.logits[i+1], slack))
		}
		text += assertion(anyOf(ways))
	}
	return text, nil
}
