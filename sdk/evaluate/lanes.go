package evaluate

import "math"

// The kernel's work is done by six loops over float64 vectors. They exist in
// plain Go and, if the processor has them, in vector instructions
// (lanes_amd64.s, written by internal/asm). All variants do the same operations
// in the same order, fused multiply-adds included, so their results are the
// same to the last bit. Vectors are a number of octets long, eight numbers each.
//
// Arguments are in structures that belong to the scratch memory: each call passes
// one pointer.

//go:generate go run ./internal/asm lanes_amd64.s

// combination: outs[q][v] = Σ coefs[q][i]·rows[i·stride + v], i in list, plus
// start[v] for q = 0 unless start is nil. start is nil afterwards.
type combination struct {
	start   *float64
	outs    **float64 // outputs vectors of octets each
	coefs   **float64
	outputs int
	octets  int
	rows    *float64
	stride  int // bytes
	list    *int32
	n       int
}

// expansion: outs[q][c] = coefs[0][j] + Σ coefs[g][j]·rows[g][c] for 0 < g < n
// and j = list[q]; if relu is not 0, 0 replaces negative numbers. ranges[q] is set
// to the least and the greatest number of outs[q], unless ranges is nil.
type expansion struct {
	rows    **float64 // rows of octets; the first is not read
	coefs   **float64
	n       int
	list    *int32
	outs    **float64
	ranges  *span
	outputs int
	octets  int
	relu    int
}

// span is a range of values.
type span struct{ least, most float64 }

// interval: with r anywhere in ranges[g], bounds of coefs[0][j] + Σ coefs[g][j]·r
// for 0 < g < n. Bit j of alive is set if the upper bound is positive, bit j of
// stable if the lower bound is not negative.
type interval struct {
	coefs         **float64
	ranges        *span
	n             int
	octets        int // of neurons
	alive, stable *uint64
}

// spread: sets alive and stable as interval does, from the upper bounds base[j] + most[j]
// and the lower bounds base[j] + least[j].
type spread struct {
	base, least, most *float64
	octets            int
	alive, stable     *uint64
}

// extent: atLeast and atMost are the first positions, in values, of the two numbers least
// and most, both of which occur.
type extent struct {
	values          *float64
	least, most     float64
	atLeast, atMost int
}

// census: counts[t] is how many values are at least thresholds[t].
type census struct {
	values     *float64
	octets     int // at least 1
	thresholds *float64
	counts     *int64
	pairs      int // of thresholds, at least 1
}

// lanes is one variant of the loops.
type lanes struct {
	name    string
	combine func(*combination)
	columns func(*expansion)
	bounds  func(*interval)
	signs   func(*spread)
	places  func(*extent)
	counts  func(*census)
}

// infinities are read by the assembly.
var infinities = [2]float64{math.Inf(1), math.Inf(-1)} //nolint:unused // the assembly reads it

// Name returns the name of the variant.
func (l *lanes) Name() string { return l.name }
