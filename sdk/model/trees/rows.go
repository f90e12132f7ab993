package trees

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// On returns the ensemble with borders moved off the space's values: each border of an input
// with finitely many values lies midway between its neighbours, so that rows separate the two
// sides. exact is false if a comparison is with an input of a real feature, or two values
// leave no room: rows then allow either side on a border.
func (e *Ensemble) On(s *space.Space) (m model.Model, exact bool) {
	on, exact := &Ensemble{Columns: e.Columns, Output: e.Output, Base: e.Base}, true
	taken := make([]*values, e.Columns)
	for i := range s.Features {
		for k := range s.Features[i].Inputs {
			in := &s.Features[i].Inputs[k]
			taken[in.Index] = valuesOf(&s.Features[i], in)
		}
	}
	for _, t := range e.Trees {
		t = slices.Clone(t)
		for i := range t {
			n := &t[i]
			if n.IsLeaf() {
				continue
			}
			v := taken[n.Input]
			if v == nil {
				exact = false
				continue
			}
			if n.More = slices.Clone(n.More); !v.between(&n.Value, n.Closed) {
				exact = false
			}
			for k := range n.More {
				if !v.between(&n.More[k], n.Closed) {
					exact = false
				}
			}
			n.Closed = true
		}
		on.Trees = append(on.Trees, t)
	}
	return on, exact
}

// values are the values that an input takes, in increasing order.
type values struct {
	count int
	at    func(k int) *big.Rat
	known map[border]float64
}

type border struct {
	at     float64
	closed bool
}

// valuesOf returns the values that a feature feeds into an input; nil for a real feature.
func valuesOf(f *space.Feature, in *space.Input) *values {
	v := &values{known: map[border]float64{}}
	list := in.Table
	fed := func(v float64) *big.Rat {
		if in.Table != nil {
			return new(big.Rat).SetFloat64(in.Table[int(v-f.Lo)])
		}
		x := new(big.Rat).SetFloat64(v)
		return x.Mul(x, new(big.Rat).SetFloat64(in.Scale)).Add(x, new(big.Rat).SetFloat64(in.Offset))
	}
	switch {
	case f.IsProtected():
		list = f.Protected
	case !f.Discrete():
		return nil
	case in.Table == nil:
		v.count = int(f.Hi-f.Lo) + 1
		v.at = func(k int) *big.Rat {
			if in.Scale < 0 {
				k = v.count - 1 - k
			}
			return fed(f.Lo + float64(k))
		}
		return v
	}
	var all []*big.Rat
	for k, x := range list {
		if !f.IsProtected() {
			x = f.Lo + float64(k)
		}
		all = append(all, fed(x))
	}
	slices.SortFunc(all, (*big.Rat).Cmp)
	v.count, v.at = len(all), func(k int) *big.Rat { return all[k] }
	return v
}

// between moves a border to the middle of the two values around it; ok is false if there
// is no room.
func (v *values) between(at *float64, closed bool) (ok bool) {
	key := border{*at, closed}
	if b, known := v.known[key]; known {
		*at = b
		return true
	}
	n := &Node{Value: *at, Closed: closed}
	k := sort.Search(v.count, func(k int) bool { return !n.GoesLeft(v.at(k)) })
	switch k {
	case 0:
		low, _ := v.at(0).Float64()
		*at = low - 1 - math.Abs(low)
	case v.count:
		high, _ := v.at(k - 1).Float64()
		*at = high + 1 + math.Abs(high)
	default:
		below, above := v.at(k-1), v.at(k)
		mid := new(big.Rat).Add(below, above)
		*at, _ = mid.Mul(mid, big.NewRat(1, 2)).Float64()
		if exactly := new(big.Rat).SetFloat64(*at); exactly.Cmp(below) <= 0 || exactly.Cmp(above) >= 0 {
			return false
		}
	}
	v.known[key] = *at
	return true
}

// writer collects the columns and rows of one ensemble over one box.
type writer struct {
	*problem.MILP
	of    []int
	box   []space.Interval
	below []map[float64]int // by input and border: the column that says that the input is not above it
}

// sum is a linear form over columns.
type sum struct {
	constant float64
	terms    []problem.Term
}

// Rows implements encode.Rows. All trees share a binary for each input and border, which
// says that the input is not above the border. Each leaf has a column that is 1 if the tree
// ends in it (Kantchelian, Tygar and Joseph, Evasion and hardening of tree ensemble
// classifiers, ICML 2016).
func (e *Ensemble) Rows(box []space.Interval) (rows *problem.MILP, of []int) {
	w := &writer{MILP: &problem.MILP{}, box: slices.Clone(box), below: make([]map[float64]int, e.Columns)}
	for i := range box {
		w.Columns = append(w.Columns, problem.Column{Lo: box[i].Lo, Hi: box[i].Hi})
	}
	w.borders(e)
	w.Objective.Offset = e.Base
	for k, t := range e.Trees {
		leaves := w.tree(t, 0, fmt.Sprintf("tree%d", k))
		if len(leaves) == 1 && leaves[0] < 0 {
			continue // a single leaf, which is part of the offset
		}
		one := problem.Row{Name: fmt.Sprintf("tree%d ends", k), Lo: 1, Hi: 1}
		for _, c := range leaves {
			one.Terms = append(one.Terms, problem.Term{Column: c, Coef: 1})
		}
		w.MILP.Rows = append(w.MILP.Rows, one)
	}
	return w.MILP, w.of
}

