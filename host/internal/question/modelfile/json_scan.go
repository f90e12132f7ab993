package modelfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/layers"
)

// scanner reads JSON token by token, so that it allocates only what the caller asks for, and every
// error has a line number. Its methods panic with a fault if the file has something else: see
// fault.Caught.
type scanner struct {
	d    *json.Decoder
	base int64  // where the decoder's input begins in file
	file []byte // for line numbers
}

// newScanner returns a scanner of text, which is at offset base in file.
func newScanner(text []byte, base int64, file []byte) *scanner {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return &scanner{d: d, base: base, file: file}
}

// fault returns a fault at the last token.
func (s *scanner) fault(field, format string, args ...any) error {
	return s.faultAt(s.d.InputOffset(), field, fmt.Sprintf(format, args...))
}

func (s *scanner) faultAt(offset int64, field, what string) error {
	at := min(s.base+offset, int64(len(s.file)))
	line := 1 + bytes.Count(s.file[:at], []byte("\n"))
	return fault.New("line %d: %s: %s", line, field, what)
}

// syntax turns an error of the decoder into a fault near the last token.
func (s *scanner) syntax(field string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.faultAt(int64(len(s.file)), field, "the file ends too early")
	}
	return s.fault(field, "%v", err)
}

func (s *scanner) token(field string) json.Token {
	t, err := s.d.Token()
	if err != nil {
		panic(s.syntax(field, err))
	}
	return t
}

// describe names a token in messages.
func describe(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case string:
		return fmt.Sprintf("the text %.40q", t)
	case json.Number:
		return fmt.Sprintf("the number %.40s", t)
	}
	return fmt.Sprint(t)
}

func (s *scanner) open(field string, delimiter json.Delim, what string) {
	if t := s.token(field); t != delimiter {
		panic(s.fault(field, "got %[2]s, want %[1]s", what, describe(t)))
	}
}

// object reads an object that must have exactly the given fields, once each,
// in any order.
func (s *scanner) object(field string, fields map[string]func(field string)) {
	s.open(field, '{', "an object")
	prefix := ""
	if field != "network" {
		prefix = field + "."
	}
	seen := make(map[string]bool)
	for s.d.More() {
		name, _ := s.token(field).(string)
		read, known := fields[name]
		if !known {
			panic(s.fault(field, "unknown field %.40q, want one of %s", name, names(fields)))
		}
		if seen[name] {
			panic(s.fault(prefix+name, "the field is given twice"))
		}
		seen[name] = true
		read(prefix + name)
	}
	s.token(field) // the closing brace
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !seen[name] {
			panic(s.fault(prefix+name, "the field is missing"))
		}
	}
}

func names[V any](fields map[string]V) string {
	return strings.Join(slices.Sorted(maps.Keys(fields)), ", ")
}

// array reads an array, calling read for each element.
func (s *scanner) array(field string, read func(field string, i int)) {
	s.open(field, '[', "an array")
	for i := 0; s.d.More(); i++ {
		read(fmt.Sprintf("%s[%d]", field, i), i)
	}
	s.token(field) // the closing bracket
}

// raw returns the text of the value of the last field, and its offset in the file.
func (s *scanner) raw(field string) ([]byte, int64) {
	before := s.d.InputOffset()
	var value json.RawMessage
	if err := s.d.Decode(&value); err != nil {
		panic(s.malformed(field, before, err))
	}
	return value, s.base + s.d.InputOffset() - int64(len(value))
}

// malformed finds the place of a syntax error in the value after the first colon after an offset. It
// decodes the value again, since a decoder's errors have correct offsets only for the first value of
// its input.
func (s *scanner) malformed(field string, offset int64, err error) error {
	rest := s.file[min(s.base+offset, int64(len(s.file))):]
	colon := int64(bytes.IndexByte(rest, ':') + 1)
	var value json.RawMessage
	again := json.NewDecoder(bytes.NewReader(rest[colon:])).Decode(&value)
	var wrong *json.SyntaxError
	if errors.As(again, &wrong) {
		return s.faultAt(offset+colon+wrong.Offset, field, wrong.Error())
	}
	return s.syntax(field, err)
}

// end checks that nothing follows.
func (s *scanner) end() {
	if t, err := s.d.Token(); !errors.Is(err, io.EOF) {
		panic(s.fault("network", "got %s after its end, want the end of the file", describe(t)))
	}
}

func (s *scanner) text(field string) string {
	t := s.token(field)
	text, ok := t.(string)
	if !ok {
		panic(s.fault(field, "got %s, want a text", describe(t)))
	}
	return text
}

// oneOf reads a text that must be one of the choices, and calls its function.
func (s *scanner) oneOf(field string, choices map[string]func()) {
	text := s.text(field)
	choose, ok := choices[text]
	if !ok {
		panic(s.fault(field, "got %.40q, want one of %s", text, names(choices)))
	}
	choose()
}

func (s *scanner) integer(field string, lo, hi int) int {
	t := s.token(field)
	number, _ := t.(json.Number)
	v, err := strconv.Atoi(string(number))
	if err != nil || v < lo || v > hi {
		panic(s.fault(field, "got %[3]s, want a whole number from %[1]d to %[2]d", lo, hi, describe(t)))
	}
	return v
}

// floats appends an array of numbers to values, each rounded once to the
// precision in bits, and refuses to go beyond limit values.
func (s *scanner) floats(values []float64, field string, precision, limit int) []float64 {
	s.open(field, '[', "an array of numbers")
	for i := 0; s.d.More(); i++ {
		t := s.token(field)
		number, ok := t.(json.Number)
		if !ok {
			panic(s.fault(fmt.Sprintf("%s[%d]", field, i), "got %s, want a number", describe(t)))
		}
		v, err := strconv.ParseFloat(string(number), precision)
		if err != nil {
			panic(s.fault(fmt.Sprintf("%s[%d]", field, i), "%.40s is too large for a float of %d bits", number, precision))
		}
		if len(values) == limit {
			panic(s.fault(field, "the network has more than %d weights and biases, the maximum", layers.MaxParameters))
		}
		values = append(values, v)
	}
	s.token(field) // the closing bracket
	return values
}

// writeFloats writes values as a JSON array of shortest round-trip decimals.
func writeFloats(b *bytes.Buffer, values []float64, precision int) error {
	b.WriteByte('[')
	for i, v := range values {
		if precision == 32 && float64(float32(v)) != v {
			return fmt.Errorf("number %[2]d, %[1]v, is not a float32 value, but the network's precision is 32", v, i)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		form := byte('f')
		if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e15) {
			form = 'e'
		}
		b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, form, -1, precision))
	}
	b.WriteByte(']')
	return nil
}
