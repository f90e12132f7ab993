package draft

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// recoded returns the arrangement with the codes found. The numbers of a column are 0, 1, 2, …
// if the codes allow that, else 1, 2, 3, …, else the smallest. only: no other codes give the
// scores.
func (c *coding) recoded(codes []int, only bool) arrangement {
	a := c.arrangement
	a.features = slices.Clone(a.features)
	var told []string
	for i := range c.slots {
		s := &c.slots[i]
		f := &a.features[s.feature]
		f.why = slices.Clip(f.why)
		var names, none []string
		var own []*code
		for k, name := range s.names {
			code := &s.codes[codes[s.first+k]]
			switch {
			case k == len(f.Categories) && code.none:
			case math.IsNaN(code.value):
				none = append(none, name)
			default:
				if k == len(f.Categories) {
					name = f.from.nameGaps()
					f.gapName, f.sent = name, false
				}
				names, own = append(names, name), append(own, code)
			}
		}
		if none != nil {
			f.from.miss(none)
			f.sent = true
			f.why = append(f.why, fmt.Sprintf("certain: the model gives the scores only if %s stands for a missing value", quoted(none, mostQuoted)))
		}
		a.view.of[f.from] = f.from.kept(a.view.rows, a.view.drop)
		numbers, plain := natural(own)
		order := make([]int, len(names))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
		f.Categories, f.Hi = nil, float64(len(names)-1)
		table := make([]float64, len(names))
		for at, k := range order {
			f.Categories, table[at] = append(f.Categories, names[k]), numbers[k]
		}
		if f.inputs, f.Inputs = "", []space.Input{{Scale: 1}}; !plain {
			f.Inputs = []space.Input{{Table: table}}
			f.inputs = tables(f.Inputs)
		}
		if only {
			among := "any others that the model distinguishes from them"
			if c.e == nil {
				among = "any other whole numbers near them; numbers between these were not tried"
			}
			f.why = append(f.why, "certain: the codes, since the scores differ with "+among)
		}
		told = append(told, f.Name)
	}
	a.how += ", codes of " + strings.Join(told, ", ") + " solved from the scores"
	return a
}

// natural chooses a number from each code, different ones if possible; plain: they are 0, 1, 2,
// …
func natural(codes []*code) (numbers []float64, plain bool) {
	n := len(codes)
	numbers = make([]float64, n)
	for start := range 2 {
		of := make([]int, n) // the category of each number
		for k := range of {
			of[k] = -1
		}
		var place func(k int, tried []bool) bool
		place = func(k int, tried []bool) bool { // Kuhn's augmenting paths
			for _, v := range codes[k].whole {
				at := int(v) - start
				if at < 0 || at >= n || tried[at] {
					continue
				}
				if tried[at] = true; of[at] < 0 || place(of[at], tried) {
					of[at] = k
					return true
				}
			}
			return false
		}
		all := true
		for k := 0; k < n && all; k++ {
			all = place(k, make([]bool, n))
		}
		if all {
			for at, k := range of {
				numbers[k] = float64(at + start)
			}
			return numbers, start == 0
		}
	}
	for k, c := range codes {
		numbers[k] = c.value
		if at := slices.IndexFunc(c.whole, func(v float64) bool { return !slices.Contains(numbers[:k], v) }); at >= 0 {
			numbers[k] = c.whole[at]
		}
	}
	return numbers, false
}

// recode looks for codes of categories with which an arrangement gives the scores. If the file
// does not say what stands for a missing value, it also tries the usual numbers. worst is the
// largest error of a score, alike names another solution, and ended says that the search
// stopped early and found nothing.
func (d *drafter) recode(tried []arrangement, scores []float64, bound float64) (found arrangement, worst float64, alike string, ended bool) {
	work := mostCodedWork
	values := []float64{math.NaN()}
	if d.unsaid() && d.absent == nil {
		values = append(values, usualAbsent[:3]...)
	}
	var first *coding
	var codes []int
	absence := ""
	for _, v := range values {
		m := d.model
		if !math.IsNaN(v) {
			m, _ = absent(m, v)
		}
		for i, a := range tried {
			if first != nil && sameColumns(first.features, a.features) || slices.ContainsFunc(tried[:i], func(b arrangement) bool { return a.view == b.view && uncoded(a.features, b.features) }) {
				continue
			}
			c, some := newCoding(a, m, scores, bound, work/4)
			if !some {
				continue
			}
			own, others := c.solve()
			work -= work/4 - max(c.work, 0)
			switch {
			case own == nil:
				ended = ended || c.work < 0
			case first == nil:
				first, codes, alike = c, own, others
				if !math.IsNaN(v) {
					d.absent, absence = &v, fmt.Sprintf(", %s standing for a missing value", decimal(v))
				}
			case alike == "":
				alike = fmt.Sprintf("other columns (%s) give them with other codes", a.how)
			}
			if work < mostCodedWork/20 {
				ended = true
				break
			}
		}
		if first != nil || ended {
			break
		}
	}
	if first == nil {
		return found, math.Inf(1), "", ended
	}
	if ended && alike == "" {
		alike = "the search ended before all others were ruled out"
	}
	found, d.model = first.recoded(codes, alike == ""), first.m
	found.how += absence
	return found, found.worst(d.model, scores, allRows), alike, false
}

// sameColumns reports whether two lists of features read the same columns in the same order.
func sameColumns(a, b []feature) bool {
	return slices.EqualFunc(a, b, func(f, g feature) bool { return f.from == g.from })
}

// uncoded reports whether two lists of features differ only in the codes of categories.
func uncoded(a, b []feature) bool {
	return slices.EqualFunc(a, b, func(f, g feature) bool {
		return f.from == g.from && (f.coded() && g.coded() || f.inputs == g.inputs && slices.Equal(f.Categories, g.Categories))
	})
}