// borders adds a binary for each border that lies in the box's interval of its input, ends included.
func (w *writer) borders(e *Ensemble) {
	lists := make([][]float64, e.Columns)
	for _, t := range e.Trees {
		for i := range t {
			if n := &t[i]; !n.IsLeaf() {
				n.Borders(func(b float64) {
					if iv := w.box[n.Input]; iv.Lo <= b && b <= iv.Hi {
						lists[n.Input] = append(lists[n.Input], b)
					}
				})
			}
		}
	}
	for i, list := range lists {
		slices.Sort(list)
		w.below[i] = map[float64]int{}
		before := -1
		for _, b := range slices.Compact(list) {
			c := w.column(problem.Column{Name: fmt.Sprintf("x%d below %v", i, b), Hi: 1, Integer: true}, i)
			w.below[i][b] = c
			iv := w.box[i]
			w.row(problem.Row{Name: fmt.Sprintf("x%d not above %v", i, b), Lo: math.Inf(-1), Hi: iv.Hi, Terms: []problem.Term{{Column: i, Coef: 1}, {Column: c, Coef: iv.Hi - b}}})
			w.row(problem.Row{Name: fmt.Sprintf("x%d not below %v", i, b), Lo: b, Hi: math.Inf(1), Terms: []problem.Term{{Column: i, Coef: 1}, {Column: c, Coef: b - iv.Lo}}})
			if before >= 0 {
				w.row(problem.Row{Name: fmt.Sprintf("x%d in order", i), Lo: math.Inf(-1), Hi: 0, Terms: []problem.Term{{Column: before, Coef: 1}, {Column: c, Coef: -1}}})
			}
			before = c
		}
	}
}

func (w *writer) column(c problem.Column, of int) int {
	w.Columns, w.of = append(w.Columns, c), append(w.of, of)
	return len(w.Columns) - 1
}

func (w *writer) row(r problem.Row) { w.MILP.Rows = append(w.MILP.Rows, r) }

// goesLeft returns a form that is 1 if the input goes left, and 0 otherwise.
func (w *writer) goesLeft(n *Node) sum {
	var out sum
	sign := 1.0
	n.Borders(func(b float64) {
		switch c, open := w.below[n.Input][b]; {
		case open:
			out.terms = append(out.terms, problem.Term{Column: c, Coef: sign})
		case w.box[n.Input].Hi <= b:
			out.constant += sign
		}
		sign = -sign
	})
	if len(n.More)%2 == 1 { // above all borders, an even number, the input goes left
		out.constant++
	}
	return merged(out)
}

// merged returns s with each column once.
func merged(s sum) sum {
	slices.SortFunc(s.terms, func(a, b problem.Term) int { return a.Column - b.Column })
	var terms []problem.Term
	for _, t := range s.terms {
		if k := len(terms) - 1; k >= 0 && terms[k].Column == t.Column {
			if terms[k].Coef += t.Coef; terms[k].Coef == 0 {
				terms = terms[:k]
			}
			continue
		}
		terms = append(terms, t)
	}
	return sum{s.constant, terms}
}

// tree adds the leaves below node i and returns their columns. For a tree that is a single
// leaf it returns −1 and adds the leaf to the offset.
func (w *writer) tree(t Tree, i int32, name string) []int {
	n := &t[i]
	if n.IsLeaf() {
		if i == 0 {
			w.Objective.Offset += n.Value
			return []int{-1}
		}
		c := w.column(problem.Column{Name: fmt.Sprintf("%s leaf %d", name, i), Hi: 1}, -1)
		if n.Value != 0 {
			w.Objective.Terms = append(w.Objective.Terms, problem.Term{Column: c, Coef: n.Value})
		}
		return []int{c}
	}
	left := w.goesLeft(n)
	at := fmt.Sprintf("%s node %d", name, i)
	var both []int
	for side, child := range [2]int32{n.Left, n.Right} {
		if len(left.terms) == 0 && left.constant == float64(side) { // no input goes there
			continue
		}
		if len(left.terms) == 0 && t[child].IsLeaf() && i == 0 {
			w.Objective.Offset += t[child].Value
			return []int{-1}
		}
		leaves := w.tree(t, child, name)
		if len(left.terms) > 0 {
			// The leaves on the left sum to at most left, those on the right to 1 − left.
			r, sign := problem.Row{Name: at + " left", Lo: math.Inf(-1), Hi: left.constant}, -1.0
			if side == 1 {
				r.Name, r.Hi, sign = at+" right", 1-left.constant, 1
			}
			for _, c := range leaves {
				r.Terms = append(r.Terms, problem.Term{Column: c, Coef: 1})
			}
			for _, term := range left.terms {
				r.Terms = append(r.Terms, problem.Term{Column: term.Column, Coef: sign * term.Coef})
			}
			w.row(r)
		}
		both = append(both, leaves...)
	}
	return both
}

// Sensitivity implements encode.Rows. A leaf that the tree does not end in branches off the true
// path at some comparison. The rows allow the leaves on the false side a sum of at most two units,
// and each leaf's own bound adds one unit. Errors of the inputs do not matter: a border is farther
// from all values of its input than the error, or the rows allow both of its sides.
func (e *Ensemble) Sensitivity([]float64) float64 {
	total := 0.0
	depth := float64(e.Depth())
	for _, t := range e.Trees {
		lo, hi, leaves := math.Inf(1), math.Inf(-1), 0.0
		for i := range t {
			if t[i].IsLeaf() {
				lo, hi, leaves = min(lo, t[i].Value), max(hi, t[i].Value), leaves+1
			}
		}
		total += (2*depth+leaves)*(hi-lo) + max(math.Abs(lo), math.Abs(hi))
	}
	return total
}
