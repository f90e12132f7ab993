package frompb

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// modelOf converts the message that is set; nil if neither is. The error for a family
// that is not registered wraps sdk.ErrUnsupported. The caller validates the model.
func modelOf(n *problemv1.Network, other *problemv1.EncodedModel) (model.Model, error) {
	switch {
	case n != nil:
		return network(n)
	case other == nil:
		return nil, nil
	}
	m, known, err := model.Read(other.Family, other.Content)
	if err == nil && !known {
		err = fmt.Errorf("%w: models of the family %q are not known here", sdk.ErrUnsupported, other.Family)
	}
	return m, err
}

func network(m *problemv1.Network) (*relu.Network, error) {
	if err := enum(m.Head); err != nil {
		return nil, err
	}
	layers, err := each(m.Layers, "layer", func(l *problemv1.Layer) (relu.Layer, error) {
		if l == nil {
			return relu.Layer{}, errors.New("empty")
		}
		return relu.Layer{
			Name: l.Name, In: int(l.In), Out: int(l.Out),
			Weights: l.Weights, Bias: l.Bias, ReLU: l.Relu,
		}, nil
	})
	return &relu.Network{Layers: layers, Head: relu.Head(m.Head), Precision: int(m.Precision)}, err
}

// Space converts a space; nil stays nil. The caller validates it.
func Space(m *problemv1.Space) (*space.Space, error) {
	if m == nil {
		return nil, nil
	}
	features, err := each(m.Features, "feature", feature)
	if err != nil {
		return nil, err
	}
	// Every network input is fed by exactly one map. A larger number is wrong, and
	// would make Validate allocate too much.
	fed := 0
	for i := range features {
		fed += len(features[i].Inputs)
	}
	if int(m.Inputs) != fed {
		return nil, fmt.Errorf("%d network inputs, but features feed %d", m.Inputs, fed)
	}
	forbidden, err := each(m.Forbidden, "constraint", predicate)
	return &space.Space{Features: features, Forbidden: forbidden, Inputs: int(m.Inputs)}, err
}

func feature(m *problemv1.Feature) (space.Feature, error) {
	if err := enum(m.GetKind()); err != nil {
		return space.Feature{}, fmt.Errorf("%q: %w", m.GetName(), err)
	}
	inputs, err := each(m.Inputs, "input", func(in *problemv1.Input) (space.Input, error) {
		out := space.Input{Index: int(in.GetIndex()), Scale: in.GetScale(), Offset: in.GetOffset()}
		if t := in.GetTable(); t != nil {
			out.Table = append([]float64{}, t.Values...) // not nil, even if empty
		}
		return out, nil
	})
	return space.Feature{
		Name: m.Name, Kind: space.Kind(m.Kind), Lo: m.Lo, Hi: m.Hi,
		Categories: m.Categories, Protected: m.Protected, Inputs: inputs,
	}, err
}

func predicate(m *problemv1.Predicate) (space.Predicate, error) {
	return each(m.GetConditions(), "condition", condition)
}

func condition(m *problemv1.Condition) (space.Condition, error) {
	c := space.Condition{Feature: int(m.GetFeature())}
	switch r := m.GetRestriction().(type) {
	case *problemv1.Condition_Interval:
		var err error
		c.Interval, err = interval(r.Interval)
		return c, err
	case *problemv1.Condition_Set:
		c.Set = make([]int, len(r.Set.GetIndices()))
		for i, v := range r.Set.GetIndices() {
			c.Set[i] = int(v)
		}
		return c, nil
	}
	return c, errors.New("neither an interval nor a set")
}

func interval(m *problemv1.Interval) (space.Interval, error) {
	i := space.Interval{Lo: m.GetLo(), Hi: m.GetHi()}
	if math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
		return i, fmt.Errorf("interval %v to %v: want no NaN", i.Lo, i.Hi)
	}
	return i, nil
}

// Region converts a region of s and checks its shape and values; nil becomes
// the zero region, which stands for the whole space.
func Region(m *problemv1.Region, s *space.Space) (space.Region, error) {
	if m == nil {
		return space.Region{}, nil
	}
	n := len(s.Features)
	if len(m.Box) != n || len(m.Values) != n {
		return space.Region{}, fmt.Errorf("region has %d intervals and %d value lists for %d features", len(m.Box), len(m.Values), n)
	}
	r := space.Region{Box: make(space.Box, n), Values: make([][]float64, n)}
	for i := range n {
		f := &s.Features[i]
		var err error
		if r.Box[i], err = interval(m.Box[i]); err != nil {
			return r, fmt.Errorf("region at %q: %w", f.Name, err)
		}
		values := m.Values[i].GetValues()
		if err := allFinite(values); err != nil {
			return r, fmt.Errorf("region at %q: %w", f.Name, err)
		}
		if len(values) > 0 {
			r.Values[i] = values
		}
		if f.IsProtected() != (len(values) > 0) {
			return r, fmt.Errorf("region gives %q %d protected values: want one or more for a protected feature, and 0 for any other", f.Name, len(values))
		}
	}
	return r, nil
}
