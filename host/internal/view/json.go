package view

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
)

// Finite returns v, or for an infinite v the largest float64 of its sign. It is for
// values that overflow float64, and not for bounds.
func Finite(v float64) float64 { return max(-math.MaxFloat64, min(v, math.MaxFloat64)) }

// JSON writes v as json.Encoder does, without escapes for HTML. Numbers that are not
// finite become null.
func JSON(w io.Writer, v any, indent string) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetIndent("", indent)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	var number *json.UnsupportedValueError
	if errors.As(err, &number) {
		text.Reset()
		err = e.Encode(nullable(reflect.ValueOf(v)))
	}
	if err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}

// nullable returns v in types that encode alike, except for numbers that are not finite,
// which become nil.
func nullable(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return nil
		}
	}
	switch v.Interface().(type) {
	case json.Marshaler, encoding.TextMarshaler, []byte:
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
			return nil
		}
	case reflect.Pointer, reflect.Interface:
		return nullable(v.Elem())
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = nullable(v.Index(i))
		}
		return list
	case reflect.Map:
		// The type of keys stays, since it determines how they are written.
		m := reflect.MakeMap(reflect.MapOf(v.Type().Key(), reflect.TypeFor[any]()))
		for of := v.MapRange(); of.Next(); {
			value := reflect.New(reflect.TypeFor[any]()).Elem()
			if p := nullable(of.Value()); p != nil {
				value.Set(reflect.ValueOf(p))
			}
			m.SetMapIndex(of.Key(), value)
		}
		return m.Interface()
	case reflect.Struct:
		return object(v)
	}
	return v.Interface()
}

// member is a field of an object.
type member struct {
	name  string
	value any
}

// members is an object whose fields keep their order.
type members []member

// MarshalJSON implements json.Marshaler.
func (m members) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	text.WriteByte('{')
	for i, f := range m {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := e.Encode(f.name); err != nil {
			return nil, err
		}
		text.WriteByte(':')
		if err := e.Encode(f.value); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

// object returns the fields of a struct by their tags, with those of embedded structs
// among them.
func object(v reflect.Value) members {
	var out members
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && value.Kind() == reflect.Struct:
			out = append(out, object(value)...)
			continue
		case !f.IsExported() || name == "-",
			strings.Contains(options, "omitempty") && empty(value), strings.Contains(options, "omitzero") && value.IsZero():
			continue
		case name == "":
			name = f.Name
		}
		out = append(out, member{name, nullable(value)})
	}
	return out
}

// empty reports whether omitempty leaves a value out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
