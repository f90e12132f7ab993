package export

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/bound"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxProduct bounds the weights of a product network.
const maxProduct = 1 << 26

// product is the network of a VNN-LIB file about two copies: the model twice, block-diagonal,
// over the features' own values. Inputs are the non-protected features, which the copies share,
// then the protected ones of copy 1 and of copy 2. Outputs are the logits l1 and l2, then the
// linear forms of them that the notion bounds.
type product struct {
	layers  []relu.Layer
	inputs  []productInput
	outputs []productOutput
	// double: some weight is not a float32, so the file holds float64s.
	double bool
	// rounded names the features whose tables the interpolation reproduces only up to the
	// rounding of their differences.
	rounded []string
	// loose lists what the property cannot state; it therefore allows more than the question.
	loose []string
}

// productInput is a feature's value. copy is 1 or 2; 0 if the copies share the value.
type productInput struct {
	feature *space.Feature
	copy    int
	lo, hi  float64
	// values are the values of a protected feature.
	values []float64
}

// productOutput is row·(l1, l2), with its bounds lo and hi.
type productOutput struct {
	about  string
	row    [2]float64
	lo, hi string // decimals; empty for no bound
}

// newProduct builds the product of a query's two copies and the property that
// they violate the notion.
func newProduct(q *problem.Query) (*product, error) {
	switch {
	case q.Within != nil:
		return nil, fmt.Errorf("queries for individuals near rows of data (--near) in VNN-LIB: %w", sdk.ErrUnsupported)
	case len(q.Relax) > 0:
		return nil, fmt.Errorf("relaxed queries in VNN-LIB: %w", sdk.ErrUnsupported)
	case q.Reach() > 0:
		return nil, fmt.Errorf("queries for %d bins in VNN-LIB, which has two copies: %w", q.Reach(), sdk.ErrUnsupported)
	}
	n, err := relu.Of(q.Model, "VNN-LIB")
	if err != nil {
		return nil, err
	}
	weights := 0
	for i := range n.Layers {
		l := &n.Layers[i]
		weights += 4 * l.In * l.Out
	}
	if weights > maxProduct {
		return nil, fmt.Errorf("the product network would have %d weights; at most %d are allowed", weights, maxProduct)
	}
	p := &product{}
	region := q.RegionOrWhole()
	at := p.addInputs(q.Space, region)
	p.addMaps(q.Space, at)
	for i := range n.Layers {
		p.layers = append(p.layers, sideBySide(&n.Layers[i]))
	}
	p.double = !single(p.layers)
	if err := p.addOutputs(q); err != nil {
		return nil, err
	}
	p.addHead(n.Head)
	p.note(q, region)
	return p, nil
}

// addInputs adds the inputs and returns, for each copy, the index of each feature's input.
func (p *product) addInputs(s *space.Space, region space.Region) (at [2][]int) {
	for c := range at {
		at[c] = make([]int, len(s.Features))
	}
	for _, i := range s.Free() {
		f, box := &s.Features[i], region.Box[i].Intersect(space.Interval{Lo: s.Features[i].Lo, Hi: s.Features[i].Hi})
		if f.Discrete() {
			box = space.Interval{Lo: math.Ceil(box.Lo), Hi: math.Floor(box.Hi)}
		}
		at[0][i], at[1][i] = len(p.inputs), len(p.inputs)
		p.inputs = append(p.inputs, productInput{feature: f, lo: box.Lo, hi: box.Hi})
	}
	for c := range at {
		for _, i := range s.Protected() {
			v := region.Values[i]
			at[c][i] = len(p.inputs)
			p.inputs = append(p.inputs, productInput{feature: &s.Features[i], copy: c + 1, lo: v[0], hi: v[len(v)-1], values: v})
		}
	}
	return at
}

// addMaps adds the layers that compute the network's inputs from the features' values: one
// affine layer, or, if a feature has a table, two with ReLUs in between, which interpolate the
// table.
func (p *product) addMaps(s *space.Space, at [2][]int) {
	units := newUnits(p.inputs)
	out := relu.Layer{Name: "inputs", In: units.count, Out: 2 * s.Inputs, Bias: make([]float64, 2*s.Inputs)}
	out.Weights = make([]float64, out.In*out.Out)
	for c := range at {
		for i := range s.Features {
			f := &s.Features[i]
			for k := range f.Inputs {
				in := &f.Inputs[k]
				j := c*s.Inputs + in.Index
				if c == 0 && in.Table != nil && !spelledExactly(in.Table) {
					p.rounded = append(p.rounded, f.Name)
				}
				out.Bias[j] = units.spell(out.Row(j), at[c][i], in)
			}
		}
	}
	if layer := units.layer(); layer != nil {
		p.layers = append(p.layers, *layer)
	}
	p.layers = append(p.layers, out)
}

