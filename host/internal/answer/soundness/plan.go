// Package soundness makes networks with planted individuals, on which every answer is known by construction,
// asks solvers about them, and judges their claims.
package soundness

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
)

// Kinds of instances: what is planted, and for the twins of onePerson, how they differ from
// it.
const (
	onePerson = "person"
	tenPeople = "ten"
	aRegion   = "region"
	// justBelow: the height leaves the gap just below ε.
	justBelow = "below"
	// outside: the person lies beyond the domain.
	outside = "outside"
	// between: the person lies between two lattice points.
	between = "between"
	// forbidden: a rule forbids the copy that is hit.
	forbidden = "forbidden"
	// guarded: a rule leaves the person out.
	guarded = "guarded"
	// fixed: the person is there, and half of the free features have that person's value alone.
	fixed = "fixed"
)

// kinds lists the kinds of instances on every rung, in order.
var kinds = []string{onePerson, tenPeople, aRegion, justBelow, outside, between, forbidden, guarded, fixed}

// MaxRungs is the number of rungs of the ladder.
const MaxRungs = 10

const (
	// epsilon is the ε of questions about scores.
	epsilon = "0.05"
	// grid is the unit of logits: all are multiples of it.
	grid = 1.0 / 256
	// mantissa is the precision in which a network's forward pass must be exact: float32's.
	mantissa = 24
	// reach is the distance from a planted place within which the base is constant, and apart the
	// least distance between planted places, so that no point is near two of them.
	reach, apart = 1, 3
)

// targets returns the number of neurons of a rung's networks, and the number of bins that its regions reach.
func targets(rung int) (neurons, bins int) {
	return int(math.Round(16 * math.Pow(1000.0/16, float64(rung-1)/(MaxRungs-1)))), 2 * rung
}

type feature struct {
	name   string
	lo, hi float64
	// values are the values that copies take in a protected feature; nil in other features.
	values []float64
	// categories: the values are indices of names.
	categories bool
}

// site is a box of people who are treated alike: their copies get the base's logit, except
// those that are hit.
type site struct {
	// lo and hi are indexed by free feature.
	lo, hi []float64
	hits   []hit
	// base is the sum of the base's parts, a logit, at every point of the box.
	base float64
}

// hit is an amount added to the logit of one copy.
type hit struct {
	z      []float64 // by protected feature
	height float64
}

// ramp is a part of the base: 0 below, share at the top, linear between.
type ramp struct {
	slope []float64 // by free feature
	from  float64
	steps float64
	share float64
}

// at returns the ramp's value if the slope's sum is t.
func (r *ramp) at(t float64) float64 { return r.share * min(max(t-r.from, 0), r.steps) / r.steps }

// cancelling is a part of the base that depends on protected features, but is always 0.
type cancelling struct {
	slope  []float64 // by feature
	from   float64
	weight float64
	twice  bool // it goes through two layers
}

// instance is the plan of an instance of the ladder, before its network is built.
type instance struct {
	seed       int64
	rung       int
	kind       string
	rng        *rand.Rand
	features   []feature
	free, prot []int
	sites      []site
	ramps      []ramp
	cancelling []cancelling
	constant   float64
	neurons    int
	// near is the free feature in which a twin differs.
	near int
}

// source returns the random source for a part of an instance.
func source(seed int64, rung int, part string) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "soundness %d %d %s", seed, rung, part))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// draw draws an instance. Twins share the space, the base and the planted place of
// onePerson.
func draw(seed int64, rung int, kind string) *instance {
	family := kind
	if kind != tenPeople && kind != aRegion {
		family = onePerson
	}
	in := &instance{seed: seed, rung: rung, kind: kind, rng: source(seed, rung, family)}
	neurons, bins := targets(rung)
	in.neurons = neurons
	in.drawSpace(bins)
	in.drawSites()
	in.drawBase((rung+slices.Index([]string{onePerson, tenPeople, aRegion}, family))%2 == 0)
	in.near = in.rng.IntN(len(in.free))
	in.drawHits(bins)
	in.turn()
	return in
}

