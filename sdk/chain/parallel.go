package chain

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hyfair/hyfair/sdk"
)

// FastRules are a strategy's part of the rounds of Parallel. One value serves all
// chains: it draws from the chain's rng only, and carries nothing from chain to chain.
type FastRules interface {
	// Propose gives the candidate for current, which it must not modify.
	Propose(rng *rand.Rand, current []float64) []float64
	// AcceptTrial decides whether the candidate replaces the current individual;
	// both are evaluated. age counts the rounds since the chain's last start.
	AcceptTrial(rng *rand.Rand, current, candidate *sdk.Trial, age int64) bool
}

// Parallel advances several chains side by side, for searches with
// StartOptions.Chains above 1. Each chain has its own random numbers and one
// move in flight; a call of Next makes one move for each idle chain, up to want,
// longest idle first. It is an sdk.Session with Lag 1 and never finishes by
// itself. Not safe for concurrent use.
//
// A chain differs from Algorithm 1 as follows:
//
//	current ← a row                                         MovePoint
//	for each round
//	    candidate ← Propose(current); ask for its k         MovePoint
//	    if Accept(current, candidate): current ← candidate
//	    if nothing better than the chain's best came up for patience rounds:
//	        current ← ask for an individual near current    MoveSeedFrom
//	        without one: current ← a row                    MovePoint
//
// so the solver is not called in every round, and the strategy has patience rounds
// to leave a plateau. Better means more bins or, with equally many, a larger
// entropy of the distribution over them.
type Parallel struct {
	domain   *Domain
	rules    FastRules
	patience int64

	chains   []walker
	ready    []int // idle chains, longest idle first
	inFlight map[int64]int
	lastID   int64
	noSolver bool
}

// walker is the state of one chain. Its random numbers depend on no other chain.
type walker struct {
	rng     *rand.Rand
	current sdk.Trial // Point is nil until the first individual is known
	best    float64   // largest value since the last start
	stale   int64     // rounds since best grew
	age     int64     // rounds since the last start
	round   int64
	step    step
}

// NewParallel starts the chains on the domain. A chain starts again after patience
// rounds without progress; 0: never. seed drives every draw.
func NewParallel(d *Domain, r FastRules, chains int, patience, seed int64) *Parallel {
	p := &Parallel{domain: d, rules: r, patience: patience, chains: make([]walker, chains), inFlight: map[int64]int{}}
	for i := range p.chains {
		p.chains[i] = walker{rng: Random(seed, i), step: restart}
		p.ready = append(p.ready, i)
	}
	return p
}

// Value orders individuals of a fast search: by k, then by the Shannon entropy
// of the distribution over the bins, which is below 16 bits.
func Value(t *sdk.Trial) float64 { return float64(t.K) + t.Shannon/16 }

// Next implements sdk.Session.
func (p *Parallel) Next(ctx context.Context, told []sdk.Trial, want int) ([]sdk.Move, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if want < 1 {
		return nil, fmt.Errorf("asked for %d moves; the least is 1", want)
	}
	for i := range told {
		n, ok := p.inFlight[told[i].ID]
		if !ok {
			return nil, fmt.Errorf("got the trial of move %d, which is not pending", told[i].ID)
		}
		delete(p.inFlight, told[i].ID)
		p.learn(&p.chains[n], &told[i])
		p.ready = append(p.ready, n)
	}
	if len(p.ready) == 0 {
		return nil, errors.New("asked for moves while every chain waits for the trial of its last move")
	}
	n := min(want, len(p.ready))
	moves := make([]sdk.Move, n)
	for i, c := range p.ready[:n] {
		moves[i] = p.move(c)
	}
	p.ready = slices.Delete(p.ready, 0, n)
	return moves, nil
}

// Close releases nothing; it is there for sdk.Session.
func (p *Parallel) Close() error { return nil }

// move makes the move that a chain's step calls for, and gives it the next ID.
func (p *Parallel) move(c int) sdk.Move {
	w := &p.chains[c]
	kind := sdk.MovePoint
	var x []float64
	switch w.step {
	case restart:
		x = p.domain.Row(w.rng)
	case seeding:
		kind, x = sdk.MoveSeedFrom, slices.Clone(w.current.Point)
	default:
		x = p.rules.Propose(w.rng, w.current.Point)
	}
	p.lastID++
	p.inFlight[p.lastID] = c
	return sdk.Move{ID: p.lastID, Round: w.round, Chain: c, Kind: kind, Point: x}
}

// learn takes the trial of the chain's move and settles its next step.
func (p *Parallel) learn(w *walker, t *sdk.Trial) {
	evaluated := t.Status == sdk.TrialEvaluated
	switch {
	case t.Status == sdk.TrialNoSolver:
		p.noSolver = true
		w.step = restart
	case w.step != candidate && evaluated:
		w.current, w.best, w.stale, w.age = *t, Value(t), 0, 0
		w.step = candidate
	case w.step == seeding:
		w.step = restart
	case w.step == restart:
		w.round++ // the row cannot be evaluated; the next one opens another round
	default:
		p.closeRound(w, t, evaluated)
	}
}

func (p *Parallel) closeRound(w *walker, t *sdk.Trial, evaluated bool) {
	if evaluated && p.rules.AcceptTrial(w.rng, &w.current, t, w.age) {
		w.current = *t
	}
	w.round++
	w.age++
	w.stale++
	if v := Value(&w.current); v > w.best {
		w.best, w.stale = v, 0
	}
	if p.patience > 0 && w.stale >= p.patience {
		if w.step = seeding; p.noSolver {
			w.step = restart
		}
	}
}
