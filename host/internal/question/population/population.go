// Package population models the distribution of individuals, by which shares of people are measured.
//
// A population is a mixture of classes within which the features are independent, or a tree-shaped network. Of estimates a population from the
// rows of a data set: by frequencies for one class, and by expectation maximisation for several (a latent class model:
// Lazarsfeld and Henry 1968; Dempster, Laird and Rubin 1977). A table of weights has a class for each of its cells.
package population

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// Uniform names the population in which all combinations of values are equally likely. It has no Population value.
const Uniform = "uniform"

// Independent names the population in which features are independent, with the frequencies of the rows' values.
const Independent = "independent"

// MostClasses is the maximum number of classes of a mixture.
const MostClasses = 256

// Source says where a population comes from.
type Source struct {
	// Classes is the number of classes that are fitted to rows; 0: none.
	Classes int
	// Kind is the kind of the File that describes the population, such as weights; both are empty without one.
	Kind, File string
}

// readers read the files that describe a population, by kind. Without enough rows, features that the file does not mention
// are uniform.
var readers = map[string]func(ctx context.Context, path string, of *space.Space, rows [][]float64, seed int64) (*Population, error){
	"weights": weighted,
	"network": networked,
}

// Kinds lists the kinds of files that describe a population.
func Kinds() []string { return slices.Sorted(maps.Keys(readers)) }

// Parse reads a population's name: uniform or "", independent, classes:N, weights:FILE or network:FILE.
func Parse(name string) (s Source, err error) {
	switch name {
	case "", Uniform:
		return s, nil
	case Independent:
		return Source{Classes: 1}, nil
	}
	if text, ok := strings.CutPrefix(name, "classes:"); ok {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= MostClasses {
			return Source{Classes: n}, nil
		}
	}
	if kind, file, _ := strings.Cut(name, ":"); readers[kind] != nil && file != "" {
		return Source{Kind: kind, File: file}, nil
	}
	return s, fmt.Errorf("got population %q, want uniform, independent, %s:FILE or classes:N, with N from 1 to %d", name, strings.Join(Kinds(), ":FILE, "), MostClasses)
}

// SHA256 returns the hash, in hexadecimal, of the population's file; empty without one that can be read.
func (s Source) SHA256() string {
	if s.File == "" {
		return ""
	}
	sum, _, _ := files.SHA256(s.File)
	return sum
}

// Record adds the population of this name, and the hash of its file, to the settings of a run; nothing if it is uniform.
func Record(settings map[string]string, name string) {
	source, err := Parse(name)
	if err != nil || source == (Source{}) {
		return
	}
	settings["population"] = name
	if hash := source.SHA256(); hash != "" {
		settings["population.data"] = hash
	}
}

// Same reports whether two sources give the same population of the same rows: files count by content.
func (s Source) Same(t Source) bool {
	return s.Classes == t.Classes && s.Kind == t.Kind && (s.File == t.File || s.SHA256() == t.SHA256())
}

// Of returns the population of a space; nil: all combinations of values are equally likely. Without rows, absent says
// why. The same seed gives the same population. If ctx ends first, the error wraps ctx.Err.
func (s Source) Of(ctx context.Context, of *space.Space, rows [][]float64, absent string, seed int64) (*Population, error) {
	switch {
	case s.File != "":
		return readers[s.Kind](ctx, s.File, of, rows, seed)
	case s.Classes == 0:
		return nil, nil
	case rows == nil:
		return nil, fmt.Errorf("the population is fitted to the rows of a data set, but %s", absent)
	}
	return Of(ctx, s.Classes, of, rows, seed)
}

// Population is a distribution of individuals: of the values of the features that are not protected. It is read-only.
type Population struct {
	Fit
	space    *space.Space
	about    string // the description of a population from a file; empty if it is fitted
	features []feature
	classes  []class
	error    float64  // relative error of a mass
	network  *network // if not nil, the distribution, in place of features and classes
}

// rest is the population of features that a file does not mention: independent, with the frequencies of the rows, or uniform
// if there are too few rows. kept are the rows that independent returns, and about describes it.
func rest(s *space.Space, rows [][]float64, seed int64) (p *Population, kept [][]float64, about string) {
	p, kept, _, err := independent(s, rows, seed)
	if err != nil {
		return Even(s, s.Whole().Box), nil, "all values of other features equally likely"
	}
	return p, kept, fmt.Sprintf("other features independent, with the frequencies of %s rows", view.Count(p.Rows))
}

