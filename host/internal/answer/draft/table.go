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
	trim    bool // asks for cells without the blanks around them, if some column's have such
	header  bool
	columns []*column
	rows    int
	doubts  []string
}

// column is what its cells are. Texts are numbered as they come up.
type column struct {
	name    string
	texts   []string
	counts  []int
	codes   []int32 // by row; −1−k where mark k of a missing value is, −1 where there are too many texts
	numbers []float64
	missing int
	marks   []string
	// odd are the marks that other columns do not have, oddRows how many rows have them; slips are those that
	// are no numbers.
	odd, slips []string
	oddRows    map[string]int
	// numeric: all that is there are numbers; whole: whole ones; many: more texts than
	// categories can be.
	numeric, whole, many bool
	others               int // texts that are no numbers
	// dated: all that is there are dates; the numbers are days, since the first of them
	// when the table is read.
	dated bool
	since time.Time
	// hot are the columns of a group of which one is 1, by what of their names is a category.
	hot   map[string]string
	index map[string]int32
	// listed are the categories in the order of their codes, where the model's file has them, and unseen the other
	// texts; refused: the model's library refuses their rows.
	listed, unseen []string
	refused        bool
	// gapMarks are those of missing cells that became a category of their own.
	gapMarks []string
}

const maxTexts = 2000

// missingMarks are what pandas takes for a missing value, and "?".
var missingMarks = []string{"", "?", "#N/A", "#NA", "-NaN", "-nan", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}

// readTable reads a CSV file whose format it finds out. names are given to the columns of a
// file without a header.
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
			return fmt.Errorf("%s:%d: more than %d cells", path, line, people.MaxCells)
		}
		for i, cell := range row {
			if !utf8.ValidString(cell) {
				return fmt.Errorf("%s:%d: %q is not UTF-8, which names and categories of a study are in: convert the file (iconv -f latin1 -t utf8)", path, line, cell)
			}
			t.columns[i].add(cell, &t.format)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("%s: no rows", path)
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

// group makes one column of one-hot columns of one attribute: race_a and race_b, of which in
// every row one is 1. The label, where it was given, stands alone, and so do columns whose common
// name others bear.
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

// hot counts the columns from i on that are such a group.
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

// flags reports a column of 0 and 1, or of false and true.
func (c *column) flags() bool {
	return c.missing == 0 && len(c.texts) <= 2 && !slices.ContainsFunc(c.texts, func(text string) bool {
		return !slices.Contains([]string{"0", "1", "0.0", "1.0", "false", "true"}, strings.ToLower(text))
	})
}

// on reports that a flag is 1.
func (c *column) on(row int) bool {
	return c.numbers[row] == 1 || strings.EqualFold(c.text(row), "true")
}

// stemOf is what two names begin with, up to the last of the signs that stand before a category.
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
	} else if c.dated { // and those before were no numbers
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

// isWhole reports a whole number that float64 tells from its neighbours.
func isWhole(v float64) bool { return v == math.Trunc(v) && math.Abs(v) <= 1<<52 }

// daysSinceFirst counts a column of dates from the first of them.
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

// place says where a row was read, for a message.
func (t *table) place(row int) string {
	at, n := "", 0
	_, _ = people.Rows(people.File{Path: t.path}, t.format, func(line int, _ []string) error { // which was read before
		if n++; n == row+1 {
			at = fmt.Sprintf("%s:%d", t.path, line)
			return io.EOF
		}
		return nil
	})
	return at
}

// bad is the first row whose cell is no number, −1 without one.
func (c *column) bad(from int) int {
	for row := from; row < len(c.numbers); row++ {
		if math.IsNaN(c.numbers[row]) {
			return row
		}
	}
	return -1
}

// selection is the rows that are kept, and what the columns are in these.
type selection struct {
	rows []int
	of   map[*column]*kept
	// drop: rows with a missing value are left out; else "?" and the like are categories.
	// fill: the model fills missing numbers, or sends missing values somewhere, so their rows stay in
	// until it is known which.
	drop, fill bool
	// common are the rows that all selections have, by which arrangements are compared; nil: rows.
	common []int
}

// compared are the rows by which arrangements are compared.
func (v *selection) compared() []int {
	if v.common != nil {
		return v.common
	}
	return v.rows
}

// kept is a column in the rows that are kept.
type kept struct {
	lo, hi, mean, deviation float64
	categories              []string // sorted
}

// see keeps the rows without a missing value in the columns and the label; with fill, values may be missing.
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

// gap reports a missing value in a row.
func (c *column) gap(row int) bool {
	if c.numeric {
		return math.IsNaN(c.numbers[row])
	}
	return c.codes[row] < 0
}

// kept is the column in some rows, where a text that is missing is a category of its own, or with drop, none.
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

// text is the cell of a row, as a category has it.
func (c *column) text(row int) string {
	if code := c.codes[row]; code >= 0 {
		return c.texts[code]
	}
	return strings.Join(c.marks[:min(1, len(c.marks))], "")
}
