package draft

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// coding is a constraint satisfaction problem: which number does the model take for each
// category? A variable is a category of a column that feeds one input, its domain the codes
// that the model distinguishes, and a row constrains one variable of each such column: the
// model's score has to be the row's. Generalised arc consistency prunes the domains, and
// backtracking searches the rest. The bounds of trees over open columns prune the tuples of a
// row.
type coding struct {
	arrangement
	m      model.Model
	e      *trees.Ensemble // nil: the model is not an ensemble of trees, and has no bounds
	scores []float64
	bound  float64
	slots  []slot
	slotOf map[int]int // by input
	rows   []coded
	taken  map[int]bool // the rows of the table that are in rows
	at     [][]int      // rows by variable
	sides  [][][]bool   // by tree, node and code: whether a comparison of a slot sends the code left
	open   []bool       // by tree: it compares a slot
	work   float64      // left, in comparisons
}

// slot is a column whose categories are coded, and the input that it feeds.
type slot struct {
	feature, input, first int // first is its first variable
	names                 []string
	gap                   bool // the last variable is a missing cell
	codes                 []code
}

// code is a set of numbers that no comparison of the model distinguishes.
type code struct {
	value float64   // one of them: a whole number, if possible
	whole []float64 // all whole numbers of the set near the borders
	none  bool      // NaN is one of them
}

// coded is a row: the model's inputs, the variable of each slot, and the score. sum is the sum
// of the trees that compare no slot.
type coded struct {
	inputs []float64
	of     []int
	want   float64
	sum    float64
}

const (
	// mostCoded is the number of rows that a search for codes begins with; mostCoding bounds
	// the rows that it reads.
	mostCoded, mostCoding = 300, 200_000
	// mostCodedWork bounds a search for codes, in comparisons: about 20 s of one core.
	mostCodedWork = 3e9
	// mostWhole bounds the whole numbers that may be codes of a column.
	mostWhole = 4096
)

// coded reports whether the feature's single input is a number per category that the model's
// file does not hold.
func (f feature) coded() bool {
	return f.Kind == space.Categorical && len(f.Inputs) == 1 && len(f.Categories) > 1 && f.from.listed == nil && f.from.hot == nil && f.strangers == nil
}

// newCoding states the problem for an arrangement; false if it has no coded category, or too
// many coded columns for a model without bounds.
func newCoding(a arrangement, m model.Model, scores []float64, bound, work float64) (*coding, bool) {
	c := &coding{arrangement: a, m: m, scores: scores, bound: bound, work: work, slotOf: map[int]int{}, taken: map[int]bool{}}
	c.e, _ = m.(*trees.Ensemble)
	at, variables := 0, 0
	for i := range a.features {
		f := &a.features[i]
		if f.coded() {
			s := slot{feature: i, input: at, first: variables, names: slices.Clone(f.Categories), gap: f.lacks() && slices.ContainsFunc(a.view.rows, f.from.gap)}
			s.codes = c.codesOf(at, len(s.names)+1)
			if s.gap {
				s.names = append(s.names, f.from.marks[0])
			}
			c.slotOf[at] = len(c.slots)
			c.slots, variables = append(c.slots, s), variables+len(s.names)
		}
		at += len(f.Inputs)
	}
	if c.slots == nil || c.e == nil && len(c.slots) > 3 {
		return nil, false
	}
	c.at = make([][]int, variables)
	c.compare()
	return c, true
}

// codesOf returns the codes that the model distinguishes at an input: for trees, those that a
// comparison distinguishes; else the whole numbers from −1 to n.
func (c *coding) codesOf(input, n int) (out []code) {
	if c.e == nil {
		for k := -1; k <= n; k++ {
			out = append(out, code{value: float64(k), whole: []float64{float64(k)}})
		}
		return out
	}
	var nodes []*trees.Node
	var points []float64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, t := range c.e.Trees {
		for i := range t {
			if !t[i].IsLeaf() && int(t[i].Input) == input {
				nodes = append(nodes, &t[i])
				t[i].Borders(func(b float64) {
					points = append(points, b, math.Nextafter(b, math.Inf(1)), math.Nextafter(b, math.Inf(-1)))
					lo, hi = min(lo, b), max(hi, b)
				})
			}
		}
	}
	if nodes == nil {
		lo, hi = 0, 0
	}
	slices.Sort(points)
	points = slices.Compact(points)
	for k := range len(points) - 1 {
		points = append(points, points[k]/2+points[k+1]/2)
	}
	var whole []float64
	if lo, hi = math.Floor(lo)-float64(n), math.Ceil(hi)+float64(n); hi-lo <= mostWhole {
		for v := lo; v <= hi; v++ {
			whole = append(whole, v)
		}
	}
	slices.SortStableFunc(whole, func(a, b float64) int { return int(math.Abs(a) - math.Abs(b)) })
	known := map[string]int{}
	for k, v := range slices.Concat(whole, points, []float64{lo, hi, math.NaN()}) {
		sign := make([]byte, len(nodes))
		for i, node := range nodes {
			if node.SendsLeft(v) {
				sign[i] = 1
			}
		}
		at, ok := known[string(sign)]
		if !ok {
			at = len(out)
			known[string(sign)], out = at, append(out, code{value: v})
		}
		if out[at].none = math.IsNaN(v); k < len(whole) {
			out[at].whole = append(out[at].whole, v)
		}
	}
	return out
}

