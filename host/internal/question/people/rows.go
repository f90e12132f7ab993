package people

import (
	"errors"
	"maps"
	"slices"
)

// ReadRows reads a file of rows as spec describes them, in place of the declared files. It reads labels
// if the file has the label's column, no row lacks a label, and some label is positive. It reads
// weights if the file has their column. The file begins with a line of column names, which is optional
// if spec names the columns. Columns without a feature may be missing, and others may be present. In a
// file with a line of names, the separator may be a comma, even if spec.Format has another. Bins with
// ends from the data must be fitted: see Data.Spec. A file without rows is an error.
func ReadRows(spec *Spec, path string) (*Data, error) {
	rows := *spec
	rows.Files, rows.Split, rows.Beside = []File{{Path: path}}, Split{}, true
	err := settle(&rows, func(format *Format) (*records, error) {
		r, closer, err := open(&rows.Files[0], format, nil)
		if err == nil {
			closer.Close() // only the column names were needed
		}
		return r, err
	})
	if err != nil {
		return nil, err
	}
	d, err := Read(&rows)
	if err != nil {
		return nil, err
	}
	if d.Read == 0 {
		return nil, &Error{Path: path, Err: errors.New("the file has no rows")}
	}
	return d, nil
}

// settle adapts spec's format to the first line of its only file. open opens the file and reads up
// to the first row; it may be called several times.
func settle(spec *Spec, open func(*Format) (*records, error)) error {
	firstLine := func(spec *Spec) ([]string, error) {
		format := spec.Format
		r, err := open(&format)
		if err != nil {
			return nil, err
		}
		return r.columns, nil
	}
	columns := spec.Format.Columns
	spec.Format.Columns = nil
	names, err := firstLine(spec)
	if declared := spec.Format.Delimiter; err == nil && !named(spec, names) && declared != 0 && declared != ',' {
		spec.Format.Delimiter = ','
		if other, err := firstLine(spec); err == nil && named(spec, other) {
			names = other
		} else {
			spec.Format.Delimiter = declared
		}
	}
	if columns != nil && (err != nil || !mentions(spec, names)) {
		spec.Format.Columns = columns
		return nil
	}
	spec.Format.Drop = slices.DeleteFunc(slices.Clone(spec.Format.Drop), func(name string) bool { return !slices.Contains(names, name) })
	spec.Format.MissingIn = maps.Clone(spec.Format.MissingIn)
	maps.DeleteFunc(spec.Format.MissingIn, func(name string, _ []string) bool { return !slices.Contains(names, name) })
	return err // missing columns are reported when rows are read
}

// named reports whether the columns of every feature exist.
func named(spec *Spec, columns []string) bool {
	return !slices.ContainsFunc(spec.Features, func(c Column) bool { return !all(c.Names(), columns) })
}

// all reports whether the columns include all names.
func all(names, columns []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns, name) })
}

// mentions reports whether the columns include that of some feature. If so, the first line is a line
// of names, even if some are missing.
func mentions(spec *Spec, columns []string) bool {
	return slices.ContainsFunc(spec.Features, func(c Column) bool { return slices.Contains(columns, c.Name) })
}

// Rows visits the unencoded rows of a file, each with the line in which it begins, and returns
// the column names. The cells are valid until visit returns.
func Rows(file File, format Format, visit func(line int, row []string) error) (columns []string, err error) {
	r, closer, err := open(&file, &format, nil)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	for {
		row, err := r.next()
		if err == nil && row == nil {
			return r.columns, nil
		}
		if err == nil {
			err = visit(r.line, row)
		}
		if err != nil {
			return nil, err
		}
	}
}
