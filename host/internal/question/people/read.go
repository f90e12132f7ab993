package people

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Read reads the entire data set. Each step of bins with ends from the data needs another pass over
// the files.
func Read(spec *Spec) (*Data, error) {
	fitted, err := fit(spec)
	if err != nil {
		return nil, err
	}
	d := &Data{spec: fitted}
	sum := sha256.New()
	seen := labels{}
	for k := range fitted.Files {
		r, closer, err := open(&fitted.Files[k], &fitted.Format, sum)
		if err != nil {
			return nil, err
		}
		err = d.readFile(k, r, seen)
		closer.Close()
		if err != nil {
			return nil, err
		}
	}
	if fitted.Beside && d.Labels != nil && !slices.Contains(d.Labels, 1) {
		d.Labels, d.Unlabelled = nil, fmt.Sprintf("no row has a positive label, %s %s; the labels include %s", fitted.Label.Column, list(fitted.Label.Positive), seen)
	}
	if fitted.Label.Column != "" && !fitted.Beside && len(d.Points) > 0 && !slices.Contains(d.Labels, 1) {
		return nil, fmt.Errorf("%s: no row has a positive label: none has %s %s; its values include %s",
			fitted.Files[0].Path, fitted.Label.Column, list(fitted.Label.Positive), seen)
	}
	if d.Weights != nil && slices.Max(d.Weights) == 0 {
		return nil, fmt.Errorf("%s: all weights in column %s are 0: correct them, or leave out the study's key weight", fitted.Files[0].Path, quote(fitted.Weight))
	}
	d.SHA256 = hex.EncodeToString(sum.Sum(nil))
	d.Test = heldBack(fitted, d.places)
	return d, nil
}

func (d *Data) readFile(file int, r *records, seen labels) error {
	spec := r.declared(d.spec)
	e, err := NewEncoder(spec, r.columns)
	if err != nil {
		return r.fault(0, 0, err)
	}
	if spec.Label.Column != "" && e.label < 0 && !spec.Beside {
		return r.fault(0, 0, fmt.Errorf("the label is read from column %s, which does not exist; the columns are %s",
			quote(spec.Label.Column), list(r.columns)))
	}
	if spec.Weight != "" && e.weight < 0 && !spec.Beside {
		return r.fault(0, 0, fmt.Errorf("the weight is read from column %s, which does not exist; the columns are %s", quote(spec.Weight), list(r.columns)))
	}
	scratch := make([]float64, len(spec.Features))
	for {
		row, err := r.next()
		if err != nil || row == nil {
			return err
		}
		d.Read++
		if (len(d.Points)+1)*len(spec.Features) > MaxCells {
			return r.at(0, fmt.Errorf("too many rows: at most %d with %d features are supported", MaxCells/len(spec.Features), len(spec.Features)))
		}
		if err := e.Encode(scratch, row); err != nil {
			if errors.Is(err, ErrMissing) && !spec.Format.RefuseMissing {
				d.Dropped++
				continue
			}
			return r.atCell(err)
		}
		if e.label >= 0 {
			text, positive := e.Label(row)
			seen.add(text)
			if d.Labels = append(d.Labels, map[bool]int{true: 1}[positive]); text == "" && spec.Beside {
				e.label, d.Labels, d.Unlabelled = -1, nil, fmt.Sprintf("line %d has no label in column %s", r.line, spec.Label.Column)
			}
		}
		if e.weight >= 0 {
			w, err := e.Weight(row)
			if err != nil {
				return r.atCell(err)
			}
			d.Weights = append(d.Weights, w)
		}
		d.Points = append(d.Points, slices.Clone(scratch))
		d.places = append(d.places, place{file, r.line, d.Read - 1})
	}
}

// atCell adds the file and line to a *CellError.
func (r *records) atCell(err error) error {
	var cell *CellError
	if errors.As(err, &cell) {
		return r.at(cell.Cell, fmt.Errorf("column %s: %w", quote(r.columns[cell.Cell]), cell.Err))
	}
	return r.at(0, err)
}

// labels holds a few of the labels seen, for a message.
type labels map[string]bool

func (l labels) add(text string) {
	if len(l) < 5 {
		l[text] = true
	}
}

func (l labels) String() string { return list(slices.Sorted(maps.Keys(l))) }

// fit returns a copy of spec with the ends of every bin.
func fit(spec *Spec) (*Spec, error) {
	out := *spec
	out.Features = slices.Clone(spec.Features)
	for i := range out.Features {
		c := &out.Features[i]
		c.Steps = slices.Clone(c.Steps)
		for k := range c.Steps {
			b := c.Steps[k].Bins
			if b == nil || !b.Fit {
				continue
			}
			before := *c
			before.Steps, before.Categories = c.Steps[:k], nil
			lo, hi := math.Inf(1), math.Inf(-1)
			err := eachValue(&out, before, func(v value) error {
				err := v.asNumber()
				lo, hi = min(lo, v.number), max(hi, v.number)
				return err
			})
			if err != nil {
				return nil, err
			}
			if !(lo < hi) {
				return nil, fmt.Errorf("feature %q: column %s has fewer than two different values, so no bins", c.Feature, quote(c.Name))
			}
			c.Steps[k] = Step{Bins: &Bins{Count: b.Count, Min: lo, Max: hi}}
		}
	}
	return &out, nil
}

// Values lists the different results of the column's steps on the kept rows, as texts, sorted: the
// categories of a feature that takes them from the data. The features of spec, which need no domains
// yet, decide with the column which rows are kept. It fails if the number of results exceeds the
// limit, which is the last argument.
func Values(spec *Spec, column Column, most int) ([]string, error) {
	seen := map[string]bool{}
	err := eachValue(spec, column, func(v value) error {
		if seen[strings.Clone(v.asText())] = true; len(seen) > most {
			return fmt.Errorf("more than %d different values, the maximum", most)
		}
		return nil
	})
	return slices.Sorted(maps.Keys(seen)), err
}

// eachValue applies the steps to one column of every row that spec, with its features, keeps.
func eachValue(spec *Spec, column Column, visit func(value) error) error {
	one := *spec
	one.Features = append([]Column{column}, spec.Features...)
	for k := range spec.Files {
		if err := one.eachIn(&spec.Files[k], visit); err != nil {
			return err
		}
	}
	return nil
}

func (spec *Spec) eachIn(file *File, visit func(value) error) error {
	r, closer, err := open(file, &spec.Format, nil)
	if err != nil {
		return err
	}
	defer closer.Close()
	spec = r.declared(spec)
	e, err := NewEncoder(spec, r.columns)
	if err != nil {
		return r.fault(0, 0, err)
	}
	for {
		row, err := r.next()
		if err != nil || row == nil {
			return err
		}
		if err := e.complete(row); err != nil {
			if spec.Format.RefuseMissing {
				return r.atCell(err)
			}
			continue
		}
		if e.lacks(0, row) {
			continue
		}
		var v value
		err = e.run(&v, 0, row)
		if err == nil {
			err = visit(v)
		}
		if err != nil {
			return r.atCell(&CellError{e.cells[0], fmt.Errorf("feature %q: %w", spec.Features[0].Feature, err)})
		}
	}
}
