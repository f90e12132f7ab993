package verdict

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Document shows the result.
func (r *Result) Document() *view.Document {
	solver := fmt.Sprintf("solver %s %s", r.Solver.Name, r.Solver.Version)
	if r.Solver.Library != "" {
		solver += fmt.Sprintf(" (%s)", r.Solver.Library)
	}
	if r.Encoding == certify.Direct {
		solver += ", asked about the network itself"
	} else {
		solver += fmt.Sprintf(", %s encoding, %s bounds", r.Encoding, r.Bounds)
	}
	d := view.Of(view.Paragraph{fmt.Sprintf("%s, network %s: %s", r.Study, r.Model, r.question()), solver})
	concluded := r.verdict()
	if r.MaxK != nil {
		concluded = append(concluded, r.MaxK.String())
	}
	d.Add(concluded)
	if r.Partitions != nil {
		d.Add(r.parts())
	}
	if w := r.rep.Witness; w != nil {
		d.Add(individual.Pair(r.of.query.Space, w.Copy1, w.Copy2, w.Score1, w.Score2))
	}
	end := view.Paragraph{fmt.Sprintf("%s, %.2f s", r.effort(), r.Seconds)}
	if r.Spurious > 0 {
		end = append(end, fmt.Sprintf("%d points did not survive the replay", r.Spurious))
	}
	if c := r.Certificate; c != nil {
		end = append(end, fmt.Sprintf("certificate %s: %s; %s leaves, %.2f s (hyfair check verifies it)", c.File, c.Claim, view.Count(c.Leaves), c.Seconds))
	}
	d.Add(end)
	return d
}

// question is what was asked, in words.
func (r *Result) question() string {
	names, cut := strings.Join(r.Protected, " × "), ""
	if r.of.Where != "" {
		cut = " where " + r.of.Where
	}
	if relax := r.of.Relax; len(relax) > 0 {
		names += ", who may also differ by " + strings.Join(relax, ", ") + ","
	}
	notion := r.of.query.Notion
	if r.AskedK > 0 {
		return fmt.Sprintf("do anybody's counterfactuals in %s reach %d or more bins of width %s%s?", names, r.AskedK, r.Epsilon, cut)
	}
	if unit := notion.Unit(); unit != "" {
		return fmt.Sprintf("do counterfactuals in %s get %ss more than ε = %s apart%s?", names, unit, r.Epsilon, cut)
	}
	return fmt.Sprintf("do counterfactuals in %s get different decisions (%s)%s?", names, notion, cut)
}

// effort says who did the work.
func (r *Result) effort() string {
	switch {
	case r.Solves == 1:
		return fmt.Sprintf("solver asked once, %d nodes", r.Nodes)
	case r.Solves > 0:
		return fmt.Sprintf("solver asked %d times, %d nodes", r.Solves, r.Nodes)
	case r.Partitions == nil && r.Regions[string(certify.BySampling)] > 0:
		return "found by local search: the solver was not needed"
	case r.Verdict == certify.Undecided.String():
		return "the solver was not asked"
	}
	return "the solver was not needed"
}

func (r *Result) verdict() view.Paragraph {
	rep, what := r.rep, r.of.query.Notion.Quantity()
	if rep.Nobody {
		return view.Paragraph{fmt.Sprintf("FAIR, grade %s, vacuously: the constraints leave no individual in the space asked about", rep.Grade)}
	}
	var out view.Paragraph
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case rep.Verdict == certify.Undecided:
		say("UNDECIDED: %s", rep.Reason)
	case r.AskedK > 0 && rep.Verdict == certify.Unfair:
		say("REACHED: this person's counterfactuals fall into k = %d bins, evaluated exactly", rep.Witness.K)
	case r.AskedK > 0:
		say("NOT REACHED, grade %s: no individual's counterfactuals fall into %d bins", rep.Grade, r.AskedK)
		if rep.Tolerance > 0 {
			say("(tolerance %.2g: %s)", rep.Tolerance, rep.ToleranceFormula)
		}
	case rep.Verdict == certify.Unfair:
		k := ""
		if rep.Witness.K > 0 {
			k = fmt.Sprintf("; this person's counterfactuals fall into k = %d bins", rep.Witness.K)
		}
		say("UNFAIR: %s %s, replayed in exact arithmetic%s", what, upTo(rep.Witness.Margin, 6), k)
	case rep.Tolerance > 0:
		limit := "0"
		if r.Epsilon != "" {
			limit = r.Epsilon
		}
		say("FAIR, grade %s: no %s exceeds %s + %.2g", rep.Grade, what, limit, rep.Tolerance)
		say("(tolerance: %s)", rep.ToleranceFormula)
	default:
		say("FAIR, grade %s", rep.Grade)
	}
	if r.AskedK == 0 && rep.HasBound && (rep.Verdict != certify.Fair || r.of.Maximise) {
		out = append(out, r.bound(what)...)
	}
	return out
}