// sideBySide returns a layer twice, each on one half of inputs and outputs.
func sideBySide(l *relu.Layer) relu.Layer {
	out := relu.Layer{Name: l.Name, In: 2 * l.In, Out: 2 * l.Out, ReLU: l.ReLU, Bias: append(append([]float64(nil), l.Bias...), l.Bias...)}
	out.Weights = make([]float64, out.In*out.Out)
	for j := range l.Out {
		copy(out.Row(j), l.Row(j))
		copy(out.Row(l.Out + j)[l.In:], l.Row(j))
	}
	return out
}

// addHead computes the logits and the property's forms from the last layer's outputs.
func (p *product) addHead(head relu.Head) {
	width := 1
	if head == relu.HeadSoftmax {
		width = 2
	}
	l := relu.Layer{Name: "property", In: 2 * width, Out: len(p.outputs), Bias: make([]float64, len(p.outputs))}
	l.Weights = make([]float64, l.In*l.Out)
	for j, o := range p.outputs {
		for c, w := range o.row {
			l.Row(j)[c*width+width-1] = w
			if width == 2 { // the logit of a softmax is l[1] − l[0]
				l.Row(j)[c*width] = -w
			}
		}
	}
	p.layers = append(p.layers, l)
}

// addOutputs adds the logits and the notion's bounds on them. VNN-LIB has no strict comparison,
// so the border itself counts as a violation.
func (p *product) addOutputs(q *problem.Query) error {
	b := bound.Linear(q.Model, bound.Inputs(q.Space, q.RegionOrWhole()))
	if err := undecided(q, b); err != nil {
		return err
	}
	first := productOutput{about: "logit of copy 1", row: [2]float64{1, 0}}
	second := productOutput{about: "logit of copy 2", row: [2]float64{0, 1}}
	var more []productOutput
	switch q.Notion {
	case fairness.Logit, fairness.Share:
		more = []productOutput{{about: "logit 1 - logit 2, at least epsilon", row: [2]float64{1, -1}, lo: decimalBelow(q.Epsilon)}}
	case fairness.Decision, fairness.DecisionStrict:
		first.lo, second.hi = "0", "0"
	case fairness.Score:
		curve, ok := encode.NewCurve(q.Epsilon, b.Logit.Lo, b.Logit.Hi)
		if !ok {
			return ErrDecided
		}
		first.lo, second.hi = plain(curve.LeastA()), plain(curve.GreatestB())
		for _, t := range curve.Start(encode.StartTangents) {
			more = append(more, p.tangent(curve, t, b))
		}
	default:
		return errors.New("unknown notion: want score, share, logit, decision or decision-strict")
	}
	p.outputs = append([]productOutput{first, second}, more...)
	return nil
}

// tangent returns the output for the tangent of the score's border at a logit. Its upper bound
// holds for every violation. If the file holds float32s, the bound allows for the rounding of the
// slopes.
func (p *product) tangent(c encode.Curve, at float64, b *bound.Bounds) productOutput {
	row := c.Row(at, 0, 1, 2)
	out := productOutput{about: "tangent of the border of the scores"}
	side := row.Hi
	most := math.Max(math.Abs(b.Logit.Lo), math.Abs(b.Logit.Hi))
	for _, t := range row.Terms {
		if t.Column > 1 {
			continue // the slack, which is 0 here
		}
		w := t.Coef
		if !p.double {
			w = float64(float32(w))
			side = math.Nextafter(side+math.Nextafter(math.Abs(w-t.Coef)*most, math.Inf(1)), math.Inf(1))
		}
		out.row[t.Column] = w
	}
	out.hi = plain(side)
	return out
}

// note lists what the property leaves out. Each omission makes the property allow more: if it is
// unsatisfiable nevertheless, the network is fair.
func (p *product) note(q *problem.Query, region space.Region) {
	for _, i := range q.Space.Free() {
		if q.Space.Features[i].Discrete() && region.Box[i].Lo < region.Box[i].Hi {
			p.loose = append(p.loose, "integers and categories may take every real value between their ends")
			break
		}
	}
	for _, c := range []struct {
		n    int
		what string
	}{{len(q.Space.Forbidden), "constraints of the space"}, {len(q.Require) + len(q.Forbid), "predicates of the question"}, {len(q.Exclude), "excluded individuals"}} {
		if c.n > 0 {
			p.loose = append(p.loose, fmt.Sprintf("%s are left out: %d", c.what, c.n))
		}
	}
	if _, ok := pairsOf(q.Space, region); !ok {
		p.loose = append(p.loose, "the copies may be equal, and their tie counts as a violation: there are too many pairs of protected combinations to list")
	}
	if !q.Notion.Linear() {
		p.loose = append(p.loose, "the border of the score notion is described from outside, by tangents")
	}
}

// single reports whether every weight is a float32.
func single(layers []relu.Layer) bool {
	for i := range layers {
		for _, list := range [][]float64{layers[i].Weights, layers[i].Bias} {
			for _, w := range list {
				if float64(float32(w)) != w {
					return false
				}
			}
		}
	}
	return true
}
