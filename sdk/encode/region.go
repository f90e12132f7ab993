package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// firstRegion returns the query's region within the domains. It fails if a feature
// has no value in it, and for individuals near rows, whom no lowering describes.
func firstRegion(q *problem.Query) (space.Region, error) {
	r := q.RegionOrWhole().Clone()
	if q.Within != nil {
		return r, fmt.Errorf("a query for individuals near rows of data (--near), which only the network form states: %w", sdk.ErrUnsupported)
	}
	for i := range q.Space.Features {
		f := &q.Space.Features[i]
		if f.IsProtected() {
			continue
		}
		box := &r.Box[i]
		*box = box.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
		if f.Discrete() {
			*box = space.Interval{Lo: math.Ceil(box.Lo), Hi: math.Floor(box.Hi)}
		}
		if box.Empty() {
			return r, fmt.Errorf("the region leaves feature %q no value", f.Name)
		}
	}
	return r, nil
}

// RelaxedRegion encloses all copies of a query: it extends the region by what
// relaxations let a second copy reach within the domain.
func RelaxedRegion(q *problem.Query) space.Region {
	region := q.RegionOrWhole().Clone()
	for _, r := range q.Relax {
		f := &q.Space.Features[r.Feature]
		box := &region.Box[r.Feature]
		// Rounded outward, as the sums are inexact; then inward to the domain's values.
		reach := space.Interval{
			Lo: math.Nextafter(box.Lo-r.Tolerance, math.Inf(-1)),
			Hi: math.Nextafter(box.Hi+r.Tolerance, math.Inf(1)),
		}
		if f.Discrete() {
			reach = space.Interval{Lo: math.Ceil(reach.Lo), Hi: math.Floor(reach.Hi)}
		}
		*box = reach.Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
	}
	return region
}
