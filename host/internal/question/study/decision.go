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
}

// takesRule says why the study's decision rule is not one for its model.
func (s *Study) takesRule() error {
	switch {
	case s.Rule.IsDefault():
		return nil
	case s.Number:
		return fmt.Errorf("%s predicts a number (output: number), which has no threshold yet", s.ModelPath)
	case s.ModelFile.OneOfMany:
		return fmt.Errorf("%s tells several classes: its decision is the class with the largest output, and has no threshold", s.ModelPath)
	}
	if _, ok := s.Model.(model.Lowering); !ok {
		return fmt.Errorf("%s: models of the family %s decide at ½ alone", s.ModelPath, s.Model.Family())
	}
	return nil
}

const (
	// leastBits is the least precision of the border: margins are measured from it.
	leastBits = 128
	// realBits is the precision of the border where features are real numbers, whose logits no grid holds.
	realBits = 256
)

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
	switch {
	case ok:
		bits = max(bits, leastBits)
	case s.Space.HasReals():
		bits = realBits
	default:
		return nil, fmt.Errorf("%s: the threshold %s: the model's numbers are too small for exact decisions at it: its logits are multiples of no 2^-%d", s.ModelPath, s.Rule, model.MaxBits)
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
