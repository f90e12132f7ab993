package chain

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// Random returns the generator of chain or walk i, counted from 0. A search with a
// single chain uses generator 0.
func Random(seed int64, i int) *rand.Rand {
	// The constant comes from the golden ratio; any other would do.
	return rand.New(rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15+uint64(i)))
}

// Key returns an individual as a map key; its protected entries should be zero (see
// space.Space.Canonical).
func Key(x []float64) string {
	b := make([]byte, 0, 8*len(x))
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return string(b)
}

// Rank orders individuals: by k, then by the Shannon entropy of their
// counterfactuals over the bins. Both are the same on every machine.
type Rank struct {
	K       int
	Shannon float64
}

// Compare is positive if r ranks above other.
func (r Rank) Compare(other Rank) int {
	return cmp.Or(cmp.Compare(r.K, other.K), cmp.Compare(r.Shannon, other.Shannon))
}

// Memory remembers the latest individuals by Key. The zero value is empty.
type Memory struct{ young, old map[string]struct{} }

// maxMemory is the size of each half of a memory.
const maxMemory = 1 << 17

// Has reports whether the individual is remembered.
func (m *Memory) Has(key string) bool {
	_, young := m.young[key]
	_, old := m.old[key]
	return young || old
}

// Add remembers the individual, and reports whether it is new.
func (m *Memory) Add(key string) bool {
	if m.Has(key) {
		return false
	}
	if m.young == nil || len(m.young) >= maxMemory {
		m.old, m.young = m.young, map[string]struct{}{}
	}
	m.young[key] = struct{}{}
	return true
}