// bound says what is known of the largest gap or margin.
func (r *Result) bound(what string) view.Paragraph {
	rep, best, above := r.rep, "none", ""
	if rep.Witness != nil {
		best = upTo(rep.Witness.Margin, 9)
	}
	if rep.BoundTolerance > 0 {
		above = fmt.Sprintf(" + %.2g", rep.BoundTolerance)
	}
	open := r.of.Maximise || rep.Verdict == certify.Undecided
	var text string
	switch infinite := math.IsInf(rep.Bound, 0); {
	case rep.Closed && math.IsInf(rep.Bound, -1):
		text = fmt.Sprintf("proved (%s): no individual has two counterfactuals with a %s", rep.BoundGrade, what)
	case infinite && (rep.Closed || open):
		text = fmt.Sprintf("largest %s: best known %s, no bound that float64 can hold", what, best)
	case infinite:
		return nil
	case rep.Closed && rep.Witness == nil:
		text = fmt.Sprintf("proved (%s): no %s exceeds %.9g%s", rep.BoundGrade, what, rep.Bound, above)
	case rep.Closed:
		text = fmt.Sprintf("largest %s: %s, proved (%s): none exceeds %.9g%s", what, best, rep.BoundGrade, rep.Bound, above)
	case open:
		text = fmt.Sprintf("largest %s: best known %s, bound %.6g (not closed: %s)", what, best, rep.Bound, rep.Reason)
	default:
		return nil
	}
	return view.Paragraph{text}
}

// String is Max.K in a sentence.
func (m *MaxK) String() string {
	text := fmt.Sprintf("Max.K between %d, evaluated exactly, and %d, proved (%s)", m.Lo, m.Hi, m.Grade)
	if m.Certified {
		text = fmt.Sprintf("Max.K = %d, certified (%s)", m.Lo, m.Grade)
	}
	if m.Tolerance > 0 {
		text += fmt.Sprintf(", tolerance %.2g logits", m.Tolerance)
	}
	if m.Reason != "" {
		text += ": " + m.Reason
	}
	return text
}

// parts says how the parts were decided.
func (r *Result) parts() view.Paragraph {
	p := r.Partitions
	text := fmt.Sprintf("%d partitions: %d fair, %d unfair, %d undecided", p.Total, p.Fair, p.Unfair, p.Undecided)
	if p.Resumed > 0 {
		text += fmt.Sprintf("; %d of the results from the run that was broken off", p.Resumed)
	}
	out := view.Paragraph{text}
	var by []string
	for _, m := range []certify.Method{certify.ByBounds, certify.BySampling, certify.BySolver, certify.ByEnumeration} {
		if n := p.By[m]; n > 0 {
			by = append(by, fmt.Sprintf("%d by %s", n, m))
		}
	}
	if len(by) > 0 {
		out = append(out, "decided: "+strings.Join(by, ", "))
	}
	return out
}

// upTo is a number in so many digits, or that float64 cannot hold it.
func upTo(v float64, digits int) string {
	if math.IsInf(v, 0) {
		return fmt.Sprintf("beyond %.4g", view.Finite(v))
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
