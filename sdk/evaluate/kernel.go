package evaluate

import (
	"math"
	"math/bits"
	"slices"
)

// tileColumns is the largest number of columns, one per protected combination, that
// go through the layers together: twelve octets fill the registers of AVX-512.
const tileColumns = 96

// maxForms bounds the rows of affine forms, and with them the forms' memory. Above
// it, neurons' values are computed and become the rows.
const maxForms = 64

// kernel computes the logits of one individual's counterfactuals.
//
// For one person, nearly every neuron has the same sign in all counterfactuals. A
// neuron that is never positive adds nothing. A neuron that is never negative, like
// every neuron of a layer without ReLU, is affine in its inputs. It needs no value
// per column, only its coefficients over the rows that differ between columns: at
// first the protected inputs, z. Only neurons whose sign depends on z are computed
// column by column, and each becomes a new row. So between two layers everything is
// affine in a few rows:
//
//	neuron j = coefs[0][j] + Σ coefs[g][j]·rows[g],
//
// and a layer with A neurons of constant positive sign takes A·(rows+1) vector
// operations over the next layer's neurons, instead of A·columns operations for
// each of them. Signs come from bounds of these forms over the rows' ranges.
// rounding.go accounts for rounding.
//
// All of it is float64. Float32 would halve the little work that is left per
// column, but its proven error bound ranges from 10⁻³ for two small layers to more
// than 1 for six: far too many individuals would have to be evaluated again
// (docs/developer/decisions/0010).
type kernel struct {
	*lanes
	layers []transposed
	shared []int32 // the network inputs that a person's copies have in common
	// columns holds the first-layer weights of the protected inputs; index 0 is unused.
	columns []*float64
	tiles   []tile
	width   int // of the widest hidden layer
}

// transposed is a layer with one row of weights per input; rows and biases are
// padded with zeros to full octets.
type transposed struct {
	out, octets int
	weights     []float64
	bias        []float64
	relu        bool
}

func (t *transposed) row(i int32) *float64 { return &t.weights[int(i)*8*t.octets] }

// tile is a run of protected combinations. Its last octet is filled up by
// repeating the last combination, which changes no least or greatest value.
type tile struct {
	from, octets int
	rows         []*float64 // of each protected input; index 0 stands for the constant
	ranges       []span
	// The least and the most that combinations add to each first-layer neuron.
	least, most []float64
}

func newKernel(v *lanes, layers []layer, m *mapping, c *combinations) *kernel {
	k := &kernel{lanes: v}
	for i := range layers {
		k.layers = append(k.layers, transpose(&layers[i]))
		if i < len(layers)-1 {
			k.width = max(k.width, layers[i].out)
		}
	}
	for i := range m.shared {
		k.shared = append(k.shared, int32(m.shared[i].Index))
	}
	k.shared = append(k.shared, -1) // never read; makes &shared[0] valid
	first := &k.layers[0]
	k.columns = append(k.columns, nil)
	for i := range m.protected {
		k.columns = append(k.columns, first.row(int32(m.protected[i].Index)))
	}
	for from := 0; from < c.count; from += tileColumns {
		k.tiles = append(k.tiles, k.newTile(m, c, from, min(from+tileColumns, c.count)))
	}
	return k
}

func transpose(l *layer) transposed {
	t := transposed{out: l.out, octets: (l.out + 7) / 8, relu: l.relu}
	pad := 8 * t.octets
	t.weights, t.bias = make([]float64, l.in*pad), make([]float64, pad)
	copy(t.bias, l.bias)
	for j := range l.out {
		for i := range l.in {
			t.weights[i*pad+j] = l.weights[j*l.in+i]
		}
	}
	return t
}

func (k *kernel) newTile(m *mapping, c *combinations, from, to int) tile {
	first := &k.layers[0]
	t := tile{from: from, octets: (to - from + 7) / 8, rows: []*float64{nil}, ranges: make([]span, 1)}
	pad := 8 * t.octets
	values := make([]float64, len(m.protected)*pad)
	inputs, point := make([]float64, m.inputs), make([]float64, m.features)
	least, most := make([]float64, 8*first.octets), make([]float64, 8*first.octets)
	fill(least, math.Inf(1))
	fill(most, math.Inf(-1))
	for column := range pad {
		c.complete(point, min(from+column, to-1))
		apply(m.protected, inputs, point)
		for p := range m.protected {
			values[p*pad+column] = inputs[m.protected[p].Index]
		}
		for j := range least {
			var sum float64
			for p := range m.protected {
				sum += *at(k.columns[p+1], int32(j)) * inputs[m.protected[p].Index]
			}
			least[j], most[j] = min(least[j], sum), max(most[j], sum)
		}
	}
	for p := range m.protected {
		row := values[p*pad : (p+1)*pad]
		t.rows = append(t.rows, &row[0])
		t.ranges = append(t.ranges, span{slices.Min(row), slices.Max(row)})
	}
	t.least, t.most = least, most
	return t
}