// Fit measures how well a population fits rows that were held back.
type Fit struct {
	// The number of rows that the population was fitted to.
	Rows int `json:"rows"`
	// The number of rows held back.
	Held int `json:"held"`
	// The mean log-likelihood of the rows held back, in nats per row.
	Fitted float64 `json:"log_likelihood"`
	// Their mean log-likelihood if the features are independent.
	Alone float64 `json:"independent_log_likelihood"`
	// Their mean log-likelihood if all combinations of values are equally likely.
	Even float64 `json:"uniform_log_likelihood"`
	// The number of rows held back that have probability 0; the log-likelihoods leave them out.
	Impossible int `json:"impossible,omitempty"`
}

// Text states the fit in a sentence.
func (f Fit) Text() string {
	of := fmt.Sprintf("Of %s rows held back, ", view.Count(f.Held))
	switch {
	case f.Impossible == f.Held:
		return of + "all have probability 0."
	case f.Impossible > 0:
		of += fmt.Sprintf("%s have probability 0. Of the others, ", view.Count(f.Impossible))
	}
	return fmt.Sprintf("%sthe mean log-likelihood is %.2f; it is %.2f if features are independent, and %.2f if all combinations are equally likely.", of, f.Fitted, f.Alone, f.Even)
}

// feature is a feature whose domain is divided into cells. Within a cell all values are equally likely.
type feature struct {
	index    int
	discrete bool
	cells    []space.Interval
}

// class is a class of the mixture: its share of all individuals, and within it the share of each feature's cells.
type class struct {
	weight float64
	shares [][]float64
}

// String describes the population.
func (p *Population) String() string {
	if p.about != "" {
		return p.about
	}
	what := fmt.Sprintf("a mixture of %d classes of independent features", len(p.classes))
	if len(p.classes) == 1 {
		what = "independent features"
	}
	return fmt.Sprintf("%s, fitted to %s rows", what, view.Count(p.Rows))
}

// size is the number of values of a cell, or the length of a real feature's cell.
func (f *feature) size(of space.Interval) float64 {
	if f.discrete {
		return max(0, math.Floor(of.Hi)-math.Ceil(of.Lo)+1)
	}
	return max(0, of.Hi-of.Lo)
}

// extent returns the sum of the sizes of all cells, and the number of those above 0: a missing real number has no size.
func (f *feature) extent() (sum, sized float64) {
	for _, iv := range f.cells {
		if size := f.size(iv); size > 0 {
			sum, sized = sum+size, sized+1
		}
	}
	return sum, sized
}

// cell returns the index of the cell of a value of the domain.
func (f *feature) cell(v float64) int {
	at, _ := slices.BinarySearchFunc(f.cells, v, func(c space.Interval, v float64) int {
		if c.Hi < v {
			return -1
		}
		return 1
	})
	return min(at, len(f.cells)-1)
}

// Draw draws an individual. It ignores constraints.
func (p *Population) Draw(rng *rand.Rand) []float64 {
	x := make([]float64, len(p.space.Features))
	if p.network != nil {
		p.network.draw(rng, x)
		return x
	}
	weights := make([]float64, len(p.classes))
	for k := range p.classes {
		weights[k] = p.classes[k].weight
	}
	c := &p.classes[drawn(weights, rng)]
	for n := range p.features {
		f := &p.features[n]
		x[f.index] = f.value(f.cells[drawn(c.shares[n], rng)], rng)
	}
	return x
}

// Sample draws individuals of a region until n of them pass accept, 100·n were drawn or ctx ends. It returns none if the
// region has no mass.
func (p *Population) Sample(ctx context.Context, region space.Box, n int, seed int64, accept func(x []float64) bool) (out [][]float64) {
	const tries = 100
	within, rng := p.Within(region), rand.New(rand.NewPCG(uint64(seed), 0x5a4d))
	for k := 0; within != nil && k < tries*n && len(out) < n && ctx.Err() == nil; k++ {
		if x := within.Draw(rng); accept(x) {
			out = append(out, x)
		}
	}
	return out
}

// value draws a value of a cell.
func (f *feature) value(of space.Interval, rng *rand.Rand) float64 {
	if f.discrete {
		return of.Lo + float64(rng.Int64N(int64(of.Hi-of.Lo)+1))
	}
	return min(of.Lo+rng.Float64()*(of.Hi-of.Lo), of.Hi)
}

