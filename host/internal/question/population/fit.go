package population

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// An integer feature of at most mostValues values has a cell for each of them. The numbers of other features are divided
	// into about mostCells cells.
	mostValues = 64
	mostCells  = 32
	// heldPart: one row in heldPart is held back to evaluate the fit.
	heldPart = 10
	// mostRounds is the maximum number of rounds of expectation maximisation, which ends once the mean log-likelihood of a
	// row grows by less than leastGain.
	mostRounds = 200
	leastGain  = 1e-5
)

// Of estimates a mixture of classes from rows, which are points of the space. It ignores rows with values outside their domains.
// The same seed gives the same population. If ctx ends first, the error wraps ctx.Err.
func Of(ctx context.Context, classes int, s *space.Space, rows [][]float64, seed int64) (*Population, error) {
	p, kept, rng, err := independent(s, rows, seed)
	if err != nil {
		return nil, err
	}
	if classes > 1 {
		coded := p.coded(kept)
		if err := p.mix(ctx, classes, coded[p.Held:], rng); err != nil {
			return nil, fmt.Errorf("the time did not suffice to fit %d classes to %d rows: fit fewer, or give more time (%w)", classes, p.Rows, err)
		}
		p.fits(coded[:p.Held])
	}
	return p, nil
}

// independent estimates a population of independent features. kept are the rows within the domains in random order; the
// first p.Held of them are held back.
func independent(s *space.Space, rows [][]float64, seed int64) (p *Population, kept [][]float64, rng *rand.Rand, err error) {
	p = &Population{space: s}
	for _, x := range rows {
		if s.ContainsIndividual(x) {
			kept = append(kept, x)
		}
	}
	if len(kept) < 2*heldPart {
		return nil, nil, nil, fmt.Errorf("got %d rows within the features' domains, want at least %d to fit a population", len(kept), 2*heldPart)
	}
	rng = rand.New(rand.NewPCG(uint64(seed), 0x909))
	rng.Shuffle(len(kept), func(i, j int) { kept[i], kept[j] = kept[j], kept[i] })
	p.Held = len(kept) / heldPart
	p.Rows = len(kept) - p.Held
	for _, i := range s.Free() {
		p.features = append(p.features, feature{index: i, discrete: s.Features[i].Discrete(), cells: cellsOf(&s.Features[i], kept[p.Held:], i)})
	}
	coded := p.coded(kept)
	p.classes = []class{p.estimate(coded[p.Held:], nil)}
	p.Even = -p.sizes()
	p.fits(coded[:p.Held])
	p.Alone = p.Fitted
	return p, kept, rng, nil
}

// coded returns the indices of the cells of the rows' values.
func (p *Population) coded(rows [][]float64) [][]int {
	out := make([][]int, len(rows))
	for r, x := range rows {
		out[r] = make([]int, len(p.features))
		for n := range p.features {
			out[r][n] = p.features[n].cell(x[p.features[n].index])
		}
	}
	return out
}

// fits sets what depends on the classes: the likelihood of the rows held back, and the rounding error.
func (p *Population) fits(held [][]int) {
	p.Fitted = p.likelihood(held)
	cells := 0
	for n := range p.features {
		cells += len(p.features[n].cells)
	}
	// A bound of the rounding error: each sum or product of non-negative numbers adds a relative error of 2⁻⁵³, including
	// those that normalise the shares.
	p.error = float64(4*(cells+4*len(p.features)+len(p.classes)+8)) * 0x1p-53
}

// cellsOf divides a feature's domain into cells: one per category, per value of a small domain, per frequent integer and
// for missing values. Other numbers are divided into ranges with similar numbers of rows.
func cellsOf(f *space.Feature, rows [][]float64, index int) (out []space.Interval) {
	if f.Kind == space.Categorical || f.Discrete() && f.Hi-f.Lo < mostValues {
		for v := f.Lo; v <= f.Hi; v++ {
			out = append(out, space.Interval{Lo: v, Hi: v})
		}
		return out
	}
	numbers := f.Numbers()
	var values []float64
	for _, x := range rows {
		if numbers.Contains(x[index]) {
			values = append(values, x[index])
		}
	}
	slices.Sort(values)
	least := max(1, len(values)/mostCells)
	from := numbers.Lo // lower end of the current cell
	add := func(to float64) {
		if to >= from && (f.Discrete() || to > from) {
			out = append(out, space.Interval{Lo: from, Hi: to})
			if from = to; f.Discrete() {
				from = to + 1
			}
		}
	}
	count := 0
	for i := 0; i < len(values); {
		n := i
		for n < len(values) && values[n] == values[i] {
			n++
		}
		if f.Discrete() && n-i >= least { // a frequent value
			add(values[i] - 1)
			add(values[i])
			count = 0
		} else if count += n - i; count >= least {
			add(values[i])
			count = 0
		}
		i = n
	}
	switch {
	case from < numbers.Hi || f.Discrete() && from == numbers.Hi || out == nil:
		out = append(out, space.Interval{Lo: from, Hi: numbers.Hi})
	default:
		out[len(out)-1].Hi = numbers.Hi
	}
	if f.Missing {
		out = append(out, space.Interval{Lo: f.Hi, Hi: f.Hi})
	}
	return out
}

