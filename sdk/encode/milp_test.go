package encode

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/problem"
)

// roundingRoom is what the float64 arithmetic of a lift may break a row by on
// the tiny networks here.
const roundingRoom = 1e-9

var milps = slices.DeleteFunc(slices.Clone(Encodings), func(e Encoding) bool { return e.Form != problem.FormMILP })

func lowerToMILP(t fatalist, e Encoding, q *problem.Query) *Lowered {
	t.Helper()
	low, err := e.LowerMILP(q, bound.Intervals(q.Model, bound.Inputs(q.Space, RelaxedRegion(q))))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return low
}

// admits reports whether the rows allow the points: their lift, completed in
// the columns it leaves open, breaks nothing and is decoded to the same points.
func admits(t fatalist, low *Lowered, points ...[]float64) bool {
	t.Helper()
	values, err := low.Lift(points)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := low.Problem.MILP
	values[low.Slack] = 0
	complete(m, values)
	if !(m.Violation(values) < roundingRoom) {
		return false
	}
	back, err := low.Decode(problem.Floats(values))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return slices.EqualFunc(back, points, slices.Equal[[]float64])
}

// complete sets every open column of a constraint to 1 where the rows in which
// it is the only open one allow that, and to 0 elsewhere: the other rows only
// ask for enough of them.
func complete(m *problem.MILP, values []float64) {
	open := map[int]bool{}
	for i, v := range values {
		if math.IsNaN(v) {
			open[i] = true
		}
	}
	set := slices.Clone(values)
	for i := range open {
		set[i] = 1
	}
	for _, r := range m.Rows {
		var mine []int
		for _, t := range r.Terms {
			if open[t.Column] {
				mine = append(mine, t.Column)
			}
		}
		if v := problem.Evaluate(r.Terms, set); len(mine) == 1 && (v < r.Lo-roundingRoom || v > r.Hi+roundingRoom) {
			values[mine[0]] = 0
		}
	}
	for i := range open {
		if math.IsNaN(values[i]) {
			values[i] = 1
		}
	}
}

// TestMILPMeansTheQuery tries pairs of points of a tiny space: the rows allow
// them exactly where the query is about the pair, and with the rows of the
// notion, in one of the orders, exactly where the definition of the notion says
// so. An over-approximation may allow more.
func TestMILPMeansTheQuery(t *testing.T) {
	seen := map[bool]int{}
	violating := map[bool]int{}
	relaxed := 0
	tier.Checks(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		lows := make([]*Lowered, len(milps))
		for i, e := range milps {
			lows[i] = lowerToMILP(t, e, q)
		}
		all := points(q.Space)
		for range 200 {
			a := rapid.SampledFrom(all).Draw(t, "a")
			b := slices.Clone(rapid.SampledFrom(all).Draw(t, "b"))
			for _, i := range q.Space.Free() {
				if _, relaxed := q.Tolerance(i); !relaxed {
					b[i] = a[i]
				}
			}
			want := asked(q, a, b)
			for _, low := range lows {
				if got := admits(t, low, a, b); got != want && !(got && low.Fidelity == Over) {
					t.Fatalf("%s: %v and %v are admitted: %v, want %v", low.Problem.Name, a, b, got, want)
				}
			}
			seen[want]++
			if !want {
				continue
			}
			if len(q.Relax) > 0 && !slices.Equal(a, b) {
				relaxed++
			}
			exact := q.Model.Exact()
			logits := []*big.Rat{exact.Logit(q.Space.ExactInputs(a)), exact.Logit(q.Space.ExactInputs(b))}
			if len(lows[0].Orders()) == 1 && logits[0].Cmp(logits[1]) < 0 {
				continue // the other way round is a pair of its own
			}
			if iv := lows[0].bounds.Logit; !q.Notion.UsesEpsilon() && !(iv.Hi > 1e-6 && iv.Lo < -1e-6) {
				continue // the bounds decide; there is nothing to ask
			}
			if nearTie(logits[0], logits[1], q.Epsilon) {
				continue
			}
			violates := q.Notion.Violates(logits, q.Epsilon)
			violating[violates]++
			for _, low := range lows {
				if got := violatesInSomeOrder(t, low, q, a, b); got != violates {
					t.Fatalf("%s: logits %s and %s violate %s at %s: %v, want %v", low.Problem.Name, logits[0], logits[1], q.Notion, q.Epsilon, got, violates)
				}
			}
		}
	})
	if seen[true] == 0 || seen[false] == 0 || violating[true] == 0 || violating[false] == 0 || relaxed == 0 {
		t.Errorf("pairs %v, violating %v, %d relaxed: the test shows nothing", seen, violating, relaxed)
	}
}

// nearTie reports that what a notion compares is nearly, but not quite, equal:
// float64 rows cannot tell.
func nearTie(a, b, eps *big.Rat) bool {
	gap := new(big.Rat).Sub(a, b)
	for _, v := range []*big.Rat{a, b, new(big.Rat).Sub(gap.Abs(gap), eps)} {
		if f, _ := v.Float64(); f != 0 && math.Abs(f) < 1e-5 {
			return true
		}
	}
	return false
}

// violatesInSomeOrder adds the notion's rows.
func violatesInSomeOrder(t fatalist, low *Lowered, q *problem.Query, points ...[]float64) bool {
	t.Helper()
	values, err := low.Lift(points)
	if err != nil {
		t.Fatalf("%v", err)
	}
	values[low.Slack] = 0
	complete(low.Problem.MILP, values)
	eps, _ := q.Epsilon.Float64()
	for _, o := range low.Orders() {
		p, err := problem.NewStack(low.Problem).Apply(low.Violating(q.Notion, eps, 1e-6, o))
		if err != nil {
			t.Fatalf("%v", err)
		}
		if p.MILP.Violation(values) < roundingRoom {
			return true
		}
	}
	return false
}

// A relaxed point that rounding left too far away comes back within the
// tolerance, and no further than to the nearest value there.
func TestWithinTheTolerance(t *testing.T) {
	pulled := 0
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e3, 1e3).Draw(t, "x")
		tolerance := rapid.SampledFrom([]float64{0, 0.1, 0.7, 1e-9, 3, math.Inf(1)}).Draw(t, "tolerance")
		y := x + rapid.SampledFrom([]float64{0, 1, -1}).Draw(t, "side")*math.Min(tolerance, 5) + rapid.Float64Range(-1e-6, 1e-6).Draw(t, "error")
		got := within(x, y, tolerance)
		if got == y {
			if !math.IsInf(tolerance, 1) && apart(x, y, tolerance) {
				t.Fatalf("%v is further than %v from %v", y, tolerance, x)
			}
			return
		}
		pulled++
		if apart(x, got, tolerance) || !apart(x, math.Nextafter(got, y), tolerance) {
			t.Fatalf("%v was pulled to %v, within %v of %v", y, got, tolerance, x)
		}
	})
	if pulled == 0 {
		t.Error("nothing was pulled")
	}
}
