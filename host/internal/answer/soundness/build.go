package soundness

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/model/relu"
)

// core is an instance's network under construction: neurons of two layers, and their
// contribution to the logit.
type core struct {
	in     *instance
	first  layer
	second []neuron
	bias   float64
	// known has the neurons of the first layer by their rows, so that each is added once.
	known map[string]int
}

// neuron is a neuron of the second layer.
type neuron struct {
	bias float64
	of   map[int]float64
	// out is its weight in the logit.
	out float64
}

// once returns the neuron of the first layer with this bias and row, and adds it if it is new.
func (c *core) once(bias float64, row []float64) int {
	key := fmt.Sprint(bias, row)
	at, known := c.known[key]
	if !known {
		at = c.first.add(bias, slices.Clone(row))
		c.known[key] = at
	}
	return at
}

// beyond returns the neuron ReLU(slope·(x − v)) of a feature.
func (c *core) beyond(feature int, slope, v float64) int {
	row := make([]float64, len(c.in.features))
	row[feature] = slope
	return c.once(-slope*v, row)
}

// pass adds the output of a first-layer neuron to the logit, times the weight out.
func (c *core) pass(first int, out float64) { c.then(first, 0, out) }

// then adds ReLU(y − less) to the logit, times the weight out, where y is the output of a
// first-layer neuron.
func (c *core) then(first int, less, out float64) {
	c.second = append(c.second, neuron{-less, map[int]float64{first: 1}, out})
}

// plant adds the hits of a site: each height times max(0, 1 − distance to the hit copy).
func (c *core) plant(s *site) {
	near := map[int]float64{}
	for k, i := range c.in.free {
		f, slope := &c.in.features[i], 1.0
		if s.lo[k] != math.Trunc(s.lo[k]) {
			slope = 2 // so that half a step counts as the distance 1
		}
		if s.hi[k] < f.hi {
			near[c.beyond(i, slope, s.hi[k])] = -1
		}
		if s.lo[k] > f.lo {
			near[c.beyond(i, -slope, s.lo[k])] = -1
		}
	}
	for _, h := range s.hits {
		of := map[int]float64{}
		for at, w := range near {
			of[at] = w
		}
		for k, i := range c.in.prot {
			values := c.in.features[i].values
			if h.z[k] < values[len(values)-1] {
				of[c.beyond(i, 1, h.z[k])] = -1
			}
			if h.z[k] > values[0] {
				of[c.beyond(i, -1, h.z[k])] = -1
			}
		}
		c.second = append(c.second, neuron{1, of, h.height})
	}
}

// row extends a slope over the free features to all features.
func (in *instance) row(slope []float64) []float64 {
	row := make([]float64, len(in.features))
	for k, i := range in.free {
		row[i] = slope[k]
	}
	return row
}

// climb adds a ramp to the logit: two ReLUs of the slope's sum.
func (c *core) climb(r *ramp) {
	row := c.in.row(r.slope)
	c.pass(c.once(-r.from, row), r.share/r.steps)
	c.pass(c.once(-r.from-r.steps, row), -r.share/r.steps)
}

// cancel adds a part that is always 0: ReLU(t) − ReLU(−t) − t or, if twice,
// ReLU(t) − ReLU(ReLU(t + shift) − shift), where t + shift is never negative.
func (c *core) cancel(p *cancelling) {
	least, back := -p.from, make([]float64, len(p.slope))
	for i, w := range p.slope {
		f := &c.in.features[i]
		least += min(w*f.lo, w*f.hi)
		back[i] = -w
	}
	shift := max(1, math.Ceil(-least))
	up, whole := c.once(-p.from, p.slope), c.once(shift-p.from, p.slope)
	c.pass(up, p.weight)
	if p.twice {
		c.then(whole, shift, -p.weight)
		return
	}
	c.pass(c.once(p.from, back), -p.weight)
	c.pass(whole, -p.weight)
	c.bias += p.weight * shift
}

// plain returns the instance's network without a disguise.
func (in *instance) plain() network {
	c := &core{in: in, bias: in.constant, known: map[string]int{}}
	for k := range in.sites {
		c.plant(&in.sites[k])
	}
	for k := range in.ramps {
		c.climb(&in.ramps[k])
	}
	for k := range in.cancelling {
		c.cancel(&in.cancelling[k])
	}
	second, logit := &layer{}, make([]float64, len(c.second))
	for j, n := range c.second {
		row := make([]float64, len(c.first.rows))
		for i, w := range n.of {
			row[i] = w
		}
		second.add(n.bias, row)
		logit[j] = n.out
	}
	return network{&c.first, second, {rows: [][]float64{logit}, bias: []float64{c.bias}}}
}

// tries is the largest number of disguises drawn until one keeps the network exact.
const tries = 50

// disguised returns the instance's network in a disguise, and the disguise.
func (in *instance) disguised() (*relu.Network, *disguise, error) {
	var inputs []number
	for i := range in.features {
		inputs = append(inputs, number{in.features[i].hi, 0})
	}
	rng := source(in.seed, in.rung, "disguise "+in.kind)
	for range tries {
		d := &disguise{network: in.plain(), rng: rng, inputs: inputs}
		d.apply(in.neurons)
		if d.Bits = d.bits(inputs); d.Bits > mantissa {
			continue
		}
		n := d.relu(len(inputs))
		if !slices.ContainsFunc(n.Layers, func(l relu.Layer) bool {
			return slices.ContainsFunc(l.Weights, long) || slices.ContainsFunc(l.Bias, long)
		}) {
			return n, d, in.check(n)
		}
	}
	return nil, nil, fmt.Errorf("soundness: rung %d, %s: none of %d disguised networks of seed %d is exact; use another --seed", in.rung, in.kind, tries, in.seed)
}

// long reports whether a number is not a float32.
func long(v float64) bool { return float64(float32(v)) != v }

// check evaluates the copies of each site's first person in exact arithmetic, and compares
// their logits with the plan.
func (in *instance) check(n *relu.Network) error {
	exact := n.Exact()
	for s := range in.sites {
		for _, z := range in.combinations() {
			point := make([]*big.Rat, len(in.features))
			for k, i := range in.free {
				point[i] = exactly(in.sites[s].lo[k])
			}
			for k, i := range in.prot {
				point[i] = exactly(z[k])
			}
			want := in.sites[s].base
			for _, h := range in.sites[s].hits {
				if slices.Equal(h.z, z) {
					want += h.height
				}
			}
			if in.kind == outside { // the base was planned for the place before turn
				continue
			}
			if got := exact.Logit(point); got.Cmp(exactly(want)) != 0 {
				return fmt.Errorf("soundness: rung %d, %s, seed %d: site %d has the logit %s at %v, want %v as planned", in.rung, in.kind, in.seed, s, got.RatString(), z, want)
			}
		}
	}
	return nil
}
