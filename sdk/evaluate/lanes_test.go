package evaluate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hyfair/hyfair/internal/simd"
)

// TestVariantsOfTheLoops runs every loop of every variant this machine has on
// the same random vectors, of all lengths that take different ways through the
// code: results must be those of the plain variant to the last bit.
func TestVariantsOfTheLoops(t *testing.T) {
	for _, v := range simd.Supported(variants) {
		if v == &scalar {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				f := newFixture(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 27).Draw(t, "octets"), rapid.IntRange(1, 9).Draw(t, "rows"))
				outputs := rapid.IntRange(1, 9).Draw(t, "outputs")
				relu, ranged := rapid.Bool().Draw(t, "relu"), rapid.Bool().Draw(t, "ranged")
				pairs := rapid.IntRange(1, 5).Draw(t, "pairs")
				for name, run := range map[string]func(*lanes) []float64{
					"combine": func(l *lanes) []float64 { return f.combine(l, outputs) },
					"columns": func(l *lanes) []float64 { return f.columns(l, outputs, relu, ranged) },
					"bounds":  f.bounds,
					"signs":   f.signs,
					"places":  f.places,
					"counts":  func(l *lanes) []float64 { return f.counts(l, pairs) },
				} {
					if got, want := run(v), run(&scalar); !slices.Equal(got, want) {
						t.Fatalf("%s: %v, want %v", name, got, want)
					}
				}
			})
		})
	}
}

// fixture is material for the loops: rows of octets, of which some numbers are
// zeros and others repeat.
type fixture struct {
	octets, n int
	data      []float64
	rows      []*float64
	ranges    []span
}

func newFixture(seed uint64, octets, n int) *fixture {
	r := rand.New(rand.NewPCG(seed, 3))
	f := &fixture{octets: octets, n: n, data: make([]float64, n*octets*8)}
	for i := range f.data {
		switch r.IntN(6) {
		case 0:
		case 1:
			f.data[i] = float64(r.IntN(5) - 2)
		default:
			f.data[i] = r.NormFloat64()
		}
	}
	for i := range n {
		f.rows = append(f.rows, &f.data[i*octets*8])
		a, b := r.NormFloat64(), r.NormFloat64()
		f.ranges = append(f.ranges, span{min(a, b), max(a, b)})
	}
	return f
}

// outs is memory for results, with something behind each that must stay.
func (f *fixture) outs(n int) (memory []float64, outs []*float64) {
	stride := f.octets*8 + 8
	memory = make([]float64, n*stride)
	fill(memory, 9)
	for i := range n {
		outs = append(outs, &memory[i*stride])
	}
	return memory, outs
}

func (f *fixture) combine(l *lanes, outputs int) []float64 {
	memory, outs := f.outs(outputs)
	var coefs []*float64
	for q := range outputs {
		coefs = append(coefs, f.rows[q%f.n])
	}
	var list []int32 // rows that there are; a coefficient vector is an octet at least
	for i := range min(f.n, 8) {
		if i%3 != 1 {
			list = append(list, int32(i))
		}
	}
	a := &combination{outs: &outs[0], coefs: &coefs[0], outputs: outputs, octets: f.octets,
		rows: &f.data[0], stride: f.octets * 64, list: &list[0], n: len(list)}
	if outputs%2 == 1 {
		a.start = f.rows[f.n-1]
	}
	l.combine(a)
	return memory
}

func (f *fixture) columns(l *lanes, outputs int, relu, ranged bool) []float64 {
	memory, outs := f.outs(outputs)
	ranges, list := make([]span, outputs), make([]int32, outputs)
	for q := range list {
		list[q] = int32(7 - q%8)
	}
	a := &expansion{rows: &f.rows[0], coefs: &f.rows[0], n: f.n, list: &list[0], outs: &outs[0], outputs: outputs, octets: f.octets}
	if relu {
		a.relu = 1
	}
	if ranged {
		a.ranges = &ranges[0]
	}
	l.columns(a)
	for _, r := range ranges {
		memory = append(memory, r.least, r.most)
	}
	return memory
}

// words are bits as numbers, with a word behind that must stay.
func (f *fixture) words() (alive, stable []uint64) {
	n := (f.octets+7)/8 + 1
	alive, stable = make([]uint64, n), make([]uint64, n)
	for i := range n {
		alive[i], stable[i] = 77, 77
	}
	return alive, stable
}

func numbers(words ...[]uint64) (out []float64) {
	for _, w := range slices.Concat(words...) {
		out = append(out, float64(w>>32), float64(w<<32>>32))
	}
	return out
}

func (f *fixture) bounds(l *lanes) []float64 {
	alive, stable := f.words()
	l.bounds(&interval{coefs: &f.rows[0], ranges: &f.ranges[0], n: f.n, octets: f.octets, alive: &alive[0], stable: &stable[0]})
	return numbers(alive, stable)
}

func (f *fixture) signs(l *lanes) []float64 {
	alive, stable := f.words()
	l.signs(&spread{base: f.rows[0], least: f.rows[f.n/2], most: f.rows[f.n-1], octets: f.octets, alive: &alive[0], stable: &stable[0]})
	return numbers(alive, stable)
}

func (f *fixture) places(l *lanes) []float64 {
	values := f.data[:f.octets*8]
	e := &extent{values: &values[0], least: slices.Min(values), most: slices.Max(values)}
	l.places(e)
	return []float64{float64(e.atLeast), float64(e.atMost)}
}

func (f *fixture) counts(l *lanes, pairs int) []float64 {
	counts := make([]int64, 2*pairs+1)
	thresholds := append([]float64{-1, 0, 0.5, 1, 2}, f.data...)
	l.counts(&census{values: &f.data[0], octets: f.octets, thresholds: &thresholds[0], counts: &counts[0], pairs: pairs})
	var out []float64
	for _, c := range counts {
		out = append(out, float64(c))
	}
	return out
}
