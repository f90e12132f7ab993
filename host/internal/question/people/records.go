package people

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hyfair/hyfair/host/internal/system/files"
)

// Error is a fault at a place in a data file.
type Error struct {
	Path string
	// Line and Column count from 1; Column is in bytes. In a table they are the row and the column.
	// 0 means the entire file.
	Line, Column int
	Err          error
}

// Error returns path:line:column: and the cause.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Path, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// records reads one file record by record. The cells that it returns are valid
// until the next record.
type records struct {
	path    string
	format  *Format
	columns []string
	source  source
	table   bool // source is a *table
	limit   *limited
	skipped int // lines skipped before source began
	// line is the line in which the current record begins, last that of its last cell.
	line, last int
}

// source reads records: a *csv.Reader or a *table.
type source interface {
	// Read returns the cells of the next record, or io.EOF.
	Read() ([]string, error)
	// FieldPos returns the line and column of a cell of the last record.
	FieldPos(cell int) (line, column int)
}

// open opens a file and reads up to its first row. If sum is not nil, everything read is
// hashed into it. The caller closes the file.
func open(file *File, format *Format, sum hash.Hash) (*records, io.Closer, error) {
	f, stat, err := files.Open(file.Path)
	if err != nil {
		return nil, nil, &Error{Path: file.Path, Err: files.Reason(err)}
	}
	if stat.Size() > MaxFileBytes {
		f.Close()
		return nil, nil, &Error{Path: file.Path, Err: fmt.Errorf("the file has %d bytes, at most %d are supported", stat.Size(), MaxFileBytes)}
	}
	var r *records
	begins := make([]byte, foreignBytes)
	n, _ := f.ReadAt(begins, 0) // an error is repeated below
	if IsTable(string(begins[:n])) {
		r, err = newTableRecords(f, stat.Size(), string(begins[:n]), file, format, sum)
	} else {
		r, err = newRecords(f, int(min(bufferBytes, stat.Size())), file, format, sum)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return r, f, nil
}

// newRecords reads src through a buffer of the given size in bytes.
func newRecords(src io.Reader, bytes int, file *File, format *Format, sum hash.Hash) (*records, error) {
	if sum != nil {
		src = io.TeeReader(src, sum)
	}
	r := &records{path: file.Path, format: format, limit: &limited{src: src}}
	r.limit.reset()
	buffer := bufio.NewReaderSize(r.limit, max(4096, bytes)) // csv would add another buffer to a smaller one
	head, _ := buffer.Peek(foreignBytes)
	if err := Foreign(string(head)); err != nil {
		return nil, r.fault(0, 0, err)
	}
	if mark, err := buffer.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = buffer.Discard(3) // the byte order mark
	}
	if head, _ := buffer.Peek(len("sep=;\r\n")); file.Skip == 0 && Separator(string(head)) != 0 {
		_, _ = skipLine(buffer)
		r.skipped++
	}
	for r.skipped < file.Skip {
		n, err := skipLine(buffer)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, r.fault(r.skipped+1, 1, err)
		}
		if n == 0 {
			return nil, r.fault(0, 0, fmt.Errorf("the file has %d lines, but the study skips %d", r.skipped, file.Skip))
		}
		r.skipped++
		r.limit.reset()
	}
	r.last = r.skipped
	lines := csv.NewReader(buffer)
	lines.ReuseRecord = true
	lines.Comma = format.Delimiter
	if lines.Comma == 0 {
		lines.Comma = ','
	}
	// A blank before an opening quote is common and meaningless.
	lines.TrimLeadingSpace = format.Trim && lines.Comma != '\t' && lines.Comma != ' '
	lines.FieldsPerRecord = -1
	r.source = lines
	r.columns = format.Columns
	if r.columns == nil {
		header, err := r.next()
		if err != nil {
			return nil, err
		}
		if header == nil {
			return nil, r.fault(0, 0, errors.New("the file has no header line"))
		}
		r.columns = slices.Clone(header)
	}
	return r, r.checkColumns(format.Columns == nil)
}

// newTableRecords reads a Parquet or Arrow file.
func newTableRecords(f *os.File, size int64, begins string, file *File, format *Format, sum hash.Hash) (*records, error) {
	r := &records{path: file.Path, format: format, limit: &limited{}, table: true}
	if file.Skip > 0 {
		return nil, r.fault(0, 0, fmt.Errorf("the %s file has no lines to skip: leave out the study's key skip", tableKind(begins)))
	}
	if sum != nil {
		if _, err := io.Copy(sum, f); err != nil {
			return nil, r.fault(0, 0, err)
		}
	}
	t, err := openTable(f, size, begins, format)
	if err != nil {
		return nil, r.fault(0, 0, err)
	}
	r.source, r.columns = t, t.columns
	return r, r.checkColumns(true)
}

// checkColumns refuses too many columns and, if they come from the file, two of the same name.
func (r *records) checkColumns(own bool) error {
	if len(r.columns) > MaxColumns {
		return r.fault(0, 0, fmt.Errorf("the file has %d columns, at most %d are supported", len(r.columns), MaxColumns))
	}
	for i, name := range r.columns {
		if own && slices.Contains(r.columns[:i], name) {
			return r.fault(r.skipped+1, 1, fmt.Errorf("column %s appears twice: rename one", quote(name)))
		}
	}
	return nil
}

