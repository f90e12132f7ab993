package encode

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// firstRegion is the query's region within the domains; one in which a feature
// has no value is an error.
func firstRegion(q *problem.Query) (space.Region, error) {
	r := q.RegionOrWhole().Clone()
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

// RelaxedRegion encloses all copies of a query: the region, and beyond it what
// the relaxations let a second copy reach within the domain.
func RelaxedRegion(q *problem.Query) space.Region {
	region := q.RegionOrWhole().Clone()
	for _, r := range q.Relax {
		f := &q.Space.Features[r.Feature]
		box := &region.Box[r.Feature]
		// Outward, as the sums may round; then inward to the values there are.
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
