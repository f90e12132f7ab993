package mitigate

import "fmt"

// Remarks are sentences about the arms, in order: which refuse too many rows, lose too much
// accuracy or make things worse, and why arms were skipped.
func Remarks(outcomes []Outcome) []string {
	var original *Outcome
	for i := range outcomes {
		if o := &outcomes[i]; o.Arm == (Arm{Way: Original}) && o.Skipped == "" {
			original = o
		}
	}
	var out []string
	for i := range outcomes {
		o := &outcomes[i]
		for _, text := range o.remarks(original, outcomes) {
			out = append(out, o.Arm.String()+": "+text)
		}
	}
	return out
}

// remarks returns the remarks on one arm; original is nil if it was not searched.
func (o *Outcome) remarks(original *Outcome, all []Outcome) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if o.Skipped != "" {
		say("left out: %s", o.Skipped)
		return out
	}
	q := &o.Quality
	switch {
	case q.Rows > 0 && q.Answered == 0:
		say("the guardrails refuse everybody, which is no success whatever the other columns say")
	case q.refusesMany():
		say("the guardrails refuse %s %% of the rows, which is no success whatever the other columns say", percent(q.Refused))
	}
	if o.LeftOut > 0 {
		say("%d further rules are left out, which would have refused too many", o.LeftOut)
	}
	switch {
	case o.Arm.Way == Blind:
		say("no score depends on a protected attribute any more: k is 1 for everybody, by construction")
	case o.ID() == 0 && q.Unfair != nil && *q.Unfair > 0:
		say("the search found no individual, but %s %% of the people answered have %s", percent(q.Unfair), unfair(o.Banded))
	case o.tooFew(all):
		say("the search found no individual in %.0f rounds, too few to tell", o.rounds())
	case o.ID() == 0 && !q.refusesMany():
		say("the search found no individual, which proves nothing: hyfair certify may")
	}
	if original == nil || o == original {
		return out
	}
	if before, after := original.Quality.AccuracyAnswered, q.AccuracyAnswered; before != nil && after != nil && *before-*after > DearLoss {
		say("costs %.2f points of accuracy on the answered rows", 100*(*before-*after))
	}
	if before, after := original.MaxK(), o.MaxK(); after > before {
		say("the largest k found rose from %.0f to %.0f", before, after)
	}
	return out
}

// unfair completes "people have" for those who are treated unfairly.
func unfair(banded bool) string {
	if banded {
		return "copies in different bands"
	}
	return "a gap above ε"
}

// leastRounds is the least number of rounds without a find that is worth reporting as a
// success.
const leastRounds = 30

// tooFew reports a search without a find that was too short to be evidence. At the
// original's rate a search finds an individual within 3/rate rounds in 19 of 20 cases.
func (o *Outcome) tooFew(all []Outcome) bool {
	if o.Skipped != "" || o.Arm.Way == Blind || o.ID() > 0 {
		return false
	}
	enough := float64(leastRounds)
	for i := range all {
		if a := &all[i]; a.Arm == (Arm{Way: Original}) && a.Skipped == "" && a.ID() > 0 {
			enough = max(enough, 3*a.rounds()/a.ID())
		}
	}
	return o.rounds() < enough
}

// rounds returns the total number of rounds over all runs of the arm.
func (o *Outcome) rounds() (n float64) {
	for i := range o.Runs {
		if m := o.Runs[i].Iter; m != nil {
			n += *m
		}
	}
	return n
}
