package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/answer/quantify"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Document shows the result: a first screen, and ten parts.
func (r *Result) Document() *view.Document {
	d := &view.Document{}
	r.first(d)
	for i, part := range []struct {
		title string
		show  func(*view.Document)
	}{
		{"Groups", r.groups}, {"Whose decision changes", r.changes}, {"Plausible people", r.shares}, {"Verdict and proof", r.verdict}, {"An example", r.example},
		{"Who is affected", r.affected}, {"How it is spread", r.spread}, {"What can be done", r.mitigations}, {"Limits", r.limits}, {"Provenance", r.provenance},
	} {
		d.Add(view.Heading(fmt.Sprintf("%d. %s", i+1, part.title)))
		part.show(d)
	}
	return d
}

// missing says why a part of the report, or some of it, is missing.
func (r *Result) missing(d *view.Document, what, step string) {
	d.Say("Missing: %s. hyfair %s gave no answer: %s.", what, step, r.why(step))
}

// why is the reason that a step has no answer.
func (r *Result) why(step string) string {
	why := "it was not asked"
	for _, s := range r.Steps {
		if s.Name == step && s.Missing != "" {
			why = s.Missing
		}
	}
	return strings.TrimSuffix(view.FirstLine(why), ".")
}

// nobodyAudited reports whether the audit has no people in the data, and then shows why.
func (r *Result) nobodyAudited(d *view.Document, what string) bool {
	switch a := r.Audit; {
	case a == nil:
		r.missing(d, what, "audit")
	case a.Summary.People == 0 && a.Summary.Unreached > 0:
		d.Say("Missing: %s. There was no time to audit anybody; give a larger --budget.", what)
	case a.Summary.People == 0:
		d.Say("The data has nobody in the space that was asked about.")
	default:
		return false
	}
	return true
}

// groups shows rates by group.
func (r *Result) groups(d *view.Document) {
	switch {
	case r.nobodyAudited(d, "rates by group"):
	case r.Number:
		d.Say("Rates by group are of decisions, and the model predicts a number; part 2 shows its gaps by group.")
	case r.scoreless():
		d.Say("Part 2 has the rates of each class by group.")
	case r.Audit.Rates == nil:
		d.Say("Missing: rates by group, which the audit was not asked for.")
	default:
		d.Add(r.Audit.RateTables()...)
	}
}

// changes says which people would get another decision, and what each attribute does.
func (r *Result) changes(d *view.Document) {
	if r.nobodyAudited(d, "what each attribute does to the people in the data") {
		return
	}
	a := r.Audit
	d.Add(view.Paragraph(a.Summary.Text))
	if !a.Number && !r.scoreless() {
		if held, helped, ok := a.Summary.Apart(); ok && !r.banded() {
			rule := r.Rule()
			good, bad := rule.Favourable()
			d.Say("Furthest apart: %s (%s people), of whom %s have a %s decision and would have a %s one with other values; and %s (%s people), of whom %s have a %[5]s one and would have a %[4]s one.",
				strings.Join(held.Values, ", "), view.Count(held.People), view.Percent(held.GainShare, 1), bad, good,
				strings.Join(helped.Values, ", "), view.Count(helped.People), view.Percent(helped.LoseShare, 1))
		}
		d.Add(a.Decisions())
	}
	d.Add(a.Groups()...)
}

// verdict states the verdict with its scope and grade, and how its proof can be checked.
func (r *Result) verdict(d *view.Document) {
	v := r.Verdict
	if v == nil {
		r.missing(d, "a verdict", "certify")
		return
	}
	d.Add(view.Paragraph{r.summary()}, v.Conclusion())
	switch v.Verdict {
	case engine.Fair.String():
		d.Say("The proof can be written to a file, which hyfair check verifies without the solver: %s --certificate FILE", r.command("certify"))
	case engine.Unfair.String():
		d.Say("Asked again by: %s", r.command("certify"))
	}
}

// command returns the command line of a step; the bare command if the step was not taken.
func (r *Result) command(step string) string {
	for _, s := range r.Steps {
		if s.Name == step {
			return s.Command
		}
	}
	return "hyfair " + step
}

