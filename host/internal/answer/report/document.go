package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Title returns the title of the page.
func (r *Result) Title() string {
	return fmt.Sprintf("%s: does %s treat people differently by %s?", r.Study, r.Model, strings.Join(r.Protected, ", "))
}

// Document shows the result in ten parts.
func (r *Result) Document() *view.Document {
	d := &view.Document{}
	for i, part := range []struct {
		title string
		show  func(*view.Document)
	}{
		{"Verdict", r.verdict}, {"How many", r.shares}, {"The worst-treated person", r.worst}, {"All copies of that person", r.copies},
		{"Attributes and groups", r.groups}, {"Who is affected", r.affected}, {"How it is spread", r.spread}, {"What can be done", r.mitigations},
		{"Limits", r.limits}, {"Provenance", r.provenance},
	} {
		d.Add(view.Heading(fmt.Sprintf("%d. %s", i+1, part.title)))
		part.show(d)
	}
	return d
}

// missing says why a part of the report, or some of it, is missing.
func (r *Result) missing(d *view.Document, what, step string) {
	why := "it was not asked"
	for _, s := range r.Steps {
		if s.Name == step && s.Missing != "" {
			why = s.Missing
		}
	}
	d.Say("Missing: %s. hyfair %s gave no answer: %s.", what, step, strings.TrimSuffix(view.FirstLine(why), "."))
}

// verdict states the verdict in a sentence, with its scope and grade.
func (r *Result) verdict(d *view.Document) {
	d.Add(r.Caveats()...)
	d.Add(view.Paragraph{r.headline()})
	var more view.Paragraph
	if v := r.Verdict; v != nil {
		more = append(more, v.Conclusion()...)
	}
	if a := r.Audit; a != nil {
		more = append(more, a.Summary.Text...)
	}
	if s := r.Shares; s != nil && (s.Nobody() || *s.Undecided < 1) {
		more = append(more, "By this notion, of all possible people: "+s.Between()+".")
	}
	d.Add(more)
	d.Disagree(r.Disagreements)
	if r.Verdict == nil {
		r.missing(d, "a verdict", "certify")
	}
	if r.Interrupted {
		d.Add(view.Warning{"This report was interrupted: it shows what was known by then."})
	}
}

// headline is one sentence: the population, the notion with its ε, the grade of the proof, and the number of
// rows whose decision flips.
func (r *Result) headline() string {
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
	}
	return "get different decisions (" + r.Notion + ")"
}

// flips states how many decisions would change, unless the notion is about decisions: it may be many even if
// no gap is large.
func (r *Result) flips() string {
	if a := r.Audit; a != nil && a.Summary.People > 0 && !r.Number && !strings.HasPrefix(r.Notion, "decision") {
		return fmt.Sprintf("; %s of %s people in the data (%s) would get the other decision", view.Count(a.Summary.Flips), view.Count(a.Summary.People), view.Percent(a.Summary.FlipsShare, 1))
	}
	return ""
}

func (r *Result) shares(d *view.Document) {
	s := r.Shares
	if s == nil && r.Verdict != nil && r.Verdict.Verdict == engine.Fair.String() {
		d.Say("None of all possible people: the proof in part 1 covers each of them.")
		return
	}
	if s == nil {
		r.missing(d, "the shares", "quantify")
		return
	}
	if f := s.Bar(); f != nil {
		d.Add(f)
	}
	d.Add(s.Summary()...)
	if a := r.Audit; a != nil && s.Rows != nil && s.Rows.Unfair != a.Summary.Unfair && s.Where == "" {
		d.Say("The audit, with %s, lets copies take each person's own values, too; these shares use the study's values alone.", view.Count(a.Summary.Unfair))
	}
}

