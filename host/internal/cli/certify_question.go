package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/sdk/encode"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

func encodingNames() string {
	names := []string{certify.Direct}
	for _, e := range encode.Encodings {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// queries are the questions that flags and study make together, one for each
// set of protected attributes.
func (f *certifyFlags) queries(app *App, path string) (*study.Study, []*problem.Query, error) {
	return f.question.queries(app, path, func(st *study.Study, protected []string) (*problem.Query, error) {
		return f.query(app, st, protected)
	})
}

// query is the question about one set of protected attributes.
func (f *certifyFlags) query(app *App, st *study.Study, protected []string) (*problem.Query, error) {
	q, err := f.question.query(app, st, protected, f.notion, f.k)
	if err != nil {
		return nil, err
	}
	if err := f.relaxQuery(q); err != nil {
		return nil, err
	}
	return q, q.Validate()
}

// relaxQuery adds the relaxations. A relaxed query's copies are two people, and
// --where then cuts the space for both (docs/semantics.md).
func (f *certifyFlags) relaxQuery(q *problem.Query) error {
	for _, text := range f.relax {
		r, err := parseRelaxation(q.Space, text)
		if err != nil {
			return fmt.Errorf("--relax %q: %w", text, err)
		}
		q.Relax = append(q.Relax, r)
	}
	if len(q.Relax) > 0 {
		q.Space = q.Space.Restrict(q.Region)
	}
	return nil
}

func parseRelaxation(s *space.Space, text string) (r problem.Relaxation, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return r, fmt.Errorf("want FEATURE=TOLERANCE")
	}
	name = strings.TrimSpace(name)
	if r.Feature, ok = s.Index(name); !ok {
		return r, fmt.Errorf("no feature %q; there are %s", name, strings.Join(s.Names(), ", "))
	}
	f := &s.Features[r.Feature]
	switch {
	case f.IsProtected():
		return r, fmt.Errorf("%s is protected, so its copies differ as they like", name)
	case f.Kind == space.Categorical:
		return r, fmt.Errorf("%s has categories, which lie at no distance from each other", name)
	}
	if r.Tolerance, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil || !(r.Tolerance >= 0) {
		return r, fmt.Errorf("%q is no tolerance", value)
	}
	return r, nil
}
