package evaluate

import "math"

// kernel computes the logits of a group of individuals. What it works in is
// its own affair as long as every logit stays within the evaluator's bound.
type kernel interface {
	// scratch makes the buffers of one goroutine.
	scratch() any
	// logits fills in g.logits.
	logits(scratch any, g *group)
}

// group is a set of individuals and the combinations to evaluate them at. A
// column is one counterfactual: columns from to to−1 of a member belong to it.
type group struct {
	members []member
	inputs  []float64 // len(members) × network inputs; the protected ones are not set
	combos  []int32   // the combination of each column
	logits  []float64 // the answer, one a column
}

type member struct {
	x        []float64
	from, to int
	inDomain bool // the kernel's error bound holds
}

// tile is the number of columns that go through the layers together: wide
// enough to pay for the loops around it, small enough for a layer of some
// hundred neurons to stay in the second-level cache.
const tile = 96

// kernel64 works in float64. Activations are laid out neuron by neuron, each
// one's columns side by side, so that the innermost loop runs along them.
type kernel64 struct {
	layers  []layer
	inputs  int
	width   int       // the widest layer
	shared  []int     // the network inputs that a person's copies have in common
	columns []float64 // first-layer weights of shared[i]: row i, one a neuron
	// offsets holds what each combination adds to each first-layer neuron:
	// neurons × combinations.
	offsets []float64
	combos  int
}

func newKernel64(layers []layer, m *mapping, c *combinations) *kernel64 {
	first := &layers[0]
	k := &kernel64{layers: layers, inputs: m.inputs, combos: c.count}
	for i := range layers {
		k.width = max(k.width, layers[i].out)
	}
	for i := range m.shared {
		at := m.shared[i].Index
		k.shared = append(k.shared, at)
		for j := range first.out {
			k.columns = append(k.columns, first.weights[j*first.in+at])
		}
	}
	k.offsets = make([]float64, first.out*c.count)
	inputs, point := make([]float64, m.inputs), make([]float64, m.features)
	for combo := range c.count {
		c.complete(point, combo)
		apply(m.protected, inputs, point)
		for j := range first.out {
			var sum float64
			for i := range m.protected {
				at := m.protected[i].Index
				sum += first.weights[j*first.in+at] * inputs[at]
			}
			k.offsets[j*c.count+combo] = sum
		}
	}
	return k
}

// scratch64 holds the activations of one layer: row p of in is neuron
// active[p]. Neurons that are zero in every column have no row; with trained
// networks that saves about half of the work.
type scratch64 struct {
	in, out []float64 // rows of tile columns each
	active  []int
	next    []int     // active of the layer being computed
	weights []float64 // two rows of weights, gathered for the active neurons
	sums    []float64 // two rows of tile columns, before the activation
	pieces  []piece
	bases   []float64 // first-layer sums of the shared inputs: pieces × neurons
}

// piece is the part of a member that lies in the current tile.
type piece struct{ from, to, member int }

func (k *kernel64) scratch() any {
	rows := k.width + 3 // for padding to a multiple of four
	return &scratch64{
		in: make([]float64, rows*tile), out: make([]float64, rows*tile),
		active: make([]int, 0, rows), next: make([]int, 0, rows),
		weights: make([]float64, 2*rows), sums: make([]float64, 2*tile),
		pieces: make([]piece, 0, tile), bases: make([]float64, min(tile, max(1, tile/k.combos)+1)*k.layers[0].out),
	}
}

func (k *kernel64) logits(scratch any, g *group) {
	s := scratch.(*scratch64)
	member := 0
	for from := 0; from < len(g.combos); from += tile {
		to := min(from+tile, len(g.combos))
		s.pieces = s.pieces[:0]
		for at := from; at < to; {
			for g.members[member].to <= at {
				member++
			}
			end := min(g.members[member].to, to)
			s.pieces = append(s.pieces, piece{at, end, member})
			at = end
		}
		k.firstLayer(s, g, from, to)
		for i := 1; i < len(k.layers); i++ {
			s.advance(&k.layers[i], to-from)
		}
		copy(g.logits[from:to], s.in) // the last layer's only row
	}
}

