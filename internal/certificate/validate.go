package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Validate checks the statement and reports the first fault. It does not check that the
// claim is true.
func (s *Statement) Validate() error {
	if err := s.validateSubject(); err != nil {
		return err
	}
	return s.Claim.validate(s)
}

// validateSubject checks all fields except the claim.
func (s *Statement) validateSubject() error {
	m := s.Model()
	if m == nil || s.Space == nil {
		return errors.New("a certificate needs a model and a space")
	}
	what := map[bool]string{true: "network", false: "trees"}[s.Network != nil]
	if err := m.Validate(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := s.Space.Validate(); err != nil {
		return fmt.Errorf("space: %w", err)
	}
	if m.Inputs() != s.Space.Inputs {
		return fmt.Errorf("%s: the model takes %d inputs, but the space feeds %d", what, m.Inputs(), s.Space.Inputs)
	}
	if err := s.validateDecision(); err != nil {
		return fmt.Errorf("decision: %w", err)
	}
	if err := s.Notion.Validate(s.Epsilon); err != nil && s.Bands == nil {
		return err
	}
	if err := m.Link().Check(s.Notion); err != nil {
		return err
	}
	if err := s.validateRegion(); err != nil {
		return fmt.Errorf("region: %w", err)
	}
	for _, list := range [][]space.Predicate{s.Require, s.Forbid} {
		for i, p := range list {
			if err := p.Validate(s.Space); err != nil {
				return fmt.Errorf("predicate %d: %w", i, err)
			}
			for k := range p {
				if f := &s.Space.Features[p[k].Feature]; f.IsProtected() {
					return fmt.Errorf("predicate %d has a condition on the protected feature %q; a certificate allows conditions on other features only", i, f.Name)
				}
			}
		}
	}
	for _, list := range [][]space.Predicate{s.Require, s.Forbid, s.Space.Forbidden} {
		for i, p := range list {
			for k := range p {
				// In the file, a missing end does not bind.
				if iv := p[k].Interval; math.IsInf(iv.Lo, 1) || math.IsInf(iv.Hi, -1) {
					return fmt.Errorf("predicate %d: the range %v to %v is empty", i, iv.Lo, iv.Hi)
				}
			}
		}
	}
	return nil
}

func (s *Statement) validateDecision() error {
	t := s.Rule.Threshold
	switch {
	case !s.names():
		return nil
	case s.version() < 4:
		return fmt.Errorf("it needs format version 4, not %d", s.version())
	case s.Bands != nil && (t != nil || s.Rule.At):
		return errors.New("bands and a threshold exclude each other: a decision has one or the other")
	case s.Bands != nil && !s.Notion.Binned():
		return fmt.Errorf("bands need a notion of scores, not %s", s.Notion)
	case s.Bands != nil:
		return s.Bands.Check()
	case s.Notion != fairness.Decision:
		return fmt.Errorf("a threshold needs the notion decision, not %s", s.Notion)
	case t != nil && (t.Sign() <= 0 || t.Cmp(big.NewRat(1, 1)) >= 0):
		return fmt.Errorf("the threshold %s is not between 0 and 1", fairness.FormatRat(t))
	}
	return nil
}

func (c *Claim) validate(s *Statement) error {
	switch {
	case s.Bands != nil && c.Kind != MaxK:
		return fmt.Errorf("a claim of kind %s about bands: only claims of kind max-k may be about bands", c.Kind)
	case c.Kind == Fair:
		return nil
	case c.Kind == Gap && c.Bound == nil:
		return errors.New("a claim of kind gap needs a bound")
	case c.Kind == Gap && s.Notion.UsesEpsilon() && c.Bound.Sign() < 0:
		return fmt.Errorf("claim that a gap is at most %s; gaps are not negative", c.Bound.RatString())
	case c.Kind == Gap:
		return nil
	case c.Kind == MaxK && !s.Notion.Binned():
		return fmt.Errorf("a claim about bins needs a notion with bins, not %s", s.Notion)
	case c.Kind == MaxK && c.K < 1:
		return fmt.Errorf("claim of at most %d bins; want at least 1", c.K)
	case c.Kind == MaxK:
		return nil
	}
	return fmt.Errorf("unknown claim kind %d", c.Kind)
}

func (s *Statement) validateRegion() error {
	r, n := s.RegionOrWhole(), len(s.Space.Features)
	if len(r.Box) != n || len(r.Values) != n {
		return fmt.Errorf("%d intervals and %d value lists for %d features", len(r.Box), len(r.Values), n)
	}
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		if !f.IsProtected() {
			if err := checkInterval(f, r.Box[i], space.Interval{Lo: f.Lo, Hi: f.Hi}); err != nil {
				return err
			}
			continue
		}
		if len(r.Values[i]) == 0 {
			return fmt.Errorf("no value of the protected feature %q", f.Name)
		}
		for k, v := range r.Values[i] {
			if !slices.Contains(f.Protected, v) {
				return fmt.Errorf("%v is not a protected value of %q", v, f.Name)
			}
			if k > 0 && v <= r.Values[i][k-1] {
				return fmt.Errorf("values of %q are not increasing at %v", f.Name, v)
			}
		}
	}
	return nil
}

