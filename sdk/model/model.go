// Package model says what the rest of the program asks of a model: few things,
// which every Model answers, and capabilities, which some have.
//
// A capability is an interface of its own. Bounded, Comparing, Near, Varying, Single,
// Differentiable, Lowering, Joining, Sized and Portable are here. Rows and Script, which write a model as rows and columns or
// as a script, are in sdk/encode, whose terms they speak. What is made for
// networks of ReLU layers and nothing else (sdk/evaluate's kernel, internal/batch,
// certificates, training) asks relu.Of for one.
//
// Who needs a capability that a model lacks says so with sdk.Lacks.
package model

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"sync"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Model is a function from inputs to a logit. It is read-only once validated and
// may then be shared between goroutines.
type Model interface {
	// Family is the name of the kind of model that this is one of, such as "relu".
	Family() string
	// Validate checks that the model is well formed, and names the first fault. The
	// methods below are for models that have passed it.
	Validate() error
	// Inputs is the number of inputs.
	Inputs() int
	// Link says how the logit becomes a score.
	Link() fairness.Link
	// Parameters counts the numbers that the model is made of, and so tells roughly
	// what an evaluation costs.
	Parameters() int
	// Fingerprint is a SHA-256, in hexadecimal, of all that has a say in the logit:
	// models of equal fingerprints compute the same.
	Fingerprint() string
	// Logit evaluates the model in float64 at as many numbers as it has inputs.
	Logit(inputs []float64) float64
	// LogitError bounds how far Logit may lie from the exact logit, where each input
	// is no further from 0 than largest says and no further from the exact input
	// than off says. It is +Inf or NaN where there is no bound.
	LogitError(largest, off []float64) float64
	// Exact prepares exact evaluation.
	Exact() Exact
}

// Exact evaluates a model in exact rational arithmetic: the meaning that a
// verdict is about. It is safe for concurrent use.
type Exact interface {
	// Logit is the exact logit at exact inputs, which it does not change.
	Logit(inputs []*big.Rat) *big.Rat
}

// Bounded is a model that encloses its logit over a box of inputs.
type Bounded interface {
	Model
	// Bounds holds for the exact logit: it is rounded outward.
	Bounds(inputs []space.Interval) space.Interval
}

// Comparing is a model that bounds how far its logits at two points of a box lie
// apart that agree in most inputs.
type Comparing interface {
	Model
	// Apart holds for the exact logits, rounded outward, at all pairs of points that agree
	// in the inputs for which differs is unset. It is 0 where the others have no say.
	Apart(inputs []space.Interval, differs []bool) float64
}

// Near is a model that tells how far a logit may be off at one point, where it knows
// more than LogitError does: one that jumps knows whether a jump is near.
type Near interface {
	Model
	// LogitNear is Logit, and a bound of how far the exact logit at inputs no further
	// than off from these may lie from it. It is +Inf where there is none.
	LogitNear(inputs, off []float64) (logit, err float64)
}

// Varying is a model that evaluates points that differ in some inputs alone faster
// together than one by one.
type Varying interface {
	Model
	// Copies prepares points that differ in the inputs varying alone: entry k of values
	// has the exact values of these in point k. It is nil where that would take too much
	// memory.
	Copies(varying []int, values [][]*big.Rat) Copies
}

// Copies evaluates such points. It is safe for concurrent use.
type Copies interface {
	// Logits are those of all points, where the other inputs are these, no further
	// from the exact ones than off. Each is within LogitError, at exact inputs, of the
	// exact logit. It reports that they are: ok is unset where that is not known.
	Logits(inputs, off, out []float64) (ok bool)
}

// Single is a model that can be evaluated in single precision throughout, as a
// deployment would.
type Single interface {
	Model
	// Logit32 rounds inputs, parameters and every intermediate to float32.
	Logit32(inputs []float64) float32
}

