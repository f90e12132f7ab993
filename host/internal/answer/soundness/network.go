package soundness

import (
	"math"
	"math/rand/v2"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// layer is a layer of a network under construction: a row of weights and a bias for each
// neuron.
type layer struct {
	rows [][]float64
	bias []float64
	// splits counts, for each neuron, how often it and the neurons it comes from were split.
	splits []int
	// values describes the values of the neurons, see network.number.
	values []number
}

// add appends a neuron and returns its place.
func (l *layer) add(bias float64, row []float64) int {
	l.rows, l.bias, l.splits = append(l.rows, row), append(l.bias, bias), append(l.splits, 0)
	l.values = append(l.values, number{})
	return len(l.rows) - 1
}

// network is layers with ReLUs, except the last, which has the logit's row.
type network []*layer

// neurons returns the number of neurons with a ReLU.
func (n network) neurons() (count int) {
	for _, l := range n[:len(n)-1] {
		count += len(l.rows)
	}
	return count
}

// relu converts the network to the form of the rest of the program.
func (n network) relu(inputs int) *relu.Network {
	out := &relu.Network{Head: relu.HeadSigmoid, Precision: 32}
	for i, l := range n {
		to := relu.Layer{Name: "hidden", In: inputs, Out: len(l.rows), Bias: l.bias, ReLU: i < len(n)-1}
		if !to.ReLU {
			to.Name = "logit"
		}
		for _, row := range l.rows {
			to.Weights = append(to.Weights, row...)
		}
		inputs = to.Out
		out.Layers = append(out.Layers, to)
	}
	return out
}

// number describes a neuron's values: from 0 to most, in steps of 2 to the power of step.
type number struct {
	most float64
	step int
}

// trailing returns the exponent of the largest power of two that divides v.
func trailing(v float64) int {
	fraction, exponent := math.Frexp(v)
	whole := int64(math.Abs(fraction) * (1 << 53))
	e := exponent - 53
	for whole&1 == 0 {
		whole >>= 1
		e++
	}
	return e
}

// through returns the values of the layer's neurons, given those of its inputs. bits is the largest
// number of bits that a neuron's sum takes, whatever the order of its terms.
func (l *layer) through(in []number) (out []number, bits int) {
	for j, row := range l.rows {
		size, step, high := math.Abs(l.bias[j]), math.MaxInt, l.bias[j]
		if l.bias[j] != 0 {
			step = trailing(l.bias[j])
		}
		for i, w := range row {
			if w == 0 || in[i].most == 0 {
				continue
			}
			size += math.Abs(w) * in[i].most
			high += math.Max(w, 0) * in[i].most
			step = min(step, trailing(w)+in[i].step)
		}
		if size > 0 {
			_, exponent := math.Frexp(size)
			bits = max(bits, exponent-step)
		}
		out = append(out, number{math.Max(high, 0), step})
	}
	return out, bits
}

// number sets the values of all neurons.
func (n network) number(inputs []number) {
	for _, l := range n {
		l.values, _ = l.through(inputs)
		inputs = l.values
	}
}

// bits is the number of mantissa bits that hold every sum of a forward pass, for any point of
// the domain: with that many bits arithmetic is exact.
func (n network) bits(inputs []number) (bits int) {
	for _, l := range n {
		_, of := l.through(inputs)
		bits, inputs = max(bits, of), l.values
	}
	return bits
}

// disguise hides how a network was built, without changing a value that it computes.
type disguise struct {
	network
	rng    *rand.Rand
	inputs []number
	Disguise
}

// Disguise says how a network was disguised, apart from being permuted and scaled.
type Disguise struct {
	// Split, Dead and Mixed count split neurons, dead neurons, and layers that only mix
	// others.
	Split int `json:"split"`
	Dead  int `json:"dead"`
	Mixed int `json:"mixed_layers"`
	// Bits is the number of mantissa bits that hold every sum of a forward pass.
	Bits int `json:"bits"`
}

// apply adds neurons up to the given number, then scales and permutes.
func (d *disguise) apply(neurons int) {
	for d.Mixed < 2 && neurons-d.neurons() >= 2+len(d.last().rows) {
		d.mix()
	}
	d.number(d.inputs)
	for d.neurons() < neurons {
		at := d.rng.IntN(len(d.network) - 1)
		if d.rng.IntN(3) > 0 {
			d.split(at)
		} else {
			d.dead(at)
		}
	}
	for at := range len(d.network) - 1 {
		d.scale(at)
		d.permute(at)
	}
}

// last returns the last layer before the logit.
func (d *disguise) last() *layer { return d.network[len(d.network)-2] }

// mix inserts a layer before the logit that adds some neurons to others, which the row of
// the logit undoes. Values are at least 0 there, so that ReLUs do not change them.
func (d *disguise) mix() {
	width, out := len(d.last().rows), d.network[len(d.network)-1]
	added := &layer{}
	for j := range width {
		row := make([]float64, width)
		row[j] = 1
		added.add(0, row)
	}
	for range width / 2 {
		// Neither neuron has an addend yet, and from is not an addend.
		from, to := d.rng.IntN(width), d.rng.IntN(width)
		if from == to || len(terms(added.rows[from])) > 1 || len(terms(added.rows[to])) > 1 || used(added, from) {
			continue
		}
		added.rows[to][from] = 1
		for _, row := range out.rows {
			row[from] -= row[to]
		}
	}
	d.network = append(d.network[:len(d.network)-1], added, out)
	d.Mixed++
}

// terms returns the places of a row's nonzero weights.
func terms(row []float64) (at []int) {
	for i, w := range row {
		if w != 0 {
			at = append(at, i)
		}
	}
	return at
}

// used reports whether a neuron was added to another.
func used(l *layer, from int) bool {
	for j, row := range l.rows {
		if j != from && row[from] != 0 {
			return true
		}
	}
	return false
}

// split splits a neuron in two, whose outgoing weights add up to those of the original.
func (d *disguise) split(at int) {
	l, next := d.network[at], d.network[at+1]
	j, part := d.rng.IntN(len(l.rows)), 0.5
	switch l.splits[j] {
	case 0:
		part = []float64{0.5, 2, -1, 1.5}[d.rng.IntN(4)]
	case 1, 2:
	default:
		return // it would take too many bits
	}
	l.splits[j]++
	twin := l.add(l.bias[j], append([]float64(nil), l.rows[j]...))
	l.splits[twin], l.values[twin] = l.splits[j], l.values[j]
	for k, row := range next.rows {
		whole := row[j]
		row[j] = (1 - part) * whole
		next.rows[k] = append(row, part*whole)
	}
	d.Split++
}

// dead adds a neuron that is inactive at every point of the domain.
func (d *disguise) dead(at int) {
	l, next, in := d.network[at], d.network[at+1], d.inputs
	if at > 0 {
		in = d.network[at-1].values
	}
	row, high := make([]float64, len(in)), 0.0
	for range min(3, len(in)) {
		i := d.rng.IntN(len(in))
		high -= math.Abs(row[i]) * in[i].most
		row[i] = float64(d.rng.IntN(5) - 2)
		high += math.Abs(row[i]) * in[i].most
	}
	l.add(-math.Ceil(high)-float64(d.rng.IntN(2)), row)
	for k, row := range next.rows {
		next.rows[k] = append(row, []float64{0, 0.5, -0.5, 1, -1}[d.rng.IntN(5)])
	}
	d.Dead++
}

// scale multiplies the incoming weights of each neuron by a power of two, and divides its
// outgoing weights by it.
func (d *disguise) scale(at int) {
	l, next := d.network[at], d.network[at+1]
	for j := range l.rows {
		shift := d.rng.IntN(7) - 3
		by := math.Ldexp(1, shift)
		l.values[j] = number{l.values[j].most * by, l.values[j].step + shift}
		l.bias[j] *= by
		for i := range l.rows[j] {
			l.rows[j][i] *= by
		}
		for _, row := range next.rows {
			row[j] /= by
		}
	}
}

// permute puts the neurons of a layer in another order.
func (d *disguise) permute(at int) {
	l, next := d.network[at], d.network[at+1]
	d.rng.Shuffle(len(l.rows), func(i, j int) {
		l.rows[i], l.rows[j] = l.rows[j], l.rows[i]
		l.bias[i], l.bias[j] = l.bias[j], l.bias[i]
		l.values[i], l.values[j] = l.values[j], l.values[i]
		for _, row := range next.rows {
			row[i], row[j] = row[j], row[i]
		}
	})
}
