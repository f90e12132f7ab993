// Package linear is a toy family of models: a single linear unit. Tests use it to show
// what a family consists of, and that the rest of the program works with any family.
package linear

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Family is the name under which the family is registered.
const Family = "linear"

func init() { model.Register(Family, read) }

// Unit has the logit Σ Weights·inputs + Bias. Its only capability is that it can be
// handed to plugins.
type Unit struct {
	Weights []float64
	Bias    float64
}

var _ model.Portable = (*Unit)(nil)

// Family implements model.Model.
func (*Unit) Family() string { return Family }

// Validate implements model.Model.
func (u *Unit) Validate() error {
	for _, w := range append([]float64{u.Bias}, u.Weights...) {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return fmt.Errorf("a weight or the bias is %v, want a finite number", w)
		}
	}
	return nil
}

// Inputs implements model.Model.
func (u *Unit) Inputs() int { return len(u.Weights) }

// Link implements model.Model.
func (*Unit) Link() fairness.Link { return fairness.LinkSigmoid }

// Parameters implements model.Model.
func (u *Unit) Parameters() int { return len(u.Weights) + 1 }

// Fingerprint implements model.Model.
func (u *Unit) Fingerprint() string {
	text, _ := u.MarshalBinary()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Logit implements model.Model.
func (u *Unit) Logit(inputs []float64) float64 {
	sum := u.Bias
	for i, w := range u.Weights {
		sum += w * inputs[i]
	}
	return sum
}

// LogitError implements model.Model: twice the error of n + 1 roundings of the terms.
func (u *Unit) LogitError(largest, off []float64) float64 {
	size, carried := math.Abs(u.Bias), 0.0
	for i, w := range u.Weights {
		size += math.Abs(w) * largest[i]
		carried += math.Abs(w) * off[i]
	}
	n := float64(len(u.Weights) + 2)
	return n*0x1p-51*(size+carried) + 1.01*carried + n*0x1p-1070
}

type exact []*big.Rat // the weights, then the bias

// Exact implements model.Model.
func (u *Unit) Exact() model.Exact {
	var e exact
	for _, w := range append(append([]float64(nil), u.Weights...), u.Bias) {
		e = append(e, new(big.Rat).SetFloat64(w))
	}
	return e
}

// Logit implements model.Exact.
func (e exact) Logit(inputs []*big.Rat) *big.Rat {
	sum := new(big.Rat).Set(e[len(inputs)])
	for i, x := range inputs {
		sum.Add(sum, new(big.Rat).Mul(e[i], x))
	}
	return sum
}

// MarshalBinary implements model.Portable.
func (u *Unit) MarshalBinary() ([]byte, error) {
	return binary.Append(nil, binary.LittleEndian, append([]float64{u.Bias}, u.Weights...))
}

func read(content []byte) (model.Model, error) {
	numbers := make([]float64, len(content)/8)
	if n, err := binary.Decode(content, binary.LittleEndian, numbers); err != nil || n != len(content) || len(numbers) < 1 {
		return nil, errors.New("content is not a bias and weights as float64s")
	}
	return &Unit{Weights: numbers[1:], Bias: numbers[0]}, nil
}

// Capable is a Unit with the capabilities that a solver of any form needs.
type Capable struct{ *Unit }

// Bounds implements model.Bounded.
func (c Capable) Bounds(box []space.Interval) space.Interval {
	at := func(side func(w float64, iv space.Interval) float64) (sum, size float64) {
		sum, size = c.Bias, math.Abs(c.Bias)
		for i, w := range c.Weights {
			v := side(w, box[i])
			sum, size = sum+w*v, size+math.Abs(w*v)
		}
		return sum, float64(len(box)+2)*0x1p-51*size + 0x1p-1000
	}
	lo, below := at(func(w float64, iv space.Interval) float64 {
		if w < 0 {
			return iv.Hi
		}
		return iv.Lo
	})
	hi, above := at(func(w float64, iv space.Interval) float64 {
		if w < 0 {
			return iv.Lo
		}
		return iv.Hi
	})
	return space.Interval{Lo: lo - below, Hi: hi + above}
}

// Rows implements encode.Rows: a column for the sum, and a row that defines it.
func (c Capable) Rows(box []space.Interval) (*problem.MILP, []int) {
	out := &problem.MILP{}
	sum := problem.Row{Name: "sum", Lo: -c.Bias, Hi: -c.Bias}
	for i, w := range c.Weights {
		out.Columns = append(out.Columns, problem.Column{Lo: box[i].Lo, Hi: box[i].Hi})
		sum.Terms = append(sum.Terms, problem.Term{Column: i, Coef: w})
	}
	of := c.Bounds(box)
	out.Columns = append(out.Columns, problem.Column{Name: "sum", Lo: of.Lo, Hi: of.Hi})
	sum.Terms = append(sum.Terms, problem.Term{Column: len(box), Coef: -1})
	out.Rows = []problem.Row{sum}
	out.Objective.Terms = []problem.Term{{Column: len(box), Coef: 1}}
	return out, nil
}

// Sensitivity implements encode.Rows.
func (c Capable) Sensitivity(off []float64) float64 {
	sum := 1.0
	for i, w := range c.Weights {
		sum += math.Abs(w) * off[i]
	}
	return sum
}

// Script implements encode.Script.
func (c Capable) Script(suffix string, inputs []string) (declarations, logit string) {
	number := func(v float64) string {
		r := new(big.Rat).SetFloat64(v)
		text := fmt.Sprintf("(/ %s.0 %s.0)", new(big.Int).Abs(r.Num()), r.Denom())
		if r.Sign() < 0 {
			text = "(- " + text + ")"
		}
		return text
	}
	terms := []string{number(c.Bias)}
	for i, w := range c.Weights {
		terms = append(terms, "(* "+number(w)+" "+inputs[i]+")")
	}
	return "(define-fun sum" + suffix + " () Real (+ " + strings.Join(terms, " ") + "))\n", "sum" + suffix
}
