package people

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetMagic begins and ends a Parquet file.
const parquetMagic = "PAR1"

const (
	// batchRows is the number of rows of a Parquet file that are decoded together.
	batchRows = 64
	// maxFooterBytes bounds the description of a Parquet file's columns and row groups.
	maxFooterBytes = 16 << 20
)

// IsTable reports whether a file is a table, whose columns have names and types: a Parquet or Arrow file. begins
// is its beginning, of at least six bytes if it has them.
func IsTable(begins string) bool { return strings.HasPrefix(begins, parquetMagic) || isArrow(begins) }

// table reads the rows of a Parquet or Arrow file as the cells that a CSV file would have. Files are
// untrusted: a panic of the library becomes an error.
type table struct {
	kind    string // Parquet or Arrow
	columns []string
	decimal string             // the decimal separator of numbers
	next    func() (err error) // fills cells, or returns io.EOF
	row     int                // the number of the last row, from 1
	cells   []string
}

// openTable reads the description of the columns.
func openTable(f *os.File, size int64, begins string, cells *Format) (t *table, err error) {
	t = &table{kind: tableKind(begins), decimal: "."}
	if cells.Decimal != 0 {
		t.decimal = string(cells.Decimal)
	}
	defer t.recovered(&err)
	if t.kind == "Arrow" {
		err = t.openArrow(f, size, begins)
	} else {
		err = t.openParquet(f, size)
	}
	if err != nil {
		return nil, err
	}
	if len(t.columns) == 0 {
		return nil, errors.New("the file has no columns")
	}
	t.cells = make([]string, len(t.columns))
	return t, nil
}

// tableKind names the kind of a table.
func tableKind(begins string) string {
	if isArrow(begins) {
		return "Arrow"
	}
	return "Parquet"
}

// unreadable is the error of a column of another type.
func unreadable(column, kind string) error {
	return fmt.Errorf("column %s is of type %s, want numbers, texts, booleans, categories, dates or times: convert it, or leave it out", quote(column), quote(kind))
}

func (t *table) openParquet(f *os.File, size int64) error {
	var end [8]byte // the length of the description, and the magic bytes
	if _, err := f.ReadAt(end[:], max(0, size-int64(len(end)))); err != nil || string(end[4:]) != parquetMagic {
		return errors.New("it does not end as a Parquet file: it is cut off, or encrypted")
	}
	if n := binary.LittleEndian.Uint32(end[:]); n > maxFooterBytes {
		return fmt.Errorf("its description has %d bytes, at most %d are supported", n, maxFooterBytes)
	}
	p, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return t.malformed(err)
	}
	for _, g := range p.Metadata().RowGroups {
		for _, c := range g.Columns {
			switch c.MetaData.Codec {
			case format.Uncompressed, format.Snappy, format.Gzip, format.Zstd:
			default:
				return fmt.Errorf("it is compressed with %s, want Snappy, gzip, Zstandard or no compression", c.MetaData.Codec)
			}
		}
	}
	var texts []func(parquet.Value) string
	for _, c := range p.Root().Columns() {
		text := t.parquetText(c)
		if text == nil {
			kind := "nested"
			if c.Leaf() && !c.Repeated() {
				kind = c.Type().String()
			}
			return unreadable(c.Name(), kind)
		}
		t.columns, texts = append(t.columns, c.Name()), append(texts, text)
	}
	groups, rows, at := p.RowGroups(), parquet.Rows(nil), 0
	var batch []parquet.Row
	all := make([]parquet.Row, batchRows)
	t.next = func() error {
		for at == len(batch) {
			if rows == nil {
				if len(groups) == 0 {
					return io.EOF
				}
				rows, groups = groups[0].Rows(), groups[1:]
			}
			n, err := rows.ReadRows(all)
			batch, at = all[:n], 0
			if errors.Is(err, io.EOF) || err == nil && n == 0 {
				err = rows.Close()
				rows = nil
			}
			if err != nil {
				return err
			}
		}
		row := batch[at]
		at++
		if len(row) != len(texts) {
			return fmt.Errorf("a row has %d values, want %d", len(row), len(texts))
		}
		return t.fill(func(column int) string {
			if row[column].IsNull() {
				return ""
			}
			return texts[column](row[column])
		})
	}
	return nil
}

// fill sets the cells of the next row.
func (t *table) fill(text func(column int) string) error {
	size := 0
	for i := range t.cells {
		t.cells[i] = text(i)
		if size += len(t.cells[i]); size > MaxRecordBytes { // a dictionary can repeat a long text in many rows
			return fmt.Errorf("row %d has more than %d bytes, the maximum", t.row+1, MaxRecordBytes)
		}
	}
	return nil
}

