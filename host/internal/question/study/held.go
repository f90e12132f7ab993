package study

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
	"github.com/hyfair/hyfair/sdk/space"
)

// match refuses features that contradict what the model's file states about its inputs.
func (r *reader) match(root *yamlfile.Node, s *Study) {
	all := make([]modelfile.Fed, len(s.Space.Features))
	for i := range all {
		f := &all[i]
		f.Feature, f.Columns = &s.Space.Features[i], []string{s.Space.Features[i].Name}
		if s.spec != nil {
			c := &s.spec.Features[i]
			f.Columns = c.Names()
			f.Cells = func(v int) []string { return cellsOf(c, v) }
		}
	}
	if at, why := s.ModelFile.Mismatch(all); why != "" {
		r.Fault(root.Get("features").Entries[at].Value, "%s: %s", s.ModelPath, why)
	}
}

// vocabulary refuses categories that an encoder in the model's file refuses: those for which it has no input, and those
// whose cells it does not know.
func (r *reader) vocabulary(features *yamlfile.Node, s *Study, v *modelfile.Vocabulary) {
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		var known []string // by value, the encoder's category
		fed := false
		for _, in := range f.Inputs {
			if in.Index < v.First || in.Index >= v.First+len(v.Categories) || in.Table == nil {
				continue
			}
			known, fed = append(known, make([]string, len(in.Table)-len(known))...), true
			for k, x := range in.Table {
				if x != 0 {
					known[k] = v.Categories[in.Index-v.First]
				}
			}
		}
		for k := range known {
			told := strings.Join(v.Categories[:min(len(v.Categories), 20)], ", ")
			if fed && known[k] == "" && !slices.Contains(v.Categories, "") {
				r.Fault(features.Get(f.Name), "the encoder of %s in %s knows %s and refuses all else; it has no input for %s: remove it from the domain, or map it to one of these", v.Name, s.ModelPath, told, f.Label(f.Lo+float64(k)))
				return
			}
			if s.spec == nil || f.Kind != space.Categorical || !plainly(&s.spec.Features[i]) {
				continue
			}
			cells := append(cellsOf(&s.spec.Features[i], k), f.Categories[k])
			if !slices.ContainsFunc(cells, func(cell string) bool { return modelfile.SameCategory(known[k], cell) }) {
				r.Fault(features.Get(f.Name), "the encoder of %s in %s knows %s and refuses all else; the study feeds %s as %s, but its cells have another text: map that text to it", v.Name, s.ModelPath, told, f.Categories[k], known[k])
				return
			}
		}
	}
}

// plainly reports whether a column's cells are categories, or are mapped to them one by one.
func plainly(c *people.Column) bool {
	if c.OneHot != nil || c.AnyOf != nil || len(c.Steps) > 1 {
		return false
	}
	if len(c.Steps) == 0 {
		return true
	}
	_, others := c.Steps[0].Map[people.Other]
	return c.Steps[0].Map != nil && !others
}

// cellsOf lists the cells that the first step maps to category v, or to the number v.
func cellsOf(c *people.Column, v int) (out []string) {
	if len(c.Steps) == 0 {
		return nil
	}
	name := strconv.Itoa(v)
	if c.Categories != nil {
		name = c.Categories[v]
	}
	for cell, to := range c.Steps[0].Map {
		if to == name && cell != people.Other {
			out = append(out, cell)
		}
	}
	return out
}
