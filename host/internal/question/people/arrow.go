package people

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

const (
	// arrowMagic begins and ends an Arrow file (Feather, version 2).
	arrowMagic = "ARROW1"
	// arrowMessage begins each message of an Arrow stream, which an Arrow file contains.
	arrowMessage = "\xff\xff\xff\xff"
)

// isArrow reports whether a file is an Arrow file or stream.
func isArrow(begins string) bool {
	return strings.HasPrefix(begins, arrowMagic) || strings.HasPrefix(begins, arrowMessage)
}

// errArrowCut reports a file that ends too early.
var errArrowCut = errors.New("it is cut off")

// openArrow reads the description of the columns of an Arrow file or stream.
func (t *table) openArrow(f io.ReaderAt, size int64, begins string) error {
	m := &arrowMessages{file: f, mem: newArrowMemory(size)}
	if strings.HasPrefix(begins, arrowMagic) {
		if err := m.readFooter(size); err != nil {
			return t.malformed(err)
		}
	} else {
		m.begin(0, size)
	}
	reader, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(m.mem))
	if m.refused != nil {
		return m.refused
	}
	if err := errors.Join(m.err, err); err != nil {
		return t.malformed(err)
	}
	for _, field := range reader.Schema().Fields() {
		t.columns = append(t.columns, field.Name)
	}
	texts, row, rows := make([]func(int) string, len(t.columns)), 0, 0
	t.next = func() error {
		for row == rows {
			batch, err := reader.Read()
			if m.err != nil {
				return m.err
			}
			if err != nil {
				return err
			}
			if batch == nil {
				return errArrowCut
			}
			for i := range texts {
				texts[i] = t.arrowText(batch.Column(i))
			}
			row, rows = 0, int(batch.NumRows())
		}
		row++
		return t.fill(func(column int) string { return texts[column](row - 1) })
	}
	return nil
}

// arrowText returns the conversion of the rows of a column to cells.
func (t *table) arrowText(column arrow.Array) func(row int) string {
	var text func(int) string
	switch a := column.(type) {
	case *array.Null:
	case *array.Dictionary:
		if a.Len() > 0 { // without rows, it may have no values
			values := t.arrowText(a.Dictionary())
			text = func(row int) string { return values(a.GetValueIndex(row)) }
		}
	case array.StringLike:
		text = a.Value
	case *array.Boolean:
		text = func(row int) string { return strconv.FormatBool(a.Value(row)) }
	case *array.Int8:
		text = signed(a.Values())
	case *array.Int16:
		text = signed(a.Values())
	case *array.Int32:
		text = signed(a.Values())
	case *array.Int64:
		text = signed(a.Values())
	case *array.Uint8:
		text = unsigned(a.Values())
	case *array.Uint16:
		text = unsigned(a.Values())
	case *array.Uint32:
		text = unsigned(a.Values())
	case *array.Uint64:
		text = unsigned(a.Values())
	case *array.Float32:
		text = func(row int) string { return t.number(float64(a.Value(row))) }
	case *array.Float64:
		text = func(row int) string { return t.number(a.Value(row)) }
	case *array.Date32:
		text = func(row int) string { return day(int64(a.Value(row))) }
	case *array.Date64:
		text = func(row int) string { return time.UnixMilli(int64(a.Value(row))).UTC().Format(time.DateOnly) }
	case *array.Timestamp:
		kind := a.DataType().(*arrow.TimestampType)
		text = func(row int) string { return since(int64(a.Value(row)), kind.Unit.Multiplier(), kind.TimeZone != "") }
	case *array.Decimal32:
		text = scaled(t, a, func(v decimal.Decimal32) *big.Int { return big.NewInt(int64(v)) })
	case *array.Decimal64:
		text = scaled(t, a, func(v decimal.Decimal64) *big.Int { return big.NewInt(int64(v)) })
	case *array.Decimal128:
		text = scaled(t, a, decimal.Decimal128.BigInt)
	case *array.Decimal256:
		text = scaled(t, a, decimal.Decimal256.BigInt)
	default:
		panic(fmt.Sprintf("columns of type %s are not supported", column.DataType()))
	}
	return func(row int) string {
		if text == nil || column.IsNull(row) {
			return ""
		}
		return text(row)
	}
}

func signed[T int8 | int16 | int32 | int64](values []T) func(int) string {
	return func(row int) string { return strconv.FormatInt(int64(values[row]), 10) }
}

func unsigned[T uint8 | uint16 | uint32 | uint64](values []T) func(int) string {
	return func(row int) string { return strconv.FormatUint(uint64(values[row]), 10) }
}

// scaled converts decimals, with the whole number that each is scaled from.
func scaled[T any](t *table, column interface {
	Value(int) T
	DataType() arrow.DataType
}, whole func(T) *big.Int) func(int) string {
	scale := column.DataType().(arrow.DecimalType).GetScale()
	return func(row int) string { return t.scaled(whole(column.Value(row)), scale) }
}
