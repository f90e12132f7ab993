package trees

import (
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/sdk/model"
)

// maxMarks bounds the words that say which copies go left where.
const maxMarks = 1 << 23

// copies evaluates many points that differ in a few inputs: a tree that compares none
// of these is gone through once, and any other once for all copies, which part where
// such an input is compared.
type copies struct {
	e       *Ensemble
	count   int
	varying []bool // by input
	alike   []Tree
	parting []Tree
	// left is by parting tree and node which copies go left, words of a bit a copy;
	// empty where all inputs compared are in common.
	left [][][]uint64
	all  []uint64
	pool sync.Pool // of marks
}

// Copies implements model.Varying.
func (e *Ensemble) Copies(varying []int, values [][]*big.Rat) model.Copies {
	c := &copies{e: e, count: len(values), varying: make([]bool, e.Columns), all: make([]uint64, (len(values)+63)/64)}
	place := make([]int, e.Columns)
	for k, i := range varying {
		c.varying[i], place[i] = true, k
	}
	for k := range values {
		c.all[k/64] |= 1 << (k % 64)
	}
	marks := 0
	for _, t := range e.Trees {
		left := make([][]uint64, len(t))
		parts := false
		for i := range t {
			n := &t[i]
			if n.IsLeaf() || !c.varying[n.Input] {
				continue
			}
			if marks += len(c.all); marks > maxMarks {
				return nil
			}
			parts, left[i] = true, make([]uint64, len(c.all))
			for k := range values {
				if n.GoesLeft(values[k][place[n.Input]]) {
					left[i][k/64] |= 1 << (k % 64)
				}
			}
		}
		if !parts {
			c.alike = append(c.alike, t)
			continue
		}
		c.parting, c.left = append(c.parting, t), append(c.left, left)
	}
	c.pool.New = func() any { s := make([]uint64, 0, 64); return &s }
	return c
}

// Logits implements model.Copies.
func (c *copies) Logits(inputs, off, out []float64) bool {
	sum := c.e.Base
	for _, t := range c.alike {
		for i := int32(0); ; {
			n := &t[i]
			if n.IsLeaf() {
				sum += n.Value
				break
			}
			left, near := n.near(inputs[n.Input], off[n.Input])
			if near {
				return false
			}
			if i = n.Right; left {
				i = n.Left
			}
		}
	}
	out = out[:c.count]
	for k := range out {
		out[k] = sum
	}
	marks := c.pool.Get().(*[]uint64)
	defer c.pool.Put(marks)
	for k, t := range c.parting {
		*marks = append((*marks)[:0], c.all...)
		if !c.part(t, c.left[k], 0, marks, inputs, off, out) {
			return false
		}
	}
	return true
}

// part goes on from node i with the copies in the last words of marks.
func (c *copies) part(t Tree, left [][]uint64, i int32, marks *[]uint64, inputs, off, out []float64) bool {
	words := len(c.all)
	from := len(*marks) - words
	for {
		n := &t[i]
		switch {
		case n.IsLeaf():
			for w, mark := range (*marks)[from:] {
				for ; mark != 0; mark &= mark - 1 {
					out[64*w+bits.TrailingZeros64(mark)] += n.Value
				}
			}
			return true
		case left[i] == nil:
			goes, near := n.near(inputs[n.Input], off[n.Input])
			if near {
				return false
			}
			if i = n.Right; goes {
				i = n.Left
			}
			continue
		}
		some, rest := uint64(0), uint64(0)
		*marks = slices.Grow(*marks, words)
		here := (*marks)[from : from+words]
		for w, mark := range here {
			goes := mark & left[i][w]
			*marks = append(*marks, goes)
			some, rest = some|goes, rest|mark&^goes
		}
		if some != 0 && rest != 0 {
			if !c.part(t, left, n.Left, marks, inputs, off, out) {
				return false
			}
			here = (*marks)[from : from+words]
			for w := range here {
				here[w] &^= left[i][w]
			}
		}
		*marks = (*marks)[:from+words]
		if i = n.Right; rest == 0 {
			i = n.Left
		}
	}
}
