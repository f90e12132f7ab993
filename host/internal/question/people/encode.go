package people

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/view"
	"maps"
	"math"
	"slices"
	"strings"
)

// Encoder converts rows with given columns into points. It is read-only and safe for concurrent use.
type Encoder struct {
	columns  []Column
	cells    []int            // index of each feature's cell, or of its first cell
	flags    [][]int          // indices of all cells of a feature with several
	category []map[string]int // index by name, nil for a number
	checked  []int            // cells in which a missing value matters
	marks    [][]string       // missing-value marks of the cells in checked
	missing  [][]string       // missing-value marks of each feature's cell
	format   *Format
	label    int // index of the label's cell; −1: no label
	weight   int // index of the weight's cell; −1: no weight
	strip    string
	positive []string
}

// ErrMissing reports a missing value in a row.
var ErrMissing = errors.New("missing value")

// CellError is a fault in one cell of a row.
type CellError struct {
	Cell int // index in the row
	Err  error
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %d: %v", e.Cell+1, e.Err) }

// Unwrap returns the cause.
func (e *CellError) Unwrap() error { return e.Err }

// NewEncoder binds the declarations of spec to rows with the given columns. Every feature's
// column must be present; those of the label and the weight may be absent. Bins with ends from the data must be
// fitted: see Data.Spec.
func NewEncoder(spec *Spec, columns []string) (*Encoder, error) {
	e := &Encoder{
		columns: spec.Features, format: &spec.Format,
		strip: spec.Label.StripSuffix, positive: spec.Label.Positive, label: -1, weight: -1,
	}
	for i := range spec.Features {
		c := &spec.Features[i]
		var cells []int
		for _, name := range c.Names() {
			cell := slices.Index(columns, name)
			if cell < 0 {
				return nil, fmt.Errorf("feature %q is read from column %s, which does not exist; the columns are %s",
					c.Feature, quote(name), list(columns))
			}
			cells = append(cells, cell)
		}
		e.cells, e.missing = append(e.cells, cells[0]), append(e.missing, spec.Format.Marks(c.Name))
		e.flags = append(e.flags, cells[:len(c.OneHot)+len(c.AnyOf)])
		var index map[string]int
		if c.Categories != nil {
			index = make(map[string]int, len(c.Categories))
			for k, name := range c.Categories {
				index[name] = k
			}
		}
		e.category = append(e.category, index)
	}
	if spec.Label.Column != "" {
		e.label = slices.Index(columns, spec.Label.Column)
	}
	if spec.Weight != "" {
		e.weight = slices.Index(columns, spec.Weight)
	}
	for _, name := range spec.Format.Drop {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("column %s is to be dropped but does not exist; the columns are %s", quote(name), list(columns))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Format.MissingIn)) {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("column %s has marks of missing values but does not exist; the columns are %s", quote(name), list(columns))
		}
	}
	for cell, name := range columns {
		if marks := spec.marksIn(name); len(marks) > 0 && !slices.Contains(spec.Format.Drop, name) {
			e.checked, e.marks = append(e.checked, cell), append(e.marks, marks)
		}
	}
	return e, nil
}

// Encode writes the row's point to dst, with one entry per feature. The error is a *CellError; it
// wraps ErrMissing for a missing value.
func (e *Encoder) Encode(dst []float64, row []string) error {
	if err := e.complete(row); err != nil {
		return err
	}
	var v value
	for i := range e.columns {
		if e.lacks(i, row) {
			dst[i] = *e.columns[i].Missing
			continue
		}
		err := e.run(&v, i, row)
		if err == nil {
			dst[i], err = e.finish(i, &v)
		}
		if err != nil {
			return &CellError{e.cells[i], fmt.Errorf("feature %q: %w", e.columns[i].Feature, err)}
		}
	}
	return nil
}

// lacks reports whether the feature's value is missing, for a feature that may be missing.
func (e *Encoder) lacks(feature int, row []string) bool {
	c, cell := &e.columns[feature], row[e.cells[feature]]
	return c.Missing != nil && slices.Contains(e.missing[feature], cell) && !c.replaces(cell)
}

// complete rejects a row that lacks a required value.
func (e *Encoder) complete(row []string) error {
	for i, cell := range e.checked {
		if slices.Contains(e.marks[i], row[cell]) {
			return &CellError{cell, fmt.Errorf("%w %s", ErrMissing, quote(row[cell]))}
		}
	}
	return nil
}

