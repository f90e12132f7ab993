package tree

import (
	"math/rand/v2"
	"testing"

	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/sdktest/wild"
)

// What may be looked at is the same for boxes that were bounded and for as much that dives walked
// through, in climbs and in steps of two features.
func TestLooksCountBoxesAndWalks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 33))
	q := latticeOf(r, fairness.Score, 2)
	q.Model = wild.Trees(r, q.Space)
	tr, err := New(q, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	tr.unbounded() // something is left
	enough := int64(4*tr.twoAway()/tr.goal.shareOfClimbs()) + 1
	for _, boxes := range []int64{0, 1, enough / 2, enough} {
		tr.Boxes, tr.walked, tr.climbed = boxes, (enough-boxes)*leavesOfBox, enough/2-1
		if !tr.mayClimb() || !tr.mayStepTwice() {
			t.Errorf("with %d boxes and walks of %d: climbs %v, two steps %v", boxes, enough-boxes, tr.mayClimb(), tr.mayStepTwice())
		}
		tr.walked, tr.Boxes, tr.climbed = 0, enough-2, enough/2
		if tr.mayClimb() || tr.mayStepTwice() {
			t.Errorf("with fewer boxes than it takes: climbs %v, two steps %v", tr.mayClimb(), tr.mayStepTwice())
		}
	}
}
