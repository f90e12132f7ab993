package checker

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/space"
)

// SameNetwork describes the first difference between a certificate's network and another;
// nil if both compute the same function from the same weights. Names of layers are ignored.
func SameNetwork(of, other *relu.Network) error {
	if len(of.Layers) != len(other.Layers) {
		return fmt.Errorf("the certificate's network has %d layers, this one %d", len(of.Layers), len(other.Layers))
	}
	if of.Head != other.Head {
		return fmt.Errorf("the certificate's network ends in a %s, this one in a %s", of.Head, other.Head)
	}
	for k := range of.Layers {
		a, b := &of.Layers[k], &other.Layers[k]
		if a.In != b.In || a.Out != b.Out || a.ReLU != b.ReLU {
			return fmt.Errorf("layer %d: the certificate's has %d inputs, %d units, ReLU %v; this one %d, %d, %v",
				k, a.In, a.Out, a.ReLU, b.In, b.Out, b.ReLU)
		}
		if i := difference(a.Weights, b.Weights); i >= 0 {
			return fmt.Errorf("layer %d, unit %d, weight %d: %v in the certificate, %v here", k, i/a.In, i%a.In, a.Weights[i], b.Weights[i])
		}
		if j := difference(a.Bias, b.Bias); j >= 0 {
			return fmt.Errorf("layer %d, unit %d: bias %v in the certificate, %v here", k, j, a.Bias[j], b.Bias[j])
		}
	}
	return nil
}

// SameTrees describes the first difference between a certificate's trees and others; nil if both
// compute the same function, given the claim's notion. It ignores the side of missing values. For
// claims not about scores it also accepts the linear link with which earlier versions declare a
// share.
func SameTrees(of, other *trees.Ensemble, n fairness.Notion) error {
	earlier := of.Output == fairness.LinkLinear && other.Output == fairness.LinkShare && !n.Binned()
	switch {
	case len(of.Trees) != len(other.Trees):
		return fmt.Errorf("the certificate has %d trees, this model %d", len(of.Trees), len(other.Trees))
	case of.Columns != other.Columns:
		return fmt.Errorf("the certificate's trees have %d inputs, these %d", of.Columns, other.Columns)
	case of.Output != other.Output && !earlier:
		return fmt.Errorf("the certificate's trees end in a %s, these in a %s", of.Output, other.Output)
	case of.Base != other.Base:
		return fmt.Errorf("the base value of the certificate's trees is %v, that of these is %v", of.Base, other.Base)
	}
	for k := range of.Trees {
		a, b := of.Trees[k], other.Trees[k]
		if len(a) != len(b) {
			return fmt.Errorf("tree %d has %d nodes in the certificate, %d here", k, len(a), len(b))
		}
		for i := range a {
			p, q := &a[i], &b[i]
			if p.Input < 0 && q.Input < 0 && p.Value == q.Value {
				continue
			}
			if p.Input < 0 || p.Input != q.Input || p.Left != q.Left || p.Right != q.Right || p.Value != q.Value || p.Closed != q.Closed || !slices.Equal(p.More, q.More) {
				return fmt.Errorf("tree %d, node %d differs from the certificate's", k, i)
			}
		}
	}
	return nil
}

// difference is the first index at which two lists of equal length differ, or −1.
func difference(a, b []float64) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// SameSpace describes the first difference between a certificate's space and another,
// constraints included; nil if they are equal.
func SameSpace(of, other *space.Space) error {
	if !slices.Equal(of.Names(), other.Names()) {
		return fmt.Errorf("the certificate's features are %v, these are %v", of.Names(), other.Names())
	}
	for i := range of.Features {
		if err := sameFeature(&of.Features[i], &other.Features[i]); err != nil {
			return fmt.Errorf("feature %q: %w", of.Features[i].Name, err)
		}
	}
	format := func(s *space.Space) []string {
		var out []string
		for _, p := range s.Forbidden {
			out = append(out, p.Format(s))
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	if a, b := format(of), format(other); !slices.Equal(a, b) {
		return fmt.Errorf("the certificate's constraints forbid %q, these forbid %q", a, b)
	}
	return nil
}

func sameFeature(a, b *space.Feature) error {
	switch {
	case a.Kind != b.Kind:
		return fmt.Errorf("%s in the certificate, %s here", a.Kind, b.Kind)
	case a.Lo != b.Lo || a.Hi != b.Hi:
		return fmt.Errorf("%v to %v in the certificate, %v to %v here", a.Lo, a.Hi, b.Lo, b.Hi)
	case a.Missing != b.Missing:
		return fmt.Errorf("a value may be missing in the certificate: %v; here: %v", a.Missing, b.Missing)
	case !slices.Equal(a.Categories, b.Categories):
		return fmt.Errorf("categories %q in the certificate, %q here", a.Categories, b.Categories)
	case !slices.Equal(a.Protected, b.Protected):
		return fmt.Errorf("protected values %v in the certificate, %v here", a.Protected, b.Protected)
	case len(a.Inputs) != len(b.Inputs):
		return fmt.Errorf("%d network inputs in the certificate, %d here", len(a.Inputs), len(b.Inputs))
	}
	for k := range a.Inputs {
		p, q := &a.Inputs[k], &b.Inputs[k]
		// With a table, scale and offset have no effect.
		affine := func(in *space.Input) [2]float64 {
			if in.Table != nil {
				return [2]float64{math.Inf(1)}
			}
			return [2]float64{in.Scale, in.Offset}
		}
		if p.Index != q.Index || affine(p) != affine(q) || !slices.Equal(p.Table, q.Table) {
			return fmt.Errorf("the map to network input %d differs from the certificate's", p.Index)
		}
	}
	return nil
}
