package diff

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/audit"
	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/population"
	"github.com/hyfair/hyfair/host/internal/session"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Result is the answer to a Request and the JSON object of hyfair diff.
type Result struct {
	// The old model.
	Old audit.OfModel `json:"old"`
	// The new model.
	New audit.OfModel `json:"new"`
	// The value of --seed.
	Seed int64 `json:"seed"`
	// Wall time in seconds.
	Seconds float64 `json:"seconds"`
	// The notion that defines a change between the models and unfairness between copies of a
	// person.
	Notion string `json:"notion"`
	// The exact ε of the notion; absent for decisions.
	Epsilon string `json:"epsilon,omitempty"`
	// The attributes that vary between copies of a person.
	Protected []string `json:"protected"`
	// The value of --where.
	Where string `json:"where,omitempty"`

	// The changes for the people of the data set; absent without one.
	Change *audit.Change `json:"change,omitempty"`
	// The number of rows that were not audited with both models.
	Left int `json:"left,omitempty"`
	// The reason why change is absent.
	NoRows string `json:"no_rows,omitempty"`
	// Shares of all individuals, each combination of values once, or of a population. Unfair
	// counts those that the two models treat differently, fair the others.
	Shares quantify.Shares `json:"individuals"`
	// The fit of the population to rows held back; absent with the uniform population.
	PopulationFit *population.Fit `json:"population_fit,omitempty"`
	// The solver that proved the shares; absent if none did.
	Solver string `json:"solver,omitempty"`
	// The reason why no solver was asked.
	Unproved string `json:"unproved,omitempty"`
	// A signal ended the command early.
	Interrupted bool `json:"interrupted,omitempty"`
	// The models predict numbers: a change is a change of the prediction.
	Number bool `json:"number,omitempty"`
	gate.Checks
}

func (a *asker) result(r *Request) *Result {
	out := &Result{
		Old: audit.NameOf(a.old), New: audit.NameOf(a.new), Seed: r.Seed, Notion: a.notion.String(),
		Protected: question.Protected(a.old.Space), Where: a.old.Spec.Where, Number: a.old.Study.Number,
	}
	if a.query.Notion.UsesEpsilon() && a.query.Bands == nil {
		out.Epsilon = fairness.FormatRat(a.query.Epsilon)
	}
	return out
}

// Unchecked says why the inputs of one of the studies were not checked; empty if they were.
// Gates depend on it.
func (r *Result) Unchecked() string {
	for _, of := range []*audit.OfModel{&r.Old, &r.New} {
		if why := of.Unchecked(); why != "" {
			return why
		}
	}
	return ""
}

// Document shows the result.
func (r *Result) Document() *view.Document {
	head := fmt.Sprintf("What changes from %s (%s) to %s (%s): %s", r.Old.Study, r.Old.Model, r.New.Study, r.New.Model, r.differently())
	if r.Where != "" {
		head += ", where " + r.Where
	}
	d := view.Of(view.Paragraph{head})
	old, new := r.Old.About(!r.usesEpsilon()), r.New.About(!r.usesEpsilon())
	if old.Decision != nil && new.Decision != nil && old.Decision.Text() == new.Decision.Text() {
		d.Add(view.Paragraph{"both models: " + old.Decision.Text()})
		old.Decision, new.Decision = nil, nil
	}
	for i, of := range []question.Grounds{old, new} {
		for _, block := range of.Caveats() {
			d.Add(prefixed(block, []string{"old model: ", "new model: "}[i]))
		}
	}
	if r.Change != nil {
		d.Add(r.Change.Blocks(r.unfairly(), r.Number)...)
		if r.Left > 0 {
			why := "they lie"
			if r.Interrupted {
				why = "the command was interrupted before, or they lie"
			}
			d.Say("%s rows were not compared: %s outside the question's region or the features' domains (hyfair audit counts them).", view.Count(r.Left), why)
		}
	} else {
		d.Say("No people were compared: %s.", r.NoRows)
	}
	d.Add(r.individuals())
	d.Add(r.Blocks()...)
	return d
}

