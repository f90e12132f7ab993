package search

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Budget ends a run: after Time since the run's clock started, or after Iter
// closed rounds. Just one of them is set.
type Budget struct {
	Time time.Duration
	Iter int64
}

// ParseBudget reads "10s", "2m30s" or "5000it".
func ParseBudget(text string) (Budget, error) {
	var b Budget
	var err error
	if n, ok := strings.CutSuffix(text, "it"); ok {
		b.Iter, err = strconv.ParseInt(n, 10, 64)
	} else {
		b.Time, err = time.ParseDuration(text)
	}
	if err != nil || b.Time <= 0 && b.Iter <= 0 {
		return Budget{}, fmt.Errorf("budget %q: want a time such as 10s or 5m, or iterations such as 5000it", text)
	}
	return b, nil
}

// String is what ParseBudget reads.
func (b Budget) String() string {
	if b.Iter > 0 {
		return strconv.FormatInt(b.Iter, 10) + "it"
	}
	return b.Time.String()
}