// summary is one sentence: the population, the notion with its ε, the grade of the proof, and the number of
// rows whose decision flips.
func (r *Result) summary() string {
	by := strings.Join(r.Protected, ", ")
	var known []string
	if a := r.Audit; a != nil && a.Summary.People > 0 {
		known = append(known, fmt.Sprintf("%s of %s people in the data%s", view.Count(a.Summary.Unfair), view.Count(a.Summary.People), map[bool]string{true: " who were audited in time"}[a.Summary.Unreached > 0]))
	}
	if s := r.Shares; s != nil && s.Interval != nil && *s.Undecided < 1 {
		share := view.Share(s.Interval.Lo)
		if hi := view.Share(s.Interval.Hi); hi != share {
			share += " to " + hi
		}
		known = append(known, fmt.Sprintf("%s of all possible people (proved: %s)", share, cmp.Or(s.Grade, "nothing")))
	} else if s != nil && s.Sampled != nil && s.Sampled.N > 0 {
		known = append(known, fmt.Sprintf("%s of %s people drawn from all possible ones (an estimate)", view.Share(s.Sampled.Share), view.Count(s.Sampled.N)))
	}
	v := r.Verdict
	unfair, fair := v != nil && v.Verdict == engine.Unfair.String(), v != nil && v.Verdict == engine.Fair.String()
	some := unfair || r.Audit != nil && r.Audit.Summary.Unfair > 0
	text := ""
	switch {
	case fair && v.Nobody:
		return "There is no individual to ask about: the constraints leave the space that was asked about empty."
	case fair && r.Audit != nil && r.Audit.Summary.Unfair > 0:
		text = fmt.Sprintf("Proved for the space that was asked about (grade %s): no copies of an individual that differ in %s %s; but so do copies of %s, with their own values", v.Grade, by, r.differ(), known[0])
	case fair:
		text = fmt.Sprintf("Proved for everybody in the space that was asked about (grade %s): no two copies that differ in %s only %s", v.Grade, by, r.differ())
	case len(known) > 0 && some:
		text = fmt.Sprintf("Copies that differ in %s only %s: of %s", by, r.differ(), strings.Join(known, ", and of "))
	case unfair:
		text = fmt.Sprintf("Two copies of one individual, who differ in %s only, %s: replayed in exact arithmetic", by, r.differ())
	default:
		text = fmt.Sprintf("Whether copies that differ in %s only %s is not settled", by, r.differ())
		if len(known) > 0 {
			text += "; known so far: they do of " + strings.Join(known, ", and of ")
		}
	}
	return text + r.flips() + "."
}

// differ says what two copies do that violates the notion.
func (r *Result) differ() string {
	switch n, _ := fairness.ParseNotion(r.Notion); {
	case n.Binned():
		return "get scores more than ε = " + r.Epsilon + " apart"
	case n == fairness.Logit:
		return "get " + map[bool]string{true: "prediction", false: n.Unit()}[r.Number] + "s more than ε = " + r.Limit + " apart"
	case r.banded():
		return "are in different bands"
	case r.scoreless():
		return "get different classes"
	case n == fairness.Decision:
		return "get different decisions"
	}
	return "get different decisions (" + r.Notion + ")"
}

// flips states how many decisions would change, unless the notion is about decisions: many may change even if
// no gap is large.
func (r *Result) flips() string {
	if a := r.Audit; a != nil && a.Summary.People > 0 && !r.Number && !strings.HasPrefix(r.Notion, "decision") {
		return fmt.Sprintf("; %s of %s people in the data (%s) would get %s", view.Count(a.Summary.Flips), view.Count(a.Summary.People), view.Percent(a.Summary.FlipsShare, 1), r.other())
	}
	return ""
}