// run applies the column's steps to the feature's cell.
func (e *Encoder) run(v *value, feature int, row []string) error {
	*v = value{text: row[e.cells[feature]], format: e.format}
	if cells := e.flags[feature]; len(cells) > 0 {
		ones, at, err := e.ones(cells, row)
		switch {
		case err != nil:
			return err
		case e.columns[feature].AnyOf != nil:
			at = min(ones, 1)
		case ones != 1:
			return fmt.Errorf("%d of its %d columns are 1, want exactly one", ones, len(cells))
		}
		*v = value{number: float64(at), isNumber: true}
	}
	steps := e.columns[feature].Steps
	for k := range steps {
		if err := steps[k].apply(v); err != nil {
			return err
		}
	}
	return nil
}

// ones counts the cells equal to 1, or true, and returns the index of the last of them. Other cells
// must be 0 or false.
func (e *Encoder) ones(cells []int, row []string) (ones, at int, err error) {
	for i, cell := range cells {
		text := row[cell]
		if v := (value{text: text, format: e.format}); strings.EqualFold(text, "true") || v.asNumber() == nil && v.number == 1 {
			ones, at = ones+1, i
		} else if !strings.EqualFold(text, "false") && (v.asNumber() != nil || v.number != 0) {
			return 0, 0, fmt.Errorf("%s is neither 0 nor 1", quote(text))
		}
	}
	return ones, at, nil
}

// marksIn returns the marks that make a column's value missing. It excludes a mark if every
// feature of the column may be missing or replaces the mark in its first step. A label has no steps.
func (spec *Spec) marksIn(column string) []string {
	return slices.DeleteFunc(spec.Format.Marks(column), func(mark string) bool {
		if column == spec.Label.Column {
			return false
		}
		read := 0
		for i := range spec.Features {
			c := &spec.Features[i]
			if !slices.Contains(c.Names(), column) {
				continue
			}
			if c.Missing == nil && !c.replaces(mark) {
				return false
			}
			read++
		}
		return read > 0
	})
}

// finish converts the encoded value to a category's index or a number.
func (e *Encoder) finish(feature int, v *value) (float64, error) {
	index := e.category[feature]
	if index == nil {
		err := v.asNumber()
		if missing := e.columns[feature].Missing; err == nil && missing != nil && v.number > *missing-1 {
			err = fmt.Errorf("%v is above %v, the largest value of a feature that may be missing: widen the domain in the study, or drop the row", v.number, *missing-1)
		}
		return v.number, err
	}
	if v.isNumber {
		if v.number != math.Trunc(v.number) || v.number < 0 || v.number >= float64(len(index)) {
			return 0, fmt.Errorf("%v is not an index of the %d categories", v.number, len(index))
		}
		return v.number, nil
	}
	k, ok := index[v.text]
	if !ok {
		return 0, fmt.Errorf("%s is not among the categories %s", quote(v.text), list(e.columns[feature].Categories))
	}
	return float64(k), nil
}

// Weights other than 0 lie between these ends, so that sums of their squares neither overflow nor vanish.
const minWeight, maxWeight = 1e-100, 1e100

// Weight returns the row's weight. The error is a *CellError.
func (e *Encoder) Weight(row []string) (float64, error) {
	w, ok := e.format.Number(row[e.weight])
	if !ok || w < 0 {
		return 0, &CellError{e.weight, fmt.Errorf("the weight %s is not a number of at least 0: correct it, or drop the row", quote(row[e.weight]))}
	}
	if w != 0 && (w < minWeight || w > maxWeight) {
		return 0, &CellError{e.weight, fmt.Errorf("the weight %s is out of range: want 0, or a number from %g to %g: scale all weights", quote(row[e.weight]), minWeight, maxWeight)}
	}
	return w, nil
}

// Label returns the row's label as text, and whether it is positive.
func (e *Encoder) Label(row []string) (text string, positive bool) {
	text = row[e.label]
	if e.strip != "" {
		text = strings.TrimSuffix(text, e.strip)
	}
	return text, slices.Contains(e.positive, text)
}

// list joins names for a message, at most twenty of them.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return view.OneLine(strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d in all)", len(names)))
	}
	return view.OneLine(strings.Join(names, ", "))
}
