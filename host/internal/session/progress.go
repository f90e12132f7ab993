package session

import (
	"context"
	"fmt"
	"time"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Left returns the time left until the context's deadline, plus elapsed: the total time of an
// operation; 0: no deadline.
func Left(ctx context.Context, elapsed time.Duration) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max(elapsed, elapsed+time.Until(deadline))
}

// Clock formats elapsed time and, unless limit is 0, the remaining time, for a line of
// progress.
func Clock(elapsed, limit time.Duration) string {
	text := view.Seconds(elapsed.Seconds())
	if limit > 0 {
		text += fmt.Sprintf(", %s left", view.Seconds(max(0, limit-elapsed).Seconds()))
	}
	return text
}

// Rate formats a number per second for a line of progress; empty at the start.
func Rate(n int64, elapsed time.Duration) string {
	if n == 0 || elapsed < time.Second {
		return ""
	}
	return fmt.Sprintf(", %s a second", view.Count(int64(float64(n)/elapsed.Seconds())))
}
