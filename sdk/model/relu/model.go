package relu

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// Family is the family's name in plugins' descriptions and in messages.
const Family = "relu"

var (
	_ model.Single         = (*Network)(nil)
	_ model.Differentiable = (*Network)(nil)
)

// Of returns m as a network of ReLU layers. For any other model it returns the error of
// sdk.Lacks, which then also states the use that the caller has for the layers.
func Of(m model.Model, what string) (*Network, error) {
	if n, ok := m.(*Network); ok {
		return n, nil
	}
	return nil, sdk.Lacks(m, "layers of ReLU neurons for "+what)
}

// Family implements model.Model.
func (*Network) Family() string { return Family }

// Link implements model.Model.
func (n *Network) Link() fairness.Link {
	if n.Head == HeadLinear {
		return fairness.LinkLinear
	}
	return fairness.LinkSigmoid
}

// Fingerprint is the SHA-256 of the network's line in a certificate without the
// layers' names.
func (n *Network) Fingerprint() string {
	nameless := *n
	nameless.Layers = append([]Layer(nil), n.Layers...)
	for i := range nameless.Layers {
		nameless.Layers[i].Name = ""
	}
	// A network that has passed Validate has only finite numbers, which JSON can hold.
	text, _ := json.Marshal(struct {
		Network *Network `json:"network"`
	}{&nameless})
	sum := sha256.Sum256(append(text, '\n'))
	return hex.EncodeToString(sum[:])
}

// MarshalJSON writes the network in the form of certificates (docs/reference/certificates.md).
func (n *Network) MarshalJSON() ([]byte, error) {
	type layer struct {
		Name    string    `json:"name,omitempty"`
		Inputs  int       `json:"inputs"`
		Units   int       `json:"units"`
		ReLU    bool      `json:"relu"`
		Weights []float64 `json:"weights"`
		Bias    []float64 `json:"bias"`
	}
	of := struct {
		Precision int     `json:"precision"`
		Head      string  `json:"head"`
		Layers    []layer `json:"layers"`
	}{Precision: n.Precision, Head: n.Head.String()}
	for i := range n.Layers {
		l := &n.Layers[i]
		of.Layers = append(of.Layers, layer{l.Name, l.In, l.Out, l.ReLU, l.Weights, l.Bias})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(of)
	return b.Bytes(), err
}

// LogitError implements model.Model.
//
// With u = 2⁻⁵³, a sum of n products and a bias, in any order, is off by at most
// γ·(Σ|w·x| + |b|), γ = (n+1)u / (1 − (n+1)u) ≤ 2(n+1)u (Higham, Accuracy and
// Stability of Numerical Algorithms, ch. 3). The inputs' errors, multiplied by the
// weights, add to this; a ReLU adds nothing. Factors are rounded up to cover the
// rounding of this function; underflow adds 2⁻¹⁰⁷⁴ per product. A bound that
// overflows is infinite or NaN, and then decides nothing.
func (n *Network) LogitError(largest, off []float64) float64 {
	const u = 0x1p-53
	size := largest
	for i := range n.Layers {
		l := &n.Layers[i]
		nextSize, nextOff := make([]float64, l.Out), make([]float64, l.Out)
		for j := range l.Out {
			through := 0.0
			nextSize[j] = math.Abs(l.Bias[j])
			for k, w := range l.Row(j) {
				nextSize[j] += math.Abs(w) * size[k]
				through += math.Abs(w) * off[k]
			}
			rounding := 4 * u * float64(l.In+2)
			nextOff[j] = 1.01*through + rounding*(nextSize[j]+through) + float64(l.In)*0x1p-1070
		}
		size, off = nextSize, nextOff
	}
	if n.Head == HeadSoftmax {
		return 1.01*(off[0]+off[1]) + 4*u*(size[0]+size[1])
	}
	return off[0]
}
