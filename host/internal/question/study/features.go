package study

import (
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// fromData is written in place of a list of categories.
	fromData = "from-data"
	// maxCategories bounds a feature's categories.
	maxCategories = 10_000
)

// features reads the features in their order, which is that of the network's
// inputs, into the space and the columns of the data.
func (r *reader) features(n *node, s *Study) {
	if !r.kind(n, mappingNode) {
		return
	}
	if len(n.entries) == 0 {
		r.add(n, "names no feature")
	}
	entries := 0 // of tables
	for _, e := range n.entries {
		f := space.Feature{Name: e.key.text}
		column := people.Column{Feature: f.Name, Name: f.Name}
		if f.Name == "" {
			r.add(e.key, "a feature needs a name")
		}
		if r.object(e.value, "feature") {
			r.source(e.value, &column, s)
			r.domain(e.value, &f, &column, s)
			if f.Kind != 0 {
				r.inputs(e.value, &f, s.Space.Inputs, &entries)
			}
			s.Space.Inputs += len(f.Inputs)
		}
		s.Space.Features = append(s.Space.Features, f)
		if s.spec != nil {
			s.spec.Features = append(s.spec.Features, column)
		}
	}
	if s.Space.Inputs > relu.MaxUnits {
		r.add(n, "feed %d network inputs; at most %d are possible", s.Space.Inputs, relu.MaxUnits)
	}
}

// source reads where in the data a feature comes from, and its encoding.
func (r *reader) source(n *node, column *people.Column, s *Study) {
	at := n
	if c := n.get("column"); c != nil {
		at = c
		if name, ok := r.name(c); ok {
			column.Name = name
		}
	}
	if about := n.get("about"); about != nil {
		r.text(about)
	}
	if s.spec != nil {
		r.column(at, column.Name, &s.spec.Format)
	}
	if e := n.get("encode"); e != nil {
		column.Steps = r.steps(e)
	}
}

// domain reads the one of integer, real and categories that a feature has.
// Kind stays 0 where it is at fault.
func (r *reader) domain(n *node, f *space.Feature, column *people.Column, s *Study) {
	var given []string
	for _, key := range []string{"integer", "real", "categories"} {
		if n.get(key) != nil {
			given = append(given, key)
		}
	}
	if len(given) != 1 {
		if len(given) == 0 {
			r.add(n, "has no domain; give integer: lo..hi, real: lo..hi or categories: […]")
		} else {
			r.add(n, "has several domains, %v; give one (null takes away one that is inherited)", given)
		}
		return
	}
	d := n.get(given[0])
	switch given[0] {
	case "categories":
		names, ok := r.categories(d, column, s)
		if !ok {
			return
		}
		f.Kind, f.Categories, f.Hi = space.Categorical, names, float64(len(names)-1)
		column.Categories = names
	case "integer":
		if lo, hi, ok := r.interval(d, true); ok {
			f.Kind, f.Lo, f.Hi = space.Integer, lo, hi
		}
	case "real":
		if lo, hi, ok := r.interval(d, false); ok {
			f.Kind, f.Lo, f.Hi = space.Real, lo, hi
		}
	}
}

func (r *reader) categories(n *node, column *people.Column, s *Study) ([]string, bool) {
	if n.kind == scalarNode && n.text == fromData {
		return r.categoriesFromData(n, column, s)
	}
	if n.kind != sequenceNode {
		r.add(n, "want a list of names, or %s", fromData)
		return nil, false
	}
	names, ok := r.texts(n)
	if len(names) == 0 {
		r.add(n, "lists no category")
		ok = false
	}
	if len(names) > maxCategories {
		r.add(n, "%d categories; at most %d are possible", len(names), maxCategories)
		return nil, false
	}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			r.add(n.items[i], "a category needs a name")
			ok = false
		} else if seen[name] {
			r.add(n.items[i], "category %q appears twice", name)
			ok = false
		}
		seen[name] = true
	}
	return names, ok
}

func (r *reader) categoriesFromData(n *node, column *people.Column, s *Study) ([]string, bool) {
	if s.spec == nil {
		r.add(n, "the study declares no data to take categories from")
		return nil, false
	}
	if len(r.list) > 0 {
		return nil, false // the data may be declared wrongly: first things first
	}
	names, err := []string(nil), s.dataErr
	if err == nil {
		names, err = people.Values(s.spec, *column, maxCategories)
	}
	if err == nil && len(names) == 0 {
		r.add(n, "the data has no rows to take categories from")
		return nil, false
	}
	if err == nil && names[0] == "" { // sorted: it comes first
		err = fmt.Errorf("column %q has empty cells; list \"\" under missing:, or map it to a name", column.Name)
	}
	if err != nil {
		r.add(n, "%v", err)
		return nil, false
	}
	return names, true
}

// steps reads an encoding: a step or a list of steps.
func (r *reader) steps(n *node) []people.Step {
	const most = 16
	items := n.items
	if n.kind != sequenceNode {
		items = []*node{n}
	}
	if len(items) > most {
		r.add(n, "%d steps; at most %d are possible", len(items), most)
		return nil
	}
	var out []people.Step
	for _, item := range items {
		if item.kind == scalarNode {
			if _, ok := r.choice(item, "round"); ok {
				out = append(out, people.Step{Round: true})
			}
			continue
		}
		if !r.object(item, "step") {
			continue
		}
		if len(item.entries) != 1 {
			r.add(item, "a step is one of round, map:, threshold: and bins:; for several, write a list")
			continue
		}
		if step, ok := r.step(item.entries[0]); ok {
			out = append(out, step)
		}
	}
	return out
}

func (r *reader) step(e entry) (people.Step, bool) {
	switch e.key.text {
	case "threshold":
		v, ok := r.number(e.value)
		return people.Step{Threshold: &v}, ok
	case "map":
		if !r.kind(e.value, mappingNode) {
			return people.Step{}, false
		}
		m := make(map[string]string, len(e.value.entries))
		for _, pair := range e.value.entries {
			m[pair.key.text], _ = r.text(pair.value)
		}
		return people.Step{Map: m}, true
	case "bins":
		b, ok := r.bins(e.value)
		return people.Step{Bins: b}, ok
	}
	return people.Step{}, false // unknown, which was reported
}

// bins reads the number of bins alone, or with the ends they lie between.
func (r *reader) bins(n *node) (*people.Bins, bool) {
	const most = 1 << 20
	b := &people.Bins{Fit: true}
	if n.kind == scalarNode {
		var ok bool
		b.Count, ok = r.integer(n, 1, most)
		return b, ok
	}
	if !r.object(n, "bins") {
		return nil, false
	}
	count, lo, hi := n.get("count"), n.get("min"), n.get("max")
	if count == nil || (lo == nil) != (hi == nil) {
		r.add(n, "needs count:, and min: and max: together or not at all")
		return nil, false
	}
	b.Count, _ = r.integer(count, 1, most)
	if lo == nil {
		return b, true
	}
	b.Fit = false
	var ok1, ok2 bool
	b.Min, ok1 = r.number(lo)
	b.Max, ok2 = r.number(hi)
	if ok1 && ok2 && b.Min >= b.Max {
		r.add(n, "min %s is not below max %s", lo.text, hi.text)
		return nil, false
	}
	return b, ok1 && ok2
}
