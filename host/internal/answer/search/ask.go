package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hyfair/hyfair/sdk"
)

// asking is a Next under way.
type asking struct {
	r       *run
	ctx     context.Context
	want    int
	asked   time.Time
	answers chan answered
	cancel  context.CancelFunc
}

type answered struct {
	moves []sdk.Move
	err   error
}

// ask asks the session for moves and does not wait for them.
func (r *run) ask(ctx context.Context, told []sdk.Trial, want int) *asking {
	calling, cancel := context.WithCancel(ctx)
	a := &asking{r: r, ctx: ctx, want: want, asked: time.Now(), answers: make(chan answered, 1), cancel: cancel}
	go func() {
		moves, err := r.session.Next(calling, told, want)
		a.answers <- answered{moves, err}
	}()
	return a
}

// answer waits for the moves and checks their number. nil moves: the search is
// over, by what the strategy says, by ctx, or by the error.
func (a *asking) answer() ([]sdk.Move, error) {
	r := a.r
	moves, err := a.wait()
	finished := errors.Is(err, io.EOF)
	if e, ok := r.session.(sdk.Evaluating); ok && (moves != nil || finished) { // else Next may still run
		r.own = min(max(e.Evaluations(), r.own), maxOwn)
	}
	switch {
	case finished:
		r.rounds.finish()
		if limit := r.Budget.Iter; limit > 0 {
			r.rounds.closed = min(r.rounds.closed, limit)
		}
		return nil, nil
	case err != nil:
		return nil, r.fault(r.Strategy, err)
	case a.ctx.Err() != nil:
		return nil, nil
	case len(moves) == 0:
		return nil, r.blame(errors.New("no move was made, and the search was not said to be finished"))
	case len(moves) > a.want:
		return nil, r.blame(fmt.Errorf("%d moves were made where %d was asked for", len(moves), a.want))
	}
	return moves, nil
}

// maxOwn caps the evaluations that a session reports, so that sums of them do not overflow.
const maxOwn = 1 << 60

// tardy is the delay that a busy machine may add to an answer: a shorter one is no fault of
// the strategy.
const tardy = 200 * time.Millisecond

// wait returns the session's answer. It abandons a session that takes longer than Patience,
// or that lets a time budget run out after more than half of it, and more than tardy, in this
// call. No error and no moves: ctx ended.
func (a *asking) wait() ([]sdk.Move, error) {
	defer a.cancel()
	select {
	case got := <-a.answers: // however late the host comes for it
		return a.in(got)
	default:
	}
	patience := time.NewTimer(time.Until(a.asked.Add(a.r.Patience)))
	defer patience.Stop()
	select {
	case got := <-a.answers:
		return a.in(got)
	case <-patience.C:
	case <-a.ctx.Done():
	}
	late := time.Since(a.asked)
	a.drop()
	ranOut := errors.Is(context.Cause(a.ctx), context.DeadlineExceeded) && late >= max(a.r.Budget.Time/2, tardy)
	if late >= a.r.Patience || ranOut {
		return nil, fmt.Errorf("strategy %s: no answer for %.1f s", a.r.Strategy, late.Seconds())
	}
	return nil, nil
}

// in is an answer that came in: nothing where ctx ended first.
func (a *asking) in(got answered) ([]sdk.Move, error) {
	if a.ctx.Err() != nil && !errors.Is(got.err, io.EOF) {
		return nil, nil
	}
	return got.moves, got.err
}

// drop withdraws the open question, and gives the session a moment to return: it is closed
// next, and calls come one at a time.
func (a *asking) drop() {
	a.cancel()
	select {
	case <-a.answers:
	case <-time.After(hangUp):
	}
}
