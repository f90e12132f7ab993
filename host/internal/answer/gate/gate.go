// Package gate checks results against bounds, for pipelines that accept or reject a model.
package gate

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Gate is a bound that a result must keep.
type Gate struct {
	// Name is the flag of the gate, and Bound its value as given.
	Name, Bound string
	// most is the largest value that passes, for shares and counts; least is the smallest, for
	// ratios.
	most, least *big.Rat
}

// String returns the gate as the user gave it.
func (g Gate) String() string { return "--" + g.Name + " " + g.Bound }

// decimal matches a number without an exponent, which could make the number arbitrarily large.
var decimal = regexp.MustCompile(`^([0-9]{1,20}(\.[0-9]{0,40})?|\.[0-9]{1,40})$`)

// Share returns a gate for a share of at most bound: a percentage such as 0.5%, or a number
// below 1.
func Share(name, bound string) (Gate, error) {
	most, err := ParseShare(bound)
	return Gate{Name: name, Bound: bound, most: most}, err
}

// ParseShare reads a share, a percentage such as 0.5% or a number below 1, exactly.
func ParseShare(bound string) (*big.Rat, error) {
	text, percent := strings.CutSuffix(strings.TrimSpace(bound), "%")
	text = strings.TrimSpace(text)
	most, one := new(big.Rat), big.NewRat(1, 1)
	if decimal.MatchString(text) {
		if most.SetString(text); percent {
			most.Quo(most, big.NewRat(100, 1))
		}
		if most.Cmp(one) < 0 || percent && most.Cmp(one) == 0 {
			return most, nil
		}
	}
	return nil, errors.New("want a percentage up to 100%, or a decimal number below 1 with at most 40 digits after the point, such as 1% or 0.01")
}

// Ratio returns a gate for a ratio of at least bound, a number from 0 to 1.
func Ratio(name, bound string) (Gate, error) {
	least := new(big.Rat)
	if decimal.MatchString(bound) {
		if least.SetString(bound); least.Cmp(big.NewRat(1, 1)) <= 0 {
			return Gate{Name: name, Bound: bound, least: least}, nil
		}
	}
	return Gate{}, errors.New("want a decimal number from 0 to 1 with at most 40 digits after the point, such as 0.8")
}

// AtLeast checks a ratio between lo and hi against the gate; nil: that end is unknown.
func (g Gate) AtLeast(of string, lo, hi *big.Rat, text string) Check {
	outcome := Undecided
	switch {
	case lo != nil && lo.Cmp(g.least) >= 0:
		outcome = Passed
	case hi != nil && hi.Cmp(g.least) < 0:
		outcome = Failed
	}
	return g.Is(of, outcome, text)
}

// Count returns a gate for a whole number that must not exceed bound. A bound below least, or of
// more than nine digits, is an error.
func Count(name, bound string, least int64) (Gate, error) {
	n, ok := new(big.Int).SetString(bound, 10)
	if len(bound) > 9 || !ok || n.Cmp(big.NewInt(least)) < 0 {
		return Gate{}, fmt.Errorf("want a whole number from %d to 999999999", least)
	}
	return Gate{Name: name, Bound: bound, most: new(big.Rat).SetInt(n)}, nil
}

// Word returns a gate whose bound must be one of the words.
func Word(name, bound string, words ...string) (Gate, error) {
	if slices.Contains(words, bound) {
		return Gate{Name: name, Bound: bound}, nil
	}
	return Gate{}, errors.New("want " + strings.Join(words, " or "))
}

// Outcome is the outcome of a gate. Only Passed passes.
type Outcome string

// Outcomes of a gate whose measure keeps the bound, breaks it, or is not known well enough.
const (
	Passed    Outcome = "passed"
	Failed    Outcome = "failed"
	Undecided Outcome = "undecided"
	// NotChecked is the outcome if the study's inputs were not checked: all gates depend on
	// them.
	NotChecked Outcome = "not checked"
)

// Check is the outcome of a gate for one part of a result.
type Check struct {
	// The gate's flag, or inputs.
	Gate string `json:"gate"`
	// The bound as given.
	Bound string `json:"bound"`
	// The part that was checked, one of several: protected attributes, the network of a file, or an arm.
	Of string `json:"of,omitempty"`
	// The outcome: passed, failed, undecided or not checked.
	Outcome Outcome `json:"outcome"`
	// The finding, in words.
	Text string `json:"text"`
}

// Within checks a measure between lo and hi against the gate; nil: that end is unknown.
func (g Gate) Within(of string, lo, hi *big.Rat, text string) Check {
	outcome := Undecided
	switch {
	case lo != nil && lo.Cmp(g.most) > 0:
		outcome = Failed
	case hi != nil && hi.Cmp(g.most) <= 0:
		outcome = Passed
	}
	return g.Is(of, outcome, text)
}

// Is returns a check of the gate with the given outcome.
func (g Gate) Is(of string, outcome Outcome, text string) Check {
	return Check{g.Name, g.Bound, of, outcome, text}
}

// inputs is the name of the check that has no flag.
const inputs = "inputs"

// Inputs returns the check of a study whose inputs were not checked; text says why.
func Inputs(text string) Check { return Check{Gate: inputs, Outcome: NotChecked, Text: text} }

// Name returns the gate with its bound and the part that was checked.
func (c Check) Name() string {
	if c.Gate == inputs {
		return inputs
	}
	name := Gate{Name: c.Gate, Bound: c.Bound}.String()
	if c.Of != "" {
		name += " (" + c.Of + ")"
	}
	return name
}

// Checks holds the checks of a result; the zero value is empty.
type Checks struct {
	// The outcome of each gate.
	Gates []Check `json:"gates,omitempty"`
}

// Checked returns all checks.
func (c *Checks) Checked() []Check { return c.Gates }

// Hold appends checks of gates.
func (c *Checks) Hold(all ...Check) { c.Gates = append(c.Gates, all...) }

// Blocks shows the checks: first those that passed, then the others.
func (c *Checks) Blocks() (out []view.Block) {
	var good view.Paragraph
	var bad view.Warning
	for _, one := range c.Gates {
		text := fmt.Sprintf("%s: %s: %s", one.Name(), one.Outcome, one.Text)
		if one.Outcome == Passed {
			good = append(good, text)
		} else {
			bad = append(bad, text)
		}
	}
	if len(good) > 0 {
		out = append(out, good)
	}
	if len(bad) > 0 {
		out = append(out, bad)
	}
	return out
}

// Err names the checks that did not pass; nil if all did.
func Err(all []Check) error {
	var out []string
	for _, c := range all {
		if c.Outcome != Passed {
			out = append(out, c.Name()+": "+c.Text)
		}
	}
	if out == nil {
		return nil
	}
	return errors.New(strings.Join(out, "\n"))
}
