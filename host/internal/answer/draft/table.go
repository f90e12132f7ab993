package draft

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// table is a CSV file, column by column.
type table struct {
	path    string
	format  people.Format
	trim    bool // removes blanks around cells, if a column has them
	header  bool
	columns []*column
	rows    int
	doubts  []string
}

// column holds a column's cells. Texts are numbered in the order of their first occurrence.
type column struct {
	name    string
	texts   []string
	counts  []int
	codes   []int32 // by row; −1−k: mark k of a missing value; −1 with too many texts
	numbers []float64
	missing int
	marks   []string
	// odd lists the marks that only this column has, and oddRows counts their rows; slips are
	// the odd texts in a column of numbers.
	odd, slips []string
	oddRows    map[string]int
	// numeric: all cells but missing ones are numbers; whole: whole numbers; many: too many
	// texts for categories.
	numeric, whole, many bool
	others               int // the number of texts that are not numbers
	// dated: all cells but missing ones are dates; once the table is read, the numbers are days
	// since the first date.
	dated bool
	since time.Time
	// hot maps categories to the columns of a one-hot group.
	hot   map[string]string
	index map[string]int32
	// listed holds the categories in the order of their codes, if the model's file has them,
	// and unseen the other texts; refused: the model's library refuses their rows.
	listed, unseen []string
	refused        bool
	// gapMarks holds the marks of missing cells that became a category.
	gapMarks []string
}

const maxTexts = 2000

