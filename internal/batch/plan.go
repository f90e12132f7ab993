package batch

import (
	"errors"
	"math"

	"github.com/hyfair/hyfair/internal/simd"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// Plan is a network prepared for bounding over boxes inside one root box. It is read-only
// and may be shared between goroutines, each with its own Workspace.
type Plan struct {
	*lanes
	layers []stage
	public []Layer
	inputs int
	errs   [][]float64 // by layer and neuron: see rounding.go
	widest int         // the largest number of inputs or of a layer's neurons
	tables float64     // error of Tables
}

// stage is a layer as the lanes read it.
type stage struct {
	in, out int
	relu    bool
	// underflows is set if some weight is not 0 and smaller than leastWeight.
	underflows bool
	forward    []float64 // out rows of 1+in, the bias first
	backward   []float64 // 1+in rows of out, the biases first
	magnitude  []float64 // as forward, absolute values
	downward   []float64 // as backward, absolute values
}

// New prepares n, which must have passed Validate, for boxes of inputs within
// root. It refuses a network whose weights are so large that rounding could not
// be bounded.
func New(n *relu.Network, root []space.Interval) (*Plan, error) {
	variant, err := simd.Choose(variants)
	if err != nil {
		return nil, err
	}
	layers := layersOf(n)
	most := make([]float64, len(root))
	for i, iv := range root {
		most[i] = max(abs(iv.Lo), abs(iv.Hi))
	}
	errs, ok := roundingErrors(layers, most)
	if !ok {
		return nil, errors.New("values inside this network could exceed 2¹⁰⁰ (10³⁰), beyond which rounding cannot be bounded")
	}
	p := &Plan{lanes: variant, inputs: len(root), errs: errs, widest: len(root), tables: tablesError(layers, most)}
	for i := range layers {
		p.layers = append(p.layers, stageOf(&layers[i]))
		p.public = append(p.public, Layer{layers[i].in, layers[i].out, layers[i].relu, layers[i].weights})
		p.widest = max(p.widest, layers[i].out)
	}
	return p, nil
}

func stageOf(l *layer) stage {
	s := stage{in: l.in, out: l.out, relu: l.relu, forward: l.weights}
	s.backward = make([]float64, len(l.weights))
	s.magnitude, s.downward = make([]float64, len(l.weights)), make([]float64, len(l.weights))
	for j := range l.out {
		for i := range 1 + l.in {
			w := l.weights[j*(1+l.in)+i]
			s.underflows = s.underflows || w != 0 && math.Abs(w) < leastWeight
			s.magnitude[j*(1+l.in)+i] = math.Abs(w)
			s.backward[i*l.out+j] = w
			s.downward[i*l.out+j] = math.Abs(w)
		}
	}
	return s
}

// Kernel names the variant of the vector loops in use: avx512, avx2 or scalar.
func (p *Plan) Kernel() string { return p.name }

// Error returns the E of the logit: how far a computed logit, or the centre or radius of
// its enclosure, may be from the exact one.
func (p *Plan) Error() float64 { return p.errs[len(p.errs)-1][0] }

// Layer is a layer of the network. Weights has Out rows, each of a bias and In weights. The last layer has one row, the
// logit's.
type Layer struct {
	In, Out int
	ReLU    bool
	Weights []float64
}

// Layers returns the network's layers, from the inputs to the logit. They must not be changed.
func (p *Plan) Layers() []Layer { return p.public }

// Errors returns the E of a layer's neurons; Error is that of the logit.
func (p *Plan) Errors(layer int) []float64 { return p.errs[layer] }
