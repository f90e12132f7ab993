package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk"
)

// Reasons why a task was not solved.
const (
	ByTime     = "time"     // the time limit ended it
	ByBudget   = "budget"   // a limit of another kind ended it
	ByMemory   = "memory"   // the memory limit ended it
	ByFault    = "fault"    // the plugin failed, or its claim was refuted
	ByRefusal  = "refused"  // the plugin does not accept the question, or its method cannot decide it
	ByNumerics = "numerics" // the plugin's arithmetic or tolerance leaves it open
)

// Reason classifies the message about a question that remained open.
func Reason(text string) string {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
	}
	switch {
	case has(sdk.MemoryLimit.String(), " of memory"):
		return ByMemory
	case has(sdk.ErrUnsupported.Error(), sdk.Incomplete.String(), "proves nothing", "does not take", "can only be asked"):
		return ByRefusal
	case has("solver failed", "contradicted itself", "was refuted", "was lost", sdk.ErrPluginExited.Error()):
		return ByFault
	case has(sdk.TimeLimit.String(), sdk.WorkLimit.String(), sdk.Interrupted.String(), "after its time", "wall time"):
		return ByTime
	case has(sdk.Numerical.String(), "tolerance", "stays above"):
		return ByNumerics
	}
	return ByFault
}

// because is an error whose reason is known.
type because struct {
	error
	reason string
}

// Unwrap returns the error itself.
func (b because) Unwrap() error { return b.error }

// Because marks an error with the reason why its task was not solved.
func Because(reason string, err error) error { return because{err, reason} }

// ReasonOf returns the reason that an error is marked with, or else that of its message.
func ReasonOf(err error) string {
	if known := (because{}); errors.As(err, &known) {
		return known.reason
	}
	return Reason(err.Error())
}

// Unsolved counts tasks by the reasons why they were not solved.
type Unsolved map[string]int

// Count counts a task by its reason; an empty reason means that it was solved.
func (u *Unsolved) Count(reason string) {
	if reason == "" {
		return
	}
	if *u == nil {
		*u = Unsolved{}
	}
	(*u)[reason]++
}

// String lists the counts, the largest first.
func (u Unsolved) String() string {
	reasons := slices.SortedFunc(maps.Keys(u), func(a, b string) int { return cmp.Or(cmp.Compare(u[b], u[a]), cmp.Compare(a, b)) })
	if len(reasons) == 0 {
		return "–"
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%d %s", u[r], r)
	}
	return strings.Join(reasons, ", ")
}

// UnsolvedIn is the column that counts unsolved tasks by reason.
func UnsolvedIn(of func(row int) Unsolved) Column {
	return Column{"unsolved", "unsolved", func(i int) view.Cell { return view.Cell{Text: of(i).String()} }, func(rows []int) string {
		sum := Unsolved{}
		for _, i := range rows {
			for reason, n := range of(i) {
				sum[reason] += n
			}
		}
		return sum.String()
	}}
}
