package conformance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/problem"
	"github.com/hyfair/hyfair/sdk/space"
)

var pieceCases = []SolverCase{
	{Name: "network/pieces", Doc: "the pieces are the region, none of it twice, and what is claimed of them holds",
		Needs: needs(problem.FormNetwork, problem.Quantify),
		Run:   func(ctx context.Context, e *SolverEnv) error { return checkPieces(ctx, e, sdk.SolveOptions{Seed: 1}) }},
	{Name: "network/pieces-limited", Doc: "stopped short, the pieces still are the region, and the shares still hold",
		Needs: needs(problem.FormNetwork, problem.Quantify),
		Run: func(ctx context.Context, e *SolverEnv) error {
			return checkPieces(ctx, e, sdk.SolveOptions{Seed: 1, WorkLimit: 3})
		}},
	{Name: "network/pieces-again", Doc: "the same question has the same pieces and the same shares, in another process too",
		Needs: needs(problem.FormNetwork, problem.Quantify), Run: checkPiecesAgain},
	{Name: "network/real-shares", Doc: "of a real-valued feature, shares are shares of its interval",
		Needs: needs(problem.FormNetwork, problem.Quantify), Run: checkRealShares},
}

// divide asks for pieces along with the answer.
func (e *SolverEnv) divide(ctx context.Context, p *problem.Problem, o sdk.SolveOptions) (*sdk.Result, []sdk.Piece, error) {
	var pieces []sdk.Piece
	o.Pieces = func(list []sdk.Piece) { pieces = append(pieces, list...) }
	r, err := e.solve(ctx, p, o)
	if err != nil {
		return nil, nil, err
	}
	return r, pieces, e.check(p, r)
}

func checkPieces(ctx context.Context, e *SolverEnv, o sdk.SolveOptions) error {
	for _, k := range wholeQueries(6) {
		k.q.Goal = problem.Quantify
		p := &problem.Problem{Name: k.name, Query: k.q}
		r, pieces, err := e.divide(ctx, p, o)
		if err != nil {
			return err
		}
		if o.WorkLimit == 0 {
			if err := checkKnownShares(r, referee(k.q)); err != nil {
				return fmt.Errorf("problem %q: %w", k.name, err)
			}
		}
		c := newCensus(k.q, pieces)
		if err := errors.Join(c.check(), c.checkShares(r)); err != nil {
			return fmt.Errorf("problem %q: %w", k.name, err)
		}
	}
	return nil
}

// census is what enumeration counts in each piece.
type census struct {
	q      *problem.Query
	pieces []sdk.Piece
	fair   []int64 // by piece
	unfair []int64
	homes  error // a point in no piece, or in two, or a piece in no region
}

func newCensus(q *problem.Query, pieces []sdk.Piece) *census {
	n := len(pieces)
	c := &census{q: q, pieces: pieces, fair: make([]int64, n), unfair: make([]int64, n)}
	if c.homes = inRegion(q, pieces); c.homes != nil {
		return c
	}
	exact := q.Model.Exact()
	for x := range q.Space.Individuals(q.RegionOrWhole().Box) {
		home, err := homeOf(q.Space, pieces, x)
		if err != nil {
			c.homes = errors.Join(c.homes, err)
			continue
		}
		switch logits := q.Logits(exact, x); {
		case len(logits) == 0 || !q.Describes(x):
		case q.Violates(logits):
			c.unfair[home]++
		default:
			c.fair[home]++
		}
	}
	return c
}

