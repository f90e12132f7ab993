package certificate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// deepest bounds the depth of a proof by cases.
const deepest = 256

// checkCases checks the form of a leaf's proof by cases.
func (s *Statement) checkCases(c *sdk.CaseProof, l *Leaf) error {
	if s.version() < 3 {
		return fmt.Errorf("proofs by cases need format version 3, not %d", s.version())
	}
	if s.Notion != fairness.Score {
		return fmt.Errorf("proofs by cases need the notion score, not %s", s.Notion)
	}
	if c.Bin < 0 || c.Bin > math.MaxInt32 {
		return fmt.Errorf("bin %d is not within 0 to %d", c.Bin, math.MaxInt32)
	}
	for _, side := range []*sdk.CaseSide{&c.First, &c.Second} {
		if len(side.Copies) == 0 {
			return errors.New("a side has no copies; it needs at least one")
		}
		before := -1
		for _, i := range side.Copies {
			if i <= before || i >= len(l.Copies) {
				return fmt.Errorf("copy %d: want more than %d and less than %d", i, before, len(l.Copies))
			}
			before = i
		}
		last := [2]int{-1, 0}
		for _, n := range side.Neurons {
			if err := s.checkNeuron(&last, n.Layer, n.Index); err != nil {
				return err
			}
		}
	}
	open := []int{0} // depths of the steps that must follow, the next one last
	for i := range c.Steps {
		if len(open) == 0 {
			return fmt.Errorf("step %d completes the tree, yet more follow", i-1)
		}
		depth := open[len(open)-1]
		open = open[:len(open)-1]
		if err := s.checkStep(&c.Steps[i], len(c.First.Neurons)+len(c.Second.Neurons)); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if c.Steps[i].Kind == sdk.CaseEnd {
			continue
		}
		if depth == deepest {
			return fmt.Errorf("step %d is more than %d deep", i, deepest)
		}
		open = append(open, depth+1, depth+1)
	}
	if len(open) > 0 {
		return errors.New("the tree ends before it is complete")
	}
	return nil
}

func (s *Statement) checkStep(step *sdk.CaseStep, neurons int) error {
	switch step.Kind {
	case sdk.CaseReLU:
		if step.ReLU < 0 || step.ReLU >= neurons {
			return fmt.Errorf("neuron %d: want at least 0 and less than %d", step.ReLU, neurons)
		}
	case sdk.CaseCut:
		if step.Feature < 0 || step.Feature >= len(s.Space.Features) {
			return fmt.Errorf("feature %d: want at least 0 and less than %d", step.Feature, len(s.Space.Features))
		}
		if f := &s.Space.Features[step.Feature]; f.IsProtected() || !f.Discrete() || step.At != math.Trunc(step.At) || !(f.Lo <= step.At && step.At <= f.Hi) {
			return fmt.Errorf("%q is cut at %v; want a whole number in the range of a discrete feature that is not protected", f.Name, step.At)
		}
	case sdk.CaseEnd:
		if len(step.Slopes) != neurons {
			return fmt.Errorf("the end has %d slopes for %d neurons", len(step.Slopes), neurons)
		}
		if slices.ContainsFunc(step.Slopes, func(v float64) bool { return math.IsNaN(v - v) }) {
			return errors.New("a slope is not finite")
		}
		if within := func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }; !within(step.Up) || !within(step.Down) {
			return fmt.Errorf("the logits' weights %v and %v must be finite and at least 0", step.Up, step.Down)
		}
	default:
		return fmt.Errorf("unknown kind %d of step", step.Kind)
	}
	return nil
}

func appendCases(b []byte, c *sdk.CaseProof) []byte {
	b = appendSide(append(b, `{"first":`...), &c.First)
	b = appendSide(append(b, `,"second":`...), &c.Second)
	if c.Bin != 0 {
		b = strconv.AppendInt(append(b, `,"bin":`...), int64(c.Bin), 10)
	}
	b = append(b, `,"steps":[`...)
	for i := range c.Steps {
		step := &c.Steps[i]
		if i > 0 {
			b = append(b, ',')
		}
		switch step.Kind {
		case sdk.CaseReLU:
			b = strconv.AppendInt(append(b, `{"relu":`...), int64(step.ReLU), 10)
		case sdk.CaseCut:
			b = appendFloats(append(b, `{"cut":`...), []float64{float64(step.Feature), step.At})
		default:
			b = appendFloats(append(b, `{"end":`...), append([]float64{step.Up, step.Down}, step.Slopes...))
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func appendSide(b []byte, side *sdk.CaseSide) []byte {
	b = append(b, `{"copies":[`...)
	for i, c := range side.Copies {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(c), 10)
	}
	b = append(b, `],"neurons":[`...)
	for i, n := range side.Neurons {
		b = appendNeuron(b, i, n.Layer, n.Index)
	}
	return append(b, "]}"...)
}

func (s *Statement) parseCases(sc *scanner) (c sdk.CaseProof, err error) {
	err = sc.object(
		field{name: "first", read: func() error { return s.parseSide(sc, &c.First) }},
		field{name: "second", read: func() error { return s.parseSide(sc, &c.Second) }},
		field{name: "bin", optional: true, read: into(&c.Bin, sc.between(0, math.MaxInt32))},
		field{name: "steps", read: list(sc, maxItems, &c.Steps, s.parseStep)},
	)
	return c, err
}

func (s *Statement) parseSide(sc *scanner, side *sdk.CaseSide) error {
	return sc.object(
		field{name: "copies", read: list(sc, s.RegionOrWhole().Count(), &side.Copies, func(sc *scanner) (int, error) {
			return sc.integer(0, math.MaxInt32)
		})},
		field{name: "neurons", read: func() error {
			return s.parseNeurons(sc, 0, func(layer, neuron int, _ []float64) {
				side.Neurons = append(side.Neurons, sdk.Neuron{Layer: layer, Index: neuron})
			})
		}},
	)
}

func (s *Statement) parseStep(sc *scanner) (step sdk.CaseStep, err error) {
	told, of := 0, []float64(nil)
	is := func(k sdk.CaseKind, read func() error) func() error {
		return func() error { step.Kind = k; told++; return read() }
	}
	err = sc.object(
		field{name: "relu", optional: true, read: is(sdk.CaseReLU, into(&step.ReLU, sc.between(0, math.MaxInt32)))},
		field{name: "cut", optional: true, read: is(sdk.CaseCut, into(&of, sc.upTo(2)))},
		field{name: "end", optional: true, read: is(sdk.CaseEnd, into(&of, sc.upTo(2+2*s.Network.Neurons())))},
	)
	switch {
	case err != nil:
		return step, err
	case told != 1 || step.Kind != sdk.CaseReLU && len(of) < 2 || step.Kind == sdk.CaseCut && !(of[0] >= 0 && of[0] < math.MaxInt32 && of[0] == math.Trunc(of[0])):
		return step, sc.errorf("a step must have exactly one of relu, cut (a feature and a value) and end (two weights and slopes)")
	case step.Kind == sdk.CaseCut:
		step.Feature, step.At = int(of[0]), of[1]
	case step.Kind == sdk.CaseEnd:
		step.Up, step.Down, step.Slopes = of[0], of[1], of[2:]
	}
	return step, nil
}
