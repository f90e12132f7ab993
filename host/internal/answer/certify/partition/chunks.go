// Package partition cuts a question into many small ones and decides each by the cheapest
// method that can: rigorous bounds, a witness found by sampling, or a solver. It is the method
// of Fairify (Biswas and Rajan, ICSE 2023), but its pruning is sound and an interrupted run can
// be resumed.
package partition

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk/space"
)

// Chunks holds the length of a part in each feature, by index and in the feature's unit (a
// number of values, if discrete); 0: the feature is not cut.
type Chunks []float64

// Adaptive is the text for no chunks: the region begins as one part, and only undecided parts
// are split.
const Adaptive = "adaptive"

// MaxParts bounds the number of parts of one question.
const MaxParts = 1 << 20

// ParseChunks reads a chunk size for every non-protected feature ("10"), one
// for each feature named ("age=10,hours-per-week=20"), or Adaptive.
func ParseChunks(s *space.Space, text string) (Chunks, error) {
	out := make(Chunks, len(s.Features))
	if text == Adaptive {
		return out, nil
	}
	if size, err := chunkSize(text); err == nil {
		for _, i := range s.Free() {
			out[i] = size
		}
		return out, nil
	}
	for _, piece := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(piece, "=")
		if !ok {
			return nil, fmt.Errorf("partition %q: want a chunk size such as 10, or feature=size,…, or %s", text, Adaptive)
		}
		i, known := s.Index(strings.TrimSpace(name))
		if !known {
			return nil, fmt.Errorf("partition: no feature %q; want one of %s", strings.TrimSpace(name), strings.Join(s.Names(), ", "))
		}
		if s.Features[i].IsProtected() {
			return nil, fmt.Errorf("partition: %s is protected and cannot be cut", s.Features[i].Name)
		}
		size, err := chunkSize(value)
		if err != nil {
			return nil, fmt.Errorf("partition: %s: %w", s.Features[i].Name, err)
		}
		out[i] = size
	}
	return out, nil
}

func chunkSize(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("chunk size %q: want a positive number", text)
	}
	return v, nil
}

// Cell returns a key of the cell that an individual of the region lies in: for each cut feature,
// the index of the individual's chunk.
func (c Chunks) Cell(s *space.Space, whole space.Region, x []float64) string {
	var b strings.Builder
	for _, i := range s.Free() {
		if c[i] > 0 {
			fmt.Fprintf(&b, "%d,", int64(math.Floor((x[i]-whole.Box[i].Lo)/c[i])))
		}
	}
	return b.String()
}

// Split cuts a region into chunks from its lower ends, as Fairify does. A feature of n values
// has ⌈n/chunk⌉ chunks; the last is as long as the rest. The parts are in lexicographic order.
// More than MaxParts are an error.
func (c Chunks) Split(s *space.Space, region space.Region) ([]space.Region, error) {
	parts := []space.Region{region}
	for _, i := range s.Free() {
		if c[i] <= 0 {
			continue
		}
		pieces, err := cutInterval(&s.Features[i], region.Box[i], c[i])
		if err != nil || len(parts)*len(pieces) > MaxParts {
			return nil, fmt.Errorf("partition: more than %d parts; take larger chunks", MaxParts)
		}
		if len(pieces) == 1 {
			continue
		}
		next := make([]space.Region, 0, len(parts)*len(pieces))
		for _, part := range parts {
			for _, piece := range pieces {
				r := part.Clone()
				r.Box[i] = piece
				next = append(next, r)
			}
		}
		parts = next
	}
	return parts, nil
}

func cutInterval(f *space.Feature, iv space.Interval, chunk float64) ([]space.Interval, error) {
	if (iv.Hi-iv.Lo)/chunk > MaxParts {
		return nil, fmt.Errorf("too many chunks")
	}
	if !f.Discrete() {
		var out []space.Interval
		for k := 0.0; ; k++ {
			lo, hi := iv.Lo+k*chunk, iv.Lo+(k+1)*chunk
			if !(hi < iv.Hi) {
				return append(out, space.Interval{Lo: lo, Hi: iv.Hi}), nil
			}
			out = append(out, space.Interval{Lo: lo, Hi: hi}) // neighbours share an end
		}
	}
	chunk = math.Max(1, math.Floor(chunk))
	var out []space.Interval
	for lo := iv.Lo; lo <= iv.Hi; lo += chunk {
		out = append(out, space.Interval{Lo: lo, Hi: math.Min(iv.Hi, lo+chunk-1)})
	}
	return out, nil
}

// Text describes a part of a region as a predicate with the features' names: the part's key in
// a journal.
func Text(s *space.Space, whole, part space.Region) string {
	var p space.Predicate
	for _, i := range s.Free() {
		if iv := part.Box[i]; iv != whole.Box[i] {
			p = append(p, space.Condition{Feature: i, Interval: iv})
		}
	}
	return p.Format(s)
}
