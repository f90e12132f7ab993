package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hyfair/hyfair/host/internal/experiment"
)

// decision is whether, when and how a run of an arm answered its task.
type decision int

const (
	undecided decision = iota
	// found: an individual that counts.
	witnessed
	// fair: the whole space was proved so, by the arm's notion.
	fair
	// refuted: proved fair, and an individual refutes it.
	refuted
)

// answer is one of them.
type answer struct {
	decision
	seconds float64
}

// good reports an answer that counts.
func (a answer) good() bool { return a.decision == witnessed || a.decision == fair }

// answerOf is that of a run. Who is above a limit that holds everywhere refutes every proof
// of it.
func (p *Plan) answerOf(r *Result, lied bool) answer {
	switch first := r.first(); {
	case first != nil:
		return answer{witnessed, first.Seconds}
	case r.Certified < 1 || r.Unfair > 0 || r.Undecided > 0:
		return answer{}
	case lied:
		return answer{refuted, p.Took(&r.Cost)}
	}
	return answer{fair, p.Took(&r.Cost)}
}

// provedAt is when the whole space was proved fair; nil where it was not.
func (a answer) provedAt() *float64 {
	if a.decision != fair {
		return nil
	}
	return &a.seconds
}

// par2 is the time to the answer, or where there is none twice the budget: the penalised
// average runtime with factor two of solver competitions.
func (r *run) par2() *float64 {
	if !r.good() {
		return new(2 * r.budget)
	}
	return &r.seconds
}

// belowEpsilon is the reason of a task whose arm found only individuals that do not count.
const belowEpsilon = "below ε"

// reason says why a task was not decided; empty where it was.
func (p *Plan) reason(r *run) string {
	const near = 0.9 // questions end slightly before the budget does
	switch {
	case r.good():
		return ""
	case r.MemoryKilled > 0:
		return experiment.ByMemory
	case r.decision == refuted:
		return experiment.ByFault
	case r.Error != "":
		return experiment.Reason(r.Error)
	case r.Killed || p.Took(&r.Cost) >= near*r.budget:
		return experiment.ByTime
	case len(r.Individuals) > 0:
		return belowEpsilon
	case len(r.Open) == 0:
		return experiment.ByTime
	}
	return slices.MinFunc(slices.Collect(maps.Keys(r.Open)), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Open[b], r.Open[a]), cmp.Compare(a, b))
	})
}