// missingMarks lists what pandas takes for a missing value, and "?".
var missingMarks = []string{"", "?", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

// readTable reads a CSV file and determines its format. names are the columns' names in a file
// without a header.
func readTable(path string, names []string) (*table, error) { return (&table{path: path}).read(names) }

func (t *table) read(names []string) (*table, error) {
	path := t.path
	if err := t.sniff(names); err != nil {
		return nil, err
	}
	columns, err := people.Rows(people.File{Path: path}, t.format, func(line int, row []string) error {
		if t.rows == 0 {
			for range row {
				t.columns = append(t.columns, &column{numeric: true, whole: true, dated: true, index: map[string]int32{}})
			}
		}
		if t.rows++; t.rows*len(row) > people.MaxCells {
			return fmt.Errorf("%s:%d: the file has more than %d cells: take fewer rows or columns", path, line, people.MaxCells)
		}
		for i, cell := range row {
			if !utf8.ValidString(cell) {
				return fmt.Errorf("%s:%d: %q is not UTF-8, as a study requires: convert the file (iconv -f latin1 -t utf8)", path, line, cell)
			}
			t.columns[i].add(cell, &t.format)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%s: no rows: want at least one", path)
	}
	for i, c := range t.columns {
		if c.name = columns[i]; !utf8.ValidString(c.name) {
			return nil, fmt.Errorf("%s: the name %q is not UTF-8, as a study requires: convert the file (iconv -f latin1 -t utf8)", path, c.name)
		}
		c.dated = c.dated && c.missing < t.rows
		c.numeric = c.numeric && c.missing < t.rows || c.dated
		c.daysSinceFirst()
		c.whole = c.whole && c.numeric
	}
	return t, nil
}

// group merges the one-hot columns of an attribute into one: race_a and race_b, one of which is
// 1 in every row. A given label is not merged, nor are columns whose common name another column
// has.
func (t *table) group(label string) {
	var out []*column
	for i := 0; i < len(t.columns); i++ {
		n := t.hot(i)
		if n < 2 || slices.ContainsFunc(t.columns[i:i+n], func(c *column) bool { return c.name == label }) {
			out = append(out, t.columns[i])
			continue
		}
		group := t.columns[i : i+n]
		stem := stemOf(group[0].name, group[1].name)
		name := strings.TrimRight(stem, "_-=. ")
		if slices.ContainsFunc(slices.Concat(out, t.columns), func(c *column) bool { return c.name == name }) {
			out = append(out, group...)
			i += n - 1
			continue
		}
		one := &column{name: name, index: map[string]int32{}, hot: map[string]string{}}
		for k, c := range group {
			text := c.name[len(stem):]
			one.hot[text], one.index[text] = c.name, int32(k)
			one.texts, one.counts = append(one.texts, text), append(one.counts, 0)
		}
		for row := range t.rows {
			at := slices.IndexFunc(group, func(c *column) bool { return c.on(row) })
			one.counts[at]++
			one.codes, one.numbers = append(one.codes, int32(at)), append(one.numbers, math.NaN())
		}
		out = append(out, one)
		i += n - 1
	}
	t.columns = out
}

// hot counts the columns, column i first, that form a one-hot group.
func (t *table) hot(i int) int {
	n := 0
	var stem string
	for n < len(t.columns)-i && t.columns[i+n].flags() {
		if name := t.columns[i+n].name; n == 1 {
			if stem = stemOf(t.columns[i].name, name); stem == "" {
				return 0
			}
		} else if n > 1 && (!strings.HasPrefix(name, stem) || len(name) == len(stem)) {
			break
		}
		n++
	}
	if n < 2 {
		return 0
	}
	for row := range t.rows {
		ones := 0
		for _, c := range t.columns[i : i+n] {
			if c.on(row) {
				ones++
			}
		}
		if ones != 1 {
			return 0
		}
	}
	return n
}

// flags reports whether a column holds only 0 and 1, or false and true.
func (c *column) flags() bool {
	return c.missing == 0 && len(c.texts) <= 2 && !slices.ContainsFunc(c.texts, func(text string) bool {
		return !slices.Contains([]string{"0", "1", "0.0", "1.0", "false", "true"}, strings.ToLower(text))
	})
}

// on reports whether a flag is 1 or true.
func (c *column) on(row int) bool {
	return c.numbers[row] == 1 || strings.EqualFold(c.text(row), "true")
}

// stemOf returns the common beginning of two names, up to the last separator before a category.
func stemOf(a, b string) string {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	at := strings.LastIndexAny(a[:n], "_-=. ") + 1
	if at < 2 || at == len(a) || at == len(b) {
		return ""
	}
	return a[:at]
}

func (c *column) add(cell string, format *people.Format) {
	if slices.Contains(missingMarks, cell) {
		mark := slices.Index(c.marks, cell)
		if c.missing++; mark < 0 {
			mark = len(c.marks)
			c.marks = append(c.marks, strings.Clone(cell))
		}
		c.codes, c.numbers = append(c.codes, int32(-1-mark)), append(c.numbers, math.NaN())
		return
	}
	v, number := format.Number(cell)
	if !number {
		c.numeric, v = false, math.NaN()
	}
	if day, ok := people.Days(cell, time.Time{}); ok && c.dated {
		v = day
	} else if c.dated { // the dates before are not numbers either
		c.dated = false
		for i := range c.numbers {
			c.numbers[i] = math.NaN()
		}
	}
	c.whole = c.whole && isWhole(v)
	c.numbers = append(c.numbers, v)
	code, ok := c.index[cell]
	switch {
	case ok:
		c.counts[code]++
	case len(c.texts) >= maxTexts && (number || c.others > mostOdd):
		c.many, code = true, -1
	default:
		code, cell = int32(len(c.texts)), strings.Clone(cell)
		c.index[cell] = code
		if c.texts, c.counts = append(c.texts, cell), append(c.counts, 1); !number {
			c.others++
		}
	}
	c.codes = append(c.codes, code)
}

// isWhole reports whether v is a whole number that float64 distinguishes from its neighbours.
func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<52 }

// daysSinceFirst makes a column of dates count from its first date.
func (c *column) daysSinceFirst() {
	if !c.dated {
		return
	}
	first := math.Inf(1)
	for _, v := range c.numbers {
		if v < first {
			first = v
		}
	}
	c.since = time.Time{}.AddDate(0, 0, int(first))
	for i := range c.numbers {
		c.numbers[i] -= first
	}
}

// place returns a row's file and line, for a message.
func (t *table) place(row int) string {
	at, n := "", 0
	_, _ = people.Rows(people.File{Path: t.path}, t.format, func(line int, _ []string) error { // no error: it was read before
		if n++; n == row+1 {
			at = fmt.Sprintf("%s:%d", t.path, line)
			return io.EOF
		}
		return nil
	})
	return at
}

// bad returns the first row ≥ from whose cell is not a number; −1 if there is none.
func (c *column) bad(from int) int {
	for row := from; row < len(c.numbers); row++ {
		if math.IsNaN(c.numbers[row]) {
			return row
		}
	}
	return -1
}

// selection holds the rows that are kept, and the columns' statistics over them.
type selection struct {
	rows []int
	of   map[*column]*kept
	// drop: rows with a missing value are left out; else "?" and the like are categories. fill:
	// the model fills missing numbers or has a branch for missing values, so their rows stay in
	// until it is known which.
	drop, fill bool
	// common holds the rows of all selections, by which arrangements are compared; nil: rows.
	common []int
}

// compared returns the rows by which arrangements are compared.
func (v *selection) compared() []int {
	if v.common != nil {
		return v.common
	}
	return v.rows
}

// kept holds a column's statistics over the rows that are kept.
type kept struct {
	lo, hi, mean, deviation float64
	categories              []string // sorted
}

// see selects the rows with a label and without a missing number in the columns. A missing text
// excludes a row only if drop is set or the column's categories are listed. With fill, the
// columns' values may be missing.
func (t *table) see(columns []*column, label *column, drop, fill bool) *selection {
	v := &selection{of: map[*column]*kept{}, drop: drop, fill: fill}
	for i := range t.rows {
		if !(label != nil && label.gap(i)) && !slices.ContainsFunc(columns, func(c *column) bool {
			return c.gap(i) && !fill && (c.numeric || c.listed != nil || drop)
		}) {
			v.rows = append(v.rows, i)
		}
	}
	for _, c := range columns {
		v.of[c] = c.kept(v.rows, drop)
	}
	return v
}

// gap reports whether the column's value is missing in a row.
func (c *column) gap(row int) bool {
	if c.numeric {
		return math.IsNaN(c.numbers[row])
	}
	return c.codes[row] < 0
}

// kept computes the column's statistics over some rows. Unless drop is set, a missing text is a
// category.
func (c *column) kept(rows []int, drop bool) *kept {
	k := &kept{lo: math.Inf(1), hi: math.Inf(-1)}
	seen := make([]bool, len(c.texts))
	gap, n := false, 0.0
	for _, i := range rows {
		if code := c.codes[i]; code >= 0 {
			seen[code] = true
		} else {
			gap = true
		}
		if c.numeric && !c.gap(i) {
			k.lo, k.hi = min(k.lo, c.numbers[i]), max(k.hi, c.numbers[i])
			k.mean += c.numbers[i]
			n++
		}
	}
	if c.numeric {
		k.mean /= n
		for _, i := range rows {
			if !c.gap(i) {
				k.deviation += (c.numbers[i] - k.mean) * (c.numbers[i] - k.mean) / n
			}
		}
		k.deviation = math.Sqrt(k.deviation)
	}
	for code, is := range seen {
		if is {
			k.categories = append(k.categories, c.texts[code])
		}
	}
	if gap && !c.numeric && c.listed == nil && !drop {
		k.categories = append(k.categories, c.marks[0])
	}
	slices.Sort(k.categories)
	return k
}

// text returns a row's cell as a category's name.
func (c *column) text(row int) string {
	if code := c.codes[row]; code >= 0 {
		return c.texts[code]
	}
	return strings.Join(c.marks[:min(1, len(c.marks))], "")
}
