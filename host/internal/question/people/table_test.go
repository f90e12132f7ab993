package people

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

var tables = []string{"arrow.parquet", "pandas.parquet", "polars.parquet", "arrow.feather"}

// cellsOf reads all cells of a file, the first line being the names of the columns.
func cellsOf(path string, format Format) (out [][]string, err error) {
	columns, err := Rows(File{Path: path}, format, func(_ int, row []string) error {
		out = append(out, slices.Clone(row))
		return nil
	})
	return slices.Insert(out, 0, columns), err
}

// TestTablesAreCells: what pandas, polars and pyarrow write is read as a CSV file of the same rows.
func TestTablesAreCells(t *testing.T) {
	want, err := cellsOf("testdata/cells.csv", Format{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables {
		got, err := cellsOf(filepath.Join("testdata", name), Format{Delimiter: ';', Columns: []string{"x"}})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	got, err := cellsOf("testdata/arrow.parquet", Format{Decimal: ','})
	if err != nil || got[1][1] != "1234,5" || got[1][8] != "12,50" {
		t.Errorf("with a decimal comma: %v, %v", got, err)
	}
}

// TestNullsAreMissing: a null needs no mark in the columns that are read, and does not matter in others.
func TestNullsAreMissing(t *testing.T) {
	above := 1e16
	for _, name := range tables {
		path := filepath.Join("testdata", name)
		spec := &Spec{Files: []File{{Path: path}}, Features: []Column{number("income")}}
		d, err := Read(spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, row := d.Where(1); len(d.Points) != 2 || d.Points[1][0] != 1e-5 || d.Dropped != 1 || row != 3 || len(d.SHA256) != 64 {
			t.Errorf("%s: %v, %d dropped, row %d, %q", name, d.Points, d.Dropped, row, d.SHA256)
		}
		spec.Features[0].Missing = &above
		if d, err = Read(spec); err != nil || len(d.Points) != 3 || d.Points[1][0] != above {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		jobs := Column{Feature: "job", Name: "job", Categories: []string{"clerk", "baker", ""}}
		if d, err := Read(&Spec{Files: spec.Files, Features: []Column{jobs}}); err != nil || len(d.Points) != 3 || d.Points[2][0] != 2 {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		binned := &Spec{Files: spec.Files, Features: []Column{number("seen", Step{Since: &time.Time{}}, Step{Bins: &Bins{Count: 2, Fit: true}}), number("income")}}
		if _, err = Read(binned); err == nil || !strings.Contains(err.Error(), "fewer than two different values") {
			t.Errorf("%s: bins of a row that is kept and of one that is not: %v", name, err)
		}
		spec.Features = []Column{number("age")}
		spec.Format.RefuseMissing = true
		if _, err = Read(spec); err == nil || !strings.Contains(err.Error(), name+`:2:1: column "age": missing value ""`) {
			t.Errorf("%s: %v", name, err)
		}
		if d, err := ReadRows(rowsSpec(Format{Columns: []string{"years", "occupation"}}), path); err == nil {
			t.Errorf("%s lacks the columns, and gives %v", name, d)
		}
	}
}

func TestTableRefusals(t *testing.T) {
	whole, err := os.ReadFile("testdata/arrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	type long struct {
		A string
		B string
	}
	longRow := filepath.Join(t.TempDir(), "long.parquet")
	if err := parquet.WriteFile(longRow, []long{{"a", strings.Repeat("x", MaxRecordBytes-1)}, {"aa", strings.Repeat("x", MaxRecordBytes-1)}}); err != nil {
		t.Fatal(err)
	}
	longFooter := slices.Clone(whole)
	copy(longFooter[len(longFooter)-8:], "\xff\xff\xff\x7f")
	for name, c := range map[string]struct {
		path, want string
	}{
		"nested":        {"testdata/nested.parquet", `column "tags" is of type "nested", want numbers, texts`},
		"cut off":       {file(t, string(whole[:len(whole)-1])), "does not end as a Parquet file"},
		"magic alone":   {file(t, "PAR1"), "does not end as a Parquet file"},
		"a long row":    {longRow, "row 2 has more than 1048576 bytes, the maximum"},
		"a long footer": {file(t, string(longFooter)), "has 2147483647 bytes, at most 16777216"},
	} {
		if cells, err := cellsOf(c.path, Format{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %s", name, cells, err, c.want)
		}
	}
	if _, err := Rows(File{Path: "testdata/arrow.parquet", Skip: 1}, Format{}, nil); err == nil || !strings.Contains(err.Error(), "no lines to skip") {
		t.Errorf("skip: %v", err)
	}
	var failed error
	func() {
		t := &table{decimal: "."}
		defer t.recovered(&failed)
		t.scaled(new(big.Int).Lsh(big.NewInt(1), 512), 2)
	}()
	if failed == nil || !strings.Contains(failed.Error(), "a decimal of 513 bits with 2 places") {
		t.Error(failed)
	}
	if got := moment(time.Date(2024, 3, 1, 0, 30, 0, 0, time.FixedZone("", 3600)), true); got != "2024-02-29T23:30:00Z" {
		t.Error(got)
	}
}

// FuzzTable reads any bytes as a table. It must not panic, and every row has a cell per column.
func FuzzTable(f *testing.F) {
	for _, name := range append(tables, "nested.parquet") {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(arrowBytes(f, true))
	f.Add(arrowBytes(f, false, ipc.WithZstd()))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !IsTable(string(text)) {
			return
		}
		cells, err := cellsOf(file(t, string(text)), Format{})
		for _, row := range cells {
			if len(row) != len(cells[0]) && err == nil {
				t.Fatalf("%q in a row of %q", row, cells[0])
			}
		}
	})
}
