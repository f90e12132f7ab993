package draft

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/view"
)

// notation finds out how numbers are written, by which most cells are some.
func (t *table) notation(rows [][]string) {
	count := func(f people.Format) (numbers int, columns []string) {
		for i := range rows[0] {
			n := 0
			for _, row := range rows[1:] {
				if _, ok := f.Number(row[i]); ok {
					n++
				}
			}
			if numbers += n; 2*n > len(rows)-1 {
				columns = append(columns, rows[0][i])
			}
		}
		return numbers, columns
	}
	most, _ := count(t.format)
	plain := t.format
	var alike []people.Format
	for _, f := range people.Notations {
		f.Delimiter, f.Trim = plain.Delimiter, plain.Trim
		switch n, _ := count(f); {
		case n > most:
			most, t.format, alike = n, f, nil
		case n == most && t.format.Decimal+t.format.Thousands != 0:
			alike = append(alike, f)
		}
	}
	if at := slices.IndexFunc(alike, func(f people.Format) bool { return f.Thousands == ',' }); at >= 0 && t.format.Decimal == ',' {
		if t.format.Thousands == 0 && plain.Delimiter == ',' { // "1,234" in quotes
			alike[at], t.format = t.format, alike[at]
		}
		t.doubts = append(t.doubts, fmt.Sprintf("numbers with a comma may have it before their decimals or between thousands; this is read as %s: change that under data: where it is wrong", written(&t.format)))
	}
	if t.format.Decimal == 0 && t.format.Thousands == 0 && plain.Delimiter == ';' {
		for i, name := range rows[0] {
			if some := group(rows[1:], i); some != "" {
				t.doubts = append(t.doubts, fmt.Sprintf("%s: numbers such as %s have three digits behind every point, and are read as decimals: where the points stand between thousands, say decimal: \",\", thousands: \".\" under data:", name, some))
			}
		}
	}
}

var grouped = regexp.MustCompile(`^[-+]?[1-9]\d{0,2}(\.\d{3})+$`)

// group is a number with thousands of a column in which every point may stand between such; "" of other columns.
func group(rows [][]string, column int) (some string) {
	for _, row := range rows {
		if cell := row[column]; grouped.MatchString(cell) {
			some = cell
		} else if strings.ContainsAny(cell, ".,") {
			return ""
		}
	}
	return some
}

// written says how numbers are written, in the keys of a study.
func written(f *people.Format) string {
	var keys []string
	if f.Decimal != 0 {
		keys = append(keys, "decimal: "+scalar(string(f.Decimal)))
	}
	if f.Thousands != 0 {
		keys = append(keys, "thousands: "+strings.ReplaceAll(scalar(string(f.Thousands)), `" "`, "space"))
	}
	return strings.Join(keys, ", ")
}

// gapWords are what people write where they have no number.
var gapWords = regexp.MustCompile(`(?i)^(unknown|unk|unknw|missing|none|nil|na|n/?a\.?|n\.a\.|n\.d\.|k\.? ?a\.?|not (available|applicable|known|stated|specified|given|recorded)|no (data|answer|response)|refused|undefined|invalid|error|inf|-inf|infinity|#[\w/]+[!?]?|unbekannt|keine angabe|inconnu|desconocido|\(?null\)?|tbd|\*+|x+|[-–—.]+|\?+)$`)

const (
	// fewValues are about as many different numbers as codes have.
	fewValues = 20
	// mostOdd are as many different texts as may stand among numbers by mistake.
	mostOdd = 20
)

// oddCells are the texts of a column that is of numbers but for a few cells; nil where it is not. surely: the model
// takes it for numbers.
func (c *column) oddCells(surely bool) []string {
	if c.numeric || c.dated || c.hot != nil || c.others > mostOdd {
		return nil
	}
	var odd []string
	count, numbers := 0, 0
	different := map[float64]bool{}
	for row, v := range c.numbers {
		if !math.IsNaN(v) {
			numbers++
			different[v] = true
		} else if code := c.codes[row]; code >= 0 {
			if count++; !slices.Contains(odd, c.texts[code]) {
				odd = append(odd, c.texts[code])
			}
		}
	}
	words := !slices.ContainsFunc(odd, func(text string) bool { return !gapWords.MatchString(text) })
	switch {
	case (words || surely) && numbers >= count && (surely || len(different) >= 5):
	case 20*count <= numbers && len(different) > fewValues && len(odd) <= 3+len(different)/10:
	case 100*count <= numbers && count <= 2 && len(different) > fewValues/2: // slips
	default:
		return nil
	}
	return odd
}

// miss makes texts of the column marks of a missing value.
func (c *column) miss(texts []string) {
	was := c.texts
	c.texts, c.counts, c.index = nil, nil, map[string]int32{}
	if c.oddRows == nil {
		c.oddRows = map[string]int{}
	}
	for row, code := range c.codes {
		if code < 0 {
			continue
		}
		text := was[code]
		if slices.Contains(texts, text) {
			c.missing++
			c.oddRows[text]++
			c.codes[row], c.numbers[row] = -1, math.NaN()
			continue
		}
		at, ok := c.index[text]
		if !ok {
			at = int32(len(c.texts))
			c.index[text] = at
			c.texts, c.counts = append(c.texts, text), append(c.counts, 0)
		}
		c.counts[at]++
		c.codes[row] = at
	}
	c.marks, c.odd = append(c.marks, texts...), append(c.odd, texts...)
	c.numeric, c.whole = true, true
	for row, v := range c.numbers {
		if math.IsNaN(v) {
			c.numeric = c.numeric && c.codes[row] < 0
		} else {
			c.whole = c.whole && v == math.Trunc(v) && math.Abs(v) <= 1<<52
		}
	}
	c.whole = c.whole && c.numeric
}

// findOddCells makes numbers of the columns that are some but for a few cells, which count as missing values.
func (d *drafter) findOddCells() {
	for _, c := range d.table.columns {
		if odd := c.oddCells(false); odd != nil && c.listed == nil && !d.knows(c, odd) {
			c.miss(odd)
			c.slips = odd
		}
	}
}

// knows reports that the model's inputs are named after some of a column's texts.
func (d *drafter) knows(c *column, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		own := plain(c.name) + "_" + plain(text)
		return slices.ContainsFunc(d.info.InputNames, func(name string) bool { return strings.HasSuffix("_"+plain(name), "_"+own) })
	})
}

// doubtOddCells says which cells of the features' columns are no numbers, and what becomes of their rows.
func (d *drafter) doubtOddCells() {
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		c := f.from
		if len(c.slips) == 0 {
			continue
		}
		count, texts := 0, make([]string, len(c.slips))
		for i, text := range c.slips {
			texts[i] = fmt.Sprintf("%.40q", text)
			count += c.oddRows[text]
		}
		what := "and their rows are left out"
		switch {
		case f.filled():
			what = "and get what the model puts in place of a missing number"
		case f.lacks():
			what = "and count as missing, which the trees send somewhere"
		}
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("%s: %s of %s cells are no numbers (%s), %s: if the model was trained otherwise, change it", c.name, view.Count(count), view.Count(len(c.numbers)), strings.Join(texts, ", "), what))
	}
}
