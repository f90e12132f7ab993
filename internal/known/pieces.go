package known

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

// Within checks that shares, which a solver may report while it runs, do not exceed the true
// ones.
func (t *Truth) Within(s *sdk.Shares) error {
	all := max(int64(len(t.People)), 1)
	unfair := int64(t.Unfair)
	if s.Fair.Cmp(big.NewRat(int64(len(t.People))-unfair, all)) > 0 || s.Unfair.Cmp(big.NewRat(unfair, all)) > 0 {
		return fmt.Errorf("the shares %s and %s exceed the truth, %d unfair of %d", s.Fair.RatString(), s.Unfair.RatString(), unfair, len(t.People))
	}
	return nil
}

// Shares compares an answer to Quantify with the number of individuals. Such a small problem
// must be answered in full.
func (t *Truth) Shares(r *sdk.Result) error {
	all := int64(len(t.People))
	switch {
	case all == 0 && r.Status != sdk.Infeasible:
		return fmt.Errorf("the question is about no individual; want infeasible, got %s", Said(r, nil))
	case all == 0:
		return nil
	case r.Status != sdk.Optimal:
		return fmt.Errorf("no answer to a small problem: %s", Said(r, nil))
	}
	if want := big.NewRat(int64(t.Unfair), all); r.Shares.Unfair.Cmp(want) != 0 {
		return fmt.Errorf("the unfair share is %s; counting finds %s", r.Shares.Unfair.RatString(), want.RatString())
	}
	if n := r.Shares.Individuals; n != nil && n.Cmp(big.NewInt(all)) != 0 {
		return fmt.Errorf("the answer has %s individuals; counting finds %d", n, all)
	}
	return nil
}

// Pieces checks the pieces of a region, for any goal, against every individual: they cover
// the region, they do not overlap, and what they claim is true. For Quantify it also
// checks their counts, and that these add up to the shares.
func (e Referee) Pieces(q *problem.Query, r *sdk.Result, pieces []sdk.Piece) error {
	if err := inRegion(q, pieces); err != nil {
		return err
	}
	var faults error
	truth := &Truth{}
	fair, unfair := make([]int64, len(pieces)), make([]int64, len(pieces))
	exact := q.Model.Exact()
	for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
		home, err := homeOf(q.Space, pieces, x)
		if err != nil {
			faults = errors.Join(faults, err)
			continue
		}
		logits := q.Logits(exact, x)
		if len(logits) == 0 || !q.Describes(x) {
			continue
		}
		p := Person{Logits: logits, Unfair: q.Violates(logits)}
		truth.People = append(truth.People, p)
		if p.Unfair {
			truth.Unfair++
			unfair[home]++
		} else {
			fair[home]++
		}
		wrong := false
		switch claim := pieces[home].Claim; {
		case claim == sdk.PieceOutside:
			wrong = true
		case claim == sdk.PieceUnfair:
			wrong = !p.Unfair
		case claim == sdk.PieceFair && (q.Goal == problem.Decide || q.Goal == problem.Quantify):
			wrong = p.Unfair
		case claim == sdk.PieceFair && r.HasBound:
			lo, hi := Value(q, logits)
			wrong = sign(maximises(q))*(lo-r.Bound) > e.Slack(hi)
		}
		if wrong {
			faults = errors.Join(faults, fmt.Errorf("the piece %v is claimed to be %s, but contains %v, which is not", pieces[home].Box, pieces[home].Claim, x))
		}
	}
	if faults != nil || q.Goal != problem.Quantify {
		return faults
	}
	counted := new(big.Int)
	for i := range pieces {
		p := &pieces[i]
		if !slices.Contains(sdk.PieceClaims, p.Claim) {
			return fmt.Errorf("the piece %v is claimed to be %s, want one of %v", p.Box, p.Claim, sdk.PieceClaims)
		}
		if p.Fair == nil || p.Unfair == nil {
			return fmt.Errorf("the piece %v has no counts, though no feature is real", p.Box)
		}
		f, u := p.Fair.Cmp(big.NewInt(fair[i])), p.Unfair.Cmp(big.NewInt(unfair[i]))
		if f > 0 || u > 0 || p.Claim != sdk.PieceUndecided && f|u != 0 {
			return fmt.Errorf("the piece %v, %s, counts %s fair and %s unfair; there are %d and %d", p.Box, p.Claim, p.Fair, p.Unfair, fair[i], unfair[i])
		}
		counted.Add(counted, p.Fair)
	}
	s := r.Shares
	if s == nil {
		return nil
	}
	if err := truth.Within(s); err != nil || s.Individuals == nil {
		return err
	}
	if len(truth.People) == 0 {
		return errors.New("shares for a question about no individual")
	}
	if sum := new(big.Rat).SetFrac(counted, s.Individuals); sum.Cmp(s.Fair) != 0 {
		return fmt.Errorf("the pieces add up to the fair share %s; the answer says %s", sum.RatString(), s.Fair.RatString())
	}
	return nil
}

// inRegion checks that every piece lies in the region.
func inRegion(q *problem.Query, pieces []sdk.Piece) error {
	region := q.RegionOrWhole().Box
	for i := range pieces {
		b := pieces[i].Box
		if len(b) != len(region) {
			return fmt.Errorf("the piece %v has %d sides for %d features", b, len(b), len(region))
		}
		for _, k := range q.Space.Free() {
			if !(b[k].Lo >= region[k].Lo && b[k].Lo <= b[k].Hi && b[k].Hi <= region[k].Hi) {
				return fmt.Errorf("the piece %v is not in the region at feature %q", b, q.Space.Features[k].Name)
			}
		}
	}
	return nil
}

// homeOf returns the index of the one piece that contains x.
func homeOf(s *space.Space, pieces []sdk.Piece, x []float64) (home int, err error) {
	home = -1
	free := s.Free()
	for i := range pieces {
		switch {
		case slices.ContainsFunc(free, func(k int) bool { return !pieces[i].Box[k].Contains(x[k]) }):
		case home >= 0:
			return 0, fmt.Errorf("the pieces %v and %v both hold %v", pieces[home].Box, pieces[i].Box, x)
		default:
			home = i
		}
	}
	if home < 0 {
		return 0, fmt.Errorf("no piece holds %v", x)
	}
	return home, nil
}
