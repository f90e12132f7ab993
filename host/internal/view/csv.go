package view

import (
	"encoding/csv"
	"fmt"
	"io"
)

// CSV is the format of spreadsheets and programs.
const CSV = "csv"

func init() { formats[CSV] = writeCSV }

// writeCSV writes what is data as RFC 4180 has it: Document.Data, or facts and
// tables, parted by an empty line, without titles, notes and rules.
func writeCSV(w io.Writer, d *Document, _ Options) error {
	if d.Data != nil {
		return d.Data.csv(w)
	}
	var tables []*Table
	for _, b := range d.Blocks {
		switch b := bare(b).(type) {
		case *Facts:
			tables = append(tables, b.table())
		case *Table:
			tables = append(tables, b.withoutBars())
		}
	}
	for i, t := range tables {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := t.csv(w); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	for _, row := range append([][]Cell{t.heads()}, t.Rows...) {
		if len(row) == 0 {
			continue
		}
		line := make([]string, len(row))
		for c := range row {
			line[c] = row[c].Text
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