// declared returns spec as it applies to this file: in a table, a null is a missing value of the
// label and of the features, unless "" is a category.
func (r *records) declared(spec *Spec) *Spec {
	if !r.table {
		return spec
	}
	out := *spec
	out.Format.MissingIn = maps.Clone(spec.Format.MissingIn)
	var read []string
	for i := range spec.Features {
		if c := &spec.Features[i]; !slices.Contains(c.Categories, "") {
			read = append(read, c.Names()...)
		}
	}
	if !spec.Beside {
		read = append(read, spec.Label.Column)
	}
	for _, name := range read {
		if slices.Contains(r.columns, name) {
			if out.Format.MissingIn == nil {
				out.Format.MissingIn = map[string][]string{}
			}
			out.Format.MissingIn[name] = append(slices.Clip(out.Format.MissingIn[name]), "")
		}
	}
	return &out
}

// Separator returns the separator that the first line of a text declares for spreadsheets, as in sep=;. It
// returns 0 for any other line.
func Separator(text string) rune {
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	line = strings.Trim(strings.TrimSuffix(line, "\r"), `"`)
	rest, ok := strings.CutPrefix(strings.ToLower(line), "sep=")
	if separator, size := utf8.DecodeRuneInString(rest); ok && size == len(rest) && size > 0 {
		return separator
	}
	return 0
}

// foreignBytes is the number of leading bytes that identify another kind of file.
const foreignBytes = 16

// kinds are other files of rows, by their leading bytes, with the way to convert them to CSV.
var kinds = []struct{ begins, what string }{
	{"PK\x03\x04", "an Excel workbook or another zip archive: save the sheet as CSV UTF-8"},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls): save the sheet as CSV UTF-8"},
	{parquetMagic, "a Parquet file, which is read as a file only, not as a stream"},
	{"FEA1", "a Feather file of version 1: write it as version 2, which is Arrow"},
	{arrowMagic, inArrow}, {arrowMessage, inArrow},
	{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xc2\xea\x81\x60", "a SAS data set: write it as CSV, pandas.read_sas(FILE, encoding=\"utf-8\").to_csv(\"data.csv\", index=False)"},
	{"\x1f\x8b", "a compressed file: unpack it (gunzip)"},
	{"\x80\x02", pickled}, {"\x80\x03", pickled}, {"\x80\x04", pickled}, {"\x80\x05", pickled},
	{`[{"`, inJSON}, {"[\n", inJSON}, {`{"`, inJSON}, {"{\n", inJSON},
}

const (
	pickled = "a pickle, which runs code when it is opened and so is not supported: write the rows as CSV, with to_csv(\"data.csv\", index=False)"
	inArrow = "an Arrow file, which is read as a file only, not as a stream"
	inJSON  = "JSON: write it as CSV, pandas.read_json(FILE).to_csv(\"data.csv\", index=False)"
)

// Foreign describes a file that begins unlike CSV in UTF-8, and how to convert it; nil for others.
func Foreign(begins string) error {
	wide := func(bits string) error {
		return fmt.Errorf("the file is in UTF-%s, want UTF-8: convert it, iconv -f utf-%s -t utf-8 FILE > utf8.csv, or save it as CSV UTF-8", bits, bits)
	}
	for _, kind := range kinds {
		if strings.HasPrefix(begins, kind.begins) {
			return fmt.Errorf("not a CSV file, but %s", kind.what)
		}
	}
	switch {
	case len(begins) >= 4 && (begins[:4] == "\xff\xfe\x00\x00" || begins[:3] == "\x00\x00\xfe" || begins[:3] == "\x00\x00\x00" || begins[1:4] == "\x00\x00\x00"):
		return wide("32")
	case len(begins) >= 2 && (begins[:2] == "\xff\xfe" || begins[:2] == "\xfe\xff" || (begins[0] == 0) != (begins[1] == 0)):
		return wide("16")
	}
	return nil
}

// next returns the cells of the next record, or nil after the last. After the header, the number of
// cells must equal that of the columns.
func (r *records) next() ([]string, error) {
	r.limit.reset()
	cells, err := r.source.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			return nil, r.fault(r.skipped+parse.Line, parse.Column, parse.Err)
		}
		return nil, r.fault(r.last+1, 1, err)
	}
	line, _ := r.source.FieldPos(0)
	r.line = r.skipped + line
	line, _ = r.source.FieldPos(len(cells) - 1)
	r.last = r.skipped + line
	if r.columns != nil && len(cells) != len(r.columns) {
		return nil, r.at(0, fmt.Errorf("got %d cells, want %d: one per column", len(cells), len(r.columns)))
	}
	if r.format.Trim {
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
	}
	return cells, nil
}

// at wraps err with the place of a cell in the current record.
func (r *records) at(cell int, err error) error {
	line, column := r.source.FieldPos(cell)
	return r.fault(r.skipped+line, column, err)
}

func (r *records) fault(line, column int, err error) error {
	return &Error{Path: r.path, Line: line, Column: column, Err: err}
}

// bufferBytes bounds the read-ahead beyond a record.
const bufferBytes = 64 << 10

var errLongRecord = fmt.Errorf("a record has more than %d bytes, the maximum; perhaps a quote is not closed", MaxRecordBytes)

// limited bounds the length of a record: it fails after a number of bytes without a reset.
type limited struct {
	src  io.Reader
	left int
}

func (l *limited) reset() { l.left = MaxRecordBytes + bufferBytes }

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongRecord
	}
	n, err := l.src.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// skipLine skips one line and returns its length in bytes.
func skipLine(r *bufio.Reader) (n int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		n += int64(len(part))
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
}