// working is the kernel's memory for one goroutine.
type working struct {
	inputs []float64 // the network's inputs; the kernel reads the shared ones
	base   []float64 // the shared inputs' part of each first-layer neuron, bias included
	// The rows that everything is affine in, from 0 to n−1, and the coefficients
	// over them. Index 0 is the constant 1 and has no row.
	n      int
	rows   []*float64
	coefs  []*float64
	ranges []span
	fixed  int        // the rows below this index belong to the tile
	free   []*float64 // memory for rows
	forms  [2][]float64
	outs   []*float64
	found  []span // ranges of outs
	alive  []uint64
	stable []uint64
	steady []int32 // neurons that are affine: never negative, or without ReLU
	open   []int32 // neurons to be computed column by column
	// Arguments of the loops, with the pointers that stay the same filled in.
	combination combination
	expansion   expansion
	interval    interval
	spread      spread
}

func (k *kernel) working(inputs int) *working {
	capacity := max(maxForms, len(k.columns)) + k.width
	octets, columns := 1, 8*k.tiles[0].octets
	for i := range k.layers {
		octets = max(octets, k.layers[i].octets)
	}
	w := &working{
		inputs: make([]float64, inputs), base: make([]float64, 8*k.layers[0].octets),
		rows: make([]*float64, capacity), coefs: make([]*float64, capacity), ranges: make([]span, capacity),
		outs: make([]*float64, capacity), found: make([]span, capacity),
		alive: make([]uint64, (octets+7)/8), stable: make([]uint64, (octets+7)/8),
		steady: make([]int32, 0, k.width), open: make([]int32, 0, k.width+1), // +1: the output
	}
	for i := range w.forms {
		w.forms[i] = make([]float64, maxForms*8*octets)
	}
	// Memory for a layer's rows and the rows that they are computed from.
	rows := make([]float64, (2*k.width+maxForms)*columns)
	for at := 0; at < len(rows); at += columns {
		w.free = append(w.free, &rows[at])
	}
	w.combination.coefs = &w.coefs[0]
	w.expansion = expansion{rows: &w.rows[0], coefs: &w.coefs[0], outs: &w.outs[0]}
	w.interval = interval{coefs: &w.coefs[0], ranges: &w.ranges[0], alive: &w.alive[0], stable: &w.stable[0]}
	w.spread = spread{base: &w.base[0], octets: k.layers[0].octets, alive: &w.alive[0], stable: &w.stable[0]}
	return w
}

// logits computes the logit of every combination for the individual whose inputs
// are in w, into out, which has full octets. It returns their range. If same is
// set, all are equal and out is not written.
func (k *kernel) logits(w *working, out []float64) (all span, same bool) {
	first := &k.layers[0]
	w.outs[0] = &w.base[0]
	w.coefs[0] = &w.inputs[0]
	a := &w.combination
	a.start, a.outs, a.outputs, a.octets = &first.bias[0], &w.outs[0], 1, first.octets
	a.rows, a.stride, a.list, a.n = &first.weights[0], 64*first.octets, &k.shared[0], len(k.shared)-1
	k.combine(a)
	if len(k.tiles) == 1 {
		return k.tile(w, &k.tiles[0], out)
	}
	all = span{math.Inf(1), math.Inf(-1)}
	for i := range k.tiles {
		t := &k.tiles[i]
		some, same := k.tile(w, t, out)
		if same {
			fill(out[t.from:t.from+8*t.octets], some.least)
		}
		all = span{min(all.least, some.least), max(all.most, some.most)}
	}
	return all, false
}

// tile computes the logits of one tile and returns their range. If same is set, all
// are equal and out is not written.
func (k *kernel) tile(w *working, t *tile, out []float64) (logits span, same bool) {
	for p, column := range k.columns {
		w.coefs[p], w.rows[p], w.ranges[p] = column, t.rows[p], t.ranges[p]
	}
	w.n, w.fixed = len(k.columns), len(k.columns)
	w.coefs[0] = &w.base[0]
	last := len(k.layers) - 1
	for l := range last {
		k.signsOf(w, t, l)
		k.advance(w, t, l)
	}
	if w.n == 1 {
		return span{*w.coefs[0], *w.coefs[0]}, true
	}
	w.open = append(w.open[:0], 0)
	w.outs[0] = &out[t.from]
	k.expand(w, t, false, true)
	w.drop(1)
	return w.found[0], false
}

