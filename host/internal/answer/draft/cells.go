package draft

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// gapWords matches words that people write instead of a number.
var gapWords = regexp.MustCompile(`(?i)^(unknown|unk|unknw|missing|none|nil|na|n/?a\.?|n\.a\.|n\.d\.|k\.? ?a\.?|not (available|applicable|known|stated|specified|given|recorded)|no (data|answer|response)|refused|undefined|invalid|error|inf|-inf|infinity|#[\w/]+[!?]?|unbekannt|keine angabe|inconnu|desconocido|\(?null\)?|tbd|\*+|x+|[-–—.]+|\?+)$`)

var (
	// aroundNumber matches a number with a currency or per cent sign.
	aroundNumber = regexp.MustCompile(`^[-+(]*\p{Sc}? ?([-+]?\d[^%‰\p{Sc}]*?) ?([%‰]|\p{Sc}|(?i:eur|usd|gbp|chf))?[-)]?$`)
	// withUnit matches a number with a unit.
	withUnit = regexp.MustCompile(`^\d+([.,]\d+)? \pL+$`)
	// otherDates matches dates in other forms than 2024-02-29.
	otherDates = regexp.MustCompile(`^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?)?$`)
)

// foreign names the contents of a column that a study cannot read as numbers: numbers with a
// currency or other sign, or dates in another form; "" for other columns.
func (c *column) foreign() string {
	if c.numeric || len(c.texts) == 0 {
		return ""
	}
	signed, dates, numbers, sign := 0, 0, 0, ""
	for _, text := range c.texts {
		if _, ok := (*people.Format)(nil).Number(text); ok {
			numbers++
		}
		trimmed := strings.TrimSpace(text)
		if found := aroundNumber.FindStringSubmatch(trimmed); found != nil && found[1] != trimmed {
			if _, ok := (*people.Format)(nil).Number(found[1]); ok || people.NotationOf(found[1]) != nil {
				if signed++; sign == "" {
					sign = text
				}
			}
		}
		if otherDates.MatchString(trimmed) {
			dates++
		}
	}
	switch most := 9 * len(c.texts); {
	case signed > 0 && 10*(signed+numbers) >= most:
		return fmt.Sprintf("numbers with a currency or other sign, such as %.40q: write them as plain numbers", sign)
	case 10*dates >= most:
		return fmt.Sprintf("dates such as %.40q: write them in the form 2024-02-29", c.texts[0])
	}
	return ""
}

const (
	// fewValues is a typical number of different codes.
	fewValues = 20
	// mostOdd bounds the different texts that count as mistakes in a column of numbers.
	mostOdd = 20
)

// oddCells returns the texts of a column that otherwise holds numbers; nil if there are none or
// too many. surely: the model has an input of its name that is a number.
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
	case words && numbers >= count && (surely || len(different) >= 5):
	case 20*count <= numbers && len(different) > fewValues && len(odd) <= 3+len(different)/10:
	case 100*count <= numbers && count <= 2 && len(different) > fewValues/2: // slips
	default:
		return nil
	}
	return odd
}

// miss turns texts of the column into marks of a missing value.
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
		if mark := slices.Index(texts, text); mark >= 0 {
			c.missing++
			c.oddRows[text]++
			c.codes[row], c.numbers[row] = int32(-1-len(c.marks)-mark), math.NaN()
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
}

// rowsWith counts the rows of texts that became marks by miss.
func (c *column) rowsWith(texts []string) (n int) {
	for _, text := range texts {
		n += c.oddRows[text]
	}
	return n
}

// keep turns a mark of a missing value back into a value of this column.
func (c *column) keep(mark string) {
	at := slices.Index(c.marks, mark)
	if at < 0 || c.many {
		return
	}
	code := int32(len(c.texts))
	c.texts, c.counts, c.index[mark] = append(c.texts, mark), append(c.counts, 0), code
	for row, own := range c.codes {
		if own == int32(-1-at) {
			c.codes[row] = code
			c.counts[code]++
			c.missing--
		} else if own < int32(-1-at) {
			c.codes[row]++
		}
	}
	c.marks = slices.Delete(c.marks, at, at+1)
}

