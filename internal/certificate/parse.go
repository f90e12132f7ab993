package certificate

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxItems bounds the length of lists whose elements are larger in memory than in the
// file.
const maxItems = 1 << 20

// parseHeader reads the first line into the statement and returns the two fingerprints.
func (s *Statement) parseHeader(sc *scanner) (networkSum, spaceSum string, err error) {
	err = sc.object(
		field{name: "format", read: func() error { _, err := sc.oneOf(formatName); return err }},
		field{name: "version", read: func() error {
			v, err := sc.integer(0, math.MaxInt32)
			if err == nil && (v < 1 || v > Version) {
				err = sc.errorf("version %d; this program reads versions 1 to %d", v, Version)
			}
			s.Version = int(v)
			return err
		}},
		field{name: "producer", optional: true, read: into(&s.Producer, sc.text)},
		field{name: "study", optional: true, read: into(&s.Study, sc.text)},
		field{name: "notion", read: word(sc, &s.Notion, append(fairness.Notions, fairness.Share)...)},
		field{name: "epsilon", optional: true, read: exact(sc, &s.Epsilon)},
		field{name: "decision", optional: true, read: func() error { return s.parseDecision(sc) }},
		field{name: "claim", read: func() error { return s.Claim.parse(sc) }},
		field{name: "network_sha256", read: into(&networkSum, sc.text)},
		field{name: "space_sha256", read: into(&spaceSum, sc.text)},
	)
	return networkSum, spaceSum, err
}

// parseDecision reads a threshold or bands.
func (s *Statement) parseDecision(sc *scanner) error {
	err := sc.object(
		field{name: "threshold", optional: true, read: exact(sc, &s.Rule.Threshold)},
		field{name: "at", optional: true, read: into(&s.Rule.At, sc.boolean)},
		field{name: "bands", optional: true, read: list(sc, fairness.MostBands, (*[]fairness.Band)(&s.Bands), func(sc *scanner) (b fairness.Band, err error) {
			err = sc.object(
				field{name: "name", read: into(&b.Name, sc.text)},
				field{name: "least", read: exact(sc, &b.Least)},
			)
			return b, err
		})},
	)
	if err == nil && (s.Rule.Threshold == nil) == (s.Bands == nil) {
		err = sc.errorf("a decision must have either a threshold or bands")
	}
	return err
}

func exact(sc *scanner, to **big.Rat) func() error {
	return func() error {
		text, err := sc.text()
		if err != nil {
			return err
		}
		if *to, err = parseNumber(text); err != nil {
			return sc.errorf("%v", err)
		}
		return nil
	}
}

func (c *Claim) parse(sc *scanner) error {
	err := sc.object(
		field{name: "kind", read: word(sc, &c.Kind, Fair, Gap, MaxK)},
		field{name: "bound", optional: true, read: exact(sc, &c.Bound)},
		field{name: "k", optional: true, read: into(&c.K, sc.between(1, math.MaxInt32))},
	)
	if err == nil && ((c.Bound != nil) != (c.Kind == Gap) || (c.K != 0) != (c.Kind == MaxK)) {
		err = sc.errorf("a claim of kind gap has a bound and no k, one of kind max-k has k and no bound, one of kind fair neither")
	}
	return err
}

func (s *Statement) parseModel(sc *scanner) error {
	err := sc.object(
		field{name: "network", optional: true, read: func() error { return s.parseNetwork(sc) }},
		field{name: "trees", optional: true, read: func() error { return s.parseTrees(sc) }},
	)
	if err == nil && (s.Network == nil) == (s.Trees == nil) {
		err = sc.errorf("one of network and trees expected")
	}
	return err
}

func (s *Statement) parseNetwork(sc *scanner) error {
	n := &relu.Network{}
	s.Network = n
	return sc.object(
		field{name: "precision", read: into(&n.Precision, sc.between(32, 64))},
		field{name: "head", read: word(sc, &n.Head, relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear)},
		field{name: "layers", read: list(sc, maxItems, &n.Layers, parseLayer)},
	)
}

func parseLayer(sc *scanner) (l relu.Layer, err error) {
	err = sc.object(
		field{name: "name", optional: true, read: into(&l.Name, sc.text)},
		field{name: "inputs", read: into(&l.In, sc.between(1, relu.MaxUnits))},
		field{name: "units", read: into(&l.Out, sc.between(1, relu.MaxUnits))},
		field{name: "relu", read: into(&l.ReLU, sc.boolean)},
		field{name: "weights", read: into(&l.Weights, sc.upTo(maxLine))},
		field{name: "bias", read: into(&l.Bias, sc.upTo(relu.MaxUnits))},
	)
	return l, err
}

func (s *Statement) parseSpace(sc *scanner) error {
	out := &space.Space{}
	s.Space = out
	return sc.object(field{name: "space", read: func() error {
		return sc.object(
			field{name: "inputs", read: into(&out.Inputs, sc.between(0, space.MaxInputs))},
			field{name: "features", read: list(sc, space.MaxInputs, &out.Features, parseFeature)},
			// Conditions name features, so forbidden comes after features in a file.
			field{name: "forbidden", read: predicates(sc, out, &out.Forbidden)},
		)
	}})
}

