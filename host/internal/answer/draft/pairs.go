package draft

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/sdk/space"
)

// pairs holds the model's inputs for the rows of a table, as the user's pipeline made them.
type pairs struct {
	path   string
	names  []string // of the inputs; nil without a header
	alike  []string // pairs of columns that give the same input
	inputs [][]float64
	// absent is the number that stands for a missing value in all columns; if there is none,
	// gaps holds the texts that do so in each column.
	absent *float64
	gaps   map[*column][]string
	// some: some inputs are missing although the column has a value.
	some bool
}

// readPairs reads a file with a row of inputs for each row of the table, or for each row that
// is kept. With gaps, inputs may be missing.
func readPairs(path string, t *table, views []*selection, inputs int, gaps bool) (*pairs, []*selection, error) {
	own, err := readTable(path, nil)
	if err != nil {
		return nil, nil, err
	}
	columns := own.columns
	if len(columns) == inputs+1 && columns[0].whole { // the index of a data frame
		columns = columns[1:]
	}
	if len(columns) != inputs {
		return nil, nil, fmt.Errorf("%s has %d columns; the model takes %d inputs", path, len(columns), inputs)
	}
	first, fit, err := own.match(t, views)
	if err != nil {
		return nil, nil, err
	}
	p := &pairs{path: path}
	for _, c := range columns {
		if row := c.bad(first); row >= 0 && !(gaps && c.numeric) {
			return nil, nil, fmt.Errorf("%s: column %q: want a number in every row", own.place(row), c.name)
		}
		if own.header {
			p.names = append(p.names, c.name)
		}
		p.inputs = append(p.inputs, fit.spread(t, c.numbers[first:]))
	}
	return p, fit, nil
}

// selections lists the selections of rows that a second file may hold.
type selections []*selection

// match determines which rows a second file holds, by their number: all of the table's, or
// those of a selection. With one row more, the first row is a header of numbers.
func (own *table) match(t *table, views []*selection) (first int, of selections, err error) {
	for first := range 2 {
		if own.rows-first == t.rows {
			return first, views, nil
		}
		for i, v := range views {
			if own.rows-first == len(v.rows) {
				return first, views[i : i+1], nil
			}
		}
	}
	kept := ""
	if n := len(views[0].rows); n != t.rows {
		kept = fmt.Sprintf(" (%d without missing values)", n)
	}
	return 0, nil, fmt.Errorf("%s has %d rows, %s has %d%s: want one row for each, in the same order", own.path, own.rows, t.path, t.rows, kept)
}

// spread moves the numbers of the selected rows to the indices of the table's rows.
func (of selections) spread(t *table, numbers []float64) []float64 {
	if len(numbers) == t.rows {
		return numbers
	}
	out := make([]float64, t.rows)
	for i, row := range of[0].rows {
		out[row] = numbers[i]
	}
	return out
}

// near reports whether a and b are equal up to float32 rounding or a few printed digits.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-6*(1+math.Abs(b)) }

// solve finds, for each input, the column that determines it, and how.
func (p *pairs) solve(v *selection, columns []*column) (arrangement, error) {
	a := arrangement{view: v, how: "solved from " + p.path}
	for j, x := range p.inputs {
		var c *column
		if p.names != nil {
			if own, _, ok := v.source(columns, p.names[j]); ok {
				c = p.column(v, []*column{own}, x, a.features)
			}
		}
		if c == nil {
			c = p.column(v, columns, x, a.features)
		}
		if c == nil {
			name := strconv.Itoa(j + 1)
			if p.names != nil {
				name += fmt.Sprintf(" (%s)", p.names[j])
			}
			return a, fmt.Errorf("%s: no single column of the data determines input %s in all rows: a study cannot state inputs computed from several columns, or from rows that are not in the data", p.path, name)
		}
		if last := len(a.features) - 1; last >= 0 && a.features[last].from == c {
			a.features[last].Inputs = append(a.features[last].Inputs, space.Input{Index: j})
			continue
		}
		if slices.ContainsFunc(a.features, func(f feature) bool { return f.from == c }) {
			return a, fmt.Errorf("%s: input %d is made from %s again, after inputs of other columns: the model must take all inputs of a column in sequence", p.path, j+1, c.name)
		}
		f := feature{from: c}
		f.Inputs = []space.Input{{Index: j}}
		a.features = append(a.features, f)
	}
	at := make([][]space.Input, len(a.features))
	for i := range a.features {
		at[i] = a.features[i].Inputs
		if err := p.encode(v, &a.features[i]); err != nil {
			return a, err
		}
	}
	return a, p.miss(v, a.features, at)
}

