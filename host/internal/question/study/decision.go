package study

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/bound"
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
	if t := n.Get("threshold"); (t == nil || t.Kind != yamlfile.Mapping) && r.Kind(t, yamlfile.Scalar) {
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
		r.Fault(side, "%s, but the study predicts a number (output: number), which brings no decision: leave out the key yes", side.Text)
	}
}

// groups reads thresholds by group: {sex: {man: 0.5, woman: 0.45}}, where a mapping of a second attribute may stand in
// place of a number. in and name are the conditions read so far, and how a user writes them.
func (r *reader) groups(n *yamlfile.Node, s *Study, in []fairness.Having, name string) {
	const deepest = 2
	if len(n.Entries) != 1 || len(in) == deepest {
		r.Fault(n, "thresholds by group: want {ATTRIBUTE: {VALUE: THRESHOLD, …}}, with at most one attribute inside another")
		return
	}
	e := n.Entries[0]
	i, ok := s.Space.Index(e.Key.Text)
	switch {
	case !ok:
		r.FaultAt(n, e, "no feature %q; %s", e.Key.Text, yamlfile.Suggest(e.Key.Text, s.Space.Names()))
		return
	case slices.ContainsFunc(in, func(h fairness.Having) bool { return h.Feature == e.Key.Text }):
		r.FaultAt(n, e, "%s is also the attribute of the mapping around this one: take another, or give a threshold", e.Key.Text)
		return
	case !r.Kind(e.Value, yamlfile.Mapping):
		return
	}
	f := &s.Space.Features[i]
	switch {
	case f.Kind == 0:
		return // the fault in its domain was reported
	case !f.IsProtected():
		r.FaultAt(n, e, "%s is not protected: thresholds by group are of protected attributes; add it under the key protected, or give one threshold", f.Name)
		return
	case f.Kind == space.Real:
		r.FaultAt(n, e, "%s has a real domain, but thresholds by group need whole numbers or categories: give one threshold", f.Name)
		return
	}
	if f.Hi-f.Lo >= mostCases {
		r.FaultAt(n, e, "%s has more than %d values, too many for thresholds by group: encode it in bins", f.Name, mostCases)
		return
	}
	of := map[float64]string{}
	for _, e := range e.Value.Entries {
		c, err := space.ParseCondition(f, e.Key.Text)
		if err != nil {
			r.Fault(e.Key, "%v", err)
			return
		}
		for _, v := range valuesOf(f) {
			if !c.Holds(v) {
				continue
			}
			if other, twice := of[v]; twice {
				r.Fault(e.Key, "%s is in two groups, %s and %s", f.Label(v), other, e.Key.Text)
				return
			}
			of[v] = e.Key.Text
		}
		all, label := append(slices.Clip(in), fairness.Having{Feature: f.Name, Holds: c.Holds}), name+f.Name+" = "+e.Key.Text
		if e.Value.Kind == yamlfile.Mapping {
			r.groups(e.Value, s, all, label+", ")
			continue
		}
		if !r.Kind(e.Value, yamlfile.Scalar) {
			return
		}
		t, err := fairness.ParseThreshold(e.Value.Text)
		if err != nil {
			r.Fault(e.Value, "%v", err)
		}
		if s.Rule.Groups = append(s.Rule.Groups, fairness.Group{Name: label, In: all, Threshold: t}); len(s.Rule.Groups) > mostGroups {
			r.Fault(e.Value, "more than %d thresholds by group: sort values into ranges, such as %s", mostGroups, example(f))
			return
		}
	}
	for _, v := range valuesOf(f) {
		if _, ok := of[v]; !ok {
			r.Fault(e.Value, "%s%s = %s has no threshold: add it, alone or in a group such as %s", name, f.Name, f.Label(v), example(f))
			return
		}
	}
}

// groupsOf reads thresholds by group of the command line, sex:man=0.5,woman=0.45, as a study would have them; nil for
// another text.
func groupsOf(text string) (*yamlfile.Node, error) {
	attribute, rest, ok := strings.Cut(text, ":")
	if !ok {
		return nil, nil
	}
	var entries []string
	for _, part := range strings.Split(rest, ",") {
		at := strings.LastIndex(part, "=")
		if at < 0 {
			return nil, fmt.Errorf("--threshold: %q: want VALUE=THRESHOLD, as in sex:man=0.5,woman=0.45", part)
		}
		entries = append(entries, fmt.Sprintf("%q: %q", strings.TrimSpace(part[:at]), part[at+1:]))
	}
	return yamlfile.Parse(fmt.Appendf(nil, "{%q: {%s}}", attribute, strings.Join(entries, ", ")), "--threshold", "thresholds by group")
}

// example is how several values of a feature are written as one group.
func example(f *space.Feature) string {
	if f.Kind == space.Categorical {
		return f.Label(f.Lo) + "|" + f.Label(f.Hi)
	}
	return f.Label(f.Lo) + ".." + f.Label(f.Numbers().Hi)
}

// valuesOf lists the values of an attribute: those of its domain, and protected values beyond it.
func valuesOf(f *space.Feature) []float64 {
	var out []float64
	for v := f.Lo; v <= f.Hi; v++ {
		out = append(out, v)
	}
	for _, v := range f.Protected {
		if !f.Contains(v) {
			out = append(out, v)
		}
	}
	return out
}

const (
	// mostCases bounds the values, or pairs of values, of attributes with thresholds by group.
	mostCases = 4096
	// mostGroups bounds the thresholds by group.
	mostGroups = 64
)

