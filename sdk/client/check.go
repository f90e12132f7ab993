package client

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/frompb"
	"github.com/hyfair/hyfair/sdk/internal/pb/solverv1"
	"github.com/hyfair/hyfair/sdk/problem"
)

// shape is the form that a problem requires of its answers.
type shape struct {
	form problem.Form
	// quantifies: the answer has shares, and no point.
	quantifies bool
	// width is the number of columns, symbols or features.
	width int
}

func shapeOf(p *problem.Problem) shape {
	switch form := p.Form(); form {
	case problem.FormMILP:
		return shape{form: form, width: len(p.MILP.Columns)}
	case problem.FormSMT:
		return shape{form: form, width: len(p.SMT.Symbols)}
	case problem.FormNetwork:
		if p.Query.Space != nil {
			return shape{form: form, width: len(p.Query.Space.Features), quantifies: p.Query.Goal == problem.Quantify}
		}
	}
	return shape{}
}

// result checks that a claim is well formed for the problem. Only a replay can
// tell whether it is true.
func (s shape) result(r *sdk.Result) error {
	if err := s.values(r.Values); err != nil {
		return err
	}
	if w := r.Witness; w != nil {
		if s.form != problem.FormNetwork {
			return fmt.Errorf("a witness for a problem in the %s form; want values", s.form)
		}
		if len(w.Copy1) != s.width || len(w.Copy2) != s.width {
			return fmt.Errorf("a witness of %d and %d values for %d features", len(w.Copy1), len(w.Copy2), s.width)
		}
	}
	if err := s.shares(r.Shares); err != nil {
		return err
	}
	switch r.Status {
	case sdk.Feasible, sdk.Optimal:
		if s.quantifies && r.Shares == nil {
			return fmt.Errorf("status %s without shares", r.Status)
		}
		if !s.quantifies && !r.HasPoint() {
			return fmt.Errorf("status %s without a point", r.Status)
		}
	case sdk.Infeasible:
		if r.HasPoint() {
			return fmt.Errorf("status %s with a point", r.Status)
		}
	}
	return nil
}

// progress checks that a progress report has values and shares of the problem's shape.
func (s shape) progress(p *sdk.Progress) error {
	return errors.Join(s.values(p.Values), s.shares(p.Shares))
}

// shares checks that shares were asked for; nil is valid.
func (s shape) shares(shares *sdk.Shares) error {
	if shares != nil && !s.quantifies {
		return errors.New("shares, which the problem does not ask for")
	}
	return nil
}

// pieces returns the handler of received pieces. It checks a list, and then calls the
// function wanted with it. Pieces are an error if that function is nil, or if the problem
// is not in the network form.
func (s shape) pieces(wanted func([]sdk.Piece)) func(*solverv1.Pieces) error {
	return func(m *solverv1.Pieces) error {
		if wanted == nil || s.form != problem.FormNetwork {
			return errors.New("pieces, which were not asked for")
		}
		list, err := frompb.Pieces(m)
		if err != nil {
			return err
		}
		for i := range list {
			if len(list[i].Box) != s.width {
				return fmt.Errorf("a piece of %d sides for %d features", len(list[i].Box), s.width)
			}
		}
		if len(list) > 0 {
			wanted(list)
		}
		return nil
	}
}

// values checks the length of a point; nil is valid.
func (s shape) values(values []problem.Number) error {
	if values == nil {
		return nil
	}
	if s.form == problem.FormNetwork {
		return fmt.Errorf("%d values for a problem in the network form, which is answered by a witness", len(values))
	}
	if len(values) != s.width {
		return fmt.Errorf("%d values for %d columns or symbols", len(values), s.width)
	}
	return nil
}

// checkMoves checks a strategy's answer to a request for up to want moves. last is
// the number of the last move before them.
func checkMoves(moves []sdk.Move, want int, last int64, features int) error {
	if len(moves) == 0 || len(moves) > want {
		return fmt.Errorf("%d moves; asked for 1 to %d", len(moves), want)
	}
	for i := range moves {
		m := &moves[i]
		if m.ID <= last {
			return fmt.Errorf("move %d after move %d: numbers must increase", m.ID, last)
		}
		last = m.ID
		if m.Round < 0 || m.Chain < 0 {
			return fmt.Errorf("move %d in round %d of chain %d: want 0 or more for both", m.ID, m.Round, m.Chain)
		}
		if len(m.Point) != features {
			return fmt.Errorf("move %d has %d values for %d features", m.ID, len(m.Point), features)
		}
	}
	return nil
}
