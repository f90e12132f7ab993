package population

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/host/internal/system/files"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// weightColumn is the column of a table's weights.
	weightColumn = "weight"
	// mostWeights is the maximum number of rows of a table, mostShares that of all their shares together.
	mostWeights = 1 << 12
	mostShares  = 1 << 22
)

// table is a table of cells and weights.
type table struct {
	path  string
	space *space.Space
	named []int // features, by column
	// lines, weights and sets are by row; a set has the values of a column's feature.
	lines   []int
	weights []float64
	sets    [][][]space.Interval
}

// weighted reads a table of cells and their weights. Within a cell all values are equally likely. Features without a
// column are independent, as in the rows, or uniform if there are too few rows.
func weighted(ctx context.Context, path string, s *space.Space, rows [][]float64, seed int64) (*Population, error) {
	t := &table{path: path, space: s}
	if err := t.read(); err != nil {
		return nil, err
	}
	p, kept, others := rest(s, rows, seed)
	p.about = fmt.Sprintf("%s %s of %s", view.Count(len(t.weights)), english.PluralWord(len(t.weights), "weighted cell", ""), filepath.Base(path))
	if len(t.named) < len(p.features) {
		p.about += ", " + others
	}
	return p, t.weigh(ctx, p, kept)
}

// fault returns an error at a line of the table.
func (t *table) fault(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", t.path, line, fmt.Sprintf(format, args...))
}

func (t *table) read() error {
	file, _, err := files.Open(t.path)
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, files.Reason(err))
	}
	defer func() { _ = file.Close() }()
	in := csv.NewReader(file)
	in.TrimLeadingSpace = true
	header, err := in.Read()
	if err != nil {
		return fmt.Errorf("%s: want a header with features and %s: %w", t.path, weightColumn, err)
	}
	at, columns := -1, make([]int, len(header)) // of the weights; features by column
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	for k, name := range header {
		i, ok := t.space.Index(name)
		switch columns[k] = i; {
		case slices.Contains(header[:k], name):
			return t.fault(1, "column %q appears twice", name)
		case name == weightColumn:
			at = k
		case !ok:
			return t.fault(1, "no feature %q; %s", name, yamlfile.Suggest(name, t.space.Names()))
		case t.space.Features[i].IsProtected():
			return t.fault(1, "%s is protected, but weights are of the other features: leave the column out, and add up its cells", name)
		default:
			t.named = append(t.named, i)
		}
	}
	if at < 0 {
		return t.fault(1, "got no column %s, want one with the weight of each cell", weightColumn)
	}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		line, _ := in.FieldPos(0)
		w, err := strconv.ParseFloat(record[at], 64)
		switch {
		case err != nil || !(w >= 0) || math.IsInf(w, 0):
			return t.fault(line, "got the weight %q, want a number of at least 0", record[at])
		case len(t.weights) == mostWeights:
			return t.fault(line, "got more than %d cells: join some by ranges, such as 18..27", mostWeights)
		}
		var sets [][]space.Interval
		for k, text := range record {
			if k == at {
				continue
			}
			set, err := valuesOf(&t.space.Features[columns[k]], text)
			if err != nil {
				return t.fault(line, "%s: %v", header[k], err)
			}
			sets = append(sets, set)
		}
		t.lines, t.weights, t.sets = append(t.lines, line), append(t.weights, w), append(t.sets, sets)
	}
	sum := 0.0
	for _, w := range t.weights {
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return fmt.Errorf("%s: the weights add up to %v, want a positive, finite number", t.path, sum)
	}
	for r := range t.weights {
		t.weights[r] /= sum
	}
	return nil
}

// valuesOf reads a condition on a feature as intervals of its domain.
func valuesOf(f *space.Feature, text string) (out []space.Interval, err error) {
	c, err := space.ParseCondition(f, text)
	if err != nil {
		return nil, err
	}
	for _, v := range c.Set {
		out = append(out, space.Interval{Lo: float64(v), Hi: float64(v)})
	}
	if c.Set != nil {
		return out, nil
	}
	iv := c.Interval.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	if f.Discrete() {
		iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
	}
	switch numbers := f.Numbers(); {
	case iv.Empty():
		return nil, fmt.Errorf("%s never holds: values are from %s to %s", text, f.Label(f.Lo), f.Label(f.Hi))
	case !f.Discrete() && iv.Hi > numbers.Hi && iv.Lo <= numbers.Hi:
		return nil, fmt.Errorf("%s has numbers and %s: give each a row", text, space.MissingName)
	case !f.Discrete() && iv.Lo == iv.Hi && iv.Lo <= numbers.Hi:
		return nil, fmt.Errorf("%s is one real number, which has no share: give a range", text)
	}
	return []space.Interval{iv}, nil
}