// miss determines what stands for missing inputs: one number in all columns, or texts of some.
// at holds each feature's inputs in the file.
func (p *pairs) miss(v *selection, features []feature, at [][]space.Input) error {
	p.absent, p.gaps, p.some = nil, map[*column][]string{}, false
	numbers := map[float64]bool{}
	tables := false
	for i := range features {
		c := features[i].from
		for _, in := range at[i] {
			for _, row := range v.rows {
				if !math.IsNaN(p.inputs[in.Index][row]) {
					continue
				}
				p.some = true
				if text := c.text(row); !slices.Contains(p.gaps[c], text) {
					p.gaps[c] = append(p.gaps[c], text)
				}
				if tables = tables || features[i].Kind == space.Categorical; !tables {
					numbers[c.numbers[row]] = true
				}
			}
		}
	}
	if !p.some {
		return nil
	}
	if len(numbers) == 0 && tables {
		numbers[0] = true
	}
	if len(numbers) == 1 {
		for n := range numbers {
			if p.everywhere(v, features, n) {
				p.absent, p.gaps = &n, nil
				for i := range features {
					features[i].put(n)
				}
				return nil
			}
		}
	}
	for i := range features {
		f := &features[i]
		gaps := p.gaps[f.from]
		if gaps != nil && (len(at[i]) != 1 || f.from.many) {
			return fmt.Errorf("%s: input %d is missing in rows with %s = %.40q; a study can state this only if the column feeds one input, or if one number is missing in all inputs", p.path, at[i][0].Index+1, f.from.name, gaps[0])
		}
		f.drop(gaps)
	}
	return nil
}

// everywhere reports whether exactly the missing inputs would be the number n.
func (p *pairs) everywhere(v *selection, features []feature, n float64) bool {
	j := 0
	for i := range features {
		f := &features[i]
		for _, in := range f.Inputs {
			x := p.inputs[j]
			j++
			for _, row := range v.rows {
				own := in.Scale*f.from.numbers[row] + in.Offset
				if f.Kind == space.Categorical {
					if own = float64(slices.Index(f.Categories, f.from.text(row))); in.Table != nil {
						own = in.Table[int(own)]
					}
				}
				if math.IsNaN(own) {
					own = n // a table's missing entry
				}
				if (own == n) != math.IsNaN(x[row]) {
					return false
				}
			}
		}
	}
	return true
}

// drop removes names from the feature's categories.
func (f *feature) drop(names []string) {
	if f.Kind != space.Categorical || len(names) == 0 {
		return
	}
	for k := len(f.Categories) - 1; k >= 0; k-- {
		if slices.Contains(names, f.Categories[k]) {
			f.Categories = slices.Delete(f.Categories, k, k+1)
			if in := &f.Inputs[0]; in.Table != nil {
				in.Table = slices.Delete(in.Table, k, k+1)
			}
		}
	}
	if f.Hi = float64(len(f.Categories) - 1); f.Inputs[0].Table != nil {
		f.inputs = tables(f.Inputs)
	}
}

// put replaces missing entries of the feature's tables by a number.
func (f *feature) put(n float64) {
	hot, some := len(f.Inputs) == len(f.Categories), false
	for i := range f.Inputs {
		for k, x := range f.Inputs[i].Table {
			if math.IsNaN(x) {
				f.Inputs[i].Table[k], some = n, true
			}
			hot = hot && f.Inputs[i].Table[k] == map[bool]float64{true: 1}[i == k]
		}
	}
	if some && hot {
		f.inputs = "one-hot"
	} else if some {
		f.inputs = tables(f.Inputs)
	}
}

