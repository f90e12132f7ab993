// Package model defines what the rest of the program needs of a model: the methods of
// Model, which all models have, and capabilities, which some have.
//
// Each capability is a separate interface. Bounded, Comparing, Near, Varying, Single,
// Differentiable, Lowering, Joining, Batched, Observed, Sized and Portable are here. Rows and Script,
// which write a model as rows and columns or as a script, are in sdk/encode. Code for
// networks of ReLU layers only (sdk/evaluate's kernel, internal/batch, certificates,
// training) gets the network from relu.Of.
//
// Code that needs a capability that a model lacks returns the error of sdk.Lacks.
package model

import (
	"encoding"
	"errors"
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
	// Family is the name of the model's family, such as "relu".
	Family() string
	// Validate checks that the model is well formed, and names the first fault. The
	// methods below are for models that have passed it.
	Validate() error
	// Inputs is the number of inputs.
	Inputs() int
	// Link says how the logit becomes a score.
	Link() fairness.Link
	// Parameters counts the numbers that the model consists of, a rough measure of the
	// cost of an evaluation.
	Parameters() int
	// Fingerprint is a SHA-256, in hexadecimal, of everything that affects the logit:
	// models with equal fingerprints compute the same.
	Fingerprint() string
	// Logit evaluates the model in float64 at as many numbers as it has inputs.
	Logit(inputs []float64) float64
	// LogitError bounds how far Logit may lie from the exact logit if each input i is at
	// most largest[i] in magnitude and at most off[i] from the exact input. It is +Inf
	// or NaN if there is no bound.
	LogitError(largest, off []float64) float64
	// Exact prepares exact evaluation.
	Exact() Exact
}

// Exact evaluates a model in exact rational arithmetic, which verdicts are about. It is
// safe for concurrent use.
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

// Comparing is a model that bounds the distance between its logits at two points of a
// box that agree in most inputs.
type Comparing interface {
	Model
	// Apart holds for the exact logits, rounded outward, at all pairs of points that agree
	// in the inputs for which differs is unset. It is 0 if the other inputs do not affect
	// the logit.
	Apart(inputs []space.Interval, differs []bool) float64
}

// Near is a model that bounds the error of a logit at one point more tightly than
// LogitError does: a discontinuous model knows whether a jump is near.
type Near interface {
	Model
	// LogitNear returns the logit, and a bound on its distance from the exact logit at
	// all exact inputs that differ from inputs[i] by no more than off[i]. The bound is
	// +Inf if there is none.
	LogitNear(inputs, off []float64) (logit, err float64)
}

// Varying is a model that evaluates points that differ only in some inputs faster
// together than one by one.
type Varying interface {
	Model
	// Copies prepares points that differ only in some inputs, whose indices are in
	// varying; values[k] has the exact values of those inputs in point k. It returns nil
	// if that would take too much memory.
	Copies(varying []int, values [][]*big.Rat) Copies
}

// Copies evaluates the points that Varying.Copies has prepared. It is safe for concurrent
// use.
type Copies interface {
	// Logits writes the logits of all points into out. For an input i that does not vary,
	// inputs[i] is its value in all points, and within off[i] of the exact value. ok reports
	// that each logit is within LogitError, at exact inputs, of the exact logit.
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
	// Gradient prepares gradients, for one goroutine. The function that it returns
	// computes the logit at the inputs and its slopes, which the next call overwrites.
	// Both are the same on every machine.
	Gradient() func(inputs []float64) (logit float64, slopes []float64)
}

// Lowering is a model whose logit can be lowered, exactly. Any decision rule can then be applied
// by comparing the lowered logit with 0 (fairness.Rule.LargestNo).
type Lowering interface {
	Model
	// Bits returns a b such that the exact logit is a multiple of 2^(−b) if each input i is a
	// multiple of 2^(−inputs[i]); an entry of −1 stands for any real number. ok is false if
	// there is no such b.
	Bits(inputs []int) (b int, ok bool)
	// Less returns a model whose exact logit is this model's minus the offset. If the model's link
	// is LinkShare, the result has LinkLinear.
	Less(by Offset) (Model, error)
	// Wider returns the model with further inputs at the end, which it ignores.
	Wider(inputs int) Model
}

