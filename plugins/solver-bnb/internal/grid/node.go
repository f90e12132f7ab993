package grid

import "math/bits"

// Node is an open node of the search: a box and what is known of it. It is plain data, and JSON.
type Node struct {
	Box Box `json:"box"`
	// Path is the path from the root; nil for the root, or if the search keeps no paths.
	Path *Branching `json:"path,omitempty"`
	// Fair and Unfair are the numbers of its individuals that are decided: integers that float32
	// holds.
	Fair   float64 `json:"fair,omitempty"`
	Unfair float64 `json:"unfair,omitempty"`
	// Branch is the dimension to split, Bucket the node's bucket in the queue.
	Branch int `json:"branch"`
	Bucket int `json:"bucket"`
	// Copies are the relevant copies; nil means all.
	Copies Copies `json:"copies,omitempty"`
}

// Branching is a step from a node to a child: to the cells of a dimension up to Last, or to those
// behind.
type Branching struct {
	Parent *Branching `json:"parent,omitempty"`
	Dim    int        `json:"dim"`
	Last   uint64     `json:"last"`
	Upper  bool       `json:"upper,omitempty"`
}

// Copies is a set of combinations; nil has all.
type Copies []uint64

// Has reports whether z is in the set.
func (c Copies) Has(z int) bool { return c == nil || c[z/64]>>(z%64)&1 != 0 }

// Add puts z into the set.
func (c Copies) Add(z int) { c[z/64] |= 1 << (z % 64) }

// Size returns the number of combinations in the set, which must not be nil.
func (c Copies) Size() (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}
