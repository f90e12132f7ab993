package question

import (
	"fmt"
	"math"

	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Grounds is what an answer rests on beside its proof. Results embed it, and show its Caveats
// below their first lines. The zero value says nothing, as results of older versions do.
type Grounds struct {
	// The rule of a positive decision; absent for a score above ½.
	Decision *Decision `json:"decision,omitempty"`
	// The check of the study's inputs.
	InputCheck *study.InputCheck `json:"input_check,omitempty"`
}

// GroundsOf returns the grounds of answers about the study.
func GroundsOf(st *study.Study) Grounds {
	return Grounds{Decision: DecisionOf(st), InputCheck: st.InputCheck()}
}

// DecisionOf is the study's rule; nil for a score above ½.
func DecisionOf(st *study.Study) *Decision {
	if st.Rule.IsDefault() {
		return nil
	}
	return &Decision{fairness.FormatRat(st.Rule.Least()), st.Rule.At}
}

// About leaves out the rule of decisions where an answer is about none.
func (g Grounds) About(decisions bool) Grounds {
	if !decisions {
		g.Decision = nil
	}
	return g
}

// Decision is a decision rule as JSON has it.
type Decision struct {
	// The score that a positive decision exceeds, a decimal or a fraction.
	Threshold string `json:"threshold"`
	// A score equal to the threshold is a positive decision too.
	At bool `json:"at,omitempty"`
}

// Rule is the rule of decisions that the answer is about.
func (g *Grounds) Rule() fairness.Rule { return g.Decision.Rule() }

// Rule is the rule; of nil, a score above ½.
func (d *Decision) Rule() (r fairness.Rule) {
	if d != nil {
		r.At = d.At
		r.Threshold, _ = fairness.ParseThreshold(d.Threshold) // nil, as of ½, for what no version wrote
	}
	return r
}

// shownDoubts is how many doubts a document shows; JSON has all.
const shownDoubts = 3

// Caveats are what a reader must know before the answer: that the study's inputs were not
// checked, and the first few doubts about them. None where there is nothing to say.
func (g *Grounds) Caveats() []view.Block { return g.caveats(shownDoubts) }

// AllCaveats are the Caveats with all doubts.
func (g *Grounds) AllCaveats() []view.Block { return g.caveats(math.MaxInt) }

func (g *Grounds) caveats(most int) []view.Block {
	var blocks []view.Block
	if g.Decision != nil {
		blocks = append(blocks, view.Paragraph{"a decision is positive where the score is " + g.Rule().String()})
	}
	c := g.InputCheck
	if c == nil {
		return blocks
	}
	var out view.Warning
	if !c.Checked {
		out = append(out, g.Unchecked()+": hyfair inspect --scores checks them")
	}
	out = append(out, c.Doubts[:min(len(c.Doubts), most)]...)
	if more := len(c.Doubts) - most; more > 0 {
		out = append(out, fmt.Sprintf("%d more doubts: hyfair inspect shows them", more))
	}
	if out == nil {
		return blocks
	}
	return append(blocks, out)
}

// Unchecked says that the study's inputs were not checked, and why; empty where they were, or
// where the result does not say.
func (g *Grounds) Unchecked() string {
	switch c := g.InputCheck; {
	case c == nil || c.Checked:
		return ""
	case c.Why != "":
		return fmt.Sprintf("%s (%s)", study.NotChecked, c.Why)
	}
	return study.NotChecked
}

// Check says in a line how the study's inputs were checked; empty where they were not.
func (g *Grounds) Check() string {
	switch c := g.InputCheck; {
	case c == nil || !c.Checked:
		return ""
	case c.By == study.ByTraining:
		return "the model was trained on the study's inputs by hyfair"
	default:
		return fmt.Sprintf("checked against the model's own scores: %s rows, at most %.2g apart", view.Count(c.Rows), c.Worst)
	}
}