// signsOf sorts the neurons of layer l into steady and open ones; those whose
// ReLU is positive in no column are in neither.
func (k *kernel) signsOf(w *working, t *tile, l int) {
	w.steady, w.open = w.steady[:0], w.open[:0]
	if !k.layers[l].relu {
		for j := range k.layers[l].out {
			w.steady = append(w.steady, int32(j))
		}
		return
	}
	octets := k.layers[l].octets
	words := (octets + 7) / 8
	if l == 0 {
		w.spread.least, w.spread.most = &t.least[0], &t.most[0]
		k.signs(&w.spread)
	} else {
		w.interval.n, w.interval.octets = w.n, octets
		k.bounds(&w.interval)
	}
	for i, alive := range w.alive[:words] {
		stable := w.stable[i]
		for ; alive != 0; alive &= alive - 1 {
			j := bits.TrailingZeros64(alive)
			if stable>>j&1 != 0 {
				w.steady = append(w.steady, int32(64*i+j))
			} else {
				w.open = append(w.open, int32(64*i+j))
			}
		}
	}
}

// advance computes the forms of the next layer's neurons from those of layer l.
func (k *kernel) advance(w *working, t *tile, l int) {
	next, relu := &k.layers[l+1], k.layers[l].relu
	keep := w.keepsForms(t, next, l+2 == len(k.layers))
	if !keep {
		w.open = append(w.open, w.steady...)
	}
	for i, j := range w.open {
		w.outs[i] = w.take()
		if l == 0 { // the range is known
			base := w.base[j]
			w.found[i] = span{base + t.least[j], base + t.most[j]}
			if relu {
				w.found[i].least = max(0, w.found[i].least)
			}
		}
	}
	if len(w.open) > 0 {
		k.expand(w, t, relu, l > 0)
	}
	if keep {
		k.carry(w, next, l&1)
	} else {
		w.drop(1)
		w.coefs[0] = &next.bias[0]
	}
	for i, j := range w.open {
		row := w.outs[i]
		if relu && !(w.found[i].most > 0) {
			w.free = append(w.free, row)
			continue
		}
		w.rows[w.n], w.coefs[w.n], w.ranges[w.n] = row, next.row(j), w.found[i]
		w.n++
	}
}

// keepsForms decides whether the next layer's forms are over the present rows, to
// which the steady neurons' contributions are carried over, or over the steady
// neurons' values, computed column by column. Both are correct; it picks the one
// with fewer vector operations, assuming that every eighth neuron of the next layer
// must be computed.
func (w *working) keepsForms(t *tile, next *transposed, last bool) bool {
	steady := len(w.steady)
	if steady == 0 || w.n > maxForms {
		return false
	}
	computed := 1
	if !last {
		computed += next.out / 8
	}
	carried := steady*w.n*next.octets + computed*(w.n-1)*t.octets
	valued := steady*w.n*t.octets + computed*steady*t.octets
	return carried <= valued
}

// carry writes the steady neurons' part of the next layer's forms, over the present
// rows.
func (k *kernel) carry(w *working, next *transposed, parity int) {
	pad := 8 * next.octets
	outs := w.outs[len(w.open):][:w.n]
	for g := range outs {
		outs[g] = &w.forms[parity][g*pad]
	}
	a := &w.combination
	a.start, a.outs, a.outputs, a.octets = &next.bias[0], &outs[0], w.n, next.octets
	a.rows, a.stride, a.list, a.n = &next.weights[0], 8*pad, &w.steady[0], len(w.steady)
	k.combine(a)
	copy(w.coefs, outs)
}

// expand computes the open neurons' columns into outs, and their ranges into found
// if ranges is set.
func (k *kernel) expand(w *working, t *tile, relu, ranges bool) {
	a := &w.expansion
	a.n, a.list, a.outputs, a.octets = w.n, &w.open[0], len(w.open), t.octets
	a.relu, a.ranges = 0, nil
	if relu {
		a.relu = 1
	}
	if ranges {
		a.ranges = &w.found[0]
	}
	k.lanes.columns(a)
}

// take returns free memory for a row, with arbitrary content; drop gives it back.
func (w *working) take() *float64 {
	end := len(w.free) - 1
	row := w.free[end]
	w.free = w.free[:end]
	return row
}

// drop frees the memory of row n and all later ones.
func (w *working) drop(n int) {
	if from := max(n, w.fixed); from < w.n {
		w.free = append(w.free, w.rows[from:w.n]...)
	}
	w.n, w.fixed = n, min(n, w.fixed)
}
