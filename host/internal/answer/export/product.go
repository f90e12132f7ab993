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

// product is the one network that a VNN-LIB file about two copies speaks of:
// both side by side, block-diagonal, over the features' own values. Inputs are
// the non-protected features, which the copies share, then the protected ones
// of copy 1 and of copy 2. Outputs are the logits l1 and l2, then whatever
// linear forms of them the notion bounds.
type product struct {
	layers  []relu.Layer
	inputs  []productInput
	outputs []productOutput
	// double: some weight is no float32, and the file holds float64s.
	double bool
	// rounded names the features whose codes the interpolation meets only up to
	// the rounding of their differences.
	rounded []string
	// loose lists what the property cannot say, so that it allows more than the
	// question.
	loose []string
}

// productInput is a feature's value; its copy is 0 where the copies share it.
type productInput struct {
	feature *space.Feature
	copy    int
	lo, hi  float64
	// values are those of a protected feature.
	values []float64
}

// productOutput is row·(l1, l2), asked to lie in lo to hi.
type productOutput struct {
	about  string
	row    [2]float64
	lo, hi string // decimals; empty for no bound
}

// newProduct builds the product of a query's two copies and the property that
// they violate the notion.
func newProduct(q *problem.Query) (*product, error) {
	switch {
	case len(q.Relax) > 0:
		return nil, fmt.Errorf("relaxed queries in VNN-LIB: %w", sdk.ErrUnsupported)
	case q.K > 2:
		return nil, fmt.Errorf("queries for %d bins in VNN-LIB, which has two copies: %w", q.K, sdk.ErrUnsupported)
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
		return nil, fmt.Errorf("the product network would have %d weights; at most %d are written", weights, maxProduct)
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

// addInputs lists the inputs and returns, for each copy, which one each feature
// has.
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

// addMaps adds the layers that make the network's inputs out of the features'
// values: one affine layer, or, where a feature maps through a table, two with
// ReLUs between them, which interpolate the table.
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

// sideBySide is a layer twice, each on its own half of inputs and outputs.
func sideBySide(l *relu.Layer) relu.Layer {
	out := relu.Layer{Name: l.Name, In: 2 * l.In, Out: 2 * l.Out, ReLU: l.ReLU, Bias: append(append([]float64(nil), l.Bias...), l.Bias...)}
	out.Weights = make([]float64, out.In*out.Out)
	for j := range l.Out {
		copy(out.Row(j), l.Row(j))
		copy(out.Row(l.Out + j)[l.In:], l.Row(j))
	}
	return out
}

// addHead turns the last layer's outputs into the logits and forms asked for.
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

// addOutputs adds the logits and what the notion says of them. VNN-LIB knows no
// strict comparison: the border itself counts as a violation.
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
		return errors.New("unknown notion")
	}
	p.outputs = append([]productOutput{first, second}, more...)
	return nil
}

// tangent is an output that a violation keeps at or below the tangent's side.
// Where the file holds float32s the side makes up for the slope's rounding.
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

// note lists what the property leaves out. All of it makes the property allow
// more: where it cannot hold, the network is fair all the same.
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
	}{{len(q.Space.Forbidden), "constraints of the space"}, {len(q.Require) + len(q.Forbid), "predicates of the question"}, {len(q.Exclude), "individuals to leave out"}} {
		if c.n > 0 {
			p.loose = append(p.loose, fmt.Sprintf("%s are left out: %d", c.what, c.n))
		}
	}
	if _, ok := pairsOf(q.Space, region); !ok {
		p.loose = append(p.loose, "the copies may be equal, whose tie counts as a violation: there are too many pairs of protected combinations to list")
	}
	if !q.Notion.Linear() {
		p.loose = append(p.loose, "the border of the score notion is described from outside, by tangents")
	}
}

// single reports that every weight is a float32.
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
