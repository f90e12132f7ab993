package relu

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/model"
)

// exact evaluates a network in exact rational arithmetic. The stored weights are
// binary fractions, so each layer is stored as integers over one power of two, and
// a forward pass needs only integer products and sums, no gcd.
type exact struct {
	layers []exactLayer
	head   Head
}

type exactLayer struct {
	in, out int
	shift   uint // weights and biases are the integers below over 2^shift
	weights []*big.Int
	bias    []*big.Int
	relu    bool
}

// Exact implements model.Model.
func (n *Network) Exact() model.Exact {
	e := &exact{head: n.Head}
	for i := range n.Layers {
		l := &n.Layers[i]
		shift := l.bits()
		e.layers = append(e.layers, exactLayer{
			in: l.In, out: l.Out, relu: l.ReLU, shift: shift,
			weights: scaled(l.Weights, shift), bias: scaled(l.Bias, shift),
		})
	}
	return e
}

// Logit is the exact logit at exact inputs: l0, or l1 − l0 for a softmax head.
// len(inputs) must be the network's number of inputs.
func (e *exact) Logit(inputs []*big.Rat) *big.Rat {
	// v[i] / den is the value of unit i; den stays positive, so signs are the numerators'.
	den := big.NewInt(1)
	for _, x := range inputs {
		den = lcm(den, x.Denom())
	}
	v := make([]*big.Int, len(inputs))
	for i, x := range inputs {
		v[i] = new(big.Int).Mul(x.Num(), new(big.Int).Quo(den, x.Denom()))
	}
	var product big.Int
	for k := range e.layers {
		l := &e.layers[k]
		out := make([]*big.Int, l.out)
		for j := range out {
			sum := new(big.Int).Mul(l.bias[j], den)
			for i, w := range l.weights[j*l.in : (j+1)*l.in] {
				if w.Sign() != 0 && v[i].Sign() != 0 {
					sum.Add(sum, product.Mul(w, v[i]))
				}
			}
			if l.relu && sum.Sign() < 0 {
				sum.SetInt64(0)
			}
			out[j] = sum
		}
		v = out
		den = new(big.Int).Lsh(den, l.shift)
	}
	num := v[0]
	if e.head == HeadSoftmax {
		num = new(big.Int).Sub(v[1], v[0])
	}
	return new(big.Rat).SetFrac(num, den)
}

// bits is the least b for which weights and biases times 2^b are integers.
func (l *Layer) bits() uint {
	return uint(max(model.FractionBits(l.Weights...), model.FractionBits(l.Bias...)))
}

func scaled(values []float64, shift uint) []*big.Int {
	out := make([]*big.Int, len(values))
	for i, v := range values {
		frac, exp := math.Frexp(v)
		out[i] = big.NewInt(int64(frac * (1 << 53)))
		if up := int(shift) + exp - 53; up >= 0 {
			out[i].Lsh(out[i], uint(up))
		} else { // only zeros are shifted out
			out[i].Rsh(out[i], uint(-up))
		}
	}
	return out
}

func lcm(a, b *big.Int) *big.Int {
	if b.IsInt64() && b.Int64() == 1 {
		return a
	}
	g := new(big.Int).GCD(nil, nil, a, b)
	return new(big.Int).Mul(a, new(big.Int).Quo(b, g))
}
