package native

import "sync"

// Handles number Go values for a C library, as user data of callbacks: callback slots are few
// and never freed, so a plugin registers one callback per process, and the handle identifies
// the receiver of a call. The zero value is empty and ready, and safe for concurrent use.
type Handles[T any] struct {
	mu   sync.RWMutex
	held map[uintptr]T
	last uintptr
}

// Add holds the value under a number of its own, never 0 and never used before.
func (h *Handles[T]) Add(v T) uintptr {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[uintptr]T{}
	}
	h.last++
	h.held[h.last] = v
	return h.last
}

// Get is the value held under the number; the zero value for none.
func (h *Handles[T]) Get(id uintptr) T {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.held[id]
}

// Remove lets go of a value: a call back that comes late gets none.
func (h *Handles[T]) Remove(id uintptr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, id)
}

// FoldSeed brings a seed into the range that native libraries take, 0 to 2³¹-1:
// those in it stay as they are, others are scattered over it (Fibonacci hashing).
func FoldSeed(seed int64) int32 {
	if seed >= 0 && seed < 1<<31 {
		return int32(seed)
	}
	return int32(uint64(seed) * 0x9e3779b97f4a7c15 >> 33)
}

// Array is a C array's address; one element stands in for an empty one.
func Array[T any](s []T) *T {
	if len(s) == 0 {
		return new(T)
	}
	return &s[0]
}