func (r *Result) shares(d *view.Document) {
	if p := r.Plausible; p != nil {
		d.Say("Of plausible people: which share %s?", r.treated(p))
		d.Add(p.Summary()...)
	} else {
		r.missing(d, "the share of plausible people", plausible)
	}
	s := r.Shares
	if s == nil && r.Verdict != nil && r.Verdict.Verdict == engine.Fair.String() {
		d.Say("Of all combinations of values, none %s: the proof in part 4 covers each of them.", r.treated(&quantify.Result{Asked: r.Verdict.Asked}))
		return
	}
	if s == nil {
		r.missing(d, "the shares of all combinations of values", "quantify")
		return
	}
	d.Say("Of all combinations of values, each counted once, likely or not: which share %s?", r.treated(s))
	if f := s.Bar(); f != nil && r.curve() != nil { // else it is on the first screen
		d.Add(f)
	}
	d.Add(s.Summary()...)
	if a := r.Audit; a != nil && s.Rows != nil && s.Rows.Unfair != a.Summary.Unfair && s.Where == "" {
		d.Say("The audit, with %s, lets copies take each person's own values, too; these shares use the study's values alone.", view.Count(a.Summary.Unfair))
	}
}

// outcomes says what k is.
func (r *Result) outcomes() string {
	if r.Epsilon == "" {
		return "k is the number of different bands that a person's copies are in."
	}
	return fmt.Sprintf("k is the number of different outcomes of a person's copies: how many bins of width ε = %s their scores fall into.", r.Epsilon)
}

// example shows one person with all copies.
func (r *Result) example(d *view.Document) {
	defer r.shown(d)
	p := r.Person
	classes := r.scoreless()
	if v := r.Verdict; (r.Number || classes) && v != nil && v.Witness != nil {
		d.Say("Two copies of one person, found by hyfair certify. For predicted numbers and classes, the report does not look for other ones.")
		d.Add(v.WitnessTable())
		return
	}
	if classes {
		d.Say("Missing: for classes, the report has a person only if the verdict is unfair.")
		return
	}
	if r.Number {
		d.Say("Missing: for predicted numbers, the report has a person only if the verdict is unfair.")
		return
	}
	if p == nil && r.audited() == nil && r.Search == nil && r.Verdict == nil {
		d.Say("Missing: the budget did not suffice to evaluate anybody; give a larger --budget.")
		return
	}
	if p == nil && r.Worst != nil {
		d.Say("No person was found who is not a row of the data and has copies with different scores; rows are not shown.")
		return
	}
	if p == nil {
		d.Say("No person whose copies get different scores was found, neither in the data nor by the search or the solver.")
		return
	}
	d.Say("%s", p.chosen())
	d.Say("%s This person's %s copies get %s, with scores %s apart.", r.outcomes(), view.Count(len(p.Copies)), view.Outcomes(p.K), view.Score(p.Gap))
	again := "Replay it in exact arithmetic: "
	if r.Observed != nil {
		again = "Ask the model again: "
	}
	d.Add(p.sides(r.Rule()), view.Paragraph{again + p.Command}, view.Paragraph{p.spread(r.Decision)}, p.picture(r.Epsilon, r.Decision))
}

// spread says which scores and outcomes the copies get.
func (p *Person) spread(decision *question.Decision) string {
	low, high := p.ends()
	text := fmt.Sprintf("%s copies with scores from %s to %s: ", view.Count(len(p.Copies)), view.Score(low.Score), view.Score(high.Score))
	var in []string
	for _, band := range decision.Banded() {
		n := 0
		for i := range p.Copies {
			if p.Copies[i].Band == band {
				n++
			}
		}
		in = append(in, fmt.Sprintf("%s in band %s", view.Count(n), band))
	}
	if in != nil {
		return text + strings.Join(in, ", ") + "."
	}
	rule, selected := decision.Rule(), 0
	good, bad := rule.Favourable()
	for _, c := range p.Copies {
		if rule.Favours(c.positive(rule)) {
			selected++
		}
	}
	return text + fmt.Sprintf("%s with a %s decision, %s with a %s one.", view.Count(selected), good, view.Count(len(p.Copies)-selected), bad)
}

// chosen says how the person was chosen.
func (p *Person) chosen() string {
	if p.Of == 0 { // of an older version
		return fmt.Sprintf("A person met by hyfair %s.", p.By)
	}
	out := fmt.Sprintf("Met by hyfair %s. This person is no row of the data and keeps all rules of the study", p.By)
	if p.Distance != nil {
		out += fmt.Sprintf(": of %s such people found, the one nearest to a row, at a Gower distance of %.3f (0: the same values, 1: nothing in common)", view.Count(p.Of), *p.Distance)
	}
	return out + "."
}

