package certificate

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scanner reads the JSON of one line, token by token and strictly: an object has known
// fields only, each once, and null is never accepted. Its allocations are at most a small
// multiple of the line.
type scanner struct {
	line []byte
	at   int
	path []string // the fields around the token being read, for messages
}

func (s *scanner) errorf(format string, args ...any) error {
	where := ""
	if len(s.path) > 0 {
		where = strings.Join(s.path, ".") + ": "
	}
	return fmt.Errorf("column %d: %s%s", s.at+1, where, fmt.Sprintf(format, args...))
}

// peek returns the next byte that is not blank, 0 at the end of the line.
func (s *scanner) peek() byte {
	for s.at < len(s.line) {
		switch c := s.line[s.at]; c {
		case ' ', '\t', '\r':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) error {
	got := s.peek()
	if got == 0 {
		return s.errorf("%q expected, but the line ends", c)
	}
	if got != c {
		return s.errorf("%q expected, not %q", c, got)
	}
	s.at++
	return nil
}

// end checks that nothing follows.
func (s *scanner) end() error {
	if s.peek() != 0 {
		return s.errorf("the line should end here, but %q follows", s.line[s.at])
	}
	return nil
}

// field is a field of an object and how to read it.
type field struct {
	name     string
	optional bool
	read     func() error
}

// object reads an object with just the given fields, in any order.
func (s *scanner) object(fields ...field) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	var seen uint64 // a bit per field; no object has more than 64
	for first := true; s.peek() != '}'; first = false {
		if !first {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		name, err := s.text()
		if err != nil {
			return err
		}
		i := 0
		for i < len(fields) && fields[i].name != name {
			i++
		}
		if i == len(fields) {
			return s.errorf("unknown field %.40q", name)
		}
		s.path = append(s.path, name)
		if seen>>i&1 == 1 {
			return s.errorf("the field appears twice")
		}
		seen |= 1 << i
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := fields[i].read(); err != nil {
			return err
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.at++
	for i := range fields {
		if seen>>i&1 == 0 && !fields[i].optional {
			return s.errorf("field %q is missing", fields[i].name)
		}
	}
	return nil
}

// array reads an array of at most limit elements.
func (s *scanner) array(limit int, read func() error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	for i := 0; s.peek() != ']'; i++ {
		if i > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		if i == limit {
			return s.errorf("more than %d elements, the maximum", limit)
		}
		if err := read(); err != nil {
			return err
		}
	}
	s.at++
	return nil
}

// into returns a function that reads a field's value and stores it in a variable.
func into[T any](to *T, read func() (T, error)) func() error {
	return func() (err error) {
		*to, err = read()
		return err
	}
}

// list returns a function that reads a field whose value is an array, and appends the
// elements to a variable.
func list[T any](s *scanner, limit int, to *[]T, read func(*scanner) (T, error)) func() error {
	return func() error {
		return s.array(limit, func() error {
			v, err := read(s)
			*to = append(*to, v)
			return err
		})
	}
}

// word returns a function that reads a field whose value is the name of one of the
// choices.
func word[T fmt.Stringer](s *scanner, to *T, choices ...T) func() error {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = c.String()
	}
	return func() error {
		i, err := s.oneOf(names...)
		*to = choices[i]
		return err
	}
}

// text reads a JSON string.
func (s *scanner) text() (string, error) {
	if err := s.expect('"'); err != nil {
		return "", err
	}
	begin, plain := s.at, true
	for s.at < len(s.line) && s.line[s.at] != '"' {
		if s.line[s.at] == '\\' {
			s.at++
		}
		if s.at < len(s.line) && (s.line[s.at] < ' ' || s.line[s.at] > '~' || s.line[s.at-1] == '\\') {
			plain = false
		}
		s.at++
	}
	if s.at >= len(s.line) {
		s.at = len(s.line)
		return "", s.errorf("the line ends within a string")
	}
	s.at++
	if plain {
		return string(s.line[begin : s.at-1]), nil
	}
	var out string
	if err := json.Unmarshal(s.line[begin-1:s.at], &out); err != nil {
		return "", s.errorf("%v", err)
	}
	return out, nil
}

// oneOf reads a string that must be one of the choices, and returns its index.
func (s *scanner) oneOf(choices ...string) (int, error) {
	text, err := s.text()
	if err != nil {
		return 0, err
	}
	for i, c := range choices {
		if c == text {
			return i, nil
		}
	}
	return 0, s.errorf("got %.40q; known: %s", text, strings.Join(choices, ", "))
}

// number reads a finite number as the nearest float64.
func (s *scanner) number() (float64, error) {
	s.peek()
	begin := s.at
	for s.at < len(s.line) && strings.IndexByte("+-.0123456789eE", s.line[s.at]) >= 0 {
		s.at++
	}
	text := s.line[begin:s.at]
	if !isNumber(text) {
		s.at = begin
		return 0, s.errorf("a number expected")
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		s.at = begin
		return 0, s.errorf("%.40s is beyond the range of float64", text)
	}
	return v, nil
}

// isNumber checks JSON's grammar, which is narrower than strconv's.
func isNumber(text []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		text = text[n:]
		return n > 0
	}
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	if len(text) > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9' || !digits() {
		return false
	}
	if len(text) > 0 && text[0] == '.' {
		if text = text[1:]; !digits() {
			return false
		}
	}
	if len(text) > 0 && (text[0] == 'e' || text[0] == 'E') {
		if text = text[1:]; len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(text) == 0
}

func (s *scanner) integer(lo, hi int) (int, error) {
	begin := s.at
	v, err := s.number()
	if err != nil {
		return 0, err
	}
	if v != math.Trunc(v) || v < float64(lo) || v > float64(hi) {
		s.at = begin
		return 0, s.errorf("got %v, want a whole number from %d to %d", v, lo, hi)
	}
	return int(v), nil
}

// between returns a function that reads an integer from lo to hi.
func (s *scanner) between(lo, hi int) func() (int, error) {
	return func() (int, error) { return s.integer(lo, hi) }
}

func (s *scanner) boolean() (bool, error) {
	s.peek()
	for _, v := range []bool{true, false} {
		word := strconv.FormatBool(v)
		if strings.HasPrefix(string(s.line[s.at:min(len(s.line), s.at+5)]), word) {
			s.at += len(word)
			return v, nil
		}
	}
	return false, s.errorf("true or false expected")
}

// upTo returns a function that reads an array of at most limit numbers.
func (s *scanner) upTo(limit int) func() ([]float64, error) {
	return func() ([]float64, error) { return s.floats(limit) }
}

// floats reads an array of at most limit numbers.
func (s *scanner) floats(limit int) ([]float64, error) {
	out := []float64{}
	err := s.array(limit, func() error {
		v, err := s.number()
		out = append(out, v)
		return err
	})
	return out, err
}