// estimate returns the class to which the rows belong with the given weights; nil: all 1. One additional row is spread
// evenly over the domain, so that no value has probability 0. The class's weight is the mean of the rows' weights.
func (p *Population) estimate(rows [][]int, weights []float64) class {
	c := class{shares: make([][]float64, len(p.features))}
	for n := range p.features {
		c.shares[n] = make([]float64, len(p.features[n].cells))
	}
	for r, row := range rows {
		w := 1.0
		if weights != nil {
			w = weights[r]
		}
		c.weight += w
		for n, at := range row {
			c.shares[n][at] += w
		}
	}
	for n := range p.features {
		f := &p.features[n]
		all, sized := f.extent()
		for at, iv := range f.cells {
			even := 1 / float64(len(f.cells))
			if size := f.size(iv); size > 0 {
				even *= sized * size / all
			}
			c.shares[n][at] = (c.shares[n][at] + even) / (c.weight + 1)
		}
	}
	c.weight /= float64(len(rows))
	return c
}

// mix fits classes by expectation maximisation, from random classes of the rows.
func (p *Population) mix(ctx context.Context, classes int, rows [][]int, rng *rand.Rand) error {
	belongs := make([][]float64, classes) // by class and row
	for k := range belongs {
		belongs[k] = make([]float64, len(rows))
	}
	for r := range rows {
		belongs[rng.IntN(classes)][r] = 1
	}
	last := math.Inf(-1)
	for range mostRounds {
		p.classes = nil
		for k := range belongs {
			p.classes = append(p.classes, p.estimate(rows, belongs[k]))
		}
		logs := p.logs()
		total, of := 0.0, make([]float64, classes)
		for r, row := range rows {
			if r%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			sum := logs.of(row, of)
			total += sum
			for k := range of {
				belongs[k][r] = math.Exp(of[k] - sum)
			}
		}
		if total /= float64(len(rows)); total-last < leastGain {
			break
		}
		last = total
	}
	return nil
}

// logs are the logarithms of a mixture's shares.
type logs struct {
	weights []float64
	shares  [][][]float64
}

func (p *Population) logs() (l logs) {
	for k := range p.classes {
		c := &p.classes[k]
		l.weights = append(l.weights, math.Log(c.weight))
		var shares [][]float64
		for _, of := range c.shares {
			one := make([]float64, len(of))
			for i, s := range of {
				one[i] = math.Log(s)
			}
			shares = append(shares, one)
		}
		l.shares = append(l.shares, shares)
	}
	return l
}

// of writes a row's joint log-likelihoods, one per class, into the given slice, and returns the
// row's log-likelihood.
func (l *logs) of(row []int, out []float64) float64 {
	most := math.Inf(-1)
	for k := range l.weights {
		sum := l.weights[k]
		for n, at := range row {
			sum += l.shares[k][n][at]
		}
		out[k], most = sum, max(most, sum)
	}
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, v := range out {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// likelihood returns the mean log-likelihood of rows, by densities for real features; 0 without rows.
func (p *Population) likelihood(rows [][]int) float64 {
	l, out, sum := p.logs(), make([]float64, len(p.classes)), 0.0
	for _, row := range rows {
		sum += l.of(row, out)
		for n, at := range row {
			if size := p.features[n].size(p.features[n].cells[at]); size > 0 {
				sum -= math.Log(size)
			}
		}
	}
	return sum / float64(max(1, len(rows)))
}

// possible returns the rows whose probability is above 0.
func (p *Population) possible(rows [][]float64) (out [][]float64) {
	l, of := p.logs(), make([]float64, len(p.classes))
	for r, row := range p.coded(rows) {
		if !math.IsInf(l.of(row, of), -1) {
			out = append(out, rows[r])
		}
	}
	return out
}

// sizes returns the logarithm of the number of all combinations of values, with lengths for real features.
func (p *Population) sizes() (sum float64) {
	for n := range p.features {
		if all, _ := p.features[n].extent(); all > 0 {
			sum += math.Log(all)
		}
	}
	return sum
}