// shown shows the rows of the data that are treated worst, with --people show.
func (r *Result) shown(d *view.Document) {
	if a := r.audited(); a != nil {
		if worst := a.WorstTable(); len(worst.Rows) > 0 {
			d.Add(worst)
			return
		}
	}
	d.Say("No row of the data is shown; --people show lists those treated worst.")
}

func (r *Result) affected(d *view.Document) {
	e := r.Explanation
	if e == nil {
		r.missing(d, "who is affected, as conditions on features", "explain")
		return
	}
	if e.Notion == "" {
		d.Say("%s", r.outcomes())
	}
	d.Add(e.Plain().Blocks[1:]...)
}

func (r *Result) spread(d *view.Document) {
	if r.scoreless() {
		d.Say("Missing: the spread of scores, which a model of several classes does not have; part 2 counts classes.")
		return
	}
	if !r.Number {
		d.Say("%s The gap is the largest score of the copies less the smallest.", r.outcomes())
	}
	switch a := r.Audit; {
	case a == nil:
		r.missing(d, "the spread over the data", "audit")
	case a.Number:
		d.Say("People in the data: the gap is %.6g on average and %.6g at most.", a.Summary.MeanGap, a.Summary.MaxGap)
		return
	case a.Summary.People > 0:
		d.Say("People in the data: k is %.2f on average and %d at most, the gap %s on average and %s at most.", a.Summary.MeanK, a.Summary.MaxK, view.Score(a.Summary.MeanGap), view.Score(a.Summary.MaxGap))
		d.Add(a.KFigure(), a.GapFigure())
	}
	if s := r.Space; s != nil {
		d.Say("All possible people, of whom %s were drawn: k is %.2f on average, the gap %s.", view.Count(s.N), s.MeanK, view.Score(s.MeanGap))
		of := fmt.Sprintf("%s people drawn uniformly from all possible ones.", view.Count(s.N))
		k := view.Histogram("k-space", "Different outcomes of a person's copies, in the space", view.Axis{Label: "k", Whole: true}, view.Axis{Label: "people", Whole: true}, s.K)
		gap := view.Histogram("gap-space", "Gap between the scores of a person's copies, in the space", view.Axis{Label: "gap"}, view.Axis{Label: "people", Whole: true}, s.Gaps)
		k.Caption, gap.Caption = of, of
		d.Add(k, gap)
	} else {
		d.Say("Missing: the spread over the space. Nobody could be drawn, or evaluated.")
	}
	if r.Shares == nil {
		r.missing(d, "the map", "quantify")
	} else if f := r.Shares.HeatMap(); f != nil {
		d.Add(f)
	} else {
		d.Say("Missing: the map. It needs two features that are not protected, and the solver's boxes, which a reused run of the journal does not keep; --fresh asks again.")
	}
}

func (r *Result) mitigations(d *view.Document) {
	m := r.Mitigation
	if m == nil {
		r.missing(d, "mitigations before and after", "mitigate")
		return
	}
	d.Add(m.Summary(), view.Paragraph(m.Remarks))
	for _, f := range m.Figures() {
		d.Add(f)
	}
}

// limits lists what the report does not show.
func (r *Result) limits(d *view.Document) {
	var out []string
	for _, s := range r.Steps {
		for _, text := range []string{s.Missing, s.Trouble} {
			if text != "" {
				out = append(out, fmt.Sprintf("%s: %s.", s.Name, strings.TrimSuffix(view.FirstLine(text), ".")))
			}
		}
	}
	if s := r.Shares; s != nil && !s.Nobody() && !s.Complete {
		out = append(out, fmt.Sprintf("Not proved: how %s of all possible people are treated is open (%s).", view.ShareOrDash(s.Undecided), s.Reason))
	}
	if v := r.Verdict; v != nil && v.Verdict == engine.Undecided.String() {
		out = append(out, "The verdict is open: "+v.Reason+".")
	}
	if v := r.Verdict; v != nil && v.Tolerance > 0 {
		out = append(out, fmt.Sprintf("The proof has a tolerance of %.2g: %s.", v.Tolerance, v.ToleranceFormula))
	}
	out = append(out,
		r.meaning(),
		"Everything is about the study's encoding: it leaves out people, values and copies that it cannot express, and copies need not be likely people.",
		"All possible people count every combination of values once; the people in the data are those who happen to be there; plausible people are a model of these, fitted to the rows, or the people that the study names. The shares may lie far apart.",
		"A search, an explanation or a mitigation gives examples and measurements, not proofs; what was not found may exist.",
		"This does not show causes: an attribute that is not protected may stand for one that is. It does not measure group fairness beyond the tables above, and it is not legal advice.",
	)
	d.Add(&view.List{Items: out})
}