// column returns the column that determines an input: a column of numbers by a line, else one
// whose every value has one input.
func (p *pairs) column(v *selection, columns []*column, x []float64, before []feature) *column {
	lowest, highest := math.Inf(1), math.Inf(-1)
	gap := false
	for _, row := range v.rows {
		if gap = gap || math.IsNaN(x[row]); !math.IsNaN(x[row]) {
			lowest, highest = min(lowest, x[row]), max(highest, x[row])
		}
	}
	constant := lowest == highest && !gap
	if n := len(before); n > 0 && (constant || !before[n-1].from.numeric && p.table(v, before[n-1].from, x) != nil) {
		return before[n-1].from
	}
	var fit []*column
	for _, c := range columns {
		if _, _, ok := p.line(v, c, x); c.numeric && ok && !constant {
			fit = append(fit, c)
		}
	}
	if fit == nil { // a column with fewer texts fits less likely by chance; words come before numbers
		for _, words := range []bool{true, false} {
			for _, c := range columns {
				if c.numeric != words && !c.many && p.table(v, c, x) != nil {
					fit = append(fit, c)
				}
			}
			if fit != nil {
				break
			}
		}
		least := func(a, b *column) int { return len(a.texts) - len(b.texts) }
		slices.SortStableFunc(fit, least)
		fit = slices.DeleteFunc(fit, func(c *column) bool { return least(c, fit[0]) > 0 })
	}
	if fit == nil {
		return nil
	}
	for _, c := range fit[1:] {
		if c != fit[0] {
			p.alike = append(p.alike, fit[0].name+" and "+c.name)
		}
	}
	return fit[0]
}

// line returns the scale and offset that give x from a column of numbers. If x is missing for a
// number, it must be for all its rows.
func (p *pairs) line(v *selection, c *column, x []float64) (scale, offset float64, ok bool) {
	lo, hi := -1, -1
	missing := map[float64]bool{}
	for _, row := range v.rows {
		n := c.numbers[row]
		if math.IsNaN(x[row]) {
			missing[n] = true
			continue
		}
		if lo < 0 || n < c.numbers[lo] {
			lo = row
		}
		if hi < 0 || n > c.numbers[hi] {
			hi = row
		}
	}
	if lo < 0 || x[lo] == x[hi] && (c.numbers[lo] != c.numbers[hi] || x[lo] != c.numbers[lo] || len(missing) == 0) {
		return 0, 0, false
	}
	if scale = 1; x[lo] != x[hi] {
		scale = (x[hi] - x[lo]) / (c.numbers[hi] - c.numbers[lo])
	}
	offset = x[lo] - scale*c.numbers[lo]
	return scale, offset, !slices.ContainsFunc(v.rows, func(row int) bool {
		return !math.IsNaN(x[row]) && (missing[c.numbers[row]] || !near(scale*c.numbers[row]+offset, x[row]))
	})
}

// table returns the input for each of a column's texts; nil if they do not determine it.
func (p *pairs) table(v *selection, c *column, x []float64) map[string]float64 {
	out := map[string]float64{}
	for _, row := range v.rows {
		text := c.text(row)
		if have, ok := out[text]; ok && have != x[row] && !(math.IsNaN(have) && math.IsNaN(x[row])) {
			return nil
		}
		out[text] = x[row]
	}
	return out
}

