// Package frompb turns protobuf messages into the SDK's types and refuses what
// is malformed: enums that are unspecified or unknown, NaN where it means
// nothing, indices out of range, lists that do not match, fractions that do
// not parse. It does not panic, and it allocates no more than a small multiple
// of the message, whatever a peer sends.
//
// Errors about a problem wrap sdk.ErrInvalidProblem, about options
// sdk.ErrInvalidOption; the others are plain. Results alias the messages.
package frompb

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// maxFraction bounds the text of a fraction: reading decimals takes more than
// linear time.
const maxFraction = 1 << 16

// Number converts an exact, finite value.
func Number(m *problemv1.Number) (problem.Number, error) {
	switch v := m.GetValue().(type) {
	case *problemv1.Number_Float:
		if !finite(v.Float) {
			return problem.Number{}, fmt.Errorf("number %v is not finite", v.Float)
		}
		return problem.Number{Float: v.Float}, nil
	case *problemv1.Number_Fraction:
		r, err := fraction(v.Fraction)
		return problem.Number{Rat: r}, err
	}
	return problem.Number{}, fmt.Errorf("number without a value")
}

// rat converts a number to a rational; nil stays nil.
func rat(m *problemv1.Number) (*big.Rat, error) {
	if m == nil {
		return nil, nil
	}
	n, err := Number(m)
	if err != nil || n.Rat != nil {
		return n.Rat, err
	}
	return new(big.Rat).SetFloat64(n.Float), nil
}

// fraction reads "n" or "n/d" and nothing else that big.Rat would accept:
// with exponents, a short text could allocate gigabytes.
func fraction(text string) (*big.Rat, error) {
	if len(text) > maxFraction {
		return nil, fmt.Errorf("fraction of %d characters, want at most %d", len(text), maxFraction)
	}
	num, den, has := strings.Cut(strings.TrimPrefix(text, "-"), "/")
	if !digits(num) || has && (!digits(den) || strings.Trim(den, "0") == "") {
		return nil, fmt.Errorf("%.40q is not a fraction such as -22/7", text)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%.40q is not a fraction such as -22/7", text)
	}
	return r, nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Values converts a list of numbers; nil stays nil, and an empty list stays empty.
func Values(m *problemv1.Values) ([]problem.Number, error) {
	if m == nil {
		return nil, nil
	}
	out := make([]problem.Number, len(m.Numbers))
	for i, n := range m.Numbers {
		var err error
		if out[i], err = Number(n); err != nil {
			return nil, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return out, nil
}

// point converts a point; nil stays nil, and an empty point stays empty.
func point(m *problemv1.Point) ([]float64, error) {
	if m == nil {
		return nil, nil
	}
	if m.Values == nil {
		return []float64{}, nil
	}
	return m.Values, allFinite(m.Values)
}

func points(list []*problemv1.Point) ([][]float64, error) {
	return each(list, "point", point)
}

func allFinite(values []float64) error {
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("entry %d is %v, want a finite number", i, v)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// each converts a list element by element; the first error names its index.
// An empty list becomes nil.
func each[M, T any](list []M, what string, convert func(M) (T, error)) ([]T, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make([]T, len(list))
	for i, m := range list {
		var err error
		if out[i], err = convert(m); err != nil {
			return nil, fmt.Errorf("%s %d: %w", what, i, err)
		}
	}
	return out, nil
}

// enum refuses the unspecified zero and numbers this version does not know.
func enum[E interface {
	protoreflect.Enum
	comparable
}](v E) error {
	d := v.Descriptor()
	switch value := d.Values().ByNumber(v.Number()); {
	case v.Number() == 0:
		return fmt.Errorf("%s is unspecified", strings.ToLower(string(d.Name())))
	case value == nil:
		return fmt.Errorf("%s %d is unknown", strings.ToLower(string(d.Name())), v.Number())
	}
	return nil
}
