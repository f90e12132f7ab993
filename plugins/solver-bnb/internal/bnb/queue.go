package bnb

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// page holds nodes of one bucket.
type page struct {
	bucket       int
	boxes        []uint16 // words of their numbers, the low ones first
	fair, unfair []float32
	split        []uint16
	sets         []uint64 // words of the sets of relevant copies
	paths        []*grid.Branching
}

const pageSize = 512

func (p *page) len() int { return len(p.split) }

// nodeQueue holds the open nodes in buckets; the highest bucket goes first. Within a
// bucket the last nodes added go first, which suits the cache.
type nodeQueue struct {
	words  int // per number
	stride int // words per box
	// setWords is the number of words of a set of copies, 0 if none are kept.
	setWords int
	// keepPaths makes nodes keep their path from the root.
	keepPaths bool
	buckets   [][]*page
	top       int // no bucket above it has nodes
	size      int
	pages     int // number of pages allocated
	free      []*page
}

// numBuckets is the number of buckets: for masses, two per power of two from 2⁻⁵⁰⁰ to
// 2⁵²⁴; for values, equal parts of their range.
const numBuckets = 2048

func newNodeQueue(g *grid.Grid) *nodeQueue {
	q := &nodeQueue{words: 1, buckets: make([][]*page, numBuckets)}
	for d := range g.Dims {
		if g.Dims[d].Cells > 1<<16 {
			q.words = 4
		}
	}
	q.stride = 2 * len(g.Dims) * q.words
	return q
}

// node copies node i of a page to n; n.Box must have room for the box.
func (q *nodeQueue) node(p *page, i int, n *grid.Node) {
	n.Fair, n.Unfair, n.Branch, n.Bucket = float64(p.fair[i]), float64(p.unfair[i]), int(p.split[i]), p.bucket
	if n.Copies, n.Path = nil, nil; q.setWords > 0 {
		n.Copies = p.sets[i*q.setWords : (i+1)*q.setWords]
	}
	if q.keepPaths {
		n.Path = p.paths[i]
	}
	from := p.boxes[i*q.stride : (i+1)*q.stride]
	if q.words == 1 {
		for k, v := range from {
			n.Box[k] = uint64(v)
		}
		return
	}
	for k := range n.Box {
		w := from[4*k : 4*k+4]
		n.Box[k] = uint64(w[0]) | uint64(w[1])<<16 | uint64(w[2])<<32 | uint64(w[3])<<48
	}
}

// byMass returns the bucket of a node by its undecided individuals: two buckets per power
// of two.
func byMass(mass float64) int {
	const least = 0x1p-500
	if !(mass >= least) {
		return 0
	}
	return min(int(math.Float64bits(mass)>>51-math.Float64bits(least)>>51), numBuckets-1)
}

func (q *nodeQueue) push(n *grid.Node) {
	p := q.open(n.Bucket)
	for _, v := range n.Box {
		if p.boxes = append(p.boxes, uint16(v)); q.words > 1 {
			p.boxes = append(p.boxes, uint16(v>>16), uint16(v>>32), uint16(v>>48))
		}
	}
	p.fair, p.unfair = append(p.fair, float32(n.Fair)), append(p.unfair, float32(n.Unfair))
	p.split = append(p.split, uint16(n.Branch))
	p.sets = append(p.sets, n.Copies...)
	if q.keepPaths {
		p.paths = append(p.paths, n.Path)
	}
}

// open returns a page of a bucket with room for a node, and counts that node.
func (q *nodeQueue) open(bucket int) *page {
	b := q.buckets[bucket]
	if len(b) == 0 || b[len(b)-1].len() == pageSize {
		b = append(b, q.page())
		b[len(b)-1].bucket = bucket
		q.buckets[bucket] = b
	}
	q.size++
	q.top = max(q.top, bucket)
	return b[len(b)-1]
}

func (q *nodeQueue) page() *page {
	if n := len(q.free); n > 0 {
		p := q.free[n-1]
		q.free = q.free[:n-1]
		return p
	}
	q.pages++
	return &page{
		boxes: make([]uint16, 0, pageSize*q.stride), fair: make([]float32, 0, pageSize), unfair: make([]float32, 0, pageSize),
		split: make([]uint16, 0, pageSize),
	}
}

// bytes returns the memory of the nodes.
func (q *nodeQueue) bytes() int64 {
	return int64(q.pages-len(q.free)) * pageSize * int64(2*q.stride+8*q.setWords+10)
}

// take removes about n nodes from the top, in whole pages.
func (q *nodeQueue) take(n int) (pages []*page) {
	for n > 0 && q.size > 0 {
		for len(q.buckets[q.top]) == 0 {
			q.top--
		}
		pages = append(pages, q.pop(q.top))
		n -= pages[len(pages)-1].len()
	}
	return pages
}

// takeLast removes about n nodes from the bottom.
func (q *nodeQueue) takeLast(n int) (pages []*page) {
	for b := 0; b <= q.top && n > 0; b++ {
		for len(q.buckets[b]) > 0 && n > 0 {
			pages = append(pages, q.pop(b))
			n -= pages[len(pages)-1].len()
		}
	}
	return pages
}

func (q *nodeQueue) pop(bucket int) *page {
	b := q.buckets[bucket]
	p := b[len(b)-1]
	q.buckets[bucket] = b[:len(b)-1]
	q.size -= p.len()
	return p
}

// putBack returns to the queue the nodes of a task that was not run, or was interrupted.
func (q *nodeQueue) putBack(t task) {
	n := grid.Node{Box: make(grid.Box, q.stride/q.words)}
	for i := t.from; i < t.to; i++ {
		q.node(t.p, i, &n)
		q.push(&n)
	}
}

// release empties finished pages, for reuse.
func (q *nodeQueue) release(pages []*page) {
	for _, p := range pages {
		p.boxes, p.fair, p.unfair, p.split = p.boxes[:0], p.fair[:0], p.unfair[:0], p.split[:0]
		clear(p.paths)
		p.sets, p.paths = p.sets[:0], p.paths[:0]
		q.free = append(q.free, p)
	}
}

// each visits copies of all nodes.
func (q *nodeQueue) each(visit func(n grid.Node)) {
	for _, b := range q.buckets {
		for _, p := range b {
			for i := range p.split {
				n := grid.Node{Box: make(grid.Box, q.stride/q.words)}
				q.node(p, i, &n)
				visit(n)
			}
		}
	}
}

// floor rounds an integer down to one that float32 holds.
func floor(v float64) float64 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, 0)
	}
	return math.Floor(float64(f))
}
