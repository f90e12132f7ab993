// Package topb turns the SDK's types into protobuf messages. It never fails:
// what is malformed in memory is malformed on the wire, and the receiver, which
// checks every message, refuses it (see frompb).
package topb

import (
	"math"
	"math/big"
	"strings"

	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// Number converts an exact value: to a fraction if Rat is set, else to a float.
func Number(n problem.Number) *problemv1.Number {
	if n.Rat != nil {
		return Rat(n.Rat)
	}
	return &problemv1.Number{Value: &problemv1.Number_Float{Float: n.Float}}
}

// Rat converts a rational number; nil stays nil.
func Rat(r *big.Rat) *problemv1.Number {
	if r == nil {
		return nil
	}
	return &problemv1.Number{Value: &problemv1.Number_Fraction{Fraction: r.RatString()}}
}

// Values converts a list of numbers; nil stays nil.
func Values(values []problem.Number) *problemv1.Values {
	if values == nil {
		return nil
	}
	return &problemv1.Values{Numbers: each(values, func(n *problem.Number) *problemv1.Number { return Number(*n) })}
}

// point converts a point; nil stays nil.
func point(values []float64) *problemv1.Point {
	if values == nil {
		return nil
	}
	return &problemv1.Point{Values: values}
}

func points(list [][]float64) []*problemv1.Point {
	out := make([]*problemv1.Point, len(list))
	for i, v := range list {
		out[i] = &problemv1.Point{Values: v}
	}
	return out
}

// clean makes text valid UTF-8, as the wire requires: names come from files and
// messages from native libraries.
func clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func cleanAll(list []string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = clean(v)
	}
	return out
}

// each converts a list element by element. The result is never nil.
func each[T, M any](list []T, convert func(*T) *M) []*M {
	out := make([]*M, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}

// narrow saturates, so that an index out of range stays out of range.
func narrow(v int) int32 {
	return int32(min(max(v, math.MinInt32), math.MaxInt32))
}

func narrowAll(list []int) []int32 {
	out := make([]int32, len(list))
	for i, v := range list {
		out[i] = narrow(v)
	}
	return out
}