// nameGaps turns the column's missing cells into a category and returns its name.
func (c *column) nameGaps() string {
	name := c.marks[0]
	for _, other := range []string{"(empty)", "(missing)"} {
		if _, is := c.index[name]; name == "" || is {
			name = other
		}
	}
	code := int32(len(c.texts))
	c.texts, c.counts, c.index[name] = append(c.texts, name), append(c.counts, c.missing), code
	for row, own := range c.codes {
		if own < 0 {
			c.codes[row] = code
		}
	}
	c.gapMarks, c.marks, c.missing = c.marks, nil, 0
	return name
}

// recount sets numeric and whole again, by the cells that are not missing.
func (c *column) recount() {
	c.numeric, c.whole = true, true
	for row, v := range c.numbers {
		if math.IsNaN(v) {
			c.numeric = c.numeric && c.codes[row] < 0
		} else {
			c.whole = c.whole && isWhole(v)
		}
	}
	c.whole = c.whole && c.numeric
}

// findOddCells finds columns of numbers with a few other cells, and marks these as missing.
func (d *drafter) findOddCells() {
	for _, c := range d.table.columns {
		at := slices.Index(d.info.InputNames, c.name)
		_, codes := d.info.Codes[at]
		if odd := c.oddCells(at >= 0 && d.sends() && !codes); odd != nil && c.listed == nil && !d.knows(c, odd) {
			c.miss(odd)
			c.recount()
			c.slips = odd
		}
	}
}

// findStrangers marks categories as missing that an encoder in the model's file refuses, so
// that their rows are left out.
func (d *drafter) findStrangers() error {
	for _, v := range d.info.Vocabularies {
		for _, c := range d.table.columns {
			if plain(c.name) != plain(v.Name) || c.hot != nil || c.many {
				continue
			}
			var strangers, told []string
			rows := 0
			for k, text := range c.texts {
				if slices.ContainsFunc(v.Categories, func(own string) bool { return modelfile.SameCategory(own, text) }) {
					continue
				}
				strangers, rows = append(strangers, text), rows+int(c.counts[k])
				told = append(told, fmt.Sprintf("%.40q in %s", text, plural(int(c.counts[k]), "row")))
			}
			if strangers == nil {
				continue
			}
			said := fmt.Sprintf("%s: the model's encoder knows %s and refuses all else: %s", c.name, strings.Join(v.Categories[:min(len(v.Categories), 20)], ", "), strings.Join(told[:min(len(told), 20)], ", "))
			if rows+c.missing == d.table.rows {
				return fmt.Errorf("%s: this leaves no row: write these values as the model has them", said)
			}
			d.out.Doubts = append(d.out.Doubts, said+"; these rows are left out")
			c.miss(strangers)
		}
	}
	return nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return view.Count(n) + " " + what + "s"
}

// knows reports whether a model input is named after one of these texts of a column.
func (d *drafter) knows(c *column, texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		own := plain(c.name) + "_" + plain(text)
		return slices.ContainsFunc(d.info.InputNames, func(name string) bool { return strings.HasSuffix("_"+plain(name), "_"+own) })
	})
}

