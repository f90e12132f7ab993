package study

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/hyfair/hyfair/host/internal/question/people"
)

// Rows reads a file of raw rows and encodes them as the study says; see
// tabular.ReadRows for how it may differ from the study's own files. It reads
// the data set only where bins take their ends from it. ErrNoData (wrapped)
// tells that the study does not say how rows are encoded.
func (s *Study) Rows(path string) (*people.Data, error) {
	if s.spec == nil {
		return nil, fmt.Errorf("%s: it does not say how rows are encoded: %w", s.Path, ErrNoData)
	}
	if !s.spec.NeedsFit() {
		return people.ReadRows(s.spec, path)
	}
	d, err := s.Data()
	if err != nil {
		return nil, err
	}
	return d.Rows(path)
}

// EncodedRows reads a file of rows that are feature values already: separated
// by commas, below a line with the features' names, categories by their index
// or name. Other columns may stand between. Nothing may be missing.
func (s *Study) EncodedRows(path string) (*people.Data, error) {
	return people.ReadRows(s.encodedSpec(), path)
}

// Stream reads raw rows from a source that can be read once: see Rows. name
// stands for the source in errors.
func (s *Study) Stream(src io.Reader, name string) (*people.Stream, error) {
	if s.spec == nil {
		return nil, fmt.Errorf("%s: it does not say how rows are encoded: %w", s.Path, ErrNoData)
	}
	if !s.spec.NeedsFit() {
		return people.NewStream(s.spec, src, name)
	}
	d, err := s.Data()
	if err != nil {
		return nil, err
	}
	return d.Stream(src, name)
}

// EncodedStream reads rows of feature values from a source that can be read
// once: see EncodedRows.
func (s *Study) EncodedStream(src io.Reader, name string) (*people.Stream, error) {
	return people.NewStream(s.encodedSpec(), src, name)
}

// encodedSpec declares rows of feature values.
func (s *Study) encodedSpec() *people.Spec {
	spec := &people.Spec{Format: people.Format{Trim: true}}
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		column := people.Column{Feature: f.Name, Name: f.Name, Categories: f.Categories}
		if f.Categories != nil {
			column.Steps = []people.Step{{Map: byIndex(f.Categories)}}
		}
		spec.Features = append(spec.Features, column)
	}
	return spec
}

// byIndex names categories by their index, unless that is another's name.
func byIndex(categories []string) map[string]string {
	names := map[string]string{}
	for i, name := range categories {
		if index := strconv.Itoa(i); !slices.Contains(categories, index) {
			names[index] = name
		}
	}
	return names
}
