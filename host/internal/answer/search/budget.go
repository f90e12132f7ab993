package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Budget ends a run: after Time since the run's clock started, after Iter
// closed rounds, or after Evals evaluated individuals, including the strategy's
// own. Exactly one of them is set.
type Budget struct {
	Time  time.Duration
	Iter  int64
	Evals int64
}

// ParseBudget reads "10s", "2m30s", "5000it" or "100000ev".
func ParseBudget(text string) (Budget, error) {
	var b Budget
	var err error
	if n, ok := strings.CutSuffix(text, "it"); ok {
		b.Iter, err = strconv.ParseInt(n, 10, 64)
	} else if n, ok := strings.CutSuffix(text, "ev"); ok {
		b.Evals, err = strconv.ParseInt(n, 10, 64)
	} else {
		b.Time, err = time.ParseDuration(text)
	}
	if err != nil || b.Time <= 0 && b.Iter <= 0 && b.Evals <= 0 {
		return Budget{}, fmt.Errorf("budget %q: want more than 0, as a time such as 10s or 5m, as iterations such as 5000it, or as evaluations such as 100000ev", text)
	}
	return b, nil
}

// tooSmall returns advice for a budget that did not suffice for a round.
func (b Budget) tooSmall() string {
	switch {
	case b.Iter > 0:
		return "the strategy completed no round"
	case b.Evals > 0:
		b.Evals = max(100_000, 10*b.Evals)
	default:
		b.Time = max(10*time.Second, 10*b.Time)
	}
	return "that is too small a budget for a round: try --budget " + b.String()
}

// String returns the budget in the syntax of ParseBudget.
func (b Budget) String() string {
	switch {
	case b.Iter > 0:
		return strconv.FormatInt(b.Iter, 10) + "it"
	case b.Evals > 0:
		return strconv.FormatInt(b.Evals, 10) + "ev"
	}
	return b.Time.String()
}
