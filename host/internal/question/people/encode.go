package people

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Encoder turns the rows of files with certain columns into points. It is
// read-only and safe for concurrent use.
type Encoder struct {
	columns  []Column
	cells    []int            // where each feature's cell is, the first of several
	hot      [][]int          // where the cells of one with a column for each category are
	category []map[string]int // index by name, nil for a number
	checked  []int            // cells in which a missing value counts
	missing  []string
	label    int // the label's cell, −1 without
	strip    string
	positive []string
}

// ErrMissing tells that a row has a missing value.
var ErrMissing = errors.New("missing value")

// CellError is a fault in one cell of a row.
type CellError struct {
	Cell int // index in the row
	Err  error
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %d: %v", e.Cell+1, e.Err) }

// Unwrap gives the reason.
func (e *CellError) Unwrap() error { return e.Err }

// NewEncoder binds the declarations of spec to rows with the given columns.
// Columns of features must be there; one for the label need not, for rows
// that have none. Bins that are fitted must have been: see Data.Spec.
func NewEncoder(spec *Spec, columns []string) (*Encoder, error) {
	e := &Encoder{
		columns: spec.Features, missing: spec.Format.Missing,
		strip: spec.Label.StripSuffix, positive: spec.Label.Positive, label: -1,
	}
	for i := range spec.Features {
		c := &spec.Features[i]
		var cells []int
		for _, name := range c.names() {
			cell := slices.Index(columns, name)
			if cell < 0 {
				return nil, fmt.Errorf("feature %q is read from column %s, which is not there; the columns are %s",
					c.Feature, quote(name), list(columns))
			}
			cells = append(cells, cell)
		}
		e.cells = append(e.cells, cells[0])
		e.hot = append(e.hot, cells[:len(c.OneHot)])
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
	for _, name := range spec.Format.Drop {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("column %s is to be dropped but not there; the columns are %s", quote(name), list(columns))
		}
	}
	if len(e.missing) > 0 {
		for cell, name := range columns {
			if !slices.Contains(spec.Format.Drop, name) {
				e.checked = append(e.checked, cell)
			}
		}
	}
	return e, nil
}

// Encode writes the row's point to dst, which has one entry a feature. A fault
// is a *CellError; one that wraps ErrMissing tells of a missing value.
func (e *Encoder) Encode(dst []float64, row []string) error {
	if err := e.complete(row); err != nil {
		return err
	}
	for i := range e.columns {
		v, err := e.run(i, row)
		if err == nil {
			dst[i], err = e.finish(i, v)
		}
		if err != nil {
			return &CellError{e.cells[i], fmt.Errorf("feature %q: %w", e.columns[i].Feature, err)}
		}
	}
	return nil
}

// complete finds the first missing value of a row.
func (e *Encoder) complete(row []string) error {
	for _, cell := range e.checked {
		if slices.Contains(e.missing, row[cell]) {
			return &CellError{cell, fmt.Errorf("%w %s", ErrMissing, quote(row[cell]))}
		}
	}
	return nil
}

// run takes the feature's cell through the column's steps.
func (e *Encoder) run(feature int, row []string) (value, error) {
	if hot := e.hot[feature]; len(hot) > 0 {
		return oneOf(hot, row)
	}
	v := value{text: row[e.cells[feature]]}
	steps := e.columns[feature].Steps
	for k := range steps {
		if err := steps[k].apply(&v); err != nil {
			return v, err
		}
	}
	return v, nil
}

// oneOf is the index of the one cell that is 1, or true; the others are 0, or false.
func oneOf(cells []int, row []string) (value, error) {
	at := -1
	for i, cell := range cells {
		text := row[cell]
		if v := (value{text: text}); strings.EqualFold(text, "true") || v.asNumber() == nil && v.number == 1 {
			if at >= 0 {
				return value{}, fmt.Errorf("two of its %d columns are 1", len(cells))
			}
			at = i
		} else if !strings.EqualFold(text, "false") && (v.asNumber() != nil || v.number != 0) {
			return value{}, fmt.Errorf("%s is neither 0 nor 1", quote(text))
		}
	}
	if at < 0 {
		return value{}, fmt.Errorf("none of its %d columns is 1", len(cells))
	}
	return value{number: float64(at), isNumber: true}, nil
}

// finish reads the encoded value: a category's index, or a number.
func (e *Encoder) finish(feature int, v value) (float64, error) {
	index := e.category[feature]
	if index == nil {
		err := v.asNumber()
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
		return 0, fmt.Errorf("%s is none of the categories %s", quote(v.text), list(e.columns[feature].Categories))
	}
	return float64(k), nil
}

// Label reads the row's label: the text, and whether it is a positive one.
func (e *Encoder) Label(row []string) (text string, positive bool) {
	text = row[e.label]
	if e.strip != "" {
		text = strings.TrimSuffix(text, e.strip)
	}
	return text, slices.Contains(e.positive, text)
}

// list joins names for a message, the first twenty of them.
func list(names []string) string {
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d in all)", len(names))
	}
	return strings.Join(names, ", ")
}
