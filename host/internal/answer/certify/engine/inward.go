package engine

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Inward returns the query with its region cut to the domains, and the ends of discrete
// features rounded inward to their values; q is not changed. A region that leaves a feature
// without values is ErrInvalidProblem, since "fair" would be vacuous. The query must be
// valid otherwise.
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
