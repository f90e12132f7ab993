package study

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/sdk/space"
)

// Rows reads a file of rows and encodes them as the study declares; see people.ReadRows for how it
// may differ from the study's files. It reads the data set only if bins take their ends from it.
// The error wraps ErrNoData if the study does not declare how rows are encoded.
//
// If encoded, the cells are feature values: separated by commas, below a line with the features'
// names, categories by their index or name, a missing value as space.MissingName. The columns of
// labels and weights are read, too; all others are ignored.
func (s *Study) Rows(path string, encoded bool) (*people.Data, error) {
	spec, err := s.rows(encoded)
	if err != nil {
		return nil, err
	}
	return people.ReadRows(spec, path)
}

// Stream reads rows from a source that can be read only once: see Rows. name identifies the source
// in errors.
func (s *Study) Stream(src io.Reader, name string, encoded bool) (*people.Stream, error) {
	spec, err := s.rows(encoded)
	if err != nil {
		return nil, err
	}
	return people.NewStream(spec, src, name)
}

// rows returns the declaration of rows outside the data set.
func (s *Study) rows(encoded bool) (*people.Spec, error) {
	switch {
	case encoded:
		return s.encodedSpec(), nil
	case s.spec == nil:
		return nil, fmt.Errorf("%s: it does not declare how rows are encoded: %w", s.Path, ErrNoData)
	case !s.spec.NeedsFit():
		return s.spec, nil
	}
	d, err := s.Data()
	if err != nil {
		return nil, err
	}
	return d.Spec(), nil
}

// encodedSpec returns the declaration of rows of feature values.
func (s *Study) encodedSpec() *people.Spec {
	spec := &people.Spec{Format: people.Format{Trim: true}}
	if s.spec != nil {
		spec.Label, spec.Weight = s.spec.Label, s.spec.Weight
	}
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		column := people.Column{Feature: f.Name, Name: f.Name, Categories: f.Categories}
		if f.Missing {
			column.Missing, spec.Format.Missing = &f.Hi, []string{space.MissingName}
		}
		if f.Categories != nil {
			column.Steps = []people.Step{{Map: byIndex(f.Categories)}}
		}
		spec.Features = append(spec.Features, column)
	}
	return spec
}

// byIndex maps the indices of categories to their names, except an index that is itself a name.
func byIndex(categories []string) map[string]string {
	names := map[string]string{}
	for i, name := range categories {
		if index := strconv.Itoa(i); !slices.Contains(categories, index) {
			names[index] = name
		}
	}
	return names
}
