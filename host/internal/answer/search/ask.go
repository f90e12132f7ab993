package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hyfair/hyfair/sdk"
)

// asking is a call of Next under way.
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

// answer waits for the moves and checks their number. nil moves mean that the search is
// over: the strategy has finished, ctx ended, or there is an error.
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
		return nil, r.blame(errors.New("it made no move and did not say that it has finished"))
	case len(moves) > a.want:
		return nil, r.blame(fmt.Errorf("it made %d moves, want at most %d", len(moves), a.want))
	}
	return moves, nil
}

// maxOwn caps the evaluations that a session reports, so that sums of them do not overflow.
const maxOwn = 1 << 60

// tardy is the delay that a busy machine may add to an answer; up to it, the strategy is not
// to blame.
const tardy = 200 * time.Millisecond

// wait returns the session's answer. It abandons a session that takes longer than Patience,
// or that lets a time budget run out after more than half of it, and more than tardy, in this
// call. No error and no moves: ctx ended.
func (a *asking) wait() ([]sdk.Move, error) {
	defer a.cancel()
	select {
	case got := <-a.answers: // however late the host asks for it
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

// in returns an answer that arrived; nothing if ctx ended first.
func (a *asking) in(got answered) ([]sdk.Move, error) {
	if a.ctx.Err() != nil && !errors.Is(got.err, io.EOF) {
		return nil, nil
	}
	return got.moves, got.err
}

// drop cancels the call and gives the session a moment to return: it is closed next, and a
// session takes one call at a time.
func (a *asking) drop() {
	a.cancel()
	select {
	case <-a.answers:
	case <-time.After(hangUp):
	}
}
