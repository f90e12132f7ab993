package soundness

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
)

// Outcome classifies a claim by the truth.
type Outcome string

// Values of Outcome. Wrong is an error of the solver, Untrue one of this package.
const (
	// Found: a witness was found, and replayed. Proved: no individual is treated unfairly, or
	// the value asked for is known.
	Found  Outcome = "found"
	Proved Outcome = "proved"
	// Undecided: the claim is true, but does not answer the question.
	Undecided Outcome = "undecided"
	// Declined: the solver does not take the question. Failed: it was lost.
	Declined Outcome = "declined"
	Failed   Outcome = "failed"
	// Wrong: the claim is false.
	Wrong Outcome = "wrong"
	// Untrue: a replay refutes the truth itself.
	Untrue Outcome = "untrue"
)

// Judge compares a claim about a question with the truth. why says what is wrong or open.
func (t *Truth) Judge(q *Question, c *Claim) (out Outcome, why string) {
	if len(c.Refuted) > 0 {
		return Wrong, c.Refuted[0]
	}
	switch {
	case c.Declined != "":
		return Declined, c.Declined
	case q.Goal == MaxK:
		out, why = q.most(c)
	case q.Goal == Share:
		out, why = t.share(q, c)
	default:
		out, why = q.verdict(c)
	}
	if out == Undecided {
		if c.Error != "" {
			return Failed, c.Error
		}
		why = cmp.Or(why, c.Reason)
	}
	return out, why
}

// slip is the largest distance of two float64s near v that count as equal.
func slip(v float64) float64 { return 1e-9 * math.Max(1, math.Abs(v)) }

// near is how far a bound may exceed the largest gap and still count as equal to it.
const near = 1e-6

// verdict judges an answer about a witness, or about the largest gap.
func (q *Question) verdict(c *Claim) (Outcome, string) {
	lo, hi, limit := q.Margin[0], q.Margin[1], c.Tolerance
	if eps, err := q.threshold(); err == nil && eps != nil {
		of, _ := eps.Float64()
		limit += of
	}
	switch fair := c.Verdict == engine.Fair.String(); {
	case c.Verdict == engine.Unfair.String() && !q.Unfair:
		return Untrue, "a replayed witness, but the truth says that there is none"
	case c.Gap != nil && (q.Unfair || q.Goal == Gap) && *c.Gap > hi+slip(hi):
		return Untrue, fmt.Sprintf("a replayed witness has %.9g, but the truth says at most %.9g", *c.Gap, hi)
	case fair && q.Unfair && lo > limit+slip(limit):
		return Wrong, fmt.Sprintf("it proved (%s) that nothing exceeds %.9g, but there is %.9g", c.Grade, limit, lo)
	case c.Bound != nil && *c.Bound+c.BoundTolerance < lo-slip(lo):
		return Wrong, fmt.Sprintf("it proved that nothing exceeds %.9g, but there is %.9g", *c.Bound+c.BoundTolerance, lo)
	case q.Goal == Gap && (c.Closed || c.Bound != nil && *c.Bound+c.BoundTolerance <= hi+near):
		return Proved, ""
	case q.Goal == Gap:
		return Undecided, ""
	case fair && q.Unfair:
		return Undecided, "fair within its tolerance"
	case fair:
		return Proved, ""
	case c.Verdict == engine.Unfair.String():
		return Found, ""
	}
	return Undecided, ""
}

// most judges an answer about the largest k.
func (q *Question) most(c *Claim) (Outcome, string) {
	switch {
	case c.K == nil:
		return Undecided, ""
	case c.K[0] > q.K:
		return Untrue, fmt.Sprintf("an individual reaches %d bins, but the truth says at most %d", c.K[0], q.K)
	case c.K[1] < q.K:
		return Wrong, fmt.Sprintf("it proved that no individual reaches more than %d bins, but one reaches %d", c.K[1], q.K)
	case c.Closed:
		return Proved, ""
	}
	return Undecided, ""
}

// share judges an answer about the share that is treated unfairly.
func (t *Truth) share(q *Question, c *Claim) (Outcome, string) {
	fair, ok1 := new(big.Rat).SetString(c.Fair)
	unfair, ok2 := new(big.Rat).SetString(c.Unfair)
	people, ok3 := whole(t.People)
	some, ok4 := whole(q.People)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return Undecided, ""
	}
	share := new(big.Rat).SetFrac(some, people)
	switch most := new(big.Rat).Sub(big.NewRat(1, 1), fair); {
	case unfair.Cmp(share) > 0:
		return Wrong, fmt.Sprintf("it proved that %s of all are treated unfairly, but %s of %s are", unfair.FloatString(15), q.People, t.People)
	case most.Cmp(share) < 0:
		return Wrong, fmt.Sprintf("it proved that at most %s of all are treated unfairly, but %s of %s are", most.FloatString(15), q.People, t.People)
	case c.People != "" && c.People != t.People:
		return Wrong, fmt.Sprintf("it counts %s people, but there are %s", c.People, t.People)
	case c.Closed:
		return Proved, ""
	}
	return Undecided, ""
}