// checkInterval checks that the interval lies inside outer, and that its ends are values
// of the feature.
func checkInterval(f *space.Feature, iv, outer space.Interval) error {
	if !(outer.Lo <= iv.Lo && iv.Lo <= iv.Hi && iv.Hi <= outer.Hi) {
		return fmt.Errorf("interval %v to %v of %q is empty, or not inside %v to %v", iv.Lo, iv.Hi, f.Name, outer.Lo, outer.Hi)
	}
	if f.Discrete() && (iv.Lo != math.Trunc(iv.Lo) || iv.Hi != math.Trunc(iv.Hi)) {
		return fmt.Errorf("interval %v to %v of %q has fractional ends", iv.Lo, iv.Hi, f.Name)
	}
	return nil
}

// CheckLeaf checks that the leaf's box lies in the region, and that its copies and neurons
// exist. The writer and the reader refuse a leaf that fails; whether a leaf proves its claim
// is up to the checker.
func (s *Statement) CheckLeaf(l *Leaf) error {
	r := s.RegionOrWhole()
	if len(l.Box) != len(s.Space.Features) {
		return fmt.Errorf("box has %d intervals for %d features", len(l.Box), len(s.Space.Features))
	}
	protected := 0
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		if f.IsProtected() {
			protected++
		} else if err := checkInterval(f, l.Box[i], r.Box[i]); err != nil {
			return fmt.Errorf("box: %w", err)
		}
	}
	switch {
	case l.Copies == nil:
	case l.Enumerated:
		return errors.New("an enumerated leaf must not have copies")
	case s.Trees != nil:
		return errors.New("copies are for networks; the checker bounds those of trees itself")
	}
	for i := range l.Copies {
		c := &l.Copies[i]
		if err := s.checkCopy(c, r, protected); err != nil {
			return fmt.Errorf("copy %d: %w", i, err)
		}
		if together(c) && len(l.Copies) != 2 {
			return fmt.Errorf("copy %d: joint slopes or a tangent in a leaf of %d copies; they need exactly two", i, len(l.Copies))
		}
		if i > 0 && slices.Compare(l.Copies[i-1].Protected, c.Protected) >= 0 {
			return fmt.Errorf("copy %d: protected values %v after %v, want increasing order", i, c.Protected, l.Copies[i-1].Protected)
		}
	}
	for i := range l.Cases {
		if err := s.checkCases(&l.Cases[i], l); err != nil {
			return fmt.Errorf("cases %d: %w", i, err)
		}
	}
	return nil
}

func (s *Statement) checkCopy(c *sdk.CopyProof, r space.Region, protected int) error {
	if len(c.Protected) != protected {
		return fmt.Errorf("%d protected values for %d protected features", len(c.Protected), protected)
	}
	k := 0
	for i := range s.Space.Features {
		if f := &s.Space.Features[i]; f.IsProtected() {
			if !slices.Contains(r.Values[i], c.Protected[k]) {
				return fmt.Errorf("%v is not a value of %q in the region", c.Protected[k], f.Name)
			}
			k++
		}
	}
	lo, hi := c.Logit.Lo, c.Logit.Hi
	if nothing := math.IsInf(lo, -1) && math.IsInf(hi, 1); !nothing && (!(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0)) {
		return fmt.Errorf("the logit's interval %v to %v must be finite and not empty", lo, hi)
	}
	last := [2]int{-1, 0}
	for _, m := range c.Slopes {
		if err := s.checkNeuron(&last, m.Layer, m.Neuron); err != nil {
			return err
		}
		if !(m.Value >= 0 && m.Value <= 1) {
			return fmt.Errorf("slope %v of neuron %d of layer %d is outside 0 to 1", m.Value, m.Neuron, m.Layer)
		}
	}
	last = [2]int{-1, 0}
	for _, m := range c.Joint {
		if err := s.checkNeuron(&last, m.Layer, m.Neuron); err != nil {
			return fmt.Errorf("joint: %w", err)
		}
		if math.IsNaN(m.Own-m.Own) || math.IsNaN(m.Other-m.Other) {
			return fmt.Errorf("joint slopes %v and %v of neuron %d of layer %d must be finite", m.Own, m.Other, m.Neuron, m.Layer)
		}
	}
	if together(c) && s.version() < 2 {
		return fmt.Errorf("joint slopes and tangents need format version 2, not %d", s.version())
	}
	if in := func(v float64) bool { return v > 0 && v <= 1 }; (c.Up != 0 || c.Down != 0) && !(in(c.Up) && in(c.Down)) {
		return fmt.Errorf("tangent %v and %v: both must be above 0 and at most 1", c.Up, c.Down)
	}
	return nil
}

// together reports whether the copy has bounds that join its logit with another copy's.
func together(c *sdk.CopyProof) bool { return len(c.Joint) > 0 || c.Up != 0 || c.Down != 0 }

// checkNeuron checks that the neuron has a ReLU and that its position comes after the
// last one, which it then replaces.
func (s *Statement) checkNeuron(last *[2]int, layer, neuron int) error {
	if layer < 0 || layer >= len(s.Network.Layers) || !s.Network.Layers[layer].ReLU {
		return fmt.Errorf("a neuron of layer %d, which does not exist or has no ReLU", layer)
	}
	if neuron < 0 || neuron >= s.Network.Layers[layer].Out {
		return fmt.Errorf("neuron %d of layer %d, which has %d neurons", neuron, layer, s.Network.Layers[layer].Out)
	}
	at := [2]int{layer, neuron}
	if slices.Compare(last[:], at[:]) >= 0 {
		return fmt.Errorf("neuron %d of layer %d is out of place: want neurons in order of layer and number, each once", neuron, layer)
	}
	*last = at
	return nil
}
