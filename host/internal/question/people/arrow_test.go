package people

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

// arrowColumns are columns of types that cells.csv lacks: each type, its values in JSON, with the categories after the codes, and their cells.
var arrowColumns = []struct {
	kind         arrow.DataType
	values, want string
}{
	{arrow.PrimitiveTypes.Int8, `[-1, null, 127]`, "-1,,127"},
	{arrow.PrimitiveTypes.Int16, `[-1, null, 32767]`, "-1,,32767"},
	{arrow.PrimitiveTypes.Int32, `[-1, null, 7]`, "-1,,7"},
	{arrow.PrimitiveTypes.Uint8, `[1, null, 255]`, "1,,255"},
	{arrow.PrimitiveTypes.Uint16, `[1, null, 65535]`, "1,,65535"},
	{arrow.PrimitiveTypes.Uint32, `[1, null, 4294967295]`, "1,,4294967295"},
	{arrow.PrimitiveTypes.Uint64, `["1", null, "18446744073709551615"]`, "1,,18446744073709551615"},
	{arrow.BinaryTypes.LargeString, `["a", null, ""]`, "a,,"},
	{arrow.BinaryTypes.StringView, `["a", null, "longer than twelve bytes"]`, "a,,longer than twelve bytes"},
	{arrow.FixedWidthTypes.Date64, `["2024-02-29", null, "1960-01-01"]`, "2024-02-29,,1960-01-01"},
	{&arrow.TimestampType{Unit: arrow.Second}, `["2024-02-29 13:45:00", null, "1969-12-31 23:59:59"]`, "2024-02-29T13:45:00,,1969-12-31T23:59:59"},
	{&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Paris"}, `["2024-02-29 13:45:00.5Z", null, "2024-07-01 00:00:00Z"]`, "2024-02-29T13:45:00.5Z,,2024-07-01T00:00:00Z"},
	{&arrow.Decimal32Type{Precision: 5, Scale: 2}, `["1.25", null, "-0.05"]`, "1.25,,-0.05"},
	{&arrow.Decimal64Type{Precision: 9, Scale: 2}, `["1.25", null, "-0.05"]`, "1.25,,-0.05"},
	{&arrow.Decimal256Type{Precision: 60, Scale: 1}, `["1.5", null, "-0.5"]`, "1.5,,-0.5"},
	{arrow.Null, `[null, null, null]`, ",,"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.PrimitiveTypes.Int64}, `[0, null, 0] [5]`, "5,,5"},
	{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.StringView}, `[0, null, 1] ["a", "b"]`, "a,,b"},
}

// arrowBytes writes a table of arrowColumns.
func arrowBytes(t testing.TB, stream bool, options ...ipc.Option) []byte {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Array
	for i, c := range arrowColumns {
		read := func(kind arrow.DataType, values string) arrow.Array {
			out, _, err := array.FromJSON(memory.DefaultAllocator, kind, strings.NewReader(values))
			if err != nil {
				t.Fatal(kind, err)
			}
			return out
		}
		var column arrow.Array
		if kind, ok := c.kind.(*arrow.DictionaryType); ok {
			codes, categories, _ := strings.Cut(c.values, "] ")
			column = array.NewDictionaryArray(kind, read(kind.IndexType, codes+"]"), read(kind.ValueType, categories))
		} else {
			column = read(c.kind, c.values)
		}
		fields = append(fields, arrow.Field{Name: string(rune('a' + i)), Type: c.kind, Nullable: true})
		columns = append(columns, column)
	}
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		io.Closer
	}
	options = append(options, ipc.WithSchema(schema))
	if stream {
		w = ipc.NewWriter(&out, options...)
	} else {
		file, err := ipc.NewFileWriter(&out, options...)
		if err != nil {
			t.Fatal(err)
		}
		w = file
	}
	if err := w.Write(array.NewRecordBatch(schema, columns, 3)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestArrowTypes reads the types that no file of testdata has, as a file and as a stream, with each compression.
func TestArrowTypes(t *testing.T) {
	want := make([][]string, 4)
	for i, c := range arrowColumns {
		for row, cell := range append([]string{string(rune('a' + i))}, strings.Split(c.want, ",")...) {
			want[row] = append(want[row], cell)
		}
	}
	for _, stream := range []bool{false, true} {
		for name, options := range map[string][]ipc.Option{"none": nil, "LZ4": {ipc.WithLZ4()}, "Zstandard": {ipc.WithZstd()}} {
			got, err := cellsOf(file(t, string(arrowBytes(t, stream, options...))), Format{})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("stream %v, compression %s: %v\n%s", stream, name, err, diff)
			}
		}
	}
}

// damaged writes a table to path, reads it, and returns the error. It fails if the read allocates more than the limit of the file's
// size, and a bit for the rest.
func damaged(t *testing.T, path string, text []byte) error {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := cellsOf(path, Format{})
	runtime.ReadMemStats(&after)
	if n := int64(after.TotalAlloc - before.TotalAlloc); n > newArrowMemory(int64(len(text))).limit+8<<20 {
		t.Errorf("%d bytes are allocated for a file of %d: %v", n, len(text), err)
	}
	if err != nil && (!strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("not one line with the place: %v", err)
	}
	return err
}

