package topb

import (
	"github.com/hyfair/hyfair/sdk/internal/pb/problemv1"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

// modelOf converts a model to one of two messages, or none for nil. The message of a
// network aliases its weights. A model that is not model.Portable is sent without
// its content.
func modelOf(m model.Model) (*problemv1.Network, *problemv1.EncodedModel) {
	n, ok := m.(*relu.Network)
	if !ok {
		if m == nil {
			return nil, nil
		}
		out := &problemv1.EncodedModel{Family: clean(m.Family())}
		if p, ok := m.(model.Portable); ok {
			out.Content, _ = p.MarshalBinary()
		}
		return nil, out
	}
	return &problemv1.Network{
		Head:      problemv1.Head(n.Head),
		Precision: narrow(n.Precision),
		Layers: each(n.Layers, func(l *relu.Layer) *problemv1.Layer {
			return &problemv1.Layer{
				Name: clean(l.Name), In: narrow(l.In), Out: narrow(l.Out),
				Weights: l.Weights, Bias: l.Bias, Relu: l.ReLU,
			}
		}),
	}, nil
}

// Space converts a space; nil stays nil. The message aliases its lists.
func Space(s *space.Space) *problemv1.Space {
	if s == nil {
		return nil
	}
	return &problemv1.Space{
		Features:  each(s.Features, feature),
		Forbidden: each(s.Forbidden, predicate),
		Inputs:    narrow(s.Inputs),
	}
}

func feature(f *space.Feature) *problemv1.Feature {
	return &problemv1.Feature{
		Name: clean(f.Name), Kind: problemv1.Kind(f.Kind), Lo: f.Lo, Hi: f.Hi,
		Categories: cleanAll(f.Categories), Protected: f.Protected,
		Inputs: each(f.Inputs, input),
	}
}

func input(in *space.Input) *problemv1.Input {
	m := &problemv1.Input{Index: narrow(in.Index), Scale: in.Scale, Offset: in.Offset}
	if in.Table != nil {
		m.Table = &problemv1.Table{Values: in.Table}
	}
	return m
}

func predicate(p *space.Predicate) *problemv1.Predicate {
	return &problemv1.Predicate{Conditions: each(*p, condition)}
}

func condition(c *space.Condition) *problemv1.Condition {
	m := &problemv1.Condition{Feature: narrow(c.Feature)}
	if c.Set != nil {
		m.Restriction = &problemv1.Condition_Set{Set: &problemv1.CategorySet{Indices: narrowAll(c.Set)}}
	} else {
		m.Restriction = &problemv1.Condition_Interval{Interval: interval(&c.Interval)}
	}
	return m
}

func interval(i *space.Interval) *problemv1.Interval {
	return &problemv1.Interval{Lo: i.Lo, Hi: i.Hi}
}

// Region converts a region; the zero region becomes nil.
func Region(r space.Region) *problemv1.Region {
	if r.Box == nil && r.Values == nil {
		return nil
	}
	return &problemv1.Region{Box: each(r.Box, interval), Values: points(r.Values)}
}