func parseFeature(sc *scanner) (f space.Feature, err error) {
	err = sc.object(
		field{name: "name", read: into(&f.Name, sc.text)},
		field{name: "kind", read: word(sc, &f.Kind, space.Integer, space.Categorical, space.Real)},
		field{name: "lo", read: into(&f.Lo, sc.number)},
		field{name: "hi", read: into(&f.Hi, sc.number)},
		field{name: "missing", optional: true, read: into(&f.Missing, sc.boolean)},
		field{name: "categories", optional: true, read: list(sc, maxItems, &f.Categories, (*scanner).text)},
		field{name: "protected", optional: true, read: into(&f.Protected, sc.upTo(space.MaxCombinations))},
		field{name: "inputs", read: list(sc, space.MaxInputs, &f.Inputs, parseInput)},
	)
	if err == nil && f.Kind != space.Categorical && f.Categories != nil {
		err = sc.errorf("a feature of kind %s has categories; only a categorical one may", f.Kind)
	}
	return f, err
}

func parseInput(sc *scanner) (in space.Input, err error) {
	affine := 0
	number := func(to *float64) func() error {
		return func() (err error) {
			affine++
			*to, err = sc.number()
			return err
		}
	}
	err = sc.object(
		field{name: "index", read: into(&in.Index, sc.between(0, space.MaxInputs))},
		field{name: "scale", optional: true, read: number(&in.Scale)},
		field{name: "offset", optional: true, read: number(&in.Offset)},
		field{name: "table", optional: true, read: into(&in.Table, sc.upTo(maxLine))},
	)
	if err == nil && (in.Table == nil && affine != 2 || in.Table != nil && affine != 0) {
		err = sc.errorf("an input must have either scale and offset, or a table")
	}
	return in, err
}

// predicates returns a function that reads a list of predicates about the statement's space.
func predicates(sc *scanner, s *space.Space, to *[]space.Predicate) func() error {
	condition := func(sc *scanner) (space.Condition, error) { return parseCondition(sc, s) }
	return list(sc, maxItems, to, func(sc *scanner) (space.Predicate, error) {
		p := []space.Condition{}
		err := list(sc, space.MaxInputs, &p, condition)()
		return p, err
	})
}

func parseCondition(sc *scanner, s *space.Space) (space.Condition, error) {
	c := space.Condition{Interval: space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}}
	ends := 0
	end := func(to *float64) func() error {
		return func() (err error) {
			ends++
			*to, err = sc.number()
			return err
		}
	}
	err := sc.object(
		field{name: "feature", read: func() error {
			name, err := sc.text()
			if err != nil {
				return err
			}
			var found bool
			if c.Feature, found = s.Index(name); !found {
				return sc.errorf("unknown feature %.40q; features must come before conditions", name)
			}
			return nil
		}},
		field{name: "lo", optional: true, read: end(&c.Interval.Lo)},
		field{name: "hi", optional: true, read: end(&c.Interval.Hi)},
		field{name: "set", optional: true, read: func() error {
			c.Set = []int{}
			return list(sc, maxItems, &c.Set, func(sc *scanner) (int, error) { return sc.integer(0, maxItems) })()
		}},
	)
	if err == nil && c.Set != nil {
		if ends > 0 {
			return c, sc.errorf("a condition must not have both a set and lo or hi")
		}
		c.Interval = space.Interval{}
	}
	return c, err
}

func (s *Statement) parseRegion(sc *scanner) error {
	r := &s.Region
	n := len(s.Space.Features)
	return sc.object(
		field{name: "region", read: func() error {
			return sc.object(
				field{name: "box", read: s.box(sc, &r.Box)},
				field{name: "values", read: func() error {
					r.Values = make([][]float64, n)
					protected := s.Space.Protected()
					k := 0
					err := sc.array(len(protected), func() (err error) {
						r.Values[protected[k]], err = sc.floats(space.MaxCombinations)
						k++
						return err
					})
					if err == nil && k < len(protected) {
						err = sc.errorf("%d lists for %d protected features", k, len(protected))
					}
					return err
				}},
			)
		}},
		field{name: "require", read: predicates(sc, s.Space, &s.Require)},
		field{name: "forbid", read: predicates(sc, s.Space, &s.Forbid)},
	)
}

// box returns a function that reads a box: lo and hi of each feature that is not protected.
func (s *Statement) box(sc *scanner, to *space.Box) func() error {
	return func() error {
		free := s.Space.Free()
		ends, err := sc.floats(2 * len(free))
		if err != nil {
			return err
		}
		if len(ends) != 2*len(free) {
			return sc.errorf("%d numbers for %d features that are not protected; each needs two", len(ends), len(free))
		}
		*to = make(space.Box, len(s.Space.Features))
		for k, i := range free {
			(*to)[i] = space.Interval{Lo: ends[2*k], Hi: ends[2*k+1]}
		}
		return nil
	}
}