// compare records to which side each comparison of a slot sends each code.
func (c *coding) compare() {
	if c.e == nil {
		return
	}
	c.sides, c.open = make([][][]bool, len(c.e.Trees)), make([]bool, len(c.e.Trees))
	for k, t := range c.e.Trees {
		c.sides[k] = make([][]bool, len(t))
		for i := range t {
			if s, ok := c.slotOf[int(t[i].Input)]; ok && !t[i].IsLeaf() {
				for _, code := range c.slots[s].codes {
					c.sides[k][i] = append(c.sides[k][i], t[i].SendsLeft(code.value))
				}
				c.open[k] = true
			}
		}
	}
}

// add adds rows of the table that are not in the problem yet, and returns their indices in it.
func (c *coding) add(rows []int) (added []int) {
	c.visit(rows, allRows, func(row int, _, inputs []float64) {
		if c.taken[row] {
			return
		}
		c.taken[row] = true
		r := coded{inputs: slices.Clone(inputs), want: c.scores[row]}
		for _, s := range c.slots {
			f := &c.features[s.feature]
			k := len(s.names) - 1
			if !f.from.gap(row) || !s.gap {
				k = slices.Index(f.Categories, f.from.text(row))
			}
			r.of = append(r.of, s.first+k)
			c.at[s.first+k] = append(c.at[s.first+k], len(c.rows))
		}
		if c.e != nil {
			r.sum = c.e.Base
			for k, t := range c.e.Trees {
				if !c.open[k] {
					lo, _ := c.reach(k, t, 0, &r, nil, nil)
					r.sum += lo
				}
			}
		}
		added = append(added, len(c.rows))
		c.rows = append(c.rows, r)
	})
	return added
}

// reach returns the least and the largest leaf that a row may reach below a node. chosen has
// the code of each slot; −1: any code of its domain.
func (c *coding) reach(k int, t trees.Tree, i int32, r *coded, chosen []int, domains [][]int) (lo, hi float64) {
	for {
		n := &t[i]
		if c.work--; n.IsLeaf() {
			return n.Value, n.Value
		}
		var left bool
		if side := c.sides[k][i]; side == nil {
			left = n.SendsLeft(r.inputs[n.Input])
		} else if s := c.slotOf[int(n.Input)]; chosen[s] >= 0 {
			left = side[chosen[s]]
		} else {
			domain := domains[r.of[s]]
			left = side[domain[0]]
			if slices.ContainsFunc(domain, func(code int) bool { return side[code] != left }) {
				lo, hi = c.reach(k, t, n.Left, r, chosen, domains)
				low, high := c.reach(k, t, n.Right, r, chosen, domains)
				return min(lo, low), max(hi, high)
			}
		}
		if i = n.Right; left {
			i = n.Left
		}
	}
}

// bounds encloses a row's score over all codes that the domains leave to the slots not yet chosen
// (−1). The ends are infinite if there is such a slot and the model is not an ensemble of trees.
func (c *coding) bounds(r *coded, chosen []int, domains [][]int) (lo, hi float64) {
	if c.e == nil {
		if slices.Contains(chosen, -1) {
			return math.Inf(-1), math.Inf(1)
		}
		for s, code := range chosen {
			r.inputs[c.slots[s].input] = c.slots[s].codes[code].value
		}
		c.work -= float64(c.m.Inputs()) * 100
		lo = score(c.m, c.m.Logit(r.inputs))
		return lo, lo
	}
	lo, hi = r.sum, r.sum
	for k, open := range c.open {
		if open {
			low, high := c.reach(k, c.e.Trees[k], 0, r, chosen, domains)
			lo, hi = lo+low, hi+high
		}
	}
	return score(c.m, lo), score(c.m, hi)
}

// supported reports whether the chosen codes of a row can be completed, from the domains, to codes
// that give the row's score. It leaves the completed codes in chosen.
func (c *coding) supported(r *coded, chosen []int, domains [][]int) bool {
	if c.work < 0 {
		return true // unknown: prunes nothing
	}
	if lo, hi := c.bounds(r, chosen, domains); !(lo-c.bound <= r.want && r.want <= hi+c.bound) {
		return false
	}
	next := -1
	for s, code := range chosen {
		if code < 0 && (next < 0 || len(domains[r.of[s]]) < len(domains[r.of[next]])) {
			next = s
		}
	}
	if next < 0 {
		return true
	}
	for _, code := range domains[r.of[next]] {
		if chosen[next] = code; c.supported(r, chosen, domains) {
			return true
		}
	}
	chosen[next] = -1
	return false
}

