package session

import (
	"context"
	"testing"
	"time"
)

// What a line of progress says of time: how long so far, how much of a limit is left, how fast.
func TestProgressInTime(t *testing.T) {
	if got := Clock(12300*time.Millisecond, 0); got != "12.3 s" {
		t.Errorf("without a limit: %q", got)
	}
	if got := Clock(12300*time.Millisecond, time.Minute); got != "12.3 s, 47.7 s left" {
		t.Errorf("with a limit: %q", got)
	}
	if got := Clock(61*time.Second, time.Minute); got != "61.0 s, 0.0 s left" {
		t.Errorf("past the limit: %q", got)
	}
	for _, c := range []struct {
		n       int64
		elapsed time.Duration
		want    string
	}{{0, time.Minute, ""}, {9, time.Millisecond, ""}, {10_000, 4 * time.Second, ", 2,500 a second"}} {
		if got := Rate(c.n, c.elapsed); got != c.want {
			t.Errorf("%d in %v: %q, want %q", c.n, c.elapsed, got, c.want)
		}
	}
	if left := Left(t.Context(), time.Second); left != 0 {
		t.Errorf("without a deadline: %v", left)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Hour))
	defer cancel()
	if left := Left(ctx, time.Second); left != time.Second {
		t.Errorf("past the deadline: %v", left)
	}
}
