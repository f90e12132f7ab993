package view

import (
	"fmt"
	"io"
	"slices"
	"strconv"
)

// JSONLines is the format with one JSON object per line.
const JSONLines = "jsonl"

// Records are rows of values for programs.
type Records []Record

// Record is a row: values with their names.
type Record []Value

// Value is a named text, boolean, whole number, float64 or *float64; nil: no value.
type Value struct {
	Name string
	Of   any
}

// Columns returns the names of all values. A name that earlier records lack is placed before the
// name that follows it in its own record.
func (r Records) Columns() (names []string) {
	for _, record := range r {
		at := len(names)
		for _, v := range slices.Backward(record) {
			if i := slices.Index(names, v.Name); i >= 0 {
				at = i
			} else {
				names = slices.Insert(names, at, v.Name)
			}
		}
	}
	return names
}

// Write writes the records as CSV or as JSONLines. A missing value is an empty cell in CSV
// and null in JSONLines. Every row has all columns, and numbers are exact.
func (r Records) Write(w io.Writer, format string) error {
	columns := r.Columns()
	table := NewCSV(w)
	if format == CSV {
		if err := table.Write(columns); err != nil {
			return err
		}
	}
	for _, record := range r {
		line, object := make([]string, len(columns)), make(members, len(columns))
		for i, name := range columns {
			object[i].name = name
			if k := slices.IndexFunc(record, func(v Value) bool { return v.Name == name }); k >= 0 {
				object[i].value, line[i] = record[k].Of, plainText(record[k].Of)
			}
		}
		var err error
		if format == CSV {
			err = table.Write(line)
		} else {
			err = JSON(w, object, "")
		}
		if err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// plainText formats a value for a program.
func plainText(of any) string {
	switch v := of.(type) {
	case nil:
		return ""
	case *float64:
		return Exact(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(of)
}
