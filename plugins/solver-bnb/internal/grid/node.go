package grid

import (
	"encoding/json"
	"math/bits"
	"slices"
)

// Node is an open part of the search: a box and what is known of it.
type Node struct {
	Box Box
	// Path leads here from the root; nil for the root, and where a search keeps no paths.
	Path *Branching
	// Fair and Unfair are how many of its individuals are decided: whole numbers that float32 holds.
	Fair, Unfair float64
	// Branch is the dimension to cut, Bucket that of the node queue.
	Branch, Bucket int
	// Copies are those that matter; nil for all.
	Copies Copies
}

// Branching is a step down from a node: to the cells of a dimension up to Last, or to those behind.
type Branching struct {
	Parent *Branching
	Dim    int
	Last   uint64
	Upper  bool
}

// Steps are the branchings from the root to here.
func (b *Branching) Steps() (out []Branching) {
	for ; b != nil; b = b.Parent {
		out = append(out, *b)
	}
	slices.Reverse(out)
	return out
}

// written is a node as JSON has it.
type written struct {
	Box    Box      `json:"box"`
	Path   [][3]any `json:"path,omitempty"` // dimension, last cell, upper
	Fair   float64  `json:"fair,omitempty"`
	Unfair float64  `json:"unfair,omitempty"`
	Branch int      `json:"branch"`
	Bucket int      `json:"bucket"`
	Copies Copies   `json:"copies,omitempty"`
}

// MarshalJSON writes a node with its path.
func (n Node) MarshalJSON() ([]byte, error) {
	w := written{n.Box, nil, n.Fair, n.Unfair, n.Branch, n.Bucket, n.Copies}
	for _, s := range n.Path.Steps() {
		w.Path = append(w.Path, [3]any{s.Dim, s.Last, s.Upper})
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (n *Node) UnmarshalJSON(data []byte) error {
	w := struct {
		written
		Path [][3]json.RawMessage `json:"path"`
	}{}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*n = Node{w.Box, nil, w.Fair, w.Unfair, w.Branch, w.Bucket, w.Copies}
	for _, s := range w.Path {
		n.Path = &Branching{Parent: n.Path}
		for i, to := range []any{&n.Path.Dim, &n.Path.Last, &n.Path.Upper} {
			if err := json.Unmarshal(s[i], to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Copies is a set of combinations; nil has all.
type Copies []uint64

// Has reports whether z is in the set.
func (c Copies) Has(z int) bool { return c == nil || c[z/64]>>(z%64)&1 != 0 }

// Add puts z into the set.
func (c Copies) Add(z int) { c[z/64] |= 1 << (z % 64) }

// Size is the number of combinations in the set.
func (c Copies) Size() (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}