// encode determines how the inputs of a feature are made.
func (p *pairs) encode(v *selection, f *feature) error {
	c, at := f.from, f.Inputs
	if c.numeric {
		if scale, offset, ok := p.line(v, c, p.inputs[at[0].Index]); ok && len(at) == 1 {
			x := p.inputs[at[0].Index]
			worst := func(scale, offset float64) (most float64) {
				for _, row := range v.rows {
					if math.IsNaN(x[row]) {
						continue
					}
					most = max(most, math.Abs(scale*c.numbers[row]+offset-x[row])/(1+math.Abs(x[row])))
				}
				return most
			}
			*f = v.number(c)
			f.settle(v.of[c], scale, offset, 4*worst(scale, offset)+1e-12, worst, len(v.rows))
			return nil
		}
	}
	// By texts: the categories follow the order of the inputs, if each input belongs to one
	// category.
	var maps []map[string]float64
	for _, in := range at {
		m := p.table(v, c, p.inputs[in.Index])
		if m == nil {
			return fmt.Errorf("%s: input %d is not determined by %s, which the inputs before or after it are made from", p.path, in.Index+1, c.name)
		}
		maps = append(maps, m)
	}
	names := slices.Clone(v.of[c].categories)
	*f = feature{from: c, why: []string{fmt.Sprintf("certain: the inputs of all %d rows", len(v.rows))}}
	f.Name, f.Kind = c.name, space.Categorical
	rank := func(name string) int {
		i := slices.IndexFunc(maps, func(m map[string]float64) bool { return m[name] == 1 })
		return map[bool]int{true: len(maps), false: i}[i < 0]
	}
	if len(maps) == 1 {
		rank = func(name string) int { return int(maps[0][name]) }
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	f.Categories, f.Hi = names, float64(len(names)-1)
	hot, value := len(maps) == len(names), len(maps) == 1
	for i, m := range maps {
		in := space.Input{}
		for k, name := range names {
			in.Table = append(in.Table, m[name])
			hot = hot && m[name] == map[bool]float64{true: 1}[i == k]
			value = value && m[name] == float64(k)
		}
		f.Inputs = append(f.Inputs, in)
	}
	switch {
	case value:
		f.Inputs = []space.Input{{Scale: 1}}
	case hot:
		f.inputs = "one-hot"
	default:
		f.inputs = tables(f.Inputs)
	}
	return nil
}

// settle chooses how to write a line: as a usual scaling, if its error is within the bound,
// else with the fewest digits whose error is. worst returns the largest error of a line.
func (f *feature) settle(k *kept, scale, offset, bound float64, worst func(scale, offset float64) float64, rows int) {
	n := float64(rows)
	sample := k.deviation * math.Sqrt(n/max(1, n-1))
	why := fmt.Sprintf("certain: as in all %d rows, to %%.1g", rows)
	try := func(text string, s, o float64) bool {
		off := worst(s, o)
		if !(off <= bound) || math.IsInf(s, 0) {
			return false
		}
		if f.affine(text, s, o); text == "" {
			f.Inputs = []space.Input{{Scale: 1}}
		}
		f.why = append(f.why, fmt.Sprintf(why, off))
		return true
	}
	if try("", 1, 0) ||
		try(fmt.Sprintf("{min: %s, max: %s}", decimal(k.lo), decimal(k.hi)), 1/(k.hi-k.lo), -k.lo/(k.hi-k.lo)) ||
		try(fmt.Sprintf("{mean: %s, deviation: %s}", decimal(k.mean), decimal(k.deviation)), 1/k.deviation, -k.mean/k.deviation) ||
		try(fmt.Sprintf("{mean: %s, deviation: %s}", decimal(k.mean), decimal(sample)), 1/sample, -k.mean/sample) {
		return
	}
	middle := (k.lo + k.hi) / 2
	for digits := 1; digits <= 17; digits++ {
		s := short(scale, digits)
		for _, o := range []float64{short(offset+(scale-s)*middle, digits), short(offset, digits)} {
			if try(fmt.Sprintf("{scale: %s, offset: %s}", decimal(s), decimal(o)), s, o) {
				return
			}
		}
	}
	try(fmt.Sprintf("{scale: %s, offset: %s}", decimal(scale), decimal(offset)), scale, offset)
}

// short rounds a number to significant digits.
func short(x float64, digits int) float64 {
	out, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return out
}

// readScores reads a file with a score for each row of the table, or for each row that is kept.
func readScores(path string, t *table, views []*selection) ([]float64, []*selection, error) {
	own, numbers, err := scoresOf(path)
	if err != nil {
		return nil, nil, err
	}
	first, fit, err := own.match(t, views)
	if err != nil {
		return nil, nil, err
	}
	return fit.spread(t, numbers[first:]), fit, nil
}

// ReadScores reads the scores of a CSV file: its last column of numbers, such as that of the
// second class.
func ReadScores(path string) ([]float64, error) {
	_, numbers, err := scoresOf(path)
	return numbers, err
}

func scoresOf(path string) (*table, []float64, error) {
	own, err := readTable(path, nil)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range slices.Backward(own.columns) {
		numbers := 0
		for _, v := range c.numbers {
			if !math.IsNaN(v) {
				numbers++
			}
		}
		if numbers == 0 || c.dated { // a name, a label
			continue
		}
		if row := c.bad(0); row >= 0 {
			return nil, nil, fmt.Errorf("%s: column %q, the last one with numbers, has no number here: give every row a score", own.place(row), c.name)
		}
		return own, c.numbers, nil
	}
	return nil, nil, fmt.Errorf("%s: no column of numbers: want one with a score for each row", path)
}
