package study

import (
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// reader turns the nodes of a study file into a Study and collects faults.
type reader struct {
	faults
	options Options
}

// study reads the whole file but the network. What it returns is of use only
// if no fault was added.
func (r *reader) study(root *node) *Study {
	s := &Study{Space: &space.Space{}, Epsilon: big.NewRat(1, 20), Notion: fairness.Score, Clustering: fairness.ByBins}
	s.once()
	r.object(root, "study")
	for key, text := range map[string]*string{"name": &s.Name, "summary": &s.Summary, "model": new(string), "models": new(string)} {
		if n := root.get(key); n != nil {
			*text, _ = r.name(n)
		}
	}
	s.Summary = strings.TrimSpace(s.Summary)
	if n := root.get("output"); n != nil {
		r.choice(n, "score", "logit")
	}
	r.question(root, s)
	if n := root.get("data"); n != nil {
		r.data(n, s)
	}
	n := root.get("features")
	if n == nil {
		r.add(&node{at: root.at}, "the study has no features")
		return s
	}
	r.features(n, s)
	if n := root.get("protected"); n != nil {
		r.protected(n, s)
	}
	if n := root.get("constraints"); n != nil {
		r.constraints(n, s)
	}
	return s
}

// question reads ε, the notion and the clustering.
func (r *reader) question(root *node, s *Study) {
	if n := root.get("notion"); n != nil {
		var names []string
		for _, notion := range fairness.Notions {
			names = append(names, notion.String())
		}
		if name, ok := r.choice(n, names...); ok {
			s.Notion, _ = fairness.ParseNotion(name)
		}
	}
	if n := root.get("clustering"); n != nil {
		var names []string
		for _, c := range fairness.Clusterings {
			names = append(names, c.String())
		}
		if name, ok := r.choice(n, names...); ok {
			s.Clustering, _ = fairness.ParseClustering(name)
		}
	}
	if n := root.get("epsilon"); n != nil && r.kind(n, scalarNode) {
		eps, err := fairness.ParseEpsilon(n.text, s.Notion)
		if err == nil && eps.Sign() <= 0 { // bins have a width whatever the notion
			r.add(n, "ε = %s is not above 0", n.text)
		} else if err != nil {
			r.add(n, "%v", err)
		}
		s.Epsilon = eps
	}
}

// protected reads the protected attributes and the values their copies take.
func (r *reader) protected(n *node, s *Study) {
	if !r.kind(n, mappingNode) {
		return
	}
	count := 1
	for _, e := range n.entries {
		i, ok := s.Space.Index(e.key.text)
		if !ok {
			r.add(&node{at: e.key.at, path: n.path}, "no feature %q; %s", e.key.text, meant(e.key.text, s.Space.Names()))
			continue
		}
		f := &s.Space.Features[i]
		if f.Kind == 0 {
			continue // its domain is at fault, which was reported
		}
		values, beyond := e.value, false
		if values.kind == mappingNode {
			if !r.object(values, "protected") {
				continue
			}
			if x := values.get("extrapolate"); x != nil {
				beyond, _ = r.boolean(x)
			}
			if values = values.get("values"); values == nil {
				r.add(e.value, "needs values:")
				continue
			}
		}
		f.Protected = r.protectedValues(values, f, beyond)
		if beyond && slices.ContainsFunc(f.Protected, func(v float64) bool { return !f.Contains(v) }) {
			s.Extrapolated = append(s.Extrapolated, f.Name)
		}
		if count *= max(1, len(f.Protected)); count > space.MaxCombinations {
			r.add(n, "more than %d protected combinations", space.MaxCombinations)
			return
		}
	}
}

// protectedValues reads all, lo..hi, a value or a list of values.
func (r *reader) protectedValues(n *node, f *space.Feature, beyond bool) []float64 {
	if n.kind == scalarNode {
		lo, hi, ok := f.Lo, f.Hi, n.text == "all" && f.Discrete()
		if !ok && f.Kind == space.Integer {
			lo, hi, ok = rangeValue(n.text)
			ok = ok && whole(lo) && whole(hi) && lo <= hi
		}
		if ok {
			if hi-lo >= space.MaxCombinations {
				r.add(n, "more than %d values", space.MaxCombinations)
				return nil
			}
			if !beyond && (lo < f.Lo || hi > f.Hi) {
				r.add(n, "%s reaches outside the domain %v..%v; write {values: %s, extrapolate: true} if that is meant", n.text, f.Lo, f.Hi, n.text)
				return nil
			}
			out := make([]float64, 0, int(hi-lo)+1)
			for v := lo; v <= hi; v++ {
				out = append(out, v)
			}
			return out
		}
	}
	items := n.items
	if n.kind == scalarNode {
		items = []*node{n}
	} else if !r.kind(n, sequenceNode) {
		return nil
	}
	if len(items) == 0 {
		r.add(n, "no values; leave the feature out if it is not protected")
	}
	var out []float64
	for _, item := range items {
		v, ok := r.valueOf(item, f, beyond)
		if ok && slices.Contains(out, v) {
			r.add(item, "%s appears twice", item.text)
		} else if ok {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// valueOf reads one value of a feature: a category by name or index, or a
// number; outside the domain only where beyond is set.
func (r *reader) valueOf(n *node, f *space.Feature, beyond bool) (float64, bool) {
	if !r.kind(n, scalarNode) {
		return 0, false
	}
	if f.Kind == space.Categorical {
		if i := slices.Index(f.Categories, n.text); i >= 0 {
			return float64(i), true
		}
		if v, ok := decimalValue(n); ok && f.Contains(v) {
			return v, true
		}
		r.add(n, "no category %q; %s", n.text, meant(n.text, f.Categories))
		return 0, false
	}
	v, ok := r.number(n)
	switch {
	case !ok:
		return 0, false
	case f.Kind == space.Integer && !whole(v):
		r.add(n, "%s is not whole, as the feature is", n.text)
		return 0, false
	case !beyond && !f.Contains(v):
		r.add(n, "%s is outside the domain %v..%v; write {values: […], extrapolate: true} if that is meant", n.text, f.Lo, f.Hi)
		return 0, false
	}
	return v, true
}

// constraints reads the named rules.
func (r *reader) constraints(n *node, s *Study) {
	if !r.kind(n, mappingNode) {
		return
	}
	if slices.ContainsFunc(s.Space.Features, func(f space.Feature) bool { return f.Kind == 0 }) {
		return // a domain is at fault: predicates cannot be read
	}
	for _, e := range n.entries {
		rule := Rule{Name: e.key.text, On: true}
		if rule.Name == "all" || rule.Name == "none" || rule.Name != strings.TrimSpace(rule.Name) || strings.Contains(rule.Name, ",") {
			r.add(e.key, "a rule cannot be called %q: --rules gives that another meaning", rule.Name)
		}
		if !r.object(e.value, "constraint") {
			continue
		}
		if on := e.value.get("on"); on != nil {
			rule.On, _ = r.boolean(on)
		}
		if about := e.value.get("about"); about != nil {
			rule.About, _ = r.text(about)
		}
		forbid := e.value.get("forbid")
		if forbid == nil {
			r.add(e.value, `needs forbid:, a predicate such as "sex=Female,relationship=Husband", or a list of them`)
			continue
		}
		items := forbid.items
		if forbid.kind == scalarNode {
			items = []*node{forbid}
		} else if !r.kind(forbid, sequenceNode) {
			continue
		}
		for _, item := range items {
			if p, ok := r.predicate(item, s.Space); ok {
				rule.Forbid = append(rule.Forbid, p)
			}
		}
		s.Rules = append(s.Rules, rule)
	}
}

func (r *reader) predicate(n *node, s *space.Space) (space.Predicate, bool) {
	if _, ok := r.name(n); !ok {
		return nil, false
	}
	p, err := space.ParsePredicate(s, n.text)
	if err != nil {
		r.add(n, "%v", err)
		return nil, false
	}
	for i := range p {
		c := &p[i]
		f := &s.Features[c.Feature]
		if c.Set == nil && c.Interval.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi}).Empty() && !slices.ContainsFunc(f.Protected, c.Holds) {
			r.add(n, "never holds: %s has values from %s to %s", f.Name, f.Label(f.Lo), f.Label(f.Hi))
			return nil, false
		}
	}
	return p, true
}