// Differentiable is a model whose logit has a gradient, at least almost
// everywhere.
type Differentiable interface {
	Model
	// Gradient prepares gradients, for one goroutine. What it returns gives the
	// logit at the inputs and its slopes, which its next call overwrites. Both are
	// the same on every machine.
	Gradient() func(inputs []float64) (logit float64, slopes []float64)
}

// Lowering is a model that can be made smaller by a constant, exactly, so that a decision with
// another border compares with 0 too (fairness.Rule.LargestNo).
type Lowering interface {
	Model
	// Bits is a b such that the exact logit is a multiple of 2^(−b), where each input is a
	// multiple of 2^(−bits) with the entry of inputs; −1 there stands for any real number. ok is
	// unset where there is no such b.
	Bits(inputs []int) (b int, ok bool)
	// Less is a model whose logit is smaller by by, of which a denominator must be a power of two.
	// The link of what was a share is LinkLinear.
	Less(by *big.Rat) (Model, error)
}

// Joining is a model that can be joined with another one of its family, so that what is asked
// about copies of a person can be asked about two models.
type Joining interface {
	Model
	// Join is a model with this one's inputs, then the other's, then a switch: its exact logit is this one's
	// where the switch is 0, and the other's where it is 1. most bounds the size of both exact logits at
	// all inputs that occur. Its link is that of both, or LinkLinear where they differ or are LinkShare.
	Join(other Model, most float64) (Model, error)
}

// MaxBits bounds what Bits may be for Less: below it numbers are no float64.
const MaxBits = 1000

// FractionBits is the least b ≥ 0 for which every value times 2^b is an integer. The values
// are finite.
func FractionBits(values ...float64) int {
	most := 0
	for _, v := range values {
		if v != 0 {
			frac, exp := math.Frexp(v)
			most = max(most, 53-exp-bits.TrailingZeros64(uint64(math.Abs(frac)*(1<<53))))
		}
	}
	return most
}

// Split is numbers whose exact sum is v, the largest first, none of them 0; an error where v
// is no such sum.
func Split(v *big.Rat) ([]float64, error) {
	rest, out := new(big.Rat).Set(v), []float64(nil)
	for rest.Sign() != 0 {
		f, _ := rest.Float64()
		if f == 0 || math.IsInf(f, 0) || len(out) > MaxBits {
			return nil, fmt.Errorf("%s is not a sum of float64 numbers", fairness.FormatRat(v))
		}
		out = append(out, f)
		rest.Sub(rest, new(big.Rat).SetFloat64(f))
	}
	return out, nil
}

// Sized is a model that says in words how large it is, such as "12 trees".
type Sized interface {
	Model
	Size() string
}

// Portable is a model that can be handed to a plugin. Its content is for the
// function that the family has registered.
type Portable interface {
	Model
	encoding.BinaryMarshaler
}

var (
	mu       sync.RWMutex
	families = map[string]func([]byte) (Model, error){}
)

// Register names the function that reads a family's models from what
// MarshalBinary makes of them. The package of a family calls it in an init
// function; a program that is to take the family's models imports the package. It
// panics for a family that is registered already, and without a function.
func Register(family string, read func(content []byte) (Model, error)) {
	mu.Lock()
	defer mu.Unlock()
	if read == nil {
		panic(fmt.Sprintf("model: no function that reads the family %q", family))
	}
	if families[family] != nil {
		panic(fmt.Sprintf("model: the family %q is registered twice", family))
	}
	families[family] = read
}

// Read reads a model of a registered family; its Validate is the caller's. known is
// unset where there is no such family.
func Read(family string, content []byte) (m Model, known bool, err error) {
	mu.RLock()
	read := families[family]
	mu.RUnlock()
	if read == nil {
		return nil, false, nil
	}
	if m, err = read(content); err != nil {
		return nil, true, fmt.Errorf("model of the family %q: %w", family, err)
	}
	return m, true, nil
}