// cells divides a column's feature so that each set is a union of cells.
func (t *table) cells(column int) (out []space.Interval) {
	f := &t.space.Features[t.named[column]]
	var from []float64 // lower ends
	add := func(iv space.Interval) {
		if from = append(from, iv.Lo); f.Discrete() {
			from = append(from, iv.Hi+1)
		} else if iv.Hi > iv.Lo {
			from = append(from, iv.Hi)
		}
	}
	numbers := f.Numbers()
	add(numbers)
	for r := range t.sets {
		for _, iv := range t.sets[r][column] {
			add(iv)
		}
	}
	slices.Sort(from)
	from = slices.Compact(from)
	for k, v := range from {
		switch {
		case v >= numbers.Hi && !f.Discrete() || v > numbers.Hi:
		case f.Discrete():
			out = append(out, space.Interval{Lo: v, Hi: from[k+1] - 1})
		default:
			out = append(out, space.Interval{Lo: v, Hi: from[k+1]})
		}
	}
	if f.Missing {
		out = append(out, space.Interval{Lo: f.Hi, Hi: f.Hi})
	}
	return out
}

// weigh replaces the population's class by one for each cell of the table. kept are the rows that independent returned.
func (t *table) weigh(ctx context.Context, p *Population, kept [][]float64) error {
	alone := *p
	alone.features = slices.Clone(p.features)
	places := make([]int, len(t.named)) // among the population's features
	all := 0
	for column, i := range t.named {
		n := slices.IndexFunc(p.features, func(f feature) bool { return f.index == i })
		places[column], p.features[n].cells = n, t.cells(column)
		all += len(p.features[n].cells)
	}
	if all*len(t.weights) > mostShares {
		return fmt.Errorf("%s: %d rows times %d values and ranges exceed %d: use fewer rows, or wider ranges", t.path, len(t.weights), all, mostShares)
	}
	rest := p.classes[0].shares
	p.classes = nil
	inside := make([][][]bool, len(t.weights)) // by row, column and cell
	for r, weight := range t.weights {
		if ctx.Err() != nil {
			return fmt.Errorf("%s: the time did not suffice to compare %d cells: join some, or give more time (%w)", t.path, len(t.weights), ctx.Err())
		}
		c := class{weight: weight, shares: slices.Clone(rest)}
		for column, n := range places {
			f := &p.features[n]
			shares, in, sum := make([]float64, len(f.cells)), make([]bool, len(f.cells)), 0.0
			for k, cell := range f.cells {
				in[k] = slices.ContainsFunc(t.sets[r][column], func(iv space.Interval) bool { return iv.Lo <= cell.Lo && cell.Hi <= iv.Hi })
				if in[k] {
					if shares[k] = f.size(cell); cell.Lo == cell.Hi {
						shares[k] = 1
					}
					sum += shares[k]
				}
			}
			for k := range shares {
				shares[k] /= sum
			}
			c.shares[n], inside[r] = shares, append(inside[r], in)
		}
		for before := range r {
			if overlaps(inside[before], inside[r]) {
				return t.fault(t.lines[r], "the cell overlaps that of line %d: make them disjoint", t.lines[before])
			}
		}
		if weight > 0 {
			p.classes = append(p.classes, c)
		}
	}
	held := p.possible(kept[:p.Held])
	p.fits(p.coded(held))
	p.Alone, p.Impossible = alone.likelihood(alone.coded(held)), p.Held-len(held)
	return nil
}

// overlaps reports whether two rows have a cell in common, in all columns.
func overlaps(a, b [][]bool) bool {
	for column := range a {
		common := false
		for k, in := range a[column] {
			common = common || in && b[column][k]
		}
		if !common {
			return false
		}
	}
	return true
}
