package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// reader turns the nodes of a study file into a Study and collects faults.
type reader struct {
	yamlfile.Reader
	options Options
	columns []people.Column // of all features, as sources returns them
}

// study reads the study file, without the network. The result is valid only if no fault was added.
func (r *reader) study(root *yamlfile.Node) *Study {
	s := &Study{Space: &space.Space{}, Epsilon: DefaultEpsilon(), Notion: fairness.Score, Clustering: fairness.ByBins}
	s.once()
	r.object(root, "study")
	s.Name, _ = r.Name(root.Get("name"))
	summary, _ := r.Name(root.Get("summary"))
	s.Summary = strings.TrimSpace(summary)
	r.modelFile(root)
	r.Name(root.Get("models"))
	r.Choice(root.Get("output"), "score", "logit", "share", "number")
	r.question(root, s)
	if n := root.Get("data"); n != nil {
		r.data(n, s)
	}
	n := root.Get("features")
	if n == nil {
		r.Fault(root, "the study has no features")
		return s
	}
	r.features(n, s)
	if n := root.Get("protected"); n != nil {
		r.protected(n, s)
	}
	if t := root.Want("decision").Get("threshold"); t != nil && t.Kind == yamlfile.Mapping {
		r.groups(t, s, nil, "")
	}
	if n := root.Get("constraints"); n != nil {
		r.constraints(n, s)
	}
	if n := root.Get("where"); n != nil && r.Err() == nil {
		if _, ok := r.predicate(n, s.Space); ok {
			s.Where = n.Text
		}
	}
	if n := root.Get("population"); n != nil {
		r.population(n, s)
	}
	return s
}

// population reads the population in which shares are measured.
func (r *reader) population(n *yamlfile.Node, s *Study) {
	switch {
	case n.Kind != yamlfile.Mapping:
		s.Population, _ = r.Choice(n, population.Uniform, population.Independent)
	case !r.object(n, "population"):
	case len(n.Entries) != 1:
		r.Fault(n, "want one of the keys classes, %s", strings.Join(population.Kinds(), " and "))
	case r.Kind(n.Entries[0].Value, yamlfile.Scalar):
		of, value := n.Entries[0].Key.Text, n.Entries[0].Value
		text, err := value.Text, error(nil)
		if slices.Contains(population.Kinds(), of) {
			text, err = where(value.At.File, text, r.options.DataRoot)
		}
		if err == nil {
			s.Population = of + ":" + text
			_, err = population.Parse(s.Population)
		}
		if err != nil {
			r.Fault(value, "%v", err)
		}
	}
}

// question reads ε, the notion and the clustering.
func (r *reader) question(root *yamlfile.Node, s *Study) {
	if n := root.Get("output"); n != nil && n.Text == "number" {
		s.Number, s.Notion = true, fairness.Logit
	}
	if name, ok := r.Choice(root.Get("notion"), words(fairness.Notions)...); ok {
		s.Notion, _ = fairness.ParseNotion(name)
	}
	if name, ok := r.Choice(root.Get("clustering"), words(fairness.Clusterings)...); ok {
		s.Clustering, _ = fairness.ParseClustering(name)
	}
	r.decision(root, s)
	if n := root.Get("epsilon"); r.Kind(n, yamlfile.Scalar) {
		eps, err := fairness.ParseEpsilon(n.Text, s.Notion)
		if err == nil && eps.Sign() <= 0 { // ε is also the width of bins, so 0 is invalid for every notion
			r.Fault(n, "ε = %s is not above 0", n.Text)
		} else if err != nil {
			r.Fault(n, "%v", err)
		}
		s.Epsilon = eps
	}
}

// words returns the names of values.
func words[T fmt.Stringer](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}

// protected reads the protected attributes and the values their copies take.
func (r *reader) protected(n *yamlfile.Node, s *Study) {
	if !r.Kind(n, yamlfile.Mapping) {
		return
	}
	count := 1
	for _, e := range n.Entries {
		i, ok := s.Space.Index(e.Key.Text)
		if !ok {
			r.FaultAt(n, e, "no feature %q; %s", e.Key.Text, yamlfile.Suggest(e.Key.Text, s.Space.Names()))
			continue
		}
		f := &s.Space.Features[i]
		if f.Kind == 0 {
			continue // the fault in its domain was reported
		}
		values, beyond := e.Value, false
		if values.Kind == yamlfile.Mapping {
			if !r.object(values, "protected") {
				continue
			}
			beyond, _ = r.Boolean(values.Get("extrapolate"))
			if values = values.Get("values"); values == nil {
				r.Fault(e.Value, "needs the key values")
				continue
			}
		}
		f.Protected = r.protectedValues(values, f, beyond)
		if beyond && slices.ContainsFunc(f.Protected, func(v float64) bool { return !f.Contains(v) }) {
			s.Extrapolated = append(s.Extrapolated, f.Name)
		}
		if count = min(count*max(1, len(f.Protected)), 2*space.MaxCombinations); count > space.MaxCombinations && !r.options.Parts {
			r.Fault(n, "more than %d combinations of protected values; protect fewer attributes, or select some with --protected", space.MaxCombinations)
			return
		}
	}
}

