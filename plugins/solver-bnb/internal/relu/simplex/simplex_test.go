package simplex

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hyfair/hyfair/internal/tier"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// program draws a small program with integer data.
func program(r *rand.Rand) *Program {
	n, m := 2+r.IntN(5), 1+r.IntN(7)
	p := &Program{Columns: n, Objective: r.IntN(n), Errors: make([]float64, m)}
	for range n {
		lo := float64(r.IntN(9) - 6)
		p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, lo+float64(r.IntN(7)))
	}
	for i := range m {
		if r.IntN(2) == 0 {
			p.Errors[i] = 0.25 * float64(r.IntN(3))
		}
		for range n {
			p.Rows = append(p.Rows, float64(r.IntN(3)*(r.IntN(9)-4)))
		}
		lo, hi := float64(r.IntN(15)-8), math.Inf(1)
		switch r.IntN(3) {
		case 0:
			hi = lo + float64(r.IntN(6))
		case 1:
			lo, hi = math.Inf(-1), lo
		}
		p.Lo, p.Hi = append(p.Lo, lo), append(p.Hi, hi)
	}
	return p
}

// reference returns the optimum by another library's simplex method, in its standard form; −Inf if the program is
// infeasible. Rows' values may be off by their errors.
func reference(t *testing.T, p *Program, lo, hi []float64, widened bool) float64 {
	t.Helper()
	n, m := p.Columns, len(p.Errors)
	// x = lo + x', x' ≥ 0, and a slack for each bound.
	var rows [][]float64
	var sides []float64
	add := func(coefficients []float64, side float64) {
		rows, sides = append(rows, coefficients), append(sides, side)
	}
	for j := range n {
		row := make([]float64, n)
		row[j] = 1
		add(row, hi[j]-lo[j])
	}
	for i := range m {
		row, at, off := slices.Clone(p.Rows[i*n:(i+1)*n]), 0.0, 0.0
		if widened {
			off = p.Errors[i]
		}
		for j, c := range row {
			at += c * lo[j]
		}
		if !math.IsInf(hi[n+i], 1) {
			add(row, hi[n+i]+off-at)
		}
		if !math.IsInf(lo[n+i], -1) {
			minus := make([]float64, n)
			for j, c := range row {
				minus[j] = -c
			}
			add(minus, at-lo[n+i]+off)
		}
	}
	a := mat.NewDense(len(rows), n+len(rows), nil)
	for i, row := range rows {
		for j, c := range row {
			a.Set(i, j, c)
		}
		a.Set(i, n+i, 1)
	}
	c := make([]float64, n+len(rows))
	c[p.Objective] = -1
	best, _, err := lp.Simplex(c, a, sides, 1e-9, nil)
	if errors.Is(err, lp.ErrInfeasible) {
		return math.Inf(-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return lo[p.Objective] - best
}

// The optimum is that of another library, at first and after changes of bounds, and no feasible program is refuted.
func TestOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 49))
	optimal, refuted := 0, 0
	for i := range tier.Count(2000, 20000) {
		p := program(r)
		var tab, again Tableau
		again.Begin(program(r)) // memory of another program
		tab.Begin(p)
		lo, hi := slices.Clone(p.Lo), slices.Clone(p.Hi)
		for round := range 3 {
			if round > 0 {
				v := r.IntN(len(lo))
				if math.IsInf(lo[v], 0) || math.IsInf(hi[v], 0) {
					continue
				}
				at := lo[v] + float64(r.IntN(int(hi[v]-lo[v])+1))
				lo[v], hi[v] = at, at+float64(r.IntN(int(hi[v]-at)+1))
				again.Copy(&tab)
				again.Bound(v, lo[v], hi[v])
				tab.Copy(&again)
			}
			want := reference(t, p, lo, hi, false)
			outcome, _ := tab.Solve(math.Inf(-1), 1000)
			switch {
			case outcome == Optimal:
				optimal++
				if got := tab.Value(p.Objective); math.Abs(got-want) > 1e-6 {
					t.Fatalf("program %d, round %d: optimum %v, want %v", i, round, got, want)
				}
				tab.Bounded()
			case outcome == Open || !math.IsInf(want, -1):
				t.Fatalf("program %d, round %d: outcome %d, want the optimum %v", i, round, outcome, want)
			}
			if tab.Refuted() {
				refuted++
				if may := reference(t, p, lo, hi, true); may >= 0 {
					t.Fatalf("program %d, round %d: refuted, but with errors the objective may be %v", i, round, may)
				}
				contradiction(t, &tab)
			} else if want < -1e-6 && slices.Max(p.Errors) == 0 {
				t.Fatalf("program %d, round %d: not refuted, with the optimum %v", i, round, want)
			}
			if outcome != Optimal {
				break
			}
		}
	}
	if optimal < 500 || refuted < 500 {
		t.Errorf("%d were optimal, %d refuted", optimal, refuted)
	}
}

// contradiction checks in exact arithmetic that the multipliers are a proof.
func contradiction(t *testing.T, tab *Tableau) {
	t.Helper()
	of := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	least, most := new(big.Rat), new(big.Rat)
	sums := make([]*big.Rat, tab.n)
	for j := range sums {
		sums[j] = new(big.Rat)
	}
	for i, l := range tab.multiply {
		side := tab.lo[tab.n+i] - tab.p.Errors[i]
		if l < 0 {
			side = tab.hi[tab.n+i] + tab.p.Errors[i]
		}
		if l == 0 || math.IsInf(side, 0) {
			continue
		}
		least.Add(least, new(big.Rat).Mul(of(l), of(side)))
		for j := range sums {
			sums[j].Add(sums[j], new(big.Rat).Mul(of(l), of(tab.p.Rows[i*tab.n+j])))
		}
	}
	for j, s := range sums {
		lo, hi := tab.lo[j], tab.hi[j]
		if j == tab.p.Objective {
			lo = max(lo, 0)
		}
		if lo > hi {
			return
		}
		at := hi
		if s.Sign() < 0 {
			at = lo
		}
		most.Add(most, new(big.Rat).Mul(s, of(at)))
	}
	if most.Cmp(least) >= 0 {
		t.Fatalf("the multipliers %v prove nothing", tab.multiply)
	}
}

// If a variable goes down, the optimum falls by at least Loss.
func TestLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 51))
	some := 0
	for i := range tier.Count(2000, 20000) {
		p := program(r)
		var tab Tableau
		if tab.Begin(p); first(tab.Solve(math.Inf(-1), 1000)) != Optimal {
			continue
		}
		v, before := r.IntN(len(p.Lo)), tab.Value(p.Objective)
		at := tab.Value(v)
		if math.IsInf(p.Lo[v], 0) || at < p.Lo[v]+0.1 {
			continue
		}
		to := p.Lo[v] + r.Float64()*(at-p.Lo[v])
		loss := tab.Loss(v, to)
		tab.Bound(v, p.Lo[v], to)
		if first(tab.Solve(math.Inf(-1), 1000)) != Optimal {
			continue
		}
		if after := tab.Value(p.Objective); after > before-loss+1e-6 {
			t.Fatalf("program %d: the optimum fell from %v to %v, not by %v", i, before, after, loss)
		}
		if loss > 0.1 {
			some++
		}
	}
	if some < 50 {
		t.Errorf("%d optima fell", some)
	}
}

func first(o Outcome, _ int) Outcome { return o }
