package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/system/overtime"
	"github.com/hyfair/hyfair/host/internal/view"
)

// scored does work in which a study's model may be a plugin. Such work blocks when the plugin fails or the
// budget of rows is spent. After a failure scored returns the failure, and after the budget a partial
// result, if the work returns one, as it does at a deadline.
func scored[R, P any](ctx context.Context, a *App, s *session.Session, answer func(context.Context, *session.Session, R) (P, error), request R) (out P, err error) {
	if a.Calls < 0 {
		return out, usage(fmt.Errorf("--calls %d: want 1 or more; leave it out for no limit", a.Calls))
	}
	hub := &scorer.Hub{Plugins: s.Plugins, Journal: s.Journal, Budget: a.Calls}
	if a.line != nil {
		hub.Asked = func(rows int64) { a.line.beside(view.Count(rows) + " rows scored") }
	}
	scorer.Use(hub)
	defer func() { err = errors.Join(err, hub.Close()) }()
	cancel := func(error) {}
	if a.Calls > 0 {
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
	}
	type answered struct {
		out P
		err error
	}
	done := make(chan answered, 1)
	go func() {
		var got answered
		got.out, got.err = answer(ctx, s, request)
		done <- got
	}()
	select {
	case got := <-done:
		return got.out, got.err
	case <-ctx.Done():
		if !hub.Busy() {
			got := <-done
			return got.out, got.err
		}
	case <-hub.Ended():
		if !errors.Is(hub.Err(), scorer.ErrBudget) {
			return out, hub.Err()
		}
		cancel(fmt.Errorf("%w: %w", context.DeadlineExceeded, hub.Err()))
	}
	select {
	case got := <-done:
		why := hub.Err()
		switch a.spent = why != nil; {
		case a.spent && got.err == nil:
			s.Note("%v: the result is about the rows that were asked about before", why)
		case a.spent && (errors.Is(got.err, context.Canceled) || errors.Is(got.err, context.DeadlineExceeded)):
			got.err = why
		}
		return got.out, got.err
	case <-time.After(3 * overtime.Allowed):
		return out, cmp.Or(hub.Err(), context.Cause(ctx))
	}
}
