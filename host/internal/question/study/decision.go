package study

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// decision reads which scores are a yes.
func (r *reader) decision(root *yamlfile.Node, s *Study) {
	n := root.Get("decision")
	if n != nil && r.object(n, "decision") {
		if t := n.Get("threshold"); r.Kind(t, yamlfile.Scalar) {
			var err error
			if s.Rule.Threshold, err = fairness.ParseThreshold(t.Text); err != nil {
				r.Fault(t, "%v", err)
			}
		}
		s.Rule.At, _ = r.Boolean(n.Get("at"))
	}
	if text := r.options.Threshold; text != "" {
		var err error
		if s.Rule.Threshold, err = fairness.ParseThreshold(text); err != nil {
			r.Fault(root, "--threshold: %v", err)
		}
	}
}

// takesRule says why the study's decision rule is not one for its model.
func (s *Study) takesRule() error {
	switch {
	case s.Rule.IsDefault():
		return nil
	case s.Number:
		return fmt.Errorf("%s predicts a number (output: number), which has no threshold yet", s.ModelPath)
	case s.ModelFile.OneOfMany || s.ModelFile.ShareOfMany:
		return fmt.Errorf("%s tells several classes: its decision is the class with the largest output, and has no threshold", s.ModelPath)
	}
	if _, ok := s.Model.(model.Lowering); !ok {
		return fmt.Errorf("%s: models of the family %s decide at ½ alone", s.ModelPath, s.Model.Family())
	}
	return nil
}

// realBits is what logits are multiples of 2^(−realBits) of, as far as a decision goes, where
// features that are real numbers leave no exact answer.
const realBits = 256

// Decided is the model whose decisions are those of the rule: its logit exceeds 0 where the score
// is a yes. That is exact for all individuals whose features are not real numbers. Of others a score whose logit
// is within 2⁻²⁵⁶ of the threshold's may be on either side.
//
// Its scores are not those of Model. It is Model where the rule is the default.
func (s *Study) Decided() (model.Model, error) {
	if s.Rule.IsDefault() {
		return s.Model, nil
	}
	if err := s.takesRule(); err != nil {
		return nil, err
	}
	m := s.Model.(model.Lowering)
	bits, ok := m.Bits(inputBits(s.Space))
	if !ok {
		bits = realBits
	}
	out, err := m.Less(s.Rule.LargestNo(m.Link(), bits))
	if err != nil {
		return nil, fmt.Errorf("%s: the threshold %s: %w", s.ModelPath, s.Rule, err)
	}
	return out, nil
}

// inputBits has for each input of a model the power of two that its exact values are multiples of, as
// model.Lowering asks for it.
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
