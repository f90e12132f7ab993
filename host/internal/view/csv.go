package view

import (
	"encoding/csv"
	"io"
)

// CSV writes heads and rows as RFC 4180 has it, without title, notes and rules.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.Columns))
	for c := range t.Columns {
		line[c] = t.Columns[c].Title
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range t.Rows {
		if len(row) == 0 {
			continue
		}
		for c := range row {
			line[c] = row[c].Text
		}
		if err := out.Write(line[:len(row)]); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