// Within returns the population restricted to a box; nil if the box has no mass. If the box fixes a real feature to
// a number, the density of the number's cell replaces the mass.
func (p *Population) Within(box space.Box) *Population {
	out := *p
	if p.network != nil {
		if out.network = p.network.within(box); out.network == nil {
			return nil
		}
		return &out
	}
	out.features, out.classes = nil, make([]class, len(p.classes))
	for k := range p.classes {
		out.classes[k].weight = p.classes[k].weight
	}
	for n := range p.features {
		f := &p.features[n]
		side := box[f.index]
		part := feature{index: f.index, discrete: f.discrete}
		shares := make([][]float64, len(p.classes))
		for c := f.cell(side.Lo); c < len(f.cells) && f.cells[c].Lo <= side.Hi; c++ {
			common, whole := f.cells[c].Intersect(side), f.size(f.cells[c])
			size := f.size(common)
			switch {
			case whole == 0:
				size, whole = 1, 1
			case size == 0 && side.Lo == side.Hi && len(part.cells) == 0:
				size = 1 // a density
			case size == 0:
				continue
			}
			part.cells = append(part.cells, common)
			for k := range shares {
				shares[k] = append(shares[k], p.classes[k].shares[n][c]*size/whole)
			}
		}
		for k := range shares {
			sum := 0.0
			for _, s := range shares[k] {
				sum += s
			}
			for c := range shares[k] {
				if sum > 0 {
					shares[k][c] /= sum
				}
			}
			out.classes[k].weight *= sum
			out.classes[k].shares = append(out.classes[k].shares, shares[k])
		}
		out.features = append(out.features, part)
	}
	sum := 0.0
	for k := range out.classes {
		sum += out.classes[k].weight
	}
	if !(sum > underflow) {
		return nil
	}
	out.classes = slices.DeleteFunc(out.classes, func(c class) bool { return c.weight == 0 })
	for k := range out.classes {
		out.classes[k].weight /= sum
	}
	out.error *= 3 // computing the shares, and the weights, takes as many operations again
	return &out
}

// Class is one class of a population: its share of all people, and how each feature is distributed in it, independently
// of the others.
type Class struct {
	Weight float64
	Sides  []Side
}

// Side is the distribution of one feature: cells with their shares. Within a cell all values are equally likely. A cell
// of a real feature without a width is one number.
type Side struct {
	Feature int
	Cells   []space.Interval
	Shares  []float64
}

// Classes returns the classes, which share the population's memory; none of a network. Weights, and the shares of each side, add up to 1
// but for Rounding.
func (p *Population) Classes() []Class {
	var out []Class
	for k := range p.classes {
		c := Class{Weight: p.classes[k].weight}
		for n := range p.features {
			c.Sides = append(c.Sides, Side{p.features[n].index, p.features[n].cells, p.classes[k].shares[n]})
		}
		out = append(out, c)
	}
	return out
}

// Rounding bounds the relative error of products of the classes' shares.
func (p *Population) Rounding() float64 { return p.error }

// Even is the population in which all combinations of values of a region are equally likely.
func Even(s *space.Space, box space.Box) *Population {
	p := &Population{space: s, classes: []class{{weight: 1}}}
	for _, i := range s.Free() {
		p.features = append(p.features, feature{index: i, discrete: s.Features[i].Discrete(), cells: []space.Interval{box[i]}})
		p.classes[0].shares = append(p.classes[0].shares, []float64{1})
	}
	return p
}

// drawn draws an index with these probabilities.
func drawn(weights []float64, rng *rand.Rand) int {
	at, last := rng.Float64(), 0
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
		if w > 0 {
			last = i
		}
	}
	return last
}

// underflow bounds the absolute error that sums and products of masses have from subnormal float64s.
const underflow = 1e-300

// Mass encloses the share of individuals in a box, among all within the features' domains.
func (p *Population) Mass(box space.Box) (lo, hi float64) {
	if p.network != nil {
		return p.network.mass(box)
	}
	sum := 0.0
	for k := range p.classes {
		product := p.classes[k].weight
		for n := range p.features {
			f := &p.features[n]
			side, part := box[f.index], 0.0
			for c := f.cell(side.Lo); c < len(f.cells) && f.cells[c].Lo <= side.Hi; c++ {
				common := f.cells[c].Intersect(side)
				if whole := f.size(f.cells[c]); whole > 0 {
					part += p.classes[k].shares[n][c] * f.size(common) / whole
				} else {
					part += p.classes[k].shares[n][c]
				}
			}
			if product *= part; product == 0 {
				break
			}
		}
		sum += product
	}
	return max(0, sum*(1-p.error)-underflow), sum*(1+p.error) + underflow
}
