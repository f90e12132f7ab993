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
)

// whole is the field of a file's outermost value, in messages.
const whole = "model"

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
// in any order; the optional ones may be missing.
func (s *scanner) object(field string, fields map[string]func(field string), optional ...string) {
	s.open(field, '{', "an object")
	prefix := ""
	if field != whole {
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
		if !seen[name] && !slices.Contains(optional, name) {
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
	if _, err := s.d.Token(); !errors.Is(err, io.EOF) {
		panic(s.fault(whole, "the file continues after its end: leave out what follows"))
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

func (s *scanner) integer(field string, lo, hi int) int { return one(s, field, integer(lo, hi)) }

func (s *scanner) float(field string) float64 { return one(s, field, float(64)) }

// conversion converts the text of a number, "" for another value, or says what is wanted instead.
type conversion[T any] func(number string) (v T, want string)

// integer converts to integers from lo to hi.
func integer(lo, hi int) conversion[int] {
	return func(number string) (int, string) {
		v, err := strconv.Atoi(number)
		if err != nil || v < lo || v > hi {
			return 0, fmt.Sprintf("a whole number from %d to %d", lo, hi)
		}
		return v, ""
	}
}

// float converts to numbers, each rounded once to the precision in bits.
func float(precision int) conversion[float64] {
	return func(number string) (float64, string) {
		v, err := strconv.ParseFloat(number, precision)
		switch {
		case number == "":
			return 0, "a number"
		case err != nil:
			return 0, fmt.Sprintf("one that is not too large for a float of %d bits", precision)
		}
		return v, ""
	}
}

// one reads a number.
func one[T any](s *scanner, field string, convert conversion[T]) T {
	t := s.token(field)
	number, _ := t.(json.Number)
	v, want := convert(string(number))
	if want != "" {
		panic(s.fault(field, "got %s, want %s", describe(t), want))
	}
	return v
}

// list appends an array of numbers to values, and refuses to go beyond limit values: tooMany says why. It decodes the
// array as a whole, since the decoder needs three times as long for single tokens.
func list[T any](s *scanner, values []T, field string, limit int, tooMany string, convert conversion[T]) []T {
	text, at := s.raw(field)
	rest := text
	// here reads from what is left of the array.
	here := func() *scanner { return newScanner(rest, at+int64(len(text)-len(rest)), s.file) }
	if text[0] != '[' {
		here().open(field, '[', "an array of numbers")
	}
	for i := 0; ; i++ {
		rest = bytes.TrimLeft(rest[1:], " \t\r\n") // after [ or ,
		if rest[0] == ']' && i == 0 {
			return values
		}
		end := 0
		for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == '-' || rest[end] == '+' || rest[end] == '.' || rest[end]|0x20 == 'e') {
			end++
		}
		v, want := convert(string(rest[:end]))
		if want != "" {
			one(here(), fmt.Sprintf("%s[%d]", field, i), convert)
		}
		if len(values) == limit {
			panic(here().fault(field, "%s", tooMany))
		}
		values = append(values, v)
		if rest = bytes.TrimLeft(rest[end:], " \t\r\n"); rest[0] == ']' {
			return values
		}
	}
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
