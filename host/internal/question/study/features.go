package study

import (
	"fmt"
	"slices"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/space"
)

const (
	// fromData is the word that replaces a list of categories.
	fromData = "from-data"
	// maxCategories is the maximum number of a feature's categories.
	maxCategories = 10_000
)

// features reads the features, in the order of the network's inputs, into the space and the columns
// of the data.
func (r *reader) features(n *yamlfile.Node, s *Study) {
	if !r.Kind(n, yamlfile.Mapping) {
		return
	}
	if len(n.Entries) == 0 {
		r.Fault(n, "names no feature")
	}
	r.columns = r.sources(n, s)
	entries := 0 // the number of entries of all tables
	for i, e := range n.Entries {
		f, column := space.Feature{Name: e.Key.Text}, r.columns[i]
		column.Missing = nil // missing sets it
		if f.Name == "" {
			r.Fault(e.Key, "a feature needs a name")
		}
		if e.Value.Kind == yamlfile.Mapping {
			r.domain(e.Value, &f, &column, s)
			if f.Kind != 0 {
				r.inputs(e.Value, &f, s.Space.Inputs, &entries)
				r.missing(e.Value.Get("missing"), &f, &column, s)
			}
			s.Space.Inputs += len(f.Inputs)
		}
		s.Space.Features = append(s.Space.Features, f)
		if s.spec != nil {
			s.spec.Features = append(s.spec.Features, column)
		}
	}
	if s.Space.Inputs > relu.MaxUnits {
		r.Fault(n, "feed %d network inputs; at most %d are possible", s.Space.Inputs, relu.MaxUnits)
	}
}

// sources reads what decides which rows are kept: the columns of all features and their encodings, without domains.
func (r *reader) sources(n *yamlfile.Node, s *Study) (out []people.Column) {
	for _, e := range n.Entries {
		column := people.Column{Feature: e.Key.Text, Name: e.Key.Text}
		if r.object(e.Value, "feature") {
			r.source(e.Value, &column, s)
			if may := e.Value.Get("missing"); may != nil && may.Text == "true" {
				column.Missing = new(0.0)
			}
		}
		out = append(out, column)
	}
	return out
}

// source reads a feature's columns in the data and its encoding.
func (r *reader) source(n *yamlfile.Node, column *people.Column, s *Study) {
	at := n
	if c := n.Get("column"); c != nil {
		at = c
		if name, ok := r.Name(c); ok {
			column.Name = name
		}
	}
	r.Text(n.Get("about"))
	if s.spec != nil && n.Get("columns") == nil && n.Get("any-of") == nil {
		r.column(at, column.Name, &s.spec.Format)
	}
	column.Steps = r.steps(n.Get("encode"))
	if hot := n.Get("columns"); hot != nil {
		if n.Get("column") != nil || n.Get("any-of") != nil || n.Get("encode") != nil || n.Get("categories") == nil {
			r.Fault(hot, "needs the key categories, and excludes column, any-of and encode")
		} else if column.OneHot = r.several(hot, s); column.OneHot != nil {
			column.Name = column.OneHot[0]
		}
	}
	if any := n.Get("any-of"); any != nil && n.Get("column") != nil {
		r.Fault(any, "excludes the key column, since both name the feature's columns: leave one out")
	} else if any != nil {
		if column.AnyOf = r.several(any, s); column.AnyOf != nil {
			column.Name = column.AnyOf[0]
		}
	}
}

// several reads the columns of one feature; nil after a fault.
func (r *reader) several(n *yamlfile.Node, s *Study) []string {
	names, ok := r.Texts(n)
	if !ok {
		return nil
	}
	if len(names) == 0 || len(names) > maxCategories {
		r.Fault(n, "lists %d columns; want 1 to %d", len(names), maxCategories)
		return nil
	}
	for i, name := range names {
		if s.spec != nil {
			r.column(n.List()[i], name, &s.spec.Format)
		}
		if slices.Contains(names[:i], name) {
			r.Fault(n.List()[i], "column %q appears twice", name)
		}
	}
	return names
}