// parquetText returns the conversion of a column's values to cells; nil for a type without one.
func (t *table) parquetText(c *parquet.Column) func(parquet.Value) string {
	if !c.Leaf() || c.Repeated() {
		return nil
	}
	kind := c.Type().Kind()
	whole := kind == parquet.Int32 || kind == parquet.Int64
	integer := func(v parquet.Value) int64 {
		if kind == parquet.Int32 {
			return int64(v.Int32())
		}
		return v.Int64()
	}
	var logical format.LogicalTypeValue
	if l := c.Type().LogicalType(); l != nil {
		logical = l.Value
	}
	switch l := logical.(type) {
	case *format.StringType, *format.EnumType, *format.JsonType:
		return func(v parquet.Value) string { return string(v.ByteArray()) }
	case *format.DateType:
		return func(v parquet.Value) string { return day(int64(v.Int32())) }
	case *format.TimestampType:
		unit := l.Unit.Value.Duration()
		return func(v parquet.Value) string { return since(v.Int64(), unit, l.IsAdjustedToUTC) }
	case *format.DecimalType:
		if whole {
			return func(v parquet.Value) string { return t.scaled(big.NewInt(integer(v)), l.Scale) }
		}
		return func(v parquet.Value) string {
			n := new(big.Int).SetBytes(v.ByteArray())
			if bits := 8 * uint(len(v.ByteArray())); bits > 0 && n.Bit(int(bits)-1) == 1 { // two's complement
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), bits))
			}
			return t.scaled(n, l.Scale)
		}
	case *format.IntType:
		if !l.IsSigned {
			return func(v parquet.Value) string {
				if kind == parquet.Int32 {
					return strconv.FormatUint(uint64(v.Uint32()), 10)
				}
				return strconv.FormatUint(v.Uint64(), 10)
			}
		}
	case nil, *format.NullType:
	default:
		return nil
	}
	switch {
	case whole:
		return func(v parquet.Value) string { return strconv.FormatInt(integer(v), 10) }
	case kind == parquet.Boolean:
		return func(v parquet.Value) string { return strconv.FormatBool(v.Boolean()) }
	case kind == parquet.Float:
		return func(v parquet.Value) string { return t.number(float64(v.Float())) }
	case kind == parquet.Double:
		return func(v parquet.Value) string { return t.number(v.Double()) }
	}
	return nil
}

// Read returns the cells of the next row, which are valid until the next call, or io.EOF.
func (t *table) Read() (cells []string, err error) {
	defer t.recovered(&err)
	if t.row == MaxCells {
		return nil, fmt.Errorf("too many rows: at most %d are supported", MaxCells)
	}
	if err := t.next(); errors.Is(err, io.EOF) {
		return nil, io.EOF
	} else if err != nil {
		return nil, t.malformed(err)
	}
	t.row++
	return t.cells, nil
}

// FieldPos returns the place of a cell: the number of its row and of its column, from 1.
func (t *table) FieldPos(cell int) (row, column int) { return t.row, cell + 1 }

// day writes a date, counted in days since 1970.
func day(n int64) string { return time.Unix(n*24*60*60, 0).UTC().Format(time.DateOnly) }

// since writes a time, counted in units since 1970.
func since(n int64, unit time.Duration, zone bool) string {
	perSecond := int64(time.Second / unit)
	return moment(time.Unix(n/perSecond, n%perSecond*int64(unit)), zone)
}

// moment writes a time; Z marks those with a zone, which are converted to UTC.
func moment(at time.Time, zone bool) string {
	text := at.UTC().Format("2006-01-02T15:04:05.999999999")
	if zone {
		text += "Z"
	}
	return text
}

// scaled writes n/10^scale with all its decimals.
func (t *table) scaled(n *big.Int, scale int32) string {
	if scale < 0 || scale > 100 || n.BitLen() > 512 {
		panic(fmt.Sprintf("got a decimal of %d bits with %d places, want at most 512 bits and 0 to 100 places", n.BitLen(), scale))
	}
	digits := fmt.Sprintf("%0*d", int(scale)+1, new(big.Int).Abs(n))
	if at := len(digits) - int(scale); scale > 0 {
		digits = digits[:at] + t.decimal + digits[at:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// number returns the shortest decimal that reads as the same 64-bit number, "" for NaN, with an exponent where
// Python writes one. A 32-bit number is written as the equal 64-bit number.
func (t *table) number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	form := byte('f')
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e16) {
		form = 'e'
	}
	return strings.Replace(strconv.FormatFloat(x, form, -1, 64), ".", t.decimal, 1)
}

// recovered turns a panic into an error.
func (t *table) recovered(err *error) {
	if p := asError(recover()); p != nil {
		*err = t.malformed(p)
	}
}

// asError returns the value of a panic as an error; nil if there was no panic.
func asError(p any) error {
	if err, ok := p.(error); ok || p == nil {
		return err
	}
	return fmt.Errorf("%v", p)
}

func (t *table) malformed(err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if bad := runtime.Error(nil); errors.As(err, &bad) {
		first = "it is damaged: " + bad.Error()
	}
	return fmt.Errorf("the %s file cannot be read: %s", t.kind, first)
}
