package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hyfair/hyfair/host/internal/experiment"
)

// decision is the kind of a run's answer to its task.
type decision int

const (
	undecided decision = iota
	// witnessed: an individual was found that counts.
	witnessed
	// fair: the entire space was proved fair by the arm's notion, or the arm's single question was
	// settled.
	fair
	// refuted: the space was proved fair, and an individual refutes the proof.
	refuted
)

// answer is a decision and the time it took.
type answer struct {
	decision
	seconds float64
}

// good reports whether the run answered its task: with an individual, or with a proof that no
// individual refutes.
func (a answer) good() bool { return a.decision == witnessed || a.decision == fair }

// answerOf returns the answer of a run. single: its arm asks one question, see Arm.single.
// disproved: a proof of its arm on the subject was refuted.
func (p *Plan) answerOf(r *Result, single, disproved bool) answer {
	switch first := r.first(); {
	case single && (r.LeftOpen == nil || *r.LeftOpen > 0):
		return answer{}
	case single:
	case first != nil:
		return answer{witnessed, first.Seconds}
	case r.Certified < 1 || r.Unfair > 0 || r.Undecided > 0:
		return answer{}
	}
	if disproved {
		return answer{refuted, p.Took(&r.Cost)}
	}
	return answer{fair, p.Took(&r.Cost)}
}

// provedAt returns the seconds until the entire space was proved fair; nil if it was not.
func (a answer) provedAt() *float64 {
	if a.decision != fair {
		return nil
	}
	return &a.seconds
}

// par2 is the time to the answer, or twice the budget without one: the penalised average runtime
// with factor two of solver competitions.
func (r *run) par2() *float64 {
	if !r.good() {
		return new(2 * r.budget)
	}
	return &r.seconds
}

// belowEpsilon is the reason of a task whose arm found only individuals that do not count.
const belowEpsilon = "below ε"

// reason says why a task was not decided; empty if it was.
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
	case len(r.Individuals) > 0 && r.LeftOpen == nil:
		return belowEpsilon
	case len(r.Open) == 0:
		return experiment.ByTime
	}
	return slices.MinFunc(slices.Collect(maps.Keys(r.Open)), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Open[b], r.Open[a]), cmp.Compare(a, b))
	})
}