// homeOf finds the one piece that holds x.
func homeOf(s *space.Space, pieces []sdk.Piece, x []float64) (home int, err error) {
	home = -1
	for i := range pieces {
		switch {
		case !inBox(s, pieces[i].Box, x):
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

// inRegion checks that no piece reaches out of the region.
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

func inBox(s *space.Space, b space.Box, x []float64) bool {
	for i := range s.Features {
		if !s.Features[i].IsProtected() && (i >= len(b) || !b[i].Contains(x[i])) {
			return false
		}
	}
	return true
}

// check holds the pieces' claims against the counts.
func (c *census) check() error {
	if c.homes != nil {
		return c.homes
	}
	for i := range c.pieces {
		p := &c.pieces[i]
		var wrong bool
		switch p.Claim {
		case sdk.PieceFair:
			wrong = c.unfair[i] > 0
		case sdk.PieceUnfair:
			wrong = c.fair[i] > 0
		case sdk.PieceOutside:
			wrong = c.fair[i]+c.unfair[i] > 0
		case sdk.PieceUndecided:
		default:
			return fmt.Errorf("piece %v is claimed to be %s", p.Box, p.Claim)
		}
		if wrong {
			return fmt.Errorf("piece %v is claimed to be %s; of its individuals %d are treated fairly and %d are not", p.Box, p.Claim, c.fair[i], c.unfair[i])
		}
		if p.Fair == nil || p.Unfair == nil {
			return fmt.Errorf("piece %v has no counts, though no feature is real", p.Box)
		}
		fair, unfair := p.Fair.Cmp(big.NewInt(c.fair[i])), p.Unfair.Cmp(big.NewInt(c.unfair[i]))
		if fair > 0 || unfair > 0 || p.Claim != sdk.PieceUndecided && fair|unfair != 0 {
			return fmt.Errorf("piece %v, %s, counts %s fair and %s unfair; there are %d and %d", p.Box, p.Claim, p.Fair, p.Unfair, c.fair[i], c.unfair[i])
		}
	}
	return nil
}

// checkShares holds the shares against the pieces, and both against the counts.
func (c *census) checkShares(r *sdk.Result) error {
	if r.Shares == nil {
		return nil
	}
	var all, fair, unfair int64
	counted := new(big.Int)
	for i := range c.pieces {
		all += c.fair[i] + c.unfair[i]
		fair, unfair = fair+c.fair[i], unfair+c.unfair[i]
		if n := c.pieces[i].Fair; n != nil {
			counted.Add(counted, n)
		}
	}
	if all == 0 {
		return errors.New("shares where there are no individuals")
	}
	s := r.Shares
	if s.Fair.Cmp(big.NewRat(fair, all)) > 0 || s.Unfair.Cmp(big.NewRat(unfair, all)) > 0 {
		return fmt.Errorf("the shares %s and %s exceed the truth, %d and %d of %d", s.Fair.RatString(), s.Unfair.RatString(), fair, unfair, all)
	}
	if s.Individuals == nil {
		return nil
	}
	if sum := new(big.Rat).SetFrac(counted, s.Individuals); sum.Cmp(s.Fair) != 0 {
		return fmt.Errorf("the pieces add up to the fair share %s; the answer says %s", sum.RatString(), s.Fair.RatString())
	}
	return nil
}

func checkPiecesAgain(ctx context.Context, e *SolverEnv) error {
	s, err := e.another(ctx)
	if err != nil {
		return err
	}
	other := &SolverEnv{Solver: s, Description: e.Description, Options: e.Options}
	for _, k := range wholeQueries(3) {
		k.q.Goal = problem.Quantify
		p := &problem.Problem{Name: k.name, Query: k.q}
		r, pieces, err := e.divide(ctx, p, sdk.SolveOptions{Seed: 7})
		if err != nil {
			return err
		}
		again, piecesAgain, err := other.divide(ctx, p, sdk.SolveOptions{Seed: 7})
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(r.Shares, again.Shares) {
			return fmt.Errorf("problem %q: the shares are %+v, and then %+v", k.name, r.Shares, again.Shares)
		}
		if !reflect.DeepEqual(pieces, piecesAgain) {
			return fmt.Errorf("problem %q: %d pieces, and then %d that are not the same", k.name, len(pieces), len(piecesAgain))
		}
	}
	return nil
}

func checkRealShares(ctx context.Context, e *SolverEnv) error {
	q, fair := realQuery()
	p := &problem.Problem{Name: "a real feature", Query: q}
	r, pieces, err := e.divide(ctx, p, sdk.SolveOptions{Seed: 1, WorkLimit: 5000})
	switch {
	case errors.Is(err, sdk.ErrUnsupported):
		return skip("declined: %v", err)
	case err != nil:
		return err
	case r.Shares == nil && r.Status == sdk.Unknown:
		return skip("declined: %s", answer(r, nil))
	case r.Shares == nil:
		return fmt.Errorf("%s without shares", answer(r, nil))
	}
	const slip = 1e-9
	proved, refuted := exactShare(r.Shares.Fair), exactShare(r.Shares.Unfair)
	if proved > fair+slip || refuted > 1-fair+slip {
		return fmt.Errorf("the shares %v and %v exceed the truth, %v and %v", proved, refuted, fair, 1-fair)
	}
	length, settled := 0.0, 0.0
	for _, p := range pieces {
		side := p.Box[0]
		if side.Lo < 0 || side.Hi > 2.5 {
			return fmt.Errorf("the piece %v is not in the region", p.Box)
		}
		if p.Fair != nil || p.Unfair != nil {
			return fmt.Errorf("the piece %v counts individuals, of which there is no end", p.Box)
		}
		border := 2.5 * fair
		if p.Claim == sdk.PieceFair && side.Hi > border+slip || p.Claim == sdk.PieceUnfair && side.Lo < border-slip {
			return fmt.Errorf("the piece %v is claimed to be %s; from %v on there are violations", p.Box, p.Claim, border)
		}
		if length += side.Hi - side.Lo; p.Claim == sdk.PieceFair {
			settled += side.Hi - side.Lo
		}
	}
	if math.Abs(length-2.5) > slip {
		return fmt.Errorf("the pieces have a length of %v together; the region has 2.5", length)
	}
	if math.Abs(settled/2.5-proved) > slip {
		return fmt.Errorf("the fair pieces make up %v of the region; the answer says %v", settled/2.5, proved)
	}
	return nil
}

func exactShare(r *big.Rat) float64 {
	v, _ := r.Float64()
	return v
}
