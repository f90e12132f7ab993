package tree

import (
	"math"

	"github.com/hyfair/hyfair/plugins/solver-bnb/internal/grid"
)

// leaf is a box that is not settled, and what is known of it.
type leaf struct {
	box grid.Box
	// fair and unfair are numbers of its individuals that are settled: integers
	// that float32 holds.
	fair, unfair float64
	split        uint16 // the dimension to cut
	bucket       int    // of the frontier
	copies       copies // that matter; nil for all
}

// page holds leaves of one bucket.
type page struct {
	bucket       int
	boxes        []uint16 // words of their numbers, the low ones first
	fair, unfair []float32
	split        []uint16
	sets         []uint64 // words of the copies that matter
}

const pageSize = 512

func (p *page) len() int { return len(p.split) }

// frontier holds the leaves to come in buckets, of which the highest goes first.
// Within a bucket the last come are the first to go, which keeps memory warm.
type frontier struct {
	words  int // of a number
	stride int // words of a box
	// setWords are those of a set of copies, 0 where none are kept.
	setWords int
	buckets  [][]*page
	top      int // no bucket above it has leaves
	size     int
	pages    int // that exist
	free     []*page
}

// numBuckets is how many buckets there are.
const numBuckets = 2048

func newFrontier(g *grid.Grid) *frontier {
	f := &frontier{words: 1, buckets: make([][]*page, numBuckets)}
	for d := range g.Dims {
		if g.Dims[d].Cells > 1<<16 {
			f.words = 4
		}
	}
	f.stride = 2 * len(g.Dims) * f.words
	return f
}

// box puts the box of leaf i of a page into b.
func (f *frontier) box(p *page, i int, b grid.Box) {
	from := p.boxes[i*f.stride : (i+1)*f.stride]
	if f.words == 1 {
		for k, v := range from {
			b[k] = uint64(v)
		}
		return
	}
	for k := range b {
		w := from[4*k : 4*k+4]
		b[k] = uint64(w[0]) | uint64(w[1])<<16 | uint64(w[2])<<32 | uint64(w[3])<<48
	}
}

// byMass is the bucket of a leaf of so many unsettled individuals: two for each
// power of two.
func byMass(mass float64) int {
	const least = 0x1p-500
	if !(mass >= least) {
		return 0
	}
	return min(int(math.Float64bits(mass)>>51-math.Float64bits(least)>>51), numBuckets-1)
}

func (f *frontier) push(l *leaf) {
	p := f.open(l.bucket)
	for _, v := range l.box {
		if p.boxes = append(p.boxes, uint16(v)); f.words > 1 {
			p.boxes = append(p.boxes, uint16(v>>16), uint16(v>>32), uint16(v>>48))
		}
	}
	p.fair, p.unfair = append(p.fair, float32(l.fair)), append(p.unfair, float32(l.unfair))
	p.split = append(p.split, l.split)
	p.sets = append(p.sets, l.copies...)
}

// set is the copies that matter in leaf i of a page.
func (f *frontier) set(p *page, i int) copies {
	if f.setWords == 0 {
		return nil
	}
	return p.sets[i*f.setWords : (i+1)*f.setWords]
}

// open is a page of a bucket with room for a leaf, which is counted.
func (f *frontier) open(bucket int) *page {
	b := f.buckets[bucket]
	if len(b) == 0 || b[len(b)-1].len() == pageSize {
		b = append(b, f.page())
		b[len(b)-1].bucket = bucket
		f.buckets[bucket] = b
	}
	f.size++
	f.top = max(f.top, bucket)
	return b[len(b)-1]
}

func (f *frontier) page() *page {
	if n := len(f.free); n > 0 {
		p := f.free[n-1]
		f.free = f.free[:n-1]
		return p
	}
	f.pages++
	return &page{
		boxes: make([]uint16, 0, pageSize*f.stride), fair: make([]float32, 0, pageSize), unfair: make([]float32, 0, pageSize),
		split: make([]uint16, 0, pageSize),
	}
}

// bytes is the memory held.
func (f *frontier) bytes() int64 {
	return int64(f.pages-len(f.free)) * pageSize * int64(2*f.stride+8*f.setWords+10)
}

// take removes about n leaves from the top, in whole pages.
func (f *frontier) take(n int) (pages []*page) {
	for n > 0 && f.size > 0 {
		for len(f.buckets[f.top]) == 0 {
			f.top--
		}
		pages = append(pages, f.pop(f.top))
		n -= pages[len(pages)-1].len()
	}
	return pages
}

// takeLast removes about n leaves from the bottom.
func (f *frontier) takeLast(n int) (pages []*page) {
	for b := 0; b <= f.top && n > 0; b++ {
		for len(f.buckets[b]) > 0 && n > 0 {
			pages = append(pages, f.pop(b))
			n -= pages[len(pages)-1].len()
		}
	}
	return pages
}

func (f *frontier) pop(bucket int) *page {
	b := f.buckets[bucket]
	p := b[len(b)-1]
	f.buckets[bucket] = b[:len(b)-1]
	f.size -= p.len()
	return p
}

// putBack returns the leaves of a task that was not done.
func (f *frontier) putBack(t task) {
	for i := t.from; i < t.to; i++ {
		p := f.open(t.p.bucket)
		p.boxes = append(p.boxes, t.p.boxes[i*f.stride:(i+1)*f.stride]...)
		p.fair, p.unfair = append(p.fair, t.p.fair[i]), append(p.unfair, t.p.unfair[i])
		p.split = append(p.split, t.p.split[i])
		p.sets = append(p.sets, f.set(t.p, i)...)
	}
}

// release takes back pages that are done with.
func (f *frontier) release(pages []*page) {
	for _, p := range pages {
		p.boxes, p.fair, p.unfair, p.split = p.boxes[:0], p.fair[:0], p.unfair[:0], p.split[:0]
		p.sets = p.sets[:0]
		f.free = append(f.free, p)
	}
}

// each visits all leaves.
func (f *frontier) each(visit func(p *page, i int)) {
	for _, b := range f.buckets {
		for _, p := range b {
			for i := range p.split {
				visit(p, i)
			}
		}
	}
}

// floor is v, an integer, rounded down to one that float32 holds.
func floor(v float64) float64 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, 0)
	}
	return math.Floor(float64(f))
}