// TestDamagedArrow: a cut file is refused, and one with a changed byte is read or refused, in bounded memory.
func TestDamagedArrow(t *testing.T) {
	feather, err := os.ReadFile("testdata/arrow.feather")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.arrow")
	for name, whole := range map[string][]byte{"feather": feather, "stream": arrowBytes(t, true), "Zstandard": arrowBytes(t, false, ipc.WithZstd())} {
		step := 64
		if name == "feather" {
			step = 1
		}
		if testing.Short() {
			step = 61
		}
		for n := 8; n < len(whole); n += step {
			if err := damaged(t, path, whole[:n]); err == nil {
				t.Errorf("%s: cut after %d of %d bytes, no error", name, n, len(whole))
			}
		}
		for i := 8; i < len(whole); i += step {
			text := slices.Clone(whole)
			text[i] ^= []byte{0x01, 0x80, 0xff}[i%3]
			_ = damaged(t, path, text)
		}
	}
}

// TestArrowClaims: lengths that a file cannot have are refused before anything is allocated for them.
func TestArrowClaims(t *testing.T) {
	const huge = 1 << 40
	path := filepath.Join(t.TempDir(), "claims.arrow")
	put := binary.LittleEndian.PutUint64
	// footer returns the footer of a file.
	footer := func(text []byte) flat {
		n := int(binary.LittleEndian.Uint32(text[len(text)-10:]))
		return flatRoot(text[len(text)-10-n : len(text)-10])
	}
	// batch returns the first message of rows, or of categories, and the values after it.
	batch := func(text []byte, field int) (message flat, body []byte) {
		root := footer(text)
		_, start := root.vector(field, 24)
		from, meta := root.GetInt64(start), int64(root.GetInt32(start+8))
		return flatRoot(text[from+8 : from+meta]), text[from+meta:]
	}
	vector := func(t flat, field, size int) []byte {
		_, start := t.vector(field, size)
		return t.Bytes[start:]
	}
	count := func(t flat, field, size int) {
		_, start := t.vector(field, size)
		binary.LittleEndian.PutUint32(t.Bytes[start-4:], 1<<32-1)
	}
	field := func(text []byte, i int) flat {
		schema, _ := footer(text).table(1)
		_, start := schema.vector(1, 4)
		return schema.element(start, i)
	}
	values := func(text []byte, field int) (flat, []byte) {
		message, body := batch(text, field)
		data, _ := flatBatch(message)
		return data, body
	}
	for name, c := range map[string]struct {
		want   string
		damage func(text []byte)
	}{
		"footer":         {"has 4294967295 bytes, at most 16777216", func(text []byte) { copy(text[len(text)-10:], "\xff\xff\xff\xff") }},
		"columns":        {"a list claims 4294967295 elements", func(text []byte) { s, _ := footer(text).table(1); count(s, 1, 4) }},
		"name":           {"a list claims 4294967295 elements", func(text []byte) { count(field(text, 0), 0, 1) }},
		"zone":           {"a list claims 4294967295 elements", func(text []byte) { kind, _ := field(text, 11).table(3); count(kind, 1, 1) }},
		"batches":        {"a list claims 4294967295 elements", func(text []byte) { count(footer(text), 3, 24) }},
		"block, from":    {"from byte 1099511627776 on", func(text []byte) { put(vector(footer(text), 3, 24), huge) }},
		"block, body":    {"a message claims", func(text []byte) { put(vector(footer(text), 3, 24)[16:], huge) }},
		"body":           {"a message claims 1099511627776 bytes", func(text []byte) { m, _ := batch(text, 3); put(m.Bytes[m.Pos+m.at(3):], huge) }},
		"rows":           {"a message claims 1099511627776 rows", func(text []byte) { d, _ := values(text, 3); put(d.Bytes[d.Pos+d.at(0):], huge) }},
		"column":         {"column 1 of a message claims 1099511627776 rows", func(text []byte) { d, _ := values(text, 3); put(vector(d, 1, 16), huge) }},
		"nulls":          {"and 1099511627776 nulls", func(text []byte) { d, _ := values(text, 3); put(vector(d, 1, 16)[8:], huge) }},
		"nodes":          {"a list claims 4294967295 elements", func(text []byte) { d, _ := values(text, 3); count(d, 1, 16) }},
		"buffers":        {"a list claims 4294967295 elements", func(text []byte) { d, _ := values(text, 3); count(d, 2, 16) }},
		"buffer":         {"a column claims 1099511627776 bytes", func(text []byte) { d, _ := values(text, 3); put(vector(d, 2, 16)[8:], huge) }},
		"buffer, from":   {"from byte 1099511627776 on", func(text []byte) { d, _ := values(text, 3); put(vector(d, 2, 16), huge) }},
		"views":          {"a column claims 1099511627776 buffers", func(text []byte) { d, _ := values(text, 3); put(vector(d, 4, 8), huge) }},
		"views, count":   {"a list claims 4294967295 elements", func(text []byte) { d, _ := values(text, 3); count(d, 4, 8) }},
		"categories":     {"a message claims 1099511627776 rows", func(text []byte) { d, _ := values(text, 2); put(d.Bytes[d.Pos+d.at(0):], huge) }},
		"uncompressed":   {"the maximum for a file of this size", func(text []byte) { _, body := values(text, 3); put(body, huge) }},
		"uncompressed-2": {"the maximum for a file of this size", func(text []byte) { _, body := values(text, 3); put(body, 1<<64-2) }},
	} {
		text := arrowBytes(t, false, ipc.WithLZ4())
		c.damage(text)
		if err := damaged(t, path, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}