// drawSpace draws features with 10^(rung+2) individuals and at least the given number of copies.
func (in *instance) drawSpace(copies int) {
	var sizes []int
	for left := in.rung + 2; left > 0; {
		switch in.rng.IntN(4) {
		case 0:
			if left >= 2 && len(sizes) > 0 {
				sizes, left = append(sizes, 100), left-2
				continue
			}
		case 1:
			if left >= 2 {
				a := []int{2, 4, 5}[in.rng.IntN(3)]
				sizes, left = append(sizes, a, 100/a), left-2
				continue
			}
		}
		sizes, left = append(sizes, 10), left-1
	}
	for i, n := range sizes {
		lo := float64(in.rng.IntN(20))
		in.features = append(in.features, feature{name: fmt.Sprintf("x%d", i+1), lo: lo, hi: lo + float64(n-1)})
	}
	for i := 1; copies > 1; i++ {
		n := min(2+in.rng.IntN(4), max(2, copies))
		copies = (copies + n - 1) / n
		f := feature{name: fmt.Sprintf("p%d", i), hi: float64(n - 1), categories: in.rng.IntN(2) == 0}
		step := 1.0
		if !f.categories {
			f.lo, f.hi, step = 20, 69, []float64{1, 5, 10}[in.rng.IntN(3)]
		}
		for v := range n {
			f.values = append(f.values, f.lo+step*float64(v))
		}
		in.features = append(in.features, f)
	}
	in.rng.Shuffle(len(in.features), func(i, j int) { in.features[i], in.features[j] = in.features[j], in.features[i] })
	for i := range in.features {
		if in.features[i].values == nil {
			in.free = append(in.free, i)
		} else {
			in.prot = append(in.prot, i)
		}
	}
}

// drawSites draws where people are planted.
func (in *instance) drawSites() {
	sites, people := 1, 1
	switch {
	case in.kind == tenPeople && in.rung <= 3:
		people = 10
	case in.kind == tenPeople && in.rung <= 6:
		sites, people = 2, 5
	case in.kind == tenPeople:
		sites = 10
	}
	for len(in.sites) < sites {
		s := in.place(people)
		if !slices.ContainsFunc(in.sites, func(o site) bool { return o.distance(&s) < apart }) {
			in.sites = append(in.sites, s)
		}
	}
}

// place draws a box of the given number of individuals. For a region, the box spans half or all of
// the domain in some features and one value in the others, and holds at least ten individuals.
func (in *instance) place(people int) (s site) {
	wide := -1
	if people > 1 {
		for wide < 0 || in.features[in.free[wide]].size() < people {
			wide = in.rng.IntN(len(in.free))
		}
	}
	all := 1
	for k, i := range in.free {
		f := &in.features[i]
		n := 1
		switch {
		case k == wide:
			n = people
		case in.kind == aRegion && (k < max(2, len(in.free)/2) || all < 10):
			n = f.size() / (2 - k%2)
		}
		all *= n
		lo := f.lo + float64(in.rng.IntN(f.size()-n+1))
		s.lo, s.hi = append(s.lo, lo), append(s.hi, lo+float64(n-1))
	}
	return s
}

func (f *feature) size() int { return int(f.hi-f.lo) + 1 }

// distance returns the L1 distance between the nearest people of two sites.
func (s *site) distance(o *site) (d float64) {
	for k := range s.lo {
		d += max(0, s.lo[k]-o.hi[k], o.lo[k]-s.hi[k])
	}
	return d
}

// span returns the least and the largest value of a slope's sum near a site, or in the domain for nil.
func (in *instance) span(s *site, slope []float64) (lo, hi float64) {
	for k, w := range slope {
		f := &in.features[in.free[k]]
		a, b := f.lo, f.hi
		if s != nil {
			a, b = max(a, s.lo[k]-reach), min(b, s.hi[k]+reach)
		}
		lo, hi = lo+min(w*a, w*b), hi+max(w*a, w*b)
	}
	return lo, hi
}

// drawBase draws a base that is flat where people are planted.
func (in *instance) drawBase(hard bool) {
	for range max(1, in.neurons/40) {
		if r, ok := in.drawRamp(); ok {
			in.ramps = append(in.ramps, r)
		}
	}
	if hard {
		for g := range max(1, in.neurons/50) {
			in.cancelling = append(in.cancelling, in.drawCancelling(g%2 == 1 || in.neurons < 30))
		}
	}
	// In odd rungs, the first site's logit is slightly negative, so that a hit changes the decision.
	for k := range in.sites {
		for r := range in.ramps {
			t, _ := in.span(&in.sites[k], in.ramps[r].slope)
			in.sites[k].base += in.ramps[r].at(t)
		}
	}
	want := grid * float64(in.rng.IntN(128)+16)
	if in.rung%2 == 1 {
		want = -grid * float64(1+in.rng.IntN(8))
	}
	in.constant = want - in.sites[0].base
	for k := range in.sites {
		in.sites[k].base += in.constant
	}
}