// firstLayer fills s.in with the first layer's activations of a tile.
func (k *kernel64) firstLayer(s *scratch64, g *group, from, to int) {
	first := &k.layers[0]
	if need := len(s.pieces) * first.out; need > len(s.bases) {
		s.bases = make([]float64, need)
	}
	for n := range s.pieces {
		base := s.bases[n*first.out : (n+1)*first.out]
		copy(base, first.bias)
		inputs := g.inputs[s.pieces[n].member*k.inputs:]
		for i, at := range k.shared {
			if v := inputs[at]; v != 0 {
				column := k.columns[i*first.out : (i+1)*first.out]
				for j, w := range column {
					base[j] += w * v
				}
			}
		}
	}
	s.active = s.active[:0]
	sums := s.sums[:to-from]
	for j := range first.out {
		offsets := k.offsets[j*k.combos : (j+1)*k.combos]
		for n := range s.pieces {
			p := &s.pieces[n]
			base := s.bases[n*first.out+j]
			part := sums[p.from-from : p.to-from]
			if len(part) == len(offsets) { // every combination, in order
				for c, offset := range offsets {
					part[c] = base + offset
				}
				continue
			}
			for c, combo := range g.combos[p.from:p.to] {
				part[c] = base + offsets[combo]
			}
		}
		s.active = keep(s.active, j, s.in, sums, first.relu)
	}
}

// advance computes one more layer from s.in and puts it there.
func (s *scratch64) advance(l *layer, columns int) {
	rows := (len(s.active) + 3) &^ 3
	for p := len(s.active); p < rows; p++ {
		clear(s.in[p*tile : p*tile+columns])
	}
	w0, w1 := s.weights[:rows], s.weights[rows:2*rows]
	clear(s.weights[:2*rows])
	s.next = s.next[:0]
	sum0, sum1 := s.sums[:columns], s.sums[tile:tile+columns]
	for j := 0; j < l.out; j += 2 {
		gather(w0, l.weights[j*l.in:(j+1)*l.in], s.active)
		fill(sum0, l.bias[j])
		if j+1 == l.out {
			accumulate(sum0, s.in, w0)
			s.next = keep(s.next, j, s.out, sum0, l.relu)
			break
		}
		gather(w1, l.weights[(j+1)*l.in:(j+2)*l.in], s.active)
		fill(sum1, l.bias[j+1])
		accumulate2(sum0, sum1, s.in, w0, w1)
		s.next = keep(s.next, j, s.out, sum0, l.relu)
		s.next = keep(s.next, j+1, s.out, sum1, l.relu)
	}
	s.in, s.out = s.out, s.in
	s.active, s.next = s.next, s.active
}

// keep writes the activation of neuron j as the next row and notes the neuron,
// unless ReLU makes it zero in every column.
func keep(active []int, j int, rows, sums []float64, relu bool) []int {
	row := rows[len(active)*tile:][:len(sums)]
	if !relu {
		copy(row, sums)
		return append(active, j)
	}
	var any uint64
	for c, v := range sums {
		// Without a branch: a number with its sign bit set becomes +0.
		bits := math.Float64bits(v)
		bits &^= uint64(int64(bits) >> 63)
		row[c] = math.Float64frombits(bits)
		any |= bits
	}
	if any == 0 {
		return active
	}
	return append(active, j)
}

func gather(dst, weights []float64, active []int) {
	for p, i := range active {
		dst[p] = weights[i]
	}
}

func fill(row []float64, v float64) {
	for c := range row {
		row[c] = v
	}
}

// accumulate adds Σ w[p]·row p to sums; len(w) is a multiple of four. One term
// is added after the other: leaving out a zero then changes nothing, and a
// logit does not depend on what else is in the tile.
func accumulate(sums, rows, w []float64) {
	for p := 0; p+4 <= len(w); p += 4 {
		a, b, c, d := w[p], w[p+1], w[p+2], w[p+3]
		r0, r1, r2, r3 := four(rows, p, len(sums))
		for i := range sums {
			sums[i] = sums[i] + a*r0[i] + b*r1[i] + c*r2[i] + d*r3[i]
		}
	}
}

// accumulate2 is accumulate for two neurons at once: each activation is loaded
// once for both.
func accumulate2(sums, sums2, rows, w, w2 []float64) {
	sums2, w2 = sums2[:len(sums)], w2[:len(w)]
	for p := 0; p+4 <= len(w); p += 4 {
		a, b, c, d := w[p], w[p+1], w[p+2], w[p+3]
		a2, b2, c2, d2 := w2[p], w2[p+1], w2[p+2], w2[p+3]
		r0, r1, r2, r3 := four(rows, p, len(sums))
		r0, r1, r2, r3 = r0[:len(sums)], r1[:len(sums)], r2[:len(sums)], r3[:len(sums)]
		for i := range sums {
			x0, x1, x2, x3 := r0[i], r1[i], r2[i], r3[i]
			sums[i] = sums[i] + a*x0 + b*x1 + c*x2 + d*x3
			sums2[i] = sums2[i] + a2*x0 + b2*x1 + c2*x2 + d2*x3
		}
	}
}

// four are rows p to p+3, n columns of each.
func four(rows []float64, p, n int) (r0, r1, r2, r3 []float64) {
	rows = rows[p*tile:]
	return rows[:n], rows[tile : tile+n], rows[2*tile : 2*tile+n], rows[3*tile : 3*tile+n]
}