// prefixed adds the model to the first line of a block.
func prefixed(b view.Block, of string) view.Block {
	switch lines := b.(type) {
	case view.Paragraph:
		lines[0] = of + lines[0]
	case view.Warning:
		lines[0] = of + lines[0]
	}
	return b
}

func (r *Result) usesEpsilon() bool { return r.Epsilon != "" }

// differently says in words what counts as a change between the models.
func (r *Result) differently() string {
	n, _ := fairness.ParseNotion(r.Notion)
	switch {
	case r.Number:
		return "predictions more than " + r.Epsilon + " apart"
	case r.usesEpsilon():
		return n.Unit() + "s more than ε = " + r.Epsilon + " apart"
	}
	return "different " + r.outcomes()
}

// outcomes names what a decision gives.
func (r *Result) outcomes() string {
	if len(r.Old.Decision.Banded()) > 0 {
		return "bands"
	}
	return "decisions"
}

// unfairly says in words what counts as unfair.
func (r *Result) unfairly() string {
	n, _ := fairness.ParseNotion(r.Notion)
	of := "copies that differ in " + strings.Join(r.Protected, ", ") + " alone "
	switch {
	case r.Number:
		return of + "get predictions more than " + r.Epsilon + " apart"
	case r.usesEpsilon():
		return of + "get " + n.Unit() + "s more than " + r.Epsilon + " apart"
	}
	return of + "get different " + r.outcomes()
}

// individuals states the share of all individuals that change.
func (r *Result) individuals() view.Paragraph {
	s := &r.Shares
	if s.Nobody() {
		return view.Paragraph{"There is no individual in the question's space."}
	}
	var out view.Paragraph
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	all, drawn := "all individuals, each combination of values counted once", "uniformly"
	if n, ok := new(big.Int).SetString(s.Individuals, 10); ok {
		all = "all " + view.BigCount(n) + strings.TrimPrefix(all, "all")
	}
	if s.Population != "" {
		all, drawn = "people ("+s.Population+")", "from these people"
	}
	switch {
	case r.Unproved != "":
		say("Of %s, nothing is proved: %s.", all, r.Unproved)
	case s.Grade == "":
		say("Of %s, nothing is proved: %s.", all, s.Reason)
	case s.Settled():
		say("Proved (%s): of %s, %s change.", s.Grade, all, view.Share(s.Interval.Lo))
	default:
		say("Proved (%s): of %s, between %s and %s change; the rest is undecided: %s.",
			s.Grade, all, view.Share(s.Interval.Lo), view.Share(s.Interval.Hi), s.Reason)
	}
	switch t := s.Sampled; {
	case t == nil || t.N == 0:
	case t.All:
		how := "evaluated exactly"
		if r.Old.Observed != nil || r.New.Observed != nil {
			how = "observed"
		}
		say("All %s individuals, %s: %s change.", view.Count(t.N), how, view.Share(t.Share))
	default:
		say("Sampled: %s (%.0f %% Clopper-Pearson interval %s to %s) of %s individuals drawn %s change.", view.Share(t.Share), 100*t.Confidence, view.Share(t.Lo), view.Share(t.Hi), view.Count(t.N), drawn)
	}
	if r.PopulationFit != nil {
		say("%s", r.PopulationFit.Text())
	}
	if d := s.Rows; d != nil && d.N > 0 && r.usesEpsilon() {
		say("Of the data set %s of %s rows (%s) change.", view.Count(d.Unfair), view.Count(d.N), view.Share(d.Share))
	}
	return out
}

// progress formats the progress of the proof as one line.
func progress(p quantify.Progress) string {
	if p.Fair == nil || p.Unfair == nil {
		return "nothing proved yet · " + session.Clock(p.Elapsed, p.Limit)
	}
	return fmt.Sprintf("changed: %s · %s · %s boxes", p.Between(), session.Clock(p.Elapsed, p.Limit), view.Count(p.Boxes))
}
