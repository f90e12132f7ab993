package certify

import (
	"fmt"
	"math"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Inward is the query with its region cut to the domains, the ends of discrete
// features to values that they have; the query itself is not changed. A
// region that leaves a feature no value is ErrInvalidProblem: nobody lives
// there, and "fair" would be said of nothing. The query must be valid otherwise.
func Inward(q *problem.Query) (*problem.Query, error) {
	if q.Region.Box == nil {
		return q, nil
	}
	out := *q
	out.Region = q.Region.Clone()
	for _, i := range q.Space.Free() {
		f := &q.Space.Features[i]
		iv := q.Region.Box[i].Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
		if f.Discrete() {
			iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
		}
		if iv.Empty() {
			return nil, fmt.Errorf("%w: the region leaves feature %q no value", sdk.ErrInvalidProblem, f.Name)
		}
		out.Region.Box[i] = iv
	}
	return &out, nil
}

// speaksOfCopies reports that a predicate of the query is about a protected
// feature, and so about one of the copies.
func speaksOfCopies(q *problem.Query) bool {
	protected := func(p space.Predicate) bool {
		return slices.ContainsFunc(p, func(c space.Condition) bool { return q.Space.Features[c.Feature].IsProtected() })
	}
	return slices.ContainsFunc(q.Require, protected) || slices.ContainsFunc(q.Forbid, protected)
}