// doubtValues adds doubts about feature values that the model may never have seen.
func (d *drafter) doubtValues() {
	doubt := func(format string, args ...any) { d.out.Doubts = append(d.out.Doubts, fmt.Sprintf(format, args...)) }
	input := 0
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		known := len(f.Categories) - len(f.strangers)
		if zero := f.zero(); f.strangers == nil && (!d.out.Solved || slices.Contains(d.Protected, f.Name)) {
			f.strangers = zero
		}
		if len(f.strangers) > 1 || len(f.strangers) == 1 && (slices.Min(f.Categories) != f.strangers[0] || d.info.Format == "onnx") { // else the encoder dropped the first category; an ONNX file has it even then
			doubt("%s: the model has no input for %s: all inputs of the column are 0 then, as from an encoder that ignores unknown values; other encoders refuse such rows", f.Name, strings.Join(f.strangers, ", "))
		}
		for k := range f.Categories[:known] {
			if d.out.Solved || f.inputs == "" || !strings.HasPrefix(d.chosen.how, "by the names") || known != len(f.Inputs) {
				break
			}
			if name := d.info.InputNames[input+k]; !strings.HasSuffix(signs(name), signs(f.Categories[k])) {
				doubt("%s: the model's input %s is assumed to be the one for %.40q, although the spelling differs", f.Name, name, f.Categories[k])
			}
		}
		input += len(f.Inputs)
		for _, v := range f.from.apart(d.chosen.view.rows) {
			if (d.absent == nil || *d.absent != v.value) && 2*v.rows < len(d.chosen.view.rows) { // else the value is common
				doubt("%s: %s in %s is far from all others (%s..%s), and the domain includes it: cut the domain if the model knows no such value, or list the value under the key missing if it stands for a missing one", f.Name, decimal(v.value), plural(v.rows, "row"), decimal(v.lo), decimal(v.hi))
			}
		}
	}
}

// zero returns the categories for which all of the feature's several inputs are 0.
func (f *feature) zero() (names []string) {
	for k, name := range f.Categories {
		if len(f.Inputs) > 1 && !slices.ContainsFunc(f.Inputs, func(in space.Input) bool { return in.Table == nil || in.Table[k] != 0 }) {
			names = append(names, name)
		}
	}
	return names
}

// signs returns a name with the characters that libraries replace as underscores.
func signs(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || strings.ContainsRune("[]<>,:{}\"", r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(name))
}

// outlier is a number far from all others, which lie between lo and hi.
type outlier struct {
	value, lo, hi float64
	rows          int
}

// apart returns the extreme values of a column of whole numbers that are far from the others, the
// outermost first. It stops where the remaining values are less than half of the whole numbers in
// their range.
func (c *column) apart(rows []int) (out []outlier) {
	if !c.numeric || !c.whole || c.dated {
		return nil
	}
	counts := map[float64]int{}
	for _, row := range rows {
		if v := c.numbers[row]; v == v {
			counts[v]++
		}
	}
	values := slices.Sorted(maps.Keys(counts))
	for len(values) > 5 {
		n := len(values)
		up := values[n-1]-values[n-2] > values[1]-values[0]
		end, others := values[0], values[1:]
		if up {
			end, others = values[n-1], values[:n-1]
		}
		lo, hi := others[0], others[n-2]
		gap := min(math.Abs(end-lo), math.Abs(end-hi))
		if span := hi - lo; gap <= max(5, span/2) || 2*float64(n-1) < span {
			break
		}
		out, values = append(out, outlier{end, lo, hi, counts[end]}), others
	}
	return out
}

// doubtOddCells adds doubts about cells that are not numbers, and says what happens to their
// rows.
func (d *drafter) doubtOddCells() {
	for i := range d.chosen.features {
		f := &d.chosen.features[i]
		c := f.from
		if len(c.slips) == 0 {
			continue
		}
		what := "and their rows are left out"
		switch {
		case f.filled():
			what = "and get the model's replacement for a missing number"
		case f.lacks():
			what = "and count as missing, which the trees handle"
		}
		d.out.Doubts = append(d.out.Doubts, fmt.Sprintf("%s: %s of %s cells are not numbers (%s), %s: if the model was trained otherwise, change it", c.name, view.Count(c.rowsWith(c.slips)), view.Count(len(c.numbers)), quoted(c.slips, mostOdd), what))
	}
}
