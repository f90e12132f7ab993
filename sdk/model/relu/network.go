// Package relu holds a trained fully connected ReLU network and evaluates
// it: in float64 (fast), in float32 (the arithmetic of a deployment) and in
// exact rational arithmetic (which verdicts are about).
package relu

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/internal/named"
)

// Head says how the outputs of the last layer become one score in [0, 1].
type Head uint8

const (
	// HeadSigmoid is one output unit: score = σ(l0).
	HeadSigmoid Head = iota + 1
	// HeadSoftmax is two output units with a softmax: score = σ(l1 − l0).
	HeadSoftmax
	// HeadLinear is one output unit without activation. It is read as a logit only
	// if a study says so (output: logit); Validate accepts it.
	HeadLinear
)

// String gives the name used in native model files and messages.
func (h Head) String() string { return named.Of(h, "sigmoid", "softmax", "linear") }

// Layer is one dense layer, y = W·x + b, followed by max(0, ·) if ReLU is set.
type Layer struct {
	Name string
	// In and Out are the numbers of inputs and of neurons, both at least 1.
	In, Out int
	// Weights is row-major, Out × In: the weight from input i to neuron j is
	// Weights[j*In+i].
	Weights []float64
	// Bias has one entry per neuron.
	Bias []float64
	ReLU bool
}

// Row is the weight vector of neuron j, length In; it aliases Weights.
func (l *Layer) Row(j int) []float64 { return l.Weights[j*l.In : (j+1)*l.In] }

// Network is a feed-forward network. It is read-only once validated and may
// then be shared between goroutines.
type Network struct {
	// Layers run from the inputs to the outputs; the last one has no ReLU.
	Layers []Layer
	Head   Head
	// Precision is the width in bits (32 or 64) in which the weights were
	// stored; the float64 numbers here hold every stored value exactly.
	Precision int
}

// MaxUnits bounds the width of a layer and of the input. It is far above the networks
// of this field, but low enough that a hostile file cannot exhaust memory.
const MaxUnits = 1 << 16

// Inputs is the number of network inputs.
func (n *Network) Inputs() int { return n.Layers[0].In }

// Parameters counts weights and biases.
func (n *Network) Parameters() int {
	total := 0
	for i := range n.Layers {
		total += len(n.Layers[i].Weights) + len(n.Layers[i].Bias)
	}
	return total
}

// Neurons counts the ReLU neurons.
func (n *Network) Neurons() int {
	total := 0
	for i := range n.Layers {
		if n.Layers[i].ReLU {
			total += n.Layers[i].Out
		}
	}
	return total
}

// Validate checks shapes, finiteness and the head, and names the first fault.
func (n *Network) Validate() error {
	if len(n.Layers) == 0 {
		return errors.New("network has no layers")
	}
	if n.Precision != 32 && n.Precision != 64 {
		return fmt.Errorf("network precision is %d bits; want 32 or 64", n.Precision)
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		if err := l.validate(); err != nil {
			return fmt.Errorf("layer %d (%s): %w", i, l.Name, err)
		}
		if i > 0 && l.In != n.Layers[i-1].Out {
			return fmt.Errorf("layer %d (%s): takes %d inputs, layer %d gives %d", i, l.Name, l.In, i-1, n.Layers[i-1].Out)
		}
	}
	last := &n.Layers[len(n.Layers)-1]
	if last.ReLU {
		return fmt.Errorf("layer %d (%s): the output layer has a ReLU", len(n.Layers)-1, last.Name)
	}
	want := map[Head]int{HeadSigmoid: 1, HeadLinear: 1, HeadSoftmax: 2}[n.Head]
	if want == 0 {
		return fmt.Errorf("unknown head %d", n.Head)
	}
	if last.Out != want {
		return fmt.Errorf("layer %d (%s): %d output units with a %s; want %d", len(n.Layers)-1, last.Name, last.Out, n.Head, want)
	}
	return nil
}

func (l *Layer) validate() error {
	if l.In < 1 || l.Out < 1 || l.In > MaxUnits || l.Out > MaxUnits {
		return fmt.Errorf("shape %d×%d is outside 1 to %d", l.Out, l.In, MaxUnits)
	}
	if len(l.Weights) != l.In*l.Out {
		return fmt.Errorf("%d weights for shape %d×%d", len(l.Weights), l.Out, l.In)
	}
	if len(l.Bias) != l.Out {
		return fmt.Errorf("%d biases for %d neurons", len(l.Bias), l.Out)
	}
	for k, w := range l.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("weight of neuron %d from input %d is %v, want a finite number", k/l.In, k%l.In, w)
		}
	}
	for j, b := range l.Bias {
		if math.IsNaN(b) || math.IsInf(b, 0) {
			return fmt.Errorf("bias of neuron %d is %v, want a finite number", j, b)
		}
	}
	return nil
}