// banded reports whether the decision has bands, scoreless whether the model has several classes, which have no scores.
func (r *Result) banded() bool { return len(r.Decision.Banded()) > 0 }

func (r *Result) scoreless() bool { return r.Audit != nil && r.Audit.Classes != nil && !r.banded() }

// scores reports whether gaps are of scores.
func (r *Result) scores() bool {
	n, _ := fairness.ParseNotion(r.Notion)
	return n.Binned()
}

// meaning says what unfair means in this report.
func (r *Result) meaning() string {
	by := strings.Join(r.Protected, ", ")
	if r.Number {
		return fmt.Sprintf("Unfair means here that the predictions for two copies of a person, who differ in %s only, lie more than ε = %s apart. Another ε gives other numbers.", by, r.Limit)
	}
	if r.Epsilon == "" {
		return fmt.Sprintf("Unfair means here that two copies of a person, who differ in %s only, %s.", by, r.differ())
	}
	if !r.scores() {
		return fmt.Sprintf("Unfair means here that two copies of a person, who differ in %s only, violate the notion %s. The search, the explanation and the mitigations compare scores, with bins of width ε = %s.", by, r.Notion, r.Epsilon)
	}
	return fmt.Sprintf("Unfair means here that the scores of two copies of a person, who differ in %s only, lie more than ε = %s apart. Another ε gives other numbers.", by, r.Epsilon)
}

func (r *Result) provenance(d *view.Document) {
	p, f := &r.Provenance, &view.Facts{}
	f.Add("model", r.Model+", SHA-256 "+p.ModelSHA256)
	f.Add("study", r.Study+", SHA-256 "+p.StudySHA256)
	if p.DataSHA256 != "" {
		f.Add("data", "SHA-256 "+p.DataSHA256)
	} else {
		f.Add("data", "none was read")
	}
	if r.Where != "" {
		f.Add("where", r.Where)
	}
	if r.Epsilon != "" {
		f.Add("ε", r.Epsilon)
	}
	f.Add("seed", fmt.Sprint(r.Seed))
	f.Add("budget", fmt.Sprintf("%s, of which %s were used", r.Budget, view.Seconds(r.Seconds)))
	f.Add("begun", p.Begun.Format(time.RFC3339))
	f.Add("hyfair", p.Version)
	if len(p.Plugins) > 0 {
		f.Add("solvers", strings.Join(slices.Sorted(slices.Values(p.Plugins)), ", "))
	}
	f.Add("machine", p.Machine.String())
	if r.Run != "" {
		f.Add("journal", "run "+r.Run)
	}
	t := &view.Table{Title: "What was asked, and how to ask it again", Columns: []view.Column{{Title: "step"}, {Title: "seconds", Right: true}, {Title: "command"}, {Title: "taken over from"}}}
	rest := r.Seconds
	for i := range r.Steps {
		s := &r.Steps[i]
		from := ""
		if s.From != "" {
			from = "run " + s.From
		}
		t.Add(s.Name, view.Number(&s.Seconds, 1), s.Command, from)
		rest -= s.Seconds
	}
	if rest = max(0, rest); len(r.Steps) > 0 {
		t.Rows = append(t.Rows, nil)
		t.Add("the rest", view.Number(&rest, 1), "", "")
		t.Notes = []string{"the rest: reading the files, evaluating people drawn from the space, storing the report."}
	}
	d.Add(f, t, view.Paragraph{
		"Every figure of a page has its numbers below it; hyfair report --json prints all of them.",
	})
}
