package trees

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
)

// textOfUBJSON converts UBJSON (Draft 12) to JSON.
func textOfUBJSON(from []byte) []byte {
	u := &ubjson{in: from}
	u.value(u.marker(), 0)
	return u.out
}

type ubjson struct {
	in  []byte
	at  int
	out []byte
}

const (
	// maxUBJSONDepth is the maximum depth of nested lists and objects.
	maxUBJSONDepth = 64
	// maxUBJSONText is the maximum size of the JSON in bytes. It may be larger than the file: one
	// byte of a typed list becomes several characters.
	maxUBJSONText = 4 * maxFile
)

func (u *ubjson) take(n int) []byte {
	if n < 0 || n > len(u.in)-u.at {
		panic(fault.New("the file is cut off at byte %d", len(u.in)))
	}
	if len(u.out) > maxUBJSONText {
		panic(fault.New("converted to JSON, the file has more than %d bytes, the maximum", maxUBJSONText))
	}
	u.at += n
	return u.in[u.at-n : u.at]
}

func (u *ubjson) marker() byte {
	for {
		if m := u.take(1)[0]; m != 'N' {
			return m
		}
	}
}

// integer reads an integer of a type; ok is false for other types.
func (u *ubjson) integer(marker byte) (v int64, ok bool) {
	switch marker {
	case 'i':
		return int64(int8(u.take(1)[0])), true
	case 'U':
		return int64(u.take(1)[0]), true
	case 'I':
		return int64(int16(binary.BigEndian.Uint16(u.take(2)))), true
	case 'l':
		return int64(int32(binary.BigEndian.Uint32(u.take(4)))), true
	case 'L':
		return int64(binary.BigEndian.Uint64(u.take(8))), true
	}
	return 0, false
}

// length reads the length of a text or a list. The last argument names the expected value in a
// fault.
func (u *ubjson) length(marker byte, what string) int {
	n, ok := u.integer(marker)
	if !ok || n < 0 || n > math.MaxInt32 {
		panic(fault.New("byte %d: got the type %q, or a length out of range; want a %s", u.at, marker, what))
	}
	return int(n)
}

func (u *ubjson) text(n int) { u.out = strconv.AppendQuote(u.out, string(u.take(n))) }

func (u *ubjson) float(v float64, bits int) {
	if math.IsNaN(v) {
		u.out = append(u.out, "null"...)
		return
	}
	if math.IsInf(v, 0) {
		panic(fault.New("byte %d: got %v, want a finite number or NaN", u.at, v))
	}
	u.out = strconv.AppendFloat(u.out, v, 'g', -1, bits)
}

func (u *ubjson) value(marker byte, depth int) {
	if v, ok := u.integer(marker); ok {
		u.out = strconv.AppendInt(u.out, v, 10)
		return
	}
	switch marker {
	case 'd':
		u.float(float64(math.Float32frombits(binary.BigEndian.Uint32(u.take(4)))), 32)
	case 'D':
		u.float(math.Float64frombits(binary.BigEndian.Uint64(u.take(8))), 64)
	case 'Z':
		u.out = append(u.out, "null"...)
	case 'T':
		u.out = append(u.out, "true"...)
	case 'F':
		u.out = append(u.out, "false"...)
	case 'C':
		u.text(1)
	case 'S':
		u.text(u.length(u.marker(), "length"))
	case '[', '{':
		if depth == maxUBJSONDepth {
			panic(fault.New("byte %d: lists and objects are nested deeper than %d levels", u.at, maxUBJSONDepth))
		}
		u.container(marker, depth)
	default:
		panic(fault.New("byte %d: unknown type %q", u.at-1, marker))
	}
}

func (u *ubjson) container(marker byte, depth int) {
	end := marker + 2 // ']' and '}'
	u.out = append(u.out, marker)
	next := u.marker()
	kind, count := byte(0), -1
	if next == '$' {
		kind, next = u.take(1)[0], u.marker()
		if next != '#' {
			panic(fault.New("byte %d: a typed list has no count", u.at-1))
		}
	}
	if next == '#' {
		if count = u.length(u.marker(), "length"); count > len(u.in)-u.at {
			panic(fault.New("byte %d: the list claims %d values, but the file has only %d bytes left", u.at, count, len(u.in)-u.at))
		}
	}
	for i := 0; ; i++ {
		if count < 0 && i > 0 {
			next = u.marker()
		}
		if count >= 0 && i == count || count < 0 && next == end {
			break
		}
		if i > 0 {
			u.out = append(u.out, ',')
		}
		if marker == '{' {
			what := "field's name"
			if count >= 0 { // the type of its length has not been read
				next, what = u.marker(), "length"
			}
			u.text(u.length(next, what))
			u.out = append(u.out, ':')
			next = 0
		}
		of := kind
		if of == 0 {
			if of = next; marker == '{' || count >= 0 {
				of = u.marker()
			}
		}
		u.value(of, depth+1)
	}
	u.out = append(u.out, end)
}
