package question

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/question/scorer"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Grounds holds what an answer depends on besides its proof. Results embed it, and show its
// Caveats below their first lines. The zero value, as in results of older versions, means unknown.
type Grounds struct {
	// The rule of a positive decision; absent for a score above ½ that is favourable.
	Decision *Decision `json:"decision,omitempty"`
	// The check of the study's inputs.
	InputCheck *study.InputCheck `json:"input_check,omitempty"`
	// The answers of a model plugin that the result rests on, and what they cost: it is observed, and nothing
	// is proved about the model. Absent for a model that was read.
	Observed *scorer.Spent `json:"observed,omitempty"`
}

// GroundsOf returns the grounds of answers about the study.
func GroundsOf(st *study.Study) Grounds {
	return Grounds{Decision: DecisionOf(st), InputCheck: st.InputCheck(), Observed: st.Spent}
}

// DecisionOf returns the study's rule; nil for the default one, by which a score above ½ is the favourable decision.
func DecisionOf(st *study.Study) *Decision {
	if st.Bands != nil {
		d := &Decision{}
		for _, b := range st.Bands {
			d.Bands = append(d.Bands, Band{b.Name, fairness.FormatRat(b.Least)})
		}
		if !st.Rule.Low {
			slices.Reverse(d.Bands)
		}
		return d
	}
	if st.Rule.IsDefault() && !st.Rule.Low {
		return nil
	}
	d := &Decision{At: st.Rule.At}
	for _, g := range st.Rule.Groups {
		d.Groups = append(d.Groups, Group{g.Name, fairness.FormatRat(g.Threshold)})
	}
	if d.Groups == nil {
		d.Threshold = fairness.FormatRat(st.Rule.Least())
	}
	if st.Rule.Low {
		d.Favourable, _ = st.Rule.Favourable()
	}
	return d
}

// About returns g, without the decision rule if the answer is not about decisions.
func (g Grounds) About(decisions bool) Grounds {
	if !decisions {
		g.Decision = nil
	}
	return g
}

// Decision is the JSON form of a decision rule.
type Decision struct {
	// The score that a positive decision exceeds, a decimal or a fraction; absent with bands and with groups.
	Threshold string `json:"threshold,omitempty"`
	// The thresholds of groups of people; absent if all have the same.
	Groups []Group `json:"groups,omitempty"`
	// A score equal to the threshold is a positive decision too.
	At bool `json:"at,omitempty"`
	// The decision that is good for people: negative; absent where it is the positive one.
	Favourable string `json:"favourable,omitempty"`
	// The outcomes, the favourable one first; absent where they are yes and no.
	Bands []Band `json:"bands,omitempty"`
}

// Group is a group of people with a threshold of its own.
type Group struct {
	// The group, by values of protected attributes.
	Group string `json:"group"`
	// The score that a positive decision about them exceeds, a decimal or a fraction.
	Threshold string `json:"threshold"`
}

// Band is an outcome of a decision.
type Band struct {
	// The name of the band.
	Name string `json:"name"`
	// The least score of the band, a decimal or a fraction.
	Least string `json:"least"`
}

// Banded lists the names of the bands, the favourable one first; empty for yes and no.
func (d *Decision) Banded() (names []string) {
	if d != nil {
		for _, b := range d.Bands {
			names = append(names, b.Name)
		}
	}
	return names
}

// Borders returns the scores at which the bands begin, except the lowest.
func (d *Decision) Borders() (out []float64) {
	for _, b := range d.Bands {
		if least, ok := new(big.Rat).SetString(b.Least); ok && least.Sign() > 0 {
			at, _ := least.Float64()
			out = append(out, at)
		}
	}
	return out
}

// Rule is the decision rule that the answer is about.
func (g *Grounds) Rule() fairness.Rule { return g.Decision.Rule() }

// Rule returns the rule; for nil, a score above ½. Its groups have no conditions, only names and thresholds.
func (d *Decision) Rule() (r fairness.Rule) {
	if d != nil {
		r.At, r.Low = d.At, d.Favourable != "" || len(d.Bands) > 0 && d.Bands[0].Least == "0"
		r.Threshold, _ = fairness.ParseThreshold(d.Threshold) // an invalid text, which no version writes, counts as ½
		for _, g := range d.Groups {
			t, _ := fairness.ParseThreshold(g.Threshold)
			r.Groups = append(r.Groups, fairness.Group{Name: g.Group, Threshold: t})
		}
	}
	return r
}

// Text says which scores give which decision, and which decision is favourable.
func (d *Decision) Text() string {
	if len(d.Bands) > 0 {
		var all []string
		for _, b := range d.Bands {
			all = append(all, b.Name+" from "+b.Least)
		}
		return "a decision is a band of scores, the favourable one first: " + strings.Join(all, ", ")
	}
	text := "a decision is positive if the score is " + d.Rule().String()
	if d.Favourable != "" {
		text += ", and favourable if it is " + d.Favourable
	}
	return text
}

// shownDoubts is the maximum number of doubts in a document; JSON has all.
const shownDoubts = 3

// Caveats are what a reader must know before the answer: the decision rule, unless it is the
// default one, whether the study's inputs are unchecked, and the first few doubts about them.
func (g *Grounds) Caveats() []view.Block { return g.caveats(shownDoubts) }

// AllCaveats are the Caveats with all doubts.
func (g *Grounds) AllCaveats() []view.Block { return g.caveats(math.MaxInt) }

func (g *Grounds) caveats(most int) []view.Block {
	var blocks []view.Block
	if g.Observed != nil {
		blocks = append(blocks, view.Paragraph{g.Observed.Text()})
	}
	if g.Decision != nil {
		blocks = append(blocks, view.Paragraph{g.Decision.Text()})
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

// Unchecked says that the study's inputs were not checked, and why; empty if they were checked, or
// if the result does not say.
func (g *Grounds) Unchecked() string {
	switch c := g.InputCheck; {
	case c == nil || c.Checked:
		return ""
	case c.Why != "":
		return fmt.Sprintf("%s (%s)", study.NotChecked, c.Why)
	}
	return study.NotChecked
}

// Check says in one line how the study's inputs were checked; empty if they were not.
func (g *Grounds) Check() string {
	switch c := g.InputCheck; {
	case c == nil || !c.Checked:
		return ""
	case c.By == study.ByTraining:
		return "hyfair trained the model on the study's inputs"
	default:
		return fmt.Sprintf("checked against the model's own scores: %s rows, at most %s apart", view.Count(c.Rows), view.Scientific(c.Worst, 2))
	}
}
