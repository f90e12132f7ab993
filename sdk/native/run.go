package native

import "sync"

// Handles numbers Go values for a C library, as user data of callbacks: callback slots are few
// and never freed, so a plugin registers one callback per process, and the handle identifies
// the receiver of a call. The zero value is empty and ready for use; safe for concurrent use.
type Handles[T any] struct {
	mu   sync.RWMutex
	held map[uintptr]T
	last uintptr
}

// Add stores the value under a new number, never 0 and never used before.
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

// Get returns the value stored under the number, or the zero value.
func (h *Handles[T]) Get(id uintptr) T {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.held[id]
}

// Remove deletes a value: a late callback gets the zero value.
func (h *Handles[T]) Remove(id uintptr) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.held, id)
}

// FoldSeed maps a seed into the range that native libraries accept, 0 to 2³¹-1:
// seeds in the range stay, others are spread over it (Fibonacci hashing).
func FoldSeed(seed int64) int32 {
	if seed >= 0 && seed < 1<<31 {
		return int32(seed)
	}
	return int32(uint64(seed) * 0x9e3779b97f4a7c15 >> 33)
}

// Array returns the address of s as a C array. For an empty s it points to one element.
func Array[T any](s []T) *T {
	if len(s) == 0 {
		return new(T)
	}
	return &s[0]
}