// domain reads a feature's domain: integer, real or categories. Kind remains 0 after a fault.
func (r *reader) domain(n *yamlfile.Node, f *space.Feature, column *people.Column, s *Study) {
	var given []string
	for _, key := range []string{"integer", "real", "categories"} {
		if n.Get(key) != nil {
			given = append(given, key)
		}
	}
	if len(given) != 1 {
		if len(given) == 0 {
			r.Fault(n, "has no domain; give integer: lo..hi, real: lo..hi or categories: […]")
		} else {
			r.Fault(n, "has several domains, %v; give one (null removes an inherited one)", given)
		}
		return
	}
	d := n.Get(given[0])
	switch given[0] {
	case "categories":
		names, ok := r.categories(d, column, s)
		if !ok {
			return
		}
		f.Kind, f.Categories, f.Hi = space.Categorical, names, float64(len(names)-1)
		column.Categories = names
		if column.OneHot != nil && len(column.OneHot) != len(names) {
			r.Fault(d, "%d categories, but the key columns lists %d", len(names), len(column.OneHot))
		}
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

// missing adds the value for missing values to the domain: see space.Feature.Missing.
func (r *reader) missing(n *yamlfile.Node, f *space.Feature, column *people.Column, s *Study) {
	if may, _ := r.Boolean(n); !may {
		return
	}
	switch {
	case f.Kind == space.Real:
		r.Fault(n, "%s has a real domain, but only integers and categories may be missing: give it an integer domain, or leave out such rows", f.Name)
	case column.OneHot != nil || column.AnyOf != nil:
		r.Fault(n, "is for a feature that is read from one column")
	case len(f.Inputs) != 1 || f.Inputs[0].Table == nil && (f.Inputs[0].Scale != 1 || f.Inputs[0].Offset != 0):
		r.Fault(n, "a feature that may be missing must feed one input, with its value or a table; if a missing value is all zeros of a one-hot encoding, make it a category with tables")
	case slices.Contains(f.Categories, space.MissingName):
		r.Fault(n, "%s has a category %q, which is the name of the missing value: rename it", f.Name, space.MissingName)
	case s.spec != nil && len(s.spec.Format.Marks(column.Name)) == 0:
		r.Fault(n, "the data has no missing-value marks for its column: list them under the key missing of data, such as [\"\"]")
	default:
		f.Missing = true
		f.Hi++
		column.Missing = new(f.Hi)
		if f.Kind == space.Categorical {
			f.Categories = append(slices.Clip(f.Categories), space.MissingName)
		}
		if in := &f.Inputs[0]; in.Table != nil {
			in.Table = append(in.Table, slices.Max(in.Table)+1)
		}
	}
}

func (r *reader) categories(n *yamlfile.Node, column *people.Column, s *Study) ([]string, bool) {
	if n.Kind == yamlfile.Scalar && n.Text == fromData && column.OneHot == nil {
		return r.categoriesFromData(n, column, s)
	}
	if n.Kind != yamlfile.Sequence {
		r.Fault(n, "want a list of names, or %s", fromData)
		return nil, false
	}
	names, ok := r.Texts(n)
	if len(names) == 0 {
		r.Fault(n, "lists no category")
		ok = false
	}
	if len(names) > maxCategories {
		r.Fault(n, "%d categories; at most %d are possible", len(names), maxCategories)
		return nil, false
	}
	seen := map[string]bool{}
	for i, name := range names {
		if name == "" {
			r.Fault(n.Items[i], "a category needs a name")
			ok = false
		} else if seen[name] {
			r.Fault(n.Items[i], "category %q appears twice", name)
			ok = false
		}
		seen[name] = true
	}
	return names, ok
}

func (r *reader) categoriesFromData(n *yamlfile.Node, column *people.Column, s *Study) ([]string, bool) {
	if s.spec == nil {
		r.Fault(n, "the study declares no data to take categories from")
		return nil, false
	}
	if r.Err() != nil {
		return nil, false // the fault may be in the declaration of the data, so the data is not read
	}
	names, err := []string(nil), s.dataErr
	if err == nil {
		all := *s.spec
		all.Features = r.columns
		names, err = people.Values(&all, *column, maxCategories)
	}
	if err == nil && len(names) == 0 {
		r.Fault(n, "the data has no rows to take categories from")
		return nil, false
	}
	if err == nil && names[0] == "" { // sorted: it comes first
		err = fmt.Errorf("column %q has empty cells; list \"\" under the key missing, or map it to a name", column.Name)
	}
	if err != nil {
		r.Fault(n, "%v", err)
		return nil, false
	}
	return names, true
}

// steps reads an encoding: a step or a list of steps.
func (r *reader) steps(n *yamlfile.Node) []people.Step {
	const most = 16
	items := n.List()
	if len(items) > most {
		r.Fault(n, "%d steps; at most %d are possible", len(items), most)
		return nil
	}
	var out []people.Step
	for _, item := range items {
		if item.Kind == yamlfile.Scalar {
			if _, ok := r.Choice(item, "round"); ok {
				out = append(out, people.Step{Round: true})
			}
			continue
		}
		if !r.object(item, "step") {
			continue
		}
		if len(item.Entries) != 1 {
			r.Fault(item, "a step is one of round, map, threshold, bins and days-since; for several, write a list")
			continue
		}
		if step, ok := r.step(item.Entries[0]); ok {
			out = append(out, step)
		}
	}
	return out
}

func (r *reader) step(e yamlfile.Entry) (people.Step, bool) {
	switch e.Key.Text {
	case "threshold":
		v, ok := r.Number(e.Value)
		return people.Step{Threshold: &v}, ok
	case "map":
		if !r.Kind(e.Value, yamlfile.Mapping) {
			return people.Step{}, false
		}
		m := make(map[string]string, len(e.Value.Entries))
		for _, pair := range e.Value.Entries {
			m[pair.Key.Text], _ = r.Text(pair.Value)
		}
		return people.Step{Map: m}, true
	case "bins":
		b, ok := r.bins(e.Value)
		return people.Step{Bins: b}, ok
	case "days-since":
		text, ok := r.Text(e.Value)
		since, err := time.Parse(time.DateOnly, text)
		if ok && err != nil {
			r.Fault(e.Value, "%q is not a date such as 2024-02-29", text)
		}
		return people.Step{Since: &since}, ok && err == nil
	}
	return people.Step{}, false // unknown, which was reported
}

// bins reads the number of bins, alone or with the ends of their range.
func (r *reader) bins(n *yamlfile.Node) (*people.Bins, bool) {
	const most = 1 << 20
	b := &people.Bins{Fit: true}
	if n.Kind == yamlfile.Scalar {
		var ok bool
		b.Count, ok = r.Integer(n, 1, most)
		return b, ok
	}
	if !r.object(n, "bins") {
		return nil, false
	}
	count, lo, hi := n.Get("count"), n.Get("min"), n.Get("max")
	if count == nil || (lo == nil) != (hi == nil) {
		r.Fault(n, "needs the key count, and min and max together or not at all")
		return nil, false
	}
	b.Count, _ = r.Integer(count, 1, most)
	if lo == nil {
		return b, true
	}
	b.Fit = false
	var ok1, ok2 bool
	b.Min, ok1 = r.Number(lo)
	b.Max, ok2 = r.Number(hi)
	if ok1 && ok2 && b.Min >= b.Max {
		r.Fault(n, "min %s is not below max %s", lo.Text, hi.Text)
		return nil, false
	}
	return b, ok1 && ok2
}
