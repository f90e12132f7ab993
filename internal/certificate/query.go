package certificate

import (
	"errors"
	"fmt"
	"math"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/relu"
	"github.com/hyfair/hyfair/sdk/model/trees"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// FromQuery returns the statement of a certificate for the query. For Decide the claim is that all
// individuals are fair, or that none reaches K bins. For Maximise and MaxK the claim is a bound, set later
// by SetClaim. Relaxations, individuals near rows, excluded individuals and other goals are errors, since a
// certificate cannot express them. If the query's model was lowered for a threshold, the statement is about the original
// model, and names the threshold. If it was lowered by group, the statement is about the lowered model.
func FromQuery(q *problem.Query) (Statement, error) {
	s := Statement{
		Space: q.Space, Region: q.RegionOrWhole().Clone(),
		Notion: q.Notion, Epsilon: q.Epsilon, Require: q.Require, Forbid: q.Forbid, Bands: q.Bands,
	}
	of := q.Model
	if s.Bands != nil {
		s.Epsilon = nil
	}
	if q.Scored != nil && !q.Rule.IsDefault() && q.Rule.Groups == nil {
		of, s.Rule = q.Scored, fairness.Rule{Threshold: q.Rule.Least(), At: q.Rule.At}
	}
	switch m := of.(type) {
	case *relu.Network:
		s.Network = m
	case *trees.Ensemble:
		s.Trees = m
	default:
		return s, sdk.Lacks(q.Model, "layers of ReLU neurons, or trees, for a certificate")
	}
	switch {
	case len(q.Relax) > 0:
		return s, errors.New("a certificate cannot be about a relaxed query")
	case q.Within != nil:
		return s, errors.New("a certificate cannot be about individuals near rows of data (--near)")
	case len(q.Exclude) > 0:
		return s, errors.New("a certificate cannot be about a query that excludes single individuals")
	}
	switch q.Goal {
	case problem.Decide:
		if s.Claim = (Claim{Kind: Fair}); q.Reach() > 0 {
			s.Claim = Claim{Kind: MaxK, K: q.Reach() - 1}
		}
	case problem.Maximise, problem.MaxK:
	default:
		return s, fmt.Errorf("a certificate cannot be about a query with the goal %s", q.Goal)
	}
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		if f.IsProtected() {
			continue
		}
		iv := s.Region.Box[i].Intersect(space.Interval{Lo: f.Lo, Hi: f.Hi})
		if f.Discrete() {
			iv = space.Interval{Lo: math.Ceil(iv.Lo), Hi: math.Floor(iv.Hi)}
		}
		s.Region.Box[i] = iv
	}
	return s, s.validateSubject()
}
