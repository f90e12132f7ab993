package study

import (
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/question/yamlfile"
)

// hold refuses features that contradict what the model's file says of its inputs.
func (r *reader) hold(root *yamlfile.Node, s *Study) {
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

// cellsOf are the cells that a map makes category v of, or of a number v.
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