// propagate prunes the domains until every row supports all their codes; false if a domain
// becomes empty.
func (c *coding) propagate(domains [][]int, queue []int) bool {
	waits := make([]bool, len(c.rows))
	for _, row := range queue {
		waits[row] = true
	}
	chosen := make([]int, len(c.slots))
	for len(queue) > 0 {
		row := queue[0]
		queue, waits[row] = queue[1:], false
		r := &c.rows[row]
		if !slices.ContainsFunc(r.of, func(v int) bool { return len(domains[v]) > 1 }) {
			for s, variable := range r.of {
				chosen[s] = domains[variable][0]
			}
			if !c.supported(r, chosen, domains) {
				return false
			}
			continue
		}
		for s, variable := range r.of {
			var left []int
			for _, code := range domains[variable] {
				for k := range chosen {
					chosen[k] = -1
				}
				if chosen[s] = code; c.supported(r, chosen, domains) {
					left = append(left, code)
				}
			}
			if left == nil {
				return false
			}
			if len(left) == len(domains[variable]) {
				continue
			}
			domains[variable] = left
			for _, other := range c.at[variable] {
				if !waits[other] {
					waits[other], queue = true, append(queue, other)
				}
			}
		}
	}
	return true
}

// search finds a code for each variable, given propagated domains; nil if there is no solution.
func (c *coding) search(domains [][]int) []int {
	next := -1
	for v, domain := range domains {
		if len(domain) > 1 && (next < 0 || len(domain) < len(domains[next])) {
			next = v
		}
	}
	if next < 0 {
		out := make([]int, len(domains))
		for v := range out {
			out[v] = domains[v][0]
		}
		return out
	}
	for _, code := range domains[next] {
		if c.work < 0 {
			break
		}
		if out := c.assume(domains, next, code); out != nil {
			return out
		}
	}
	return nil
}

// assume searches with one variable's code fixed.
func (c *coding) assume(domains [][]int, variable, code int) []int {
	domains = slices.Clone(domains)
	domains[variable] = []int{code}
	if !c.propagate(domains, slices.Clone(c.at[variable])) {
		return nil
	}
	return c.search(domains)
}

// solve finds codes that give every score. alike names another solution; "" if there is none.
func (c *coding) solve() (own []int, alike string) {
	domains := make([][]int, len(c.at))
	for i := range c.slots {
		for k := range c.slots[i].names {
			domains[c.slots[i].first+k] = c.domain(&c.slots[i], k)
		}
	}
	for _, rows := range [][]int{c.sample(mostCoded), c.view.rows[:min(len(c.view.rows), mostCoding)]} { // few rows refute most arrangements
		if !c.propagate(domains, c.add(rows)) {
			return nil, ""
		}
	}
	if own = c.search(domains); c.work < 0 {
		return nil, ""
	}
	for v, domain := range domains {
		for _, code := range domain {
			if own == nil || alike != "" || code == own[v] {
				continue
			}
			if other := c.assume(domains, v, code); c.work < 0 {
				alike = "the search ended before all others were ruled out"
			} else if other != nil {
				alike = c.difference(own, other)
			}
		}
	}
	return own, alike
}

// domain returns the codes that a slot's k-th category may have, as indices into s.codes. The
// arrangement's own code comes first; for missing cells that is NaN.
func (c *coding) domain(s *slot, k int) (out []int) {
	f := &c.features[s.feature]
	gap := k == len(f.Categories)
	for at := range s.codes {
		code := &s.codes[at]
		if math.IsNaN(code.value) && !gap && !c.view.drop {
			continue
		}
		first := gap && code.none
		if !gap {
			own := float64(k)
			if in := f.Inputs[0]; in.Table != nil {
				own = in.Table[k]
			}
			first = slices.Contains(code.whole, own) || code.value == own
		}
		if first {
			out = slices.Insert(out, 0, at)
		} else {
			out = append(out, at)
		}
	}
	return out
}

// difference names a category whose codes differ between two solutions.
func (c *coding) difference(a, b []int) string {
	for i := range c.slots {
		s := &c.slots[i]
		for k, name := range s.names {
			if x, y := a[s.first+k], b[s.first+k]; x != y {
				return fmt.Sprintf("%s may be %s as well as %s for %.40q", c.features[s.feature].Name, s.codes[x].said(), s.codes[y].said(), name)
			}
		}
	}
	return ""
}

func (c *code) said() string {
	if math.IsNaN(c.value) {
		return "missing"
	}
	return decimal(c.value)
}
