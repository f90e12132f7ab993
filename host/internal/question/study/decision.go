package study

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// decision reads the decision rule, and which decision is favourable.
func (r *reader) decision(root *yamlfile.Node, s *Study) {
	n := root.Get("decision")
	if n == nil || !r.object(n, "decision") {
		return
	}
	if t := n.Get("threshold"); r.Kind(t, yamlfile.Scalar) {
		var err error
		if s.Rule.Threshold, err = fairness.ParseThreshold(t.Text); err != nil {
			r.Fault(t, "%v", err)
		}
	}
	at, _ := r.Choice(n.Get("at"), "yes", "no")
	s.Rule.At = at == "yes"
	if bands := n.Get("bands"); bands != nil {
		r.bands(bands, n, s)
		return
	}
	side := n.Get("yes")
	word, _ := r.Choice(side, "high", "low")
	if s.Rule.Low = word == "low"; side != nil && s.Number {
		r.Fault(side, "%s, but the study predicts a number (output: number), which brings no decision: leave yes: out", side.Text)
	}
}

// bands reads the outcomes of a decision, the favourable one first.
func (r *reader) bands(n, decision *yamlfile.Node, s *Study) {
	for _, key := range []string{"threshold", "at", "yes"} {
		if other := decision.Get(key); other != nil {
			r.Fault(other, "a decision has bands or a threshold: leave %s: out, since bands begin at their least scores and the favourable one comes first", key)
			return
		}
	}
	if !r.Kind(n, yamlfile.Mapping) {
		return
	}
	var names, least []string
	for _, e := range n.Entries {
		if !r.Kind(e.Value, yamlfile.Scalar) {
			return
		}
		names, least = append(names, e.Key.Text), append(least, e.Value.Text)
	}
	bands, err := fairness.BandsOf(names, least)
	if err != nil {
		r.Fault(n, "%v", err)
		return
	}
	s.banded(bands, names[0])
}

// banded sets the bands as the outcomes of the study's decision, and sets the study's notion to
// decision. The second argument is the name of the favourable band.
func (s *Study) banded(bands fairness.Bands, first string) {
	s.Bands, s.Rule, s.Notion = bands, fairness.Rule{Low: first == bands[0].Name}, fairness.Decision
}

// HasYes returns an error if the study's decision has bands, none of which is a yes, for questions
// that need a yes.
func (s *Study) HasYes() error {
	if s.Bands == nil {
		return nil
	}
	return fmt.Errorf("%s: the decision sorts scores into the bands %s, and none of them is a yes: --threshold asks about one border", s.Path, s.Bands)
}

// takesRule returns an error if the model cannot have the study's decision rule.
func (s *Study) takesRule() error {
	switch {
	case s.Rule.IsDefault() && s.Bands == nil:
		return nil
	case s.Number:
		return fmt.Errorf("%s predicts a number (output: number), which has no threshold yet", s.ModelPath)
	case s.ModelFile.OneOfMany:
		return fmt.Errorf("%s has several classes: its decision is the class with the largest output, which has no threshold: leave out the key decision", s.ModelPath)
	case s.Bands != nil:
		return nil
	}
	if _, ok := s.Model.(model.Lowering); !ok {
		return fmt.Errorf("%s: models of the family %s have the threshold ½ only: leave out the key decision", s.ModelPath, s.Model.Family())
	}
	return nil
}

const (
	// leastBits is the minimum precision of the border, in bits after the binary point: margins are measured from it.
	leastBits = 128
	// realBits is the precision of the border if there are real features, whose logits are on no grid.
	realBits = 256
)

// Decided returns a model whose decisions follow the rule: its logit exceeds 0 if and only if the rule makes Model's
// score a positive decision. That is exact without real features; with them, a logit within 2⁻²⁵⁶ of the threshold's
// may be on either side. Bands are refused.
//
// Its scores differ from Model's. With the default rule, it is Model.
func (s *Study) Decided() (model.Model, error) {
	if err := s.HasYes(); err != nil {
		return nil, err
	}
	if s.Rule.IsDefault() {
		return s.Model, nil
	}
	if err := s.takesRule(); err != nil {
		return nil, err
	}
	m := s.Model.(model.Lowering)
	bits, ok := m.Bits(inputBits(s.Space))
	switch {
	case ok:
		bits = max(bits, leastBits)
	case s.Space.HasReals():
		bits = realBits
	default:
		return nil, fmt.Errorf("%s: the threshold %s: the model's numbers are too small for exact decisions: its logits are not multiples of 2^-%d", s.ModelPath, s.Rule, model.MaxBits)
	}
	out, err := m.Less(s.Rule.LargestNo(m.Link(), bits))
	if err != nil {
		return nil, fmt.Errorf("%s: the threshold %s: %w", s.ModelPath, s.Rule, err)
	}
	return out, nil
}

// inputBits returns, per input of a model, the number b such that its exact values are multiples of 2^-b; -1 if there
// is none. See model.Lowering.
func inputBits(s *space.Space) []int {
	out := make([]int, s.Inputs)
	for i := range s.Features {
		f := &s.Features[i]
		values := model.FractionBits(f.Protected...)
		for _, in := range f.Inputs {
			switch {
			case out[in.Index] < 0:
			case in.Table != nil:
				out[in.Index] = max(out[in.Index], model.FractionBits(in.Table...))
			case f.Kind == space.Real:
				out[in.Index] = -1
			default:
				out[in.Index] = max(out[in.Index], values+model.FractionBits(in.Scale), model.FractionBits(in.Offset))
			}
		}
	}
	return out
}
