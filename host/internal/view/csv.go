package view

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
)

// CSV is the format of spreadsheets and programs.
const CSV = "csv"

func init() { formats[CSV] = writeCSV }

// writeCSV writes a document's data as in RFC 4180: Document.Data, or facts and
// tables, separated by an empty line, without titles, notes and rules.
func writeCSV(w io.Writer, d *Document, _ Options) error {
	if d.Data != nil {
		return d.Data.csv(w)
	}
	var tables []*Table
	for _, b := range d.Blocks {
		b, _, _ = bare(b)
		switch b := b.(type) {
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
	out := NewCSV(w)
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

// CSVWriter writes CSV in hyfair's form. Make one with NewCSV.
type CSVWriter struct {
	*csv.Writer
	safe bool
}

// safeCSV is the setting of new writers; see SafeCSV.
var safeCSV atomic.Bool

// SafeCSV sets whether writers made from now on put an apostrophe before texts that a spreadsheet reads as formulas.
// The program calls it once, before it writes.
func SafeCSV(on bool) { safeCSV.Store(on) }

// NewCSV returns a writer of CSV.
func NewCSV(w io.Writer) *CSVWriter { return &CSVWriter{csv.NewWriter(w), safeCSV.Load()} }

// Write writes a row, which the caller may reuse.
func (w *CSVWriter) Write(row []string) error {
	if w.safe {
		safe := make([]string, len(row))
		for i, cell := range row {
			safe[i] = withoutFormula(cell)
		}
		row = safe
	}
	return w.Writer.Write(row)
}

// withoutFormula returns a cell that a spreadsheet does not compute: one that begins like a formula and is not a number
// gets an apostrophe in front.
func withoutFormula(cell string) string {
	if cell == "" || !strings.Contains("=+-@\t\r", cell[:1]) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}