// Offset is what a logit is lowered by: a constant, or a number that depends on some inputs.
type Offset struct {
	// Inputs are the indices of the inputs that it depends on; none for a constant.
	Inputs []int
	// Cases lists all values that these inputs take; one case for a constant.
	Cases []Case
	// Bits: with several cases, the offset of each may exceed its By by less than 2^(−Bits).
	Bits int
	// Most bounds the absolute values of the logits.
	Most float64
}

// Case is an offset at exact values of inputs. The denominator of By is a power of two.
type Case struct {
	At []*big.Rat
	By *big.Rat
}

// ErrAlike is the error of an offset that differs between cases with the same inputs.
var ErrAlike = errors.New("two groups have the same inputs, or nearly so: the model cannot distinguish them")

// Constant is an offset that depends on no input.
func Constant(by *big.Rat) Offset { return Offset{Cases: []Case{{By: by}}} }

// Joining is a model that can be joined with another model of its family, or with a switch,
// so that questions about copies of a person can be asked about two models, or about one that is switched off.
type Joining interface {
	Model
	// Join returns a model with this model's inputs, then the other's, then a switch: its exact logit
	// is this model's if the switch is 0, and the other's if it is 1. Both exact logits must lie in
	// [−most, most] at all inputs that occur. The result has the common link of both models, or
	// LinkLinear if the links differ or are LinkShare.
	Join(other Model, most float64) (Model, error)
	// Switched returns a model with this model's inputs, then a switch: its exact logit is this model's
	// if the switch is 1. If the switch is 0, it is this model's minus a power of two that is at least
	// most, so it is not positive if this model's logits are at most most. The result has the link of Join.
	Switched(most float64) (Model, error)
}

// PowerAbove returns a power of two above v, at least 2.
func PowerAbove(v float64) float64 {
	_, exponent := math.Frexp(max(v, 1))
	return math.Ldexp(1, exponent)
}

// MaxBits is the largest Bits for Less: smaller units are not float64 numbers.
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

// Split returns nonzero numbers whose exact sum is v, the largest first. It fails if v is not
// such a sum.
func Split(v *big.Rat) ([]float64, error) {
	rest, out := new(big.Rat).Set(v), []float64(nil)
	for rest.Sign() != 0 {
		f, _ := rest.Float64()
		if f == 0 || math.IsInf(f, 0) || len(out) > MaxBits {
			return nil, fmt.Errorf("%s is not a sum of at most %d float64 numbers", fairness.FormatRat(v), MaxBits+1)
		}
		out = append(out, f)
		rest.Sub(rest, new(big.Rat).SetFloat64(f))
	}
	return out, nil
}

// Batched is a model that evaluates many points faster together than one by one.
type Batched interface {
	Model
	// Ahead prepares the evaluation of points given by their inputs: Logit and exact evaluations at
	// them are then fast. It does not keep the slices.
	Ahead(inputs [][]float64)
}

// Observed is a model that is known by its answers only. Its exact logit at a point is the answer there;
// between points nothing is known.
type Observed interface {
	Batched
	// Source names, for messages, what gives the answers.
	Source() string
}

// Sized is a model that says in words how large it is, such as "12 trees".
type Sized interface {
	Model
	Size() string
}

// Portable is a model that can be sent to a plugin. The function that its family has
// registered reads its content.
type Portable interface {
	Model
	encoding.BinaryMarshaler
}

var (
	mu       sync.RWMutex
	families = map[string]func([]byte) (Model, error){}
)

// Register sets the function that reads a family's models from the output of
// MarshalBinary. The package of a family calls it in an init function; a program
// supports the family if it imports the package. Register panics if the family is
// registered already or read is nil.
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

// Read reads a model of a registered family; the caller validates it. known is false if
// there is no such family.
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
