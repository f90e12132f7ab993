package export

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// ErrDecided is returned if no question is left for a solver.
var ErrDecided = errors.New("there is no problem to write: nothing here can violate the notion, and it takes no solver to prove that; hyfair certify gives the verdict with its grade")

// Options says how a query is lowered.
type Options struct {
	// Encoding and Bounds name the lowering and the method that bounds the
	// network for it; the vnnlib format uses neither.
	Encoding string `json:"encoding,omitempty"`
	Bounds   string `json:"bounds,omitempty"`
	// Maximise asks for the largest margin; the default asks for any violation.
	Maximise bool `json:"maximize,omitempty"`
	// Each asks for one file per pair of protected combinations.
	Each bool `json:"each,omitempty"`
}

// Lowered is a problem to write.
type Lowered struct {
	Problem *problem.Problem
	// Suffix distinguishes the problems of one query; empty for the first.
	Suffix string
	// Fidelity of the problem as written, before any refinement by a solver's answers.
	Fidelity encode.Fidelity
	// Meaning says what an answer to this problem proves.
	Meaning []string
	// Loose says what the problem allows beyond the question, if the format prevents an exact
	// problem.
	Loose []string
	// pair is the pair of protected combinations of the file; nil: all pairs.
	pair *pair
}

// Lower converts a query to the problems that a solver would get first: one, or one for each
// order of the copies that must be asked about, or with o.Each one for each pair of protected
// combinations.
func Lower(q *problem.Query, f Format, o Options) ([]Lowered, error) {
	if err := q.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
	}
	if q.RegionOrWhole().Count() < 2 && len(q.Relax) == 0 {
		return nil, ErrDecided
	}
	if o.Maximise && !q.Notion.Linear() {
		return nil, fmt.Errorf("%w: the largest score gap takes a sequence of problems, not a single one; maximise with --notion logit", sdk.ErrInvalidOption)
	}
	if f.Form == problem.FormNetwork {
		return lowerNetwork(q, o)
	}
	if o.Each {
		return nil, fmt.Errorf("%w: --each is for vnnlib: a problem in the format %s contains all pairs of protected values", sdk.ErrInvalidOption, f.Name)
	}
	e, err := encode.Find(o.Encoding)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	if e.Form != f.Form {
		return nil, fmt.Errorf("%w: encoding %s gives problems in the %s form, which the format %s does not write", sdk.ErrInvalidOption, e.Name, e.Form, f.Name)
	}
	if err := e.Takes(q.Model); err != nil {
		return nil, err
	}
	method, err := bound.Lookup(o.Bounds)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", sdk.ErrInvalidOption, err)
	}
	b := encode.Enclose(q, method)
	if err := undecided(q, b); err != nil {
		return nil, err
	}
	if e.Form == problem.FormSMT {
		return lowerSMT(q, e, b, o.Maximise)
	}
	return lowerMILP(q, e, b, o.Maximise)
}

// lowerNetwork leaves the query unchanged: Write converts it to a property.
func lowerNetwork(q *problem.Query, o Options) ([]Lowered, error) {
	if o.Maximise {
		return nil, fmt.Errorf("%w: leave out --maximize: a VNN-LIB property has no objective", sdk.ErrInvalidOption)
	}
	p, err := newProduct(q)
	if err != nil {
		return nil, err
	}
	fidelity := encode.Exact
	if len(p.loose) > 0 {
		fidelity = encode.Over
	}
	all := Lowered{
		Problem: &problem.Problem{Name: "vnnlib", Query: q}, Fidelity: fidelity, Loose: p.loose,
		Meaning: []string{"unsat: no two copies violate the notion; sat: a candidate, to be rounded and replayed"},
	}
	if !o.Each {
		return []Lowered{all}, nil
	}
	pairs, ok := pairsOf(q.Space, q.RegionOrWhole())
	if !ok {
		return nil, fmt.Errorf("%w: --each: there are more than %d pairs of protected combinations; protect fewer values, or restrict the space with --where", sdk.ErrInvalidOption, maxCases)
	}
	var out []Lowered
	for i := range pairs {
		one := all
		one.pair, one.Suffix = &pairs[i], fmt.Sprintf("-%0*d", len(strconv.Itoa(len(pairs))), i+1)
		one.Meaning = []string{
			fmt.Sprintf("pair %d of %d: copy 1 has %s, copy 2 has %s", i+1, len(pairs), named(q.Space, pairs[i][0]), named(q.Space, pairs[i][1])),
			"unsat of every pair: no two copies violate the notion; sat: a candidate, to be rounded and replayed",
		}
		out = append(out, one)
	}
	return out, nil
}

// named formats protected values with their features' names.
func named(s *space.Space, values []float64) string {
	var out []string
	for k, i := range s.Protected() {
		f, text := &s.Features[i], plain(values[k])
		if at := int(values[k]); f.Kind == space.Categorical && at < len(f.Categories) {
			text = f.Categories[at]
		}
		out = append(out, f.Name+"="+text)
	}
	return strings.Join(out, ", ")
}

// undecided returns ErrDecided if the bounds answer the query, because the rows of the decision
// notions presume that both decisions can occur. Infinite bounds are an error, too.
func undecided(q *problem.Query, b *bound.Bounds) error {
	lo, hi := b.Logit.Lo, b.Logit.Hi
	switch {
	case !q.Notion.UsesEpsilon() && !q.Notion.Possible(hi, lo, b.Apart(), 0):
		return ErrDecided
	case math.IsInf(lo, 0) || math.IsInf(hi, 0):
		return errors.New("float64 cannot bound the model's values over this region: narrow it with --where")
	}
	return nil
}

func lowering(err error) error {
	if errors.Is(err, encode.ErrTooFewBins) {
		return ErrDecided
	}
	if errors.Is(err, sdk.ErrUnsupported) {
		return err
	}
	return fmt.Errorf("%w: %w", sdk.ErrInvalidProblem, err)
}

// epsilon is the notion's threshold as a float64; 0 for a notion without ε.
func epsilon(q *problem.Query) float64 {
	v, _ := q.Notion.Threshold(q.Epsilon).Float64()
	return v
}