// protectedValues reads the word all, a range lo..hi, a value or a list of values.
func (r *reader) protectedValues(n *yamlfile.Node, f *space.Feature, beyond bool) []float64 {
	if n.Kind == yamlfile.Scalar {
		lo, hi, ok := f.Lo, f.Hi, n.Text == "all" && f.Discrete()
		if !ok && f.Kind == space.Integer {
			lo, hi, ok = rangeValue(n.Text)
			ok = ok && whole(lo) && whole(hi) && lo <= hi
			if ok && !r.inDomain(n, f, beyond, lo, hi) {
				return nil
			}
		}
		if ok {
			if hi-lo >= space.MaxCombinations {
				r.Fault(n, "more than %d values, the maximum", space.MaxCombinations)
				return nil
			}
			out := make([]float64, 0, int(hi-lo)+1)
			for v := lo; v <= hi; v++ {
				out = append(out, v)
			}
			return out
		}
	}
	items := n.List()
	if len(items) == 0 {
		r.Fault(n, "no values; leave the feature out if it is not protected")
	}
	var out []float64
	for _, item := range items {
		v, ok := r.valueOf(item, f, beyond)
		if ok && slices.Contains(out, v) {
			r.Fault(item, "%s appears twice", item.Text)
		} else if ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// valueOf reads one value of a feature: a category by name or index, or a number, which may be
// outside the domain if beyond is set.
func (r *reader) valueOf(n *yamlfile.Node, f *space.Feature, beyond bool) (float64, bool) {
	if !r.Kind(n, yamlfile.Scalar) {
		return 0, false
	}
	if f.Kind == space.Categorical {
		if i := slices.Index(f.Categories, n.Text); i >= 0 {
			return float64(i), true
		}
		if v, ok := n.Float(); ok && f.Contains(v) {
			return v, true
		}
		r.Fault(n, "no category %q; %s", n.Text, yamlfile.Suggest(n.Text, f.Categories))
		return 0, false
	}
	if f.Missing && n.Text == space.MissingName {
		return f.Hi, true
	}
	v, ok := r.Number(n)
	if ok && f.Kind == space.Integer && !whole(v) {
		r.Fault(n, "got %s, want a whole number for an integer feature", n.Text)
		ok = false
	}
	return v, ok && r.inDomain(n, f, beyond, v, v)
}

// inDomain reports a fault if lo..hi is outside the domain, unless beyond allows it.
func (r *reader) inDomain(n *yamlfile.Node, f *space.Feature, beyond bool, lo, hi float64) bool {
	domain := f.Numbers()
	switch {
	case f.Missing && hi > domain.Hi:
		r.Fault(n, "%s is above %v, the largest value of a feature that may be missing: widen its domain", n.Text, domain.Hi)
	case !beyond && (lo < domain.Lo || hi > domain.Hi):
		r.Fault(n, "%s is outside the domain %v..%v; write {values: %s, extrapolate: true} if that is intended", n.Text, domain.Lo, domain.Hi, n.Text)
	default:
		return true
	}
	return false
}

// constraints reads the named rules.
func (r *reader) constraints(n *yamlfile.Node, s *Study) {
	if !r.Kind(n, yamlfile.Mapping) {
		return
	}
	if slices.ContainsFunc(s.Space.Features, func(f space.Feature) bool { return f.Kind == 0 }) {
		return // with a fault in a domain, predicates cannot be read
	}
	for _, e := range n.Entries {
		rule := Rule{Name: e.Key.Text, On: true}
		if rule.Name == "all" || rule.Name == "none" || rule.Name != strings.TrimSpace(rule.Name) || strings.Contains(rule.Name, ",") {
			r.Fault(e.Key, "a rule cannot be named %q, since --rules could not select it: rename it", rule.Name)
		}
		if !r.object(e.Value, "constraint") {
			continue
		}
		if on := e.Value.Get("on"); on != nil {
			rule.On, _ = r.Boolean(on)
		}
		rule.About, _ = r.Text(e.Value.Get("about"))
		forbid := e.Value.Get("forbid")
		if forbid == nil {
			r.Fault(e.Value, `needs the key forbid, a predicate such as "sex=Female,relationship=Husband", or a list of them`)
			continue
		}
		for _, item := range forbid.List() {
			if p, ok := r.predicate(item, s.Space); ok {
				rule.Forbid = append(rule.Forbid, p)
			}
		}
		s.Rules = append(s.Rules, rule)
	}
}

func (r *reader) predicate(n *yamlfile.Node, s *space.Space) (space.Predicate, bool) {
	if _, ok := r.Name(n); !ok {
		return nil, false
	}
	p, err := space.ParsePredicate(s, n.Text)
	if err != nil {
		r.Fault(n, "%v", err)
		return nil, false
	}
	for i := range p {
		c := &p[i]
		f := &s.Features[c.Feature]
		if c.Set == nil && c.Interval.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi}).Empty() && !slices.ContainsFunc(f.Protected, c.Holds) {
			r.Fault(n, "never holds: %s has values from %s to %s", f.Name, f.Label(f.Lo), f.Label(f.Hi))
			return nil, false
		}
	}
	return p, true
}