func (r *Result) worst(d *view.Document) {
	p := r.Person
	if v := r.Verdict; r.Number && v != nil && v.Witness != nil {
		d.Say("Two copies of one person, found by hyfair certify. For predicted numbers, the report does not look for worse ones.")
		d.Add(v.WitnessTable())
		return
	}
	if r.Number {
		d.Say("Missing: for predicted numbers, the report has a person only if the verdict is unfair.")
		return
	}
	if p == nil && (r.Audit == nil || r.Audit.Summary.People == 0) && r.Search == nil && r.Verdict == nil {
		d.Say("Missing: the budget did not suffice to evaluate anybody; give a larger --budget.")
		return
	}
	if p == nil {
		d.Say("No person whose copies get different scores was found, neither in the data nor by the search or the solver.")
		return
	}
	d.Say("Of all people that this report met, this person's copies fall into the most different bins: %s over %s copies, scores %s apart. Met by hyfair %s.", view.Outcomes(p.K), view.Count(len(p.Copies)), view.Score(p.Gap), p.By)
	d.Add(p.sides(r.Rule()), view.Paragraph{"Replay it in exact arithmetic: " + p.Command})
}

func (r *Result) copies(d *view.Document) {
	if r.Person == nil {
		d.Say("There is no such person.")
		return
	}
	low, high := r.Person.ends()
	rule, selected := r.Rule(), 0
	good, bad := rule.Favourable()
	for _, c := range r.Person.Copies {
		if rule.Favours(c.positive(rule)) {
			selected++
		}
	}
	d.Say("%s copies with scores from %s to %s: %s with a %s decision, %s with a %s one.", view.Count(len(r.Person.Copies)), view.Score(low.Score), view.Score(high.Score), view.Count(selected), good, view.Count(len(r.Person.Copies)-selected), bad)
	d.Add(r.Person.picture(r.Epsilon, rule))
}

func (r *Result) groups(d *view.Document) {
	a := r.Audit
	if a == nil {
		r.missing(d, "what each attribute does to the people in the data", "audit")
		return
	}
	if a.Summary.People == 0 && a.Summary.Unreached > 0 {
		d.Say("Missing: attributes and groups. There was no time to audit anybody; give a larger --budget.")
		return
	}
	if a.Summary.People == 0 {
		d.Say("The data has nobody in the space that was asked about.")
		return
	}
	if a.Number {
		d.Add(a.Groups()...)
		return
	}
	if held, helped, ok := a.Summary.Apart(); ok {
		rule := r.Rule()
		good, bad := rule.Favourable()
		d.Say("Furthest apart: %s (%s people), of whom %s have a %s decision and would have a %s one with other values; and %s (%s people), of whom %s have a %[5]s one and would have a %[4]s one.",
			strings.Join(held.Values, ", "), view.Count(held.People), view.Percent(held.GainShare, 1), bad, good,
			strings.Join(helped.Values, ", "), view.Count(helped.People), view.Percent(helped.LoseShare, 1))
	}
	d.Add(a.Decisions())
	d.Add(a.Groups()...)
}

func (r *Result) affected(d *view.Document) {
	e := r.Explanation
	if e == nil {
		r.missing(d, "who is affected, as conditions on features", "explain")
		return
	}
	d.Add(e.Plain().Blocks[1:]...)
}

func (r *Result) spread(d *view.Document) {
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
		"All possible people count every combination of values once; the people in the data are those who happen to be there. The two shares may lie far apart.",
		"A search, an explanation or a mitigation gives examples and measurements, not proofs; what was not found may exist.",
		"This does not show causes: an attribute that is not protected may stand for one that is. It does not measure group fairness beyond the tables above, and it is not legal advice.",
	)
	d.Add(&view.List{Items: out})
}

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
	f.Add("ε", r.Epsilon)
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
		"The command next to two people who refute fairness replays them. A proof of fairness can be written to a file with hyfair certify --certificate, and hyfair check verifies it without the solver.",
		"Every figure of a page has its numbers below it; hyfair report --json prints all of them.",
	})
}
