package trees

import (
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"github.com/hyfair/hyfair/sdk/model"
)

// maxMarks is the largest number of words in copies.left.
const maxMarks = 1 << 23

// copies evaluates many points that differ in a few inputs. A tree that compares none of
// these inputs is traversed once. Any other tree is traversed once for all copies, which
// split up at nodes that compare such an input.
type copies struct {
	base           float64
	count          int
	alike, parting *flat
	// left says, for each special node of parting, which copies go left, in words with one
	// bit per copy; nil if the node's input does not vary.
	left [][]uint64
	all  []uint64
	pool sync.Pool // of marks
}

// Copies implements model.Varying.
func (e *Ensemble) Copies(varying []int, values [][]*big.Rat) model.Copies {
	c := &copies{base: e.Base, count: len(values), all: make([]uint64, (len(values)+63)/64)}
	place := map[int32]int{}
	for k, i := range varying {
		place[int32(i)] = k
	}
	varies := func(n *Node) bool {
		_, ok := place[n.Input]
		return ok
	}
	at, more := make([][]float64, len(values)), make([][]int, len(values))
	for k, list := range values {
		c.all[k/64] |= 1 << (k % 64)
		at[k], more[k] = nearestOf(list)
	}
	var alike, parting []Tree
	for _, t := range e.Trees {
		if slices.ContainsFunc(t, func(n Node) bool { return varies(&n) }) {
			parting = append(parting, t)
		} else {
			alike = append(alike, t)
		}
	}
	c.alike, c.parting = flatten(alike, nil), flatten(parting, varies)
	marks := 0
	c.left = make([][]uint64, len(c.parting.special))
	for i, n := range c.parting.special {
		if !varies(n) {
			continue
		}
		if marks += len(c.all); marks > maxMarks {
			return nil
		}
		c.left[i] = make([]uint64, len(c.all))
		for k := range values {
			if of := place[n.Input]; n.left(at[k][of], more[k][of]) {
				c.left[i][k/64] |= 1 << (k % 64)
			}
		}
	}
	c.pool.New = func() any { s := make([]uint64, 0, 64); return &s }
	return c
}

// Logits implements model.Copies.
func (c *copies) Logits(inputs, off, out []float64) bool {
	if missing(inputs) {
		return false
	}
	off = exactly(off)
	sum := c.base
	for _, root := range c.alike.roots {
		v, near := c.alike.leaf(root, inputs, off)
		if near {
			return false
		}
		sum += v
	}
	out = out[:c.count]
	for k := range out {
		out[k] = sum
	}
	marks := c.pool.Get().(*[]uint64)
	defer c.pool.Put(marks)
	for _, root := range c.parting.roots {
		*marks = append((*marks)[:0], c.all...)
		if !c.part(root, marks, inputs, off, out) {
			return false
		}
	}
	return true
}

// part traverses a tree, starting at step i, for the copies that the last words of marks select,
// and adds the leaves to out. It returns false if off leaves some comparison uncertain.
func (c *copies) part(i int32, marks *[]uint64, inputs, off, out []float64) bool {
	words := len(c.all)
	from := len(*marks) - words
	for {
		s := &c.parting.steps[i]
		if s.input == leafStep {
			for w, mark := range (*marks)[from:] {
				for ; mark != 0; mark &= mark - 1 {
					out[64*w+bits.TrailingZeros64(mark)] += s.value
				}
			}
			return true
		}
		var left []uint64
		if s.input < 0 {
			left = c.left[-2-s.input]
		}
		if left == nil {
			goes, near := c.parting.goes(s, inputs, off)
			if near {
				return false
			}
			if i++; !goes {
				i = s.right
			}
			continue
		}
		some, rest := uint64(0), uint64(0)
		*marks = slices.Grow(*marks, words)
		here := (*marks)[from : from+words]
		for w, mark := range here {
			goes := mark & left[w]
			*marks = append(*marks, goes)
			some, rest = some|goes, rest|mark&^goes
		}
		if some != 0 && rest != 0 {
			if !c.part(i+1, marks, inputs, off, out) {
				return false
			}
			here = (*marks)[from : from+words]
			for w := range here {
				here[w] &^= left[w]
			}
		}
		*marks = (*marks)[:from+words]
		if i++; rest != 0 {
			i = s.right
		}
	}
}