// bands reads the outcomes of a decision, the favourable one first.
func (r *reader) bands(n, decision *yamlfile.Node, s *Study) {
	for _, key := range []string{"threshold", "at", "yes"} {
		if other := decision.Get(key); other != nil {
			r.Fault(other, "a decision has bands or a threshold: leave out the key %s, since bands begin at their least scores and the favourable one comes first", key)
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

// Favourable returns the place of the named band (see fairness.Bands.Place), for callers whose favourable decision is
// this band or a better one. The worst band is refused: all people are in it or a better one.
func (s *Study) Favourable(band string) (place int, err error) {
	place = slices.IndexFunc(s.Bands, func(b fairness.Band) bool { return b.Name == band })
	if place >= 0 {
		place = s.Bands.Place(place, s.Rule.Low)
	}
	if place < 0 || place == len(s.Bands)-1 {
		return 0, fmt.Errorf("%s: want one of the bands %s, and not the worst, since everybody is in it or a better one", band, s.Bands)
	}
	return place, nil
}

// takesRule returns an error if the model cannot have the study's decision rule.
func (s *Study) takesRule() error {
	switch {
	case s.Rule.IsDefault() && s.Bands == nil:
		return nil
	case s.Number:
		return fmt.Errorf("%s predicts a number (output: number), which has no threshold: leave out the key decision, --threshold and --bands", s.ModelPath)
	case s.ModelFile.OneOfMany:
		return fmt.Errorf("%s has several classes: its decision is the class with the largest output, which has no threshold: leave out the key decision, --threshold and --bands", s.ModelPath)
	case s.Bands != nil:
		return nil
	}
	if _, ok := s.Model.(model.Lowering); !ok {
		return fmt.Errorf("%s: models of the family %s have the threshold ½ only: leave out the key decision and --threshold", s.ModelPath, s.Model.Family())
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
	if s.Bands != nil {
		return nil, fmt.Errorf("%s: the decision sorts scores into the bands %s, and none of them is a yes: --threshold asks about one border", s.Path, s.Bands)
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
	by, err := s.offset(bits)
	if err != nil {
		return nil, err
	}
	out, err := m.Less(by)
	if err != nil {
		return nil, fmt.Errorf("%s: the threshold %s: %w", s.ModelPath, s.Rule, err)
	}
	return out, nil
}

// offset returns what the rule subtracts from logits, which are multiples of 2^−bits, before it compares them with 0.
func (s *Study) offset(bits int) (out model.Offset, err error) {
	var largest []*big.Rat
	for _, rule := range s.Rule.Each() {
		largest = append(largest, rule.LargestNo(s.Model.Link(), bits))
	}
	if s.Rule.Groups == nil {
		return model.Constant(largest[0]), nil
	}
	whole := *s.Space // without protected values, but with their range
	whole.Features = slices.Clone(whole.Features)
	values, cases := map[string][]float64{}, 1
	for i := range whole.Features {
		f := &whole.Features[i]
		if s.groupsBy(f) {
			values[f.Name] = valuesOf(f)
			if cases *= len(values[f.Name]); cases > mostCases {
				return out, fmt.Errorf("%s: thresholds by group depend on more than %d pairs of values, the last of %s: encode it in bins", s.Path, mostCases, f.Name)
			}
			for _, in := range f.Inputs {
				out.Inputs = append(out.Inputs, in.Index)
			}
		}
		for _, v := range f.Protected {
			if !f.HasTable() {
				f.Lo, f.Hi = min(f.Lo, v), max(f.Hi, v)
			}
		}
		f.Protected = nil
	}
	point := make([]float64, len(whole.Features))
	for i := range point {
		point[i] = s.Space.Features[i].Lo
	}
	var visit func(i int)
	visit = func(i int) {
		if i < len(point) {
			all := values[s.Space.Features[i].Name]
			if all == nil {
				all = point[i : i+1]
			}
			for _, v := range all {
				point[i] = v
				visit(i + 1)
			}
			return
		}
		c := model.Case{By: largest[s.Rule.Of(func(name string) float64 { i, _ := s.Space.Index(name); return point[i] })]}
		exact := s.Space.ExactInputs(point)
		for _, in := range out.Inputs {
			c.At = append(c.At, exact[in])
		}
		out.Cases = append(out.Cases, c)
	}
	visit(0)
	logit := bound.Linear(s.Model, bound.Inputs(&whole, whole.Whole())).Logit
	out.Bits, out.Most = bits, max(-logit.Lo, logit.Hi)
	return out, nil
}

// groupsBy reports whether thresholds depend on the feature.
func (s *Study) groupsBy(f *space.Feature) bool {
	return slices.ContainsFunc(s.Rule.Groups, func(g fairness.Group) bool {
		return slices.ContainsFunc(g.In, func(h fairness.Having) bool { return h.Feature == f.Name })
	})
}

// see adds an input that Model ignores for each attribute that thresholds depend on, but that the model does not see: a
// lowered model needs one.
func (s *Study) see() {
	m, ok := s.Model.(model.Lowering)
	for i := range s.Space.Features {
		if f := &s.Space.Features[i]; ok && len(f.Inputs) == 0 && s.groupsBy(f) {
			f.Inputs = []space.Input{{Index: s.Space.Inputs, Scale: 1}}
			s.Space.Inputs++
			s.Unseen = append(s.Unseen, f.Name)
		}
	}
	if len(s.Unseen) > 0 {
		s.Model = m.Wider(len(s.Unseen))
	}
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
