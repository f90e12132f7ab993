package search

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
)

// Bounds on what a strategy may do, far above what any needs. A strategy that
// exceeds them is broken: it would take memory without limit, or never end under
// a budget in iterations.
const (
	// MaxChains bounds the chains of a run.
	MaxChains        = 4096
	maxMovesPerRound = 100_000
)

// rounds checks the moves' numbering and counts closed rounds. A round is closed when its
// chain begins a later one: moves are answered in order, so all moves of the round have been
// answered by then.
type rounds struct {
	lastID int64
	chains map[int]*chainState
	closed int64
}

type chainState struct {
	round int64
	moves int
}

// admit takes the next move. An error says how the strategy broke the rules.
func (r *rounds) admit(m *sdk.Move) error {
	if m.ID <= r.lastID && len(r.chains) > 0 {
		return fmt.Errorf("move %d after move %d: identifiers must increase", m.ID, r.lastID)
	}
	r.lastID = m.ID
	if m.Kind != sdk.MovePoint && m.Kind != sdk.MoveSeedFrom {
		return fmt.Errorf("move %d is of the unknown kind %d", m.ID, m.Kind)
	}
	if m.Chain < 0 || m.Chain >= MaxChains {
		return fmt.Errorf("move %d: chain %d is outside 0 to %d", m.ID, m.Chain, MaxChains-1)
	}
	c := r.chains[m.Chain]
	switch {
	case m.Round < 0 || c != nil && m.Round < c.round:
		return fmt.Errorf("move %d: round %d; the rounds of a chain start at 0 and never go back", m.ID, m.Round)
	case c == nil:
		c = &chainState{round: m.Round}
		if r.chains == nil {
			r.chains = map[int]*chainState{}
		}
		r.chains[m.Chain] = c
	case m.Round > c.round:
		r.closed++
		*c = chainState{round: m.Round}
	}
	if c.moves++; c.moves > maxMovesPerRound {
		return fmt.Errorf("move %d: more than %d moves in round %d", m.ID, maxMovesPerRound, m.Round)
	}
	return nil
}

// finish closes the rounds under way when the strategy has finished.
func (r *rounds) finish() {
	r.closed += int64(len(r.chains))
	r.chains = nil
}
