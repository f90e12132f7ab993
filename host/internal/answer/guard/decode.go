package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
)

// decoder reads JSON into Go values, more strictly than encoding/json: every field must be
// known and appear once, may be absent only if its tag says omitempty, and must not be
// null. Every error names line and field.
type decoder struct {
	text []byte
	json *json.Decoder
	// lines has the line of each field's value.
	lines map[string]int
	// counted is the number of lines that end before offset, so that line reads the text once.
	counted, offset int
}

// decode reads exactly one JSON value and stores it behind the given pointer. errorf makes an error
// about a field.
func decode(text []byte, to any) (errorf func(field, format string, args ...any) error, err error) {
	d := &decoder{text: text, json: json.NewDecoder(bytes.NewReader(text)), lines: map[string]int{}}
	d.json.UseNumber()
	if err := d.value(reflect.ValueOf(to).Elem(), ""); err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the object; a rules file is one object", d.line())
	}
	return d.errorf, nil
}

// line returns the line of the last token read.
func (d *decoder) line() int {
	to := min(int(d.json.InputOffset()), len(d.text))
	d.counted += bytes.Count(d.text[d.offset:to], []byte("\n"))
	d.offset = to
	return d.counted + 1
}

func (d *decoder) errorf(field, format string, args ...any) error {
	if field != "" {
		format, args = "%s: "+format, append([]any{field}, args...)
	}
	return fmt.Errorf("line %d: %w", d.lines[field], fmt.Errorf(format, args...))
}

func (d *decoder) token(field string) (json.Token, error) {
	t, err := d.json.Token()
	if d.lines[field] == 0 {
		d.lines[field] = d.line()
	}
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		d.lines[field] = 1 + bytes.Count(d.text, []byte("\n"))
		return nil, d.errorf(field, "the file ends in the middle")
	case err != nil:
		d.lines[field] = d.line()
		return nil, d.errorf(field, "%w", err)
	}
	return t, nil
}

// valid is implemented by values that can be checked on their own.
type valid interface{ valid() error }

// value reads a value into a text, a number, a list or a struct, or a pointer to one.
func (d *decoder) value(to reflect.Value, field string) error {
	if err := d.fill(to, field); err != nil {
		return err
	}
	if v, ok := to.Interface().(valid); ok && v.valid() != nil {
		return d.errorf(field, "%w", v.valid())
	}
	return nil
}

func (d *decoder) fill(to reflect.Value, field string) error {
	t, err := d.token(field)
	if err != nil {
		return err
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	want := ""
	switch to.Kind() {
	case reflect.String:
		if text, ok := t.(string); ok {
			to.SetString(text)
			return nil
		}
		want = "a text"
	case reflect.Float64:
		if number, ok := t.(json.Number); ok {
			v, err := number.Float64()
			if err != nil || math.IsInf(v, 0) {
				return d.errorf(field, "%.40s is beyond the range of numbers", number)
			}
			to.SetFloat(v)
			return nil
		}
		want = "a number"
	case reflect.Bool:
		if is, ok := t.(bool); ok {
			to.SetBool(is)
			return nil
		}
		want = "true or false"
	case reflect.Slice:
		if t == json.Delim('[') {
			return d.list(to, field)
		}
		want = "a list"
	default:
		if t == json.Delim('{') {
			return d.object(to, field)
		}
		want = "an object"
	}
	return d.errorf(field, "want %s, not %s", want, describe(t))
}

func (d *decoder) list(to reflect.Value, field string) error {
	to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	for i := 0; d.json.More(); i++ {
		to.Set(reflect.Append(to, reflect.Zero(to.Type().Elem())))
		if err := d.value(to.Index(i), fmt.Sprintf("%s[%d]", field, i)); err != nil {
			return err
		}
	}
	_, err := d.token(field) // the closing bracket
	return err
}

func (d *decoder) object(to reflect.Value, field string) error {
	names, needed, seen := make([]string, to.NumField()), make([]bool, to.NumField()), make([]bool, to.NumField())
	for i := range names {
		name, options, _ := strings.Cut(to.Type().Field(i).Tag.Get("json"), ",")
		names[i], needed[i] = name, options == ""
	}
	for d.json.More() {
		t, err := d.token(field)
		if err != nil {
			return err
		}
		name := t.(string)                                                     // the decoder accepts nothing else as a name
		inner := strings.TrimPrefix(fmt.Sprintf("%s.%.40s", field, name), ".") // names may be long
		i := slices.Index(names, name)
		if i < 0 || seen[i] {
			d.lines[inner] = d.line()
			return d.errorf(inner, map[bool]string{true: "there is no such field here", false: "given twice"}[i < 0])
		}
		seen[i] = true
		if err := d.value(to.Field(i), inner); err != nil {
			return err
		}
	}
	for i, name := range names {
		if needed[i] && !seen[i] {
			return d.errorf(field, "%q is missing", name)
		}
	}
	_, err := d.token(field) // the closing brace
	return err
}

// describe names the kind of a JSON token for messages.
func describe(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Number:
		return fmt.Sprintf("the number %.40s", t)
	case string:
		return fmt.Sprintf("the text %.40q", t)
	case json.Delim:
		if t == '[' {
			return "a list"
		}
		return "an object"
	}
	return fmt.Sprint(t)
}
