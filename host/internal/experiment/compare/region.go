package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/certify/partition"
	"github.com/hyfair/hyfair/sdk/space"
)

// Side is a box's interval in one feature. In JSON it is the list [feature, lo, hi], to keep
// results small.
type Side struct {
	Feature int
	Lo, Hi  float64
}

// MarshalJSON implements json.Marshaler.
func (s Side) MarshalJSON() ([]byte, error) {
	return json.Marshal([3]float64{float64(s.Feature), s.Lo, s.Hi})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Side) UnmarshalJSON(text []byte) error {
	var v [3]float64
	err := json.Unmarshal(text, &v)
	*s = Side{int(v[0]), v[1], v[2]}
	return err
}

// Box lists the sides in which a region is smaller than the comparison's region.
type Box []Side

// Contains reports whether an individual of the comparison's region lies in the box.
func (b Box) Contains(x []float64) bool {
	return !slices.ContainsFunc(b, func(s Side) bool { return !(x[s.Feature] >= s.Lo && x[s.Feature] <= s.Hi) })
}

// region returns the box as a part of the comparison's region.
func (b Box) region(whole space.Region) space.Region {
	out := whole.Clone()
	for _, s := range b {
		out.Box[s.Feature] = space.Interval{Lo: s.Lo, Hi: s.Hi}
	}
	return out
}

// sides returns the box of a part of the comparison's region.
func sides(s *space.Space, whole, part space.Region) Box {
	var out Box
	for _, i := range s.Free() {
		if iv := part.Box[i]; iv != whole.Box[i] {
			out = append(out, Side{i, iv.Lo, iv.Hi})
		}
	}
	return out
}

// boxOf reads a predicate written by partition.Text.
func boxOf(s *space.Space, whole space.Region, text string) (Box, error) {
	p, err := space.ParsePredicate(s, text)
	if err != nil {
		return nil, err
	}
	part, _, err := s.Cut(whole, p)
	if err != nil {
		return nil, err
	}
	return sides(s, whole, part), nil
}

// share returns the volume of a part relative to the entire region: numbers of values of discrete
// features times lengths of real ones. Features with a single value are ignored.
func share(s *space.Space, whole, part space.Region) *big.Rat {
	out := big.NewRat(1, 1)
	for _, i := range s.Free() {
		if part.Box[i] == whole.Box[i] {
			continue
		}
		all, some := size(&s.Features[i], whole.Box[i]), size(&s.Features[i], part.Box[i])
		if all.Sign() > 0 {
			out.Mul(out, some.Quo(some, all))
		}
	}
	return out
}

// chunksOf reads a partition into fixed regions. An adaptive one is refused: it would differ
// between arms.
func chunksOf(s *space.Space, text string) (partition.Chunks, error) {
	if text == partition.Adaptive {
		return nil, fmt.Errorf("partition: %s splits the regions that a solver leaves undecided, but all arms need the same regions: give chunk sizes", text)
	}
	return partition.ParseChunks(s, text)
}

// size returns the number of values of a discrete feature in an interval, or the length of a real
// feature's interval.
func size(f *space.Feature, iv space.Interval) *big.Rat {
	if f.Discrete() {
		return new(big.Rat).SetFloat64(math.Max(0, math.Floor(iv.Hi)-math.Ceil(iv.Lo)+1))
	}
	lo, hi := new(big.Rat).SetFloat64(iv.Lo), new(big.Rat).SetFloat64(iv.Hi)
	return hi.Sub(hi, lo)
}

// around cuts a region along one feature into the parts below, at and above x, each nil if
// empty.
func around(f *space.Feature, feature int, region space.Region, x float64) (below, at, above []space.Region) {
	part := func(lo, hi float64) []space.Region {
		if !(lo <= hi) {
			return nil
		}
		r := region.Clone()
		r.Box[feature] = space.Interval{Lo: lo, Hi: hi}
		return []space.Region{r}
	}
	iv := region.Box[feature]
	down, up := x-1, x+1
	if !f.Discrete() {
		down, up = math.Nextafter(x, math.Inf(-1)), math.Nextafter(x, math.Inf(1))
	}
	return part(iv.Lo, down), part(x, x), part(up, iv.Hi)
}

// wide lists the non-protected features in which a region has several values.
func wide(s *space.Space, region space.Region) []int {
	var out []int
	for _, i := range s.Free() {
		iv := region.Box[i]
		if s.Features[i].Discrete() && math.Floor(iv.Hi) > math.Ceil(iv.Lo) || !s.Features[i].Discrete() && iv.Hi > iv.Lo {
			out = append(out, i)
		}
	}
	return out
}
