package trees

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// ClassesFamily is the name of the family of Classes.
const ClassesFamily = "classes of trees"

var (
	_ model.Near  = (*Classes)(nil)
	_ model.Sized = (*Classes)(nil)
)

// MaxClasses is the largest number of classes.
const MaxClasses = 1 << 10

// Classes is a model of several classes, each with a sum of trees: a vector of logits. The class with the largest sum wins.
// As a model of one logit it is about Class: the logit is the margin, the sum of Class less the largest other one, so that
// it is above 0 if Class wins. It is read-only once validated.
type Classes struct {
	Sums  []*Ensemble
	Class int
}

// Each returns the classes with each sum changed.
func (c *Classes) Each(change func(*Ensemble) *Ensemble) *Classes {
	out := &Classes{Class: c.Class}
	for _, e := range c.Sums {
		out.Sums = append(out.Sums, change(e))
	}
	return out
}

// Family implements model.Model.
func (*Classes) Family() string { return ClassesFamily }

// Validate implements model.Model.
func (c *Classes) Validate() error {
	if len(c.Sums) < 2 || len(c.Sums) > MaxClasses || c.Class < 0 || c.Class >= len(c.Sums) {
		return fmt.Errorf("class %d of %d: want one of 2 to %d", c.Class, len(c.Sums), MaxClasses)
	}
	for k, e := range c.Sums {
		if err := e.Validate(); err != nil {
			return fmt.Errorf("class %d: %w", k, err)
		}
		if e.Columns != c.Sums[0].Columns {
			return fmt.Errorf("class %d has %d inputs, class 0 has %d: want equal numbers", k, e.Columns, c.Sums[0].Columns)
		}
	}
	return nil
}

// Inputs implements model.Model.
func (c *Classes) Inputs() int { return c.Sums[0].Columns }

// Link implements model.Model: scores are σ of the margin.
func (*Classes) Link() fairness.Link { return fairness.LinkSigmoid }

// Parameters counts borders and leaves of all classes.
func (c *Classes) Parameters() (n int) {
	for _, e := range c.Sums {
		n += e.Parameters()
	}
	return n
}

// Size implements model.Sized.
func (c *Classes) Size() string {
	return fmt.Sprintf("%d classes; of class %d %s", len(c.Sums), c.Class, c.Sums[c.Class].Size())
}

// Fingerprint implements model.Model.
func (c *Classes) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, ClassesFamily, c.Class)
	for _, e := range c.Sums {
		fmt.Fprintln(h, e.Fingerprint())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// margin returns the margin of Class for sums with errors, and a bound on its error.
func (c *Classes) margin(sum func(*Ensemble) (sum, err float64)) (margin, err float64) {
	most, worst := math.Inf(-1), 0.0
	for k, e := range c.Sums {
		if k != c.Class {
			s, off := sum(e)
			most, worst = max(most, s), max(worst, off)
		}
	}
	own, off := sum(c.Sums[c.Class])
	margin = own - most
	return margin, up(up(off+worst) + up(math.Abs(margin)*0x1p-52))
}

// Logit implements model.Model.
func (c *Classes) Logit(inputs []float64) float64 {
	margin, _ := c.margin(func(e *Ensemble) (float64, float64) { return e.Logit(inputs), 0 })
	return margin
}

// LogitError implements model.Model.
func (c *Classes) LogitError(largest, off []float64) (err float64) {
	for _, e := range c.Sums {
		most := math.Abs(e.Base)
		for _, t := range e.Trees {
			most += t.most()
		}
		err = max(err, e.LogitError(largest, off)+most*0x1p-50) // for the rounding of the difference
	}
	return 2 * err
}

// LogitNear implements model.Near.
func (c *Classes) LogitNear(inputs, off []float64) (logit, err float64) {
	return c.margin(func(e *Ensemble) (float64, float64) { return e.LogitNear(inputs, off) })
}

// exactMargin evaluates the margin exactly.
type exactMargin struct {
	sums  []model.Exact
	class int
}

// Exact implements model.Model.
func (c *Classes) Exact() model.Exact {
	x := &exactMargin{class: c.Class}
	for _, e := range c.Sums {
		x.sums = append(x.sums, e.Exact())
	}
	return x
}

// Logit implements model.Exact.
func (x *exactMargin) Logit(inputs []*big.Rat) *big.Rat {
	var most *big.Rat
	for k, e := range x.sums {
		if k == x.class {
			continue
		}
		if s := e.Logit(inputs); most == nil || s.Cmp(most) > 0 {
			most = s
		}
	}
	own := x.sums[x.class].Logit(inputs)
	return own.Sub(own, most)
}