// drawRamp draws a ramp that does not rise near a site.
func (in *instance) drawRamp() (r ramp, ok bool) {
	for range 200 {
		r = ramp{slope: make([]float64, len(in.free)), steps: math.Ldexp(1, in.rng.IntN(4)), share: float64(1+in.rng.IntN(3)) / 8}
		for range 1 + in.rng.IntN(3) {
			r.slope[in.rng.IntN(len(r.slope))] = []float64{-2, -1, 1, 2}[in.rng.IntN(4)]
		}
		lo, hi := in.span(nil, r.slope)
		r.from = lo + float64(in.rng.IntN(int(hi-lo)+1))
		if in.rng.IntN(2) == 0 {
			r.share = -r.share
		}
		flat := !slices.ContainsFunc(in.sites, func(s site) bool {
			a, b := in.span(&s, r.slope)
			return b > r.from && a < r.from+r.steps
		})
		if flat {
			return r, true
		}
	}
	return r, false
}

// drawCancelling draws a part of the base that is 0, which bounds that look at single neurons
// cannot see.
func (in *instance) drawCancelling(twice bool) cancelling {
	c := cancelling{slope: make([]float64, len(in.features)), twice: twice}
	middle, width := 0.0, 0.0
	set := func(i int) {
		if c.slope[i] == 0 {
			c.slope[i] = []float64{-1, 1}[in.rng.IntN(2)]
			middle, width = middle+c.slope[i]*math.Round((in.features[i].lo+in.features[i].hi)/2), width+in.features[i].hi-in.features[i].lo
		}
	}
	set(in.prot[in.rng.IntN(len(in.prot))])
	for range 2 {
		set(in.free[in.rng.IntN(len(in.free))])
	}
	c.from = middle
	_, exponent := math.Frexp(width)
	c.weight = math.Ldexp(1, 3-exponent) // a few logits over the domain
	return c
}

// drawHits draws the copies that are hit, and the heights.
func (in *instance) drawHits(bins int) {
	for k := range in.sites {
		s, count := &in.sites[k], 1
		switch {
		case in.kind == aRegion:
			count = bins - 1
		case in.kind == tenPeople && k == 0:
			count = in.rung
		}
		copies := in.combinations()
		in.rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
		heights := in.heights(s.base, count)
		for h, z := range copies[:count] {
			s.hits = append(s.hits, hit{z, heights[h]})
		}
	}
}

// combinations returns all combinations of the protected features' values.
func (in *instance) combinations() [][]float64 {
	out := [][]float64{nil}
	for _, i := range in.prot {
		var longer [][]float64
		for _, z := range out {
			for _, v := range in.features[i].values {
				longer = append(longer, append(slices.Clone(z), v))
			}
		}
		out = longer
	}
	return out
}

// heights returns the distances from a logit to the given number of other bins, at least one of
// them far enough for a gap above ε. For one individual it returns one height: the least with a gap
// above ε, one unit less for justBelow, and much more for kinds in which the copy does not count.
func (in *instance) heights(base float64, count int) (out []float64) {
	if in.kind != tenPeople && in.kind != aRegion {
		least := leastHeight(base)
		switch in.kind {
		case justBelow:
			least -= grid
		case onePerson, fixed:
		default: // an individual that is easy to find
			least += 1 + grid*float64(in.rng.IntN(256))
		}
		return []float64{least}
	}
	eps := rational(epsilon)
	own := fairness.LinkSigmoid.Bin(exactly(base), eps)
	bins := slices.DeleteFunc(in.rng.Perm(fairness.Bins(eps)), func(b int) bool { return b == own })
	far := slices.IndexFunc(bins, func(b int) bool { return b < own-1 || b > own+1 })
	for _, b := range slices.Concat(bins[far:], bins[:far])[:count] {
		p := new(big.Rat).Mul(big.NewRat(int64(2*b+1), 2), eps)
		lo, _ := fairness.LogitEnclosure(p)
		out = append(out, math.Round(lo/grid)*grid-base)
	}
	return out
}

// leastHeight returns the least multiple of the grid whose gap exceeds ε.
func leastHeight(base float64) float64 {
	eps, low := rational(epsilon), exactly(base)
	for n := 1; ; n++ {
		if h := grid * float64(n); fairness.GapExceeds(exactly(base+h), low, eps) {
			return h
		}
	}
}

// turn changes an instance into the twin of its kind.
func (in *instance) turn() {
	s, f := &in.sites[0], &in.features[in.free[in.near]]
	switch in.kind {
	case outside:
		s.lo[in.near] = f.hi + 1
		s.hi[in.near] = f.hi + 1
	case between:
		if s.lo[in.near] == f.hi {
			s.lo[in.near]--
		}
		s.lo[in.near] += 0.5
		s.hi[in.near] = s.lo[in.near]
	case fixed:
		for k, i := range in.free {
			if k%2 != in.near%2 {
				in.features[i].lo, in.features[i].hi = s.lo[k], s.lo[k]
			}
		}
	}
}

// exactly converts a float64 to a fraction.
func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

func rational(text string) *big.Rat {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("soundness: " + text)
	}
	return v
}
