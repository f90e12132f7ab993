package certificate

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// parseLeaf reads a line after the region's: a leaf, or the end, which states the number
// of leaves before it.
func (s *Statement) parseLeaf(sc *scanner) (l *Leaf, leaves int64, err error) {
	l = &Leaf{}
	end := false
	err = sc.object(
		field{name: "box", optional: true, read: s.box(sc, &l.Box)},
		field{name: "enumerated", optional: true, read: into(&l.Enumerated, sc.boolean)},
		field{name: "copies", optional: true, read: func() error {
			l.Copies = []sdk.CopyProof{}
			return list(sc, s.RegionOrWhole().Count(), &l.Copies, s.parseCopy)()
		}},
		field{name: "cases", optional: true, read: func() error {
			if s.Network == nil {
				return sc.errorf("proofs by cases are for networks, and this certificate is about trees")
			}
			return list(sc, maxItems, &l.Cases, s.parseCases)()
		}},
		field{name: "end", optional: true, read: func() error {
			end = true
			return sc.object(field{name: "leaves", read: func() error {
				v, err := sc.number()
				leaves = int64(v)
				if err == nil && (v < 0 || v > 1<<53 || float64(leaves) != v) {
					err = sc.errorf("%v is not a count: a whole number from 0 to 2⁵³ expected", v)
				}
				return err
			}})
		}},
	)
	switch {
	case err != nil:
		return nil, 0, err
	case end && (l.Box != nil || l.Enumerated || l.Copies != nil || l.Cases != nil):
		return nil, 0, sc.errorf("the line has a leaf and the end; only one of them is allowed")
	case end:
		return nil, leaves, nil
	case l.Box == nil:
		return nil, 0, sc.errorf("field \"box\" is missing")
	}
	if err := s.CheckLeaf(l); err != nil {
		return nil, 0, fmt.Errorf("leaf: %w", err)
	}
	return l, 0, nil
}

func (s *Statement) parseCopy(sc *scanner) (sdk.CopyProof, error) {
	c := sdk.CopyProof{Logit: space.Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}}
	err := sc.object(
		field{name: "protected", read: into(&c.Protected, sc.upTo(len(s.Space.Features)))},
		field{name: "logit", optional: true, read: func() error {
			ends, err := sc.floats(2)
			if err != nil {
				return err
			}
			if len(ends) != 2 {
				return sc.errorf("two ends expected, got %d", len(ends))
			}
			c.Logit = space.Interval{Lo: ends[0], Hi: ends[1]}
			return nil
		}},
		field{name: "slopes", optional: true, read: func() error {
			c.Slopes = []sdk.Slope{}
			return s.parseNeurons(sc, 1, func(layer, neuron int, of []float64) {
				c.Slopes = append(c.Slopes, sdk.Slope{Layer: layer, Neuron: neuron, Value: of[0]})
			})
		}},
		field{name: "joint", optional: true, read: func() error {
			c.Joint = []sdk.JointSlope{}
			return s.parseNeurons(sc, 2, func(layer, neuron int, of []float64) {
				c.Joint = append(c.Joint, sdk.JointSlope{Layer: layer, Neuron: neuron, Own: of[0], Other: of[1]})
			})
		}},
		field{name: "tangent", optional: true, read: func() error {
			of, err := sc.floats(2)
			if err == nil && len(of) != 2 {
				err = sc.errorf("two weights expected, got %d", len(of))
			}
			if err == nil {
				c.Up, c.Down = of[0], of[1]
			}
			return err
		}},
	)
	return c, err
}

// parseNeurons reads layer, neuron and the given number of slopes of each relaxed neuron.
func (s *Statement) parseNeurons(sc *scanner, slopes int, visit func(layer, neuron int, of []float64)) error {
	var of []float64
	err := sc.array((2+slopes)*s.Network.Neurons(), func() error {
		v, err := sc.number()
		if err != nil {
			return err
		}
		if len(of) < 2 && (v != math.Trunc(v) || v < 0 || v > maxItems) {
			return sc.errorf("%v is not the number of a layer or neuron: a whole number from 0 to %d expected", v, maxItems)
		}
		if of = append(of, v); len(of) == 2+slopes {
			visit(int(of[0]), int(of[1]), of[2:])
			of = of[:0]
		}
		return nil
	})
	if err == nil && len(of) != 0 {
		err = sc.errorf("the list ends within an entry of layer, neuron and %d slopes", slopes)
	}
	return err
}
