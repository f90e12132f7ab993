package people

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Step is one step of an encoding. Exactly one field is set.
type Step struct {
	// Map replaces texts. A text not listed becomes what the key "*" says, or
	// without that key stays as it is.
	Map map[string]string
	// Round rounds to the nearest integer, halves to the even one.
	Round bool
	// Threshold gives 1 for values from it on and 0 below.
	Threshold *float64
	// Bins gives the index of an equal-width bin.
	Bins *Bins
}

// Bins cuts Min to Max into Count bins of equal width, numbered from 0. A
// value on an edge belongs to the bin above it, Max to the last one. Values
// outside fall into bins that do not exist: below 0, or Count and above.
type Bins struct {
	Count int
	// Min and Max are read off the kept rows where Fit is set.
	Min, Max float64
	Fit      bool
}

// Other is the key of Step.Map for every text not listed.
const Other = "*"

// value is a cell on its way through the steps: a text until a step makes it
// a number.
type value struct {
	text     string
	number   float64
	isNumber bool
}

func (v *value) asNumber() error {
	if v.isNumber {
		return nil
	}
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s is not a number", quote(v.text))
	}
	v.number, v.isNumber = x+0, true // +0 turns −0 into 0
	return nil
}

func (v *value) asText() string {
	if v.isNumber {
		return strconv.FormatFloat(v.number, 'g', -1, 64)
	}
	return v.text
}

// errUnfitted is a programming fault: bins used before their ends are known.
var errUnfitted = errors.New("the ends of the bins are not known yet")

func (s *Step) apply(v *value) error {
	if s.Map != nil {
		v.replace(s.Map)
		return nil
	}
	if err := v.asNumber(); err != nil {
		return err
	}
	switch {
	case s.Round:
		v.number = math.RoundToEven(v.number) + 0
	case s.Threshold != nil:
		if v.number >= *s.Threshold {
			v.number = 1
		} else {
			v.number = 0
		}
	case s.Bins != nil:
		if s.Bins.Fit {
			return errUnfitted
		}
		v.number = s.Bins.index(v.number)
	}
	return nil
}

func (v *value) replace(m map[string]string) {
	text := v.asText()
	to, ok := m[text]
	if !ok {
		to, ok = m[Other]
	}
	if ok {
		*v = value{text: to}
	}
}

// index is exact for integers below 2^53/Count: there the quotient's rounding
// cannot cross an integer.
func (b *Bins) index(x float64) float64 {
	if x == b.Max {
		return float64(b.Count - 1)
	}
	return math.Floor((x - b.Min) * float64(b.Count) / (b.Max - b.Min))
}

// quote shows a cell in a message, shortened.
func quote(text string) string {
	const longest = 60
	if len(text) > longest {
		return strconv.Quote(text[:longest]) + "…"
	}
	return strconv.Quote(text)
}
