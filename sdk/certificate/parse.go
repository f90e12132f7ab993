package certificate

import (
	"math"
	"math/big"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// maxItems bounds lists whose elements are larger in memory than in the file.
const maxItems = 1 << 20

// parseHeader reads the first line into the statement, and gives the two
// fingerprints.
func (s *Statement) parseHeader(sc *scanner) (networkSum, spaceSum string, err error) {
	text := func(to *string) func() error {
		return func() (err error) {
			*to, err = sc.text()
			return err
		}
	}
	err = sc.object(
		field{name: "format", read: func() error { _, err := sc.oneOf(formatName); return err }},
		field{name: "version", read: func() error {
			v, err := sc.integer(0, math.MaxInt32)
			if err == nil && v != Version {
				err = sc.errorf("version %d; this program reads version %d", v, Version)
			}
			return err
		}},
		field{name: "producer", optional: true, read: text(&s.Producer)},
		field{name: "study", optional: true, read: text(&s.Study)},
		field{name: "notion", read: func() error {
			var names []string
			for _, n := range fairness.Notions {
				names = append(names, n.String())
			}
			i, err := sc.oneOf(names...)
			s.Notion = fairness.Notions[i]
			return err
		}},
		field{name: "epsilon", optional: true, read: exact(sc, &s.Epsilon)},
		field{name: "claim", read: func() error { return s.Claim.parse(sc) }},
		field{name: "network_sha256", read: text(&networkSum)},
		field{name: "space_sha256", read: text(&spaceSum)},
	)
	return networkSum, spaceSum, err
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
	kinds := []ClaimKind{Fair, Gap, MaxK}
	err := sc.object(
		field{name: "kind", read: func() error {
			i, err := sc.oneOf(Fair.String(), Gap.String(), MaxK.String())
			c.Kind = kinds[i]
			return err
		}},
		field{name: "bound", optional: true, read: exact(sc, &c.Bound)},
		field{name: "k", optional: true, read: func() (err error) {
			c.K, err = sc.integer(1, math.MaxInt32)
			return err
		}},
	)
	if err == nil && ((c.Bound != nil) != (c.Kind == Gap) || (c.K != 0) != (c.Kind == MaxK)) {
		err = sc.errorf("a claim of kind gap has a bound, one of kind max-k has k, and neither has the other's")
	}
	return err
}

func (s *Statement) parseNetwork(sc *scanner) error {
	n := &relu.Network{}
	heads := []relu.Head{relu.HeadSigmoid, relu.HeadSoftmax, relu.HeadLinear}
	s.Network = n
	return sc.object(field{name: "network", read: func() error {
		return sc.object(
			field{name: "precision", read: func() (err error) {
				n.Precision, err = sc.integer(32, 64)
				return err
			}},
			field{name: "head", read: func() error {
				i, err := sc.oneOf(heads[0].String(), heads[1].String(), heads[2].String())
				n.Head = heads[i]
				return err
			}},
			field{name: "layers", read: func() error {
				return sc.array(maxItems, func() error {
					l, err := parseLayer(sc)
					n.Layers = append(n.Layers, l)
					return err
				})
			}},
		)
	}})
}

func parseLayer(sc *scanner) (l relu.Layer, err error) {
	err = sc.object(
		field{name: "name", optional: true, read: func() (err error) { l.Name, err = sc.text(); return err }},
		field{name: "inputs", read: func() (err error) { l.In, err = sc.integer(1, relu.MaxUnits); return err }},
		field{name: "units", read: func() (err error) { l.Out, err = sc.integer(1, relu.MaxUnits); return err }},
		field{name: "relu", read: func() (err error) { l.ReLU, err = sc.boolean(); return err }},
		field{name: "weights", read: func() (err error) { l.Weights, err = sc.floats(maxLine); return err }},
		field{name: "bias", read: func() (err error) { l.Bias, err = sc.floats(relu.MaxUnits); return err }},
	)
	return l, err
}

func (s *Statement) parseSpace(sc *scanner) error {
	out := &space.Space{}
	s.Space = out
	return sc.object(field{name: "space", read: func() error {
		return sc.object(
			field{name: "inputs", read: func() (err error) {
				out.Inputs, err = sc.integer(0, space.MaxInputs)
				return err
			}},
			field{name: "features", read: func() error {
				return sc.array(space.MaxInputs, func() error {
					f, err := parseFeature(sc)
					out.Features = append(out.Features, f)
					return err
				})
			}},
			// Conditions name features, which are known once those are read: in a
			// file, forbidden comes after features.
			field{name: "forbidden", read: func() (err error) {
				out.Forbidden, err = parsePredicates(sc, out)
				return err
			}},
		)
	}})
}

func parseFeature(sc *scanner) (f space.Feature, err error) {
	kinds := []space.Kind{space.Integer, space.Categorical, space.Real}
	number := func(to *float64) func() error {
		return func() (err error) {
			*to, err = sc.number()
			return err
		}
	}
	err = sc.object(
		field{name: "name", read: func() (err error) { f.Name, err = sc.text(); return err }},
		field{name: "kind", read: func() error {
			i, err := sc.oneOf(kinds[0].String(), kinds[1].String(), kinds[2].String())
			f.Kind = kinds[i]
			return err
		}},
		field{name: "lo", read: number(&f.Lo)},
		field{name: "hi", read: number(&f.Hi)},
		field{name: "categories", optional: true, read: func() error {
			return sc.array(maxItems, func() error {
				c, err := sc.text()
				f.Categories = append(f.Categories, c)
				return err
			})
		}},
		field{name: "protected", optional: true, read: func() (err error) {
			f.Protected, err = sc.floats(space.MaxCombinations)
			return err
		}},
		field{name: "inputs", read: func() error {
			return sc.array(space.MaxInputs, func() error {
				in, err := parseInput(sc)
				f.Inputs = append(f.Inputs, in)
				return err
			})
		}},
	)
	if err == nil && f.Kind != space.Categorical && f.Categories != nil {
		err = sc.errorf("categories of a feature of kind %s", f.Kind)
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
		field{name: "index", read: func() (err error) { in.Index, err = sc.integer(0, space.MaxInputs); return err }},
		field{name: "scale", optional: true, read: number(&in.Scale)},
		field{name: "offset", optional: true, read: number(&in.Offset)},
		field{name: "table", optional: true, read: func() (err error) { in.Table, err = sc.floats(maxLine); return err }},
	)
	if err == nil && (in.Table == nil && affine != 2 || in.Table != nil && affine != 0) {
		err = sc.errorf("an input has scale and offset, or a table")
	}
	return in, err
}

func parsePredicates(sc *scanner, s *space.Space) ([]space.Predicate, error) {
	var out []space.Predicate
	err := sc.array(maxItems, func() error {
		p := space.Predicate{}
		err := sc.array(space.MaxInputs, func() error {
			c, err := parseCondition(sc, s)
			p = append(p, c)
			return err
		})
		out = append(out, p)
		return err
	})
	return out, err
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
				return sc.errorf("no feature %.40q before this", name)
			}
			return nil
		}},
		field{name: "lo", optional: true, read: end(&c.Interval.Lo)},
		field{name: "hi", optional: true, read: end(&c.Interval.Hi)},
		field{name: "set", optional: true, read: func() error {
			c.Set = []int{}
			return sc.array(maxItems, func() error {
				v, err := sc.integer(0, maxItems)
				c.Set = append(c.Set, v)
				return err
			})
		}},
	)
	if err == nil && c.Set != nil {
		if ends > 0 {
			return c, sc.errorf("a condition has lo and hi, or a set")
		}
		c.Interval = space.Interval{}
	}
	return c, err
}

func (s *Statement) parseRegion(sc *scanner) error {
	r := &s.Region
	n := len(s.Space.Features)
	predicates := func(to *[]space.Predicate) func() error {
		return func() (err error) {
			*to, err = parsePredicates(sc, s.Space)
			return err
		}
	}
	return sc.object(
		field{name: "region", read: func() error {
			return sc.object(
				field{name: "box", read: func() (err error) { r.Box, err = s.parseBox(sc); return err }},
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
		field{name: "require", read: predicates(&s.Require)},
		field{name: "forbid", read: predicates(&s.Forbid)},
	)
}

// parseBox reads lo, hi of each non-protected feature.
func (s *Statement) parseBox(sc *scanner) (space.Box, error) {
	free := s.Space.Free()
	ends, err := sc.floats(2 * len(free))
	if err != nil {
		return nil, err
	}
	if len(ends) != 2*len(free) {
		return nil, sc.errorf("%d numbers for %d features that are not protected, each with two", len(ends), len(free))
	}
	b := make(space.Box, len(s.Space.Features))
	for k, i := range free {
		b[i] = space.Interval{Lo: ends[2*k], Hi: ends[2*k+1]}
	}
	return b, nil
}
