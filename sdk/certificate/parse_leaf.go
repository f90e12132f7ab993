package certificate

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/space"
)

// parseLeaf reads a line after the region's: a leaf, or the end, which tells
// how many leaves came before.
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
		field{name: "end", optional: true, read: func() error {
			end = true
			return sc.object(field{name: "leaves", read: func() error {
				v, err := sc.number()
				leaves = int64(v)
				if err == nil && (v < 0 || v > 1<<53 || float64(leaves) != v) {
					err = sc.errorf("%v is not a count", v)
				}
				return err
			}})
		}},
	)
	switch {
	case err != nil:
		return nil, 0, err
	case end && (l.Box != nil || l.Enumerated || l.Copies != nil):
		return nil, 0, sc.errorf("a leaf and the end in one line")
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
				return sc.errorf("two ends expected")
			}
			c.Logit = space.Interval{Lo: ends[0], Hi: ends[1]}
			return nil
		}},
		field{name: "slopes", optional: true, read: into(&c.Slopes, func() ([]sdk.Slope, error) { return s.parseSlopes(sc) })},
	)
	return c, err
}

// parseSlopes reads layer, neuron, slope of each relaxed neuron.
func (s *Statement) parseSlopes(sc *scanner) ([]sdk.Slope, error) {
	out := []sdk.Slope{}
	place := 0
	err := sc.array(3*s.Network.Neurons(), func() error {
		v, err := sc.number()
		if err != nil {
			return err
		}
		if place < 2 && (v != math.Trunc(v) || v < 0 || v > maxItems) {
			return sc.errorf("%v is neither a layer nor a neuron", v)
		}
		switch place {
		case 0:
			out = append(out, sdk.Slope{Layer: int(v)})
		case 1:
			out[len(out)-1].Neuron = int(v)
		case 2:
			out[len(out)-1].Value = v
		}
		place = (place + 1) % 3
		return nil
	})
	if err == nil && place != 0 {
		err = sc.errorf("not layer, neuron and slope of each")
	}
	return out, err
}
