package certify

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/certify/engine"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Document presents the result.
func (r *Result) Document() *view.Document {
	solver := fmt.Sprintf("solver %s", r.Solver)
	if r.Solver.Library != "" {
		solver += fmt.Sprintf(" (%s)", r.Solver.Library)
	}
	if r.Encoding == engine.Direct {
		solver += ", asked about the model itself"
	} else {
		solver += fmt.Sprintf(", %s encoding, %s bounds", r.Encoding, r.Bounds)
	}
	if r.SettledBy != "" {
		solver += ", settled by " + r.SettledBy
	}
	d := view.Of(view.Paragraph{fmt.Sprintf("%s, model %s: %s", r.Study, r.Model, r.question()), solver})
	d.Add(r.Caveats()...)
	concluded := r.Conclusion()
	if r.MaxK != nil {
		concluded = append(concluded, r.MaxK.String())
	}
	d.Add(concluded)
	d.Disagree(r.Disagreements)
	if r.Partitions != nil {
		d.Add(r.parts())
	}
	if r.Witness != nil {
		d.Add(r.WitnessTable())
	}
	if len(r.Next) > 0 {
		next := &view.Facts{Title: "To try next:"}
		for _, n := range r.Next {
			next.Add(n.Command, " # "+n.Purpose)
		}
		d.Add(next)
	}
	end := view.Paragraph{fmt.Sprintf("%s, %.2f s", r.effort(), r.Seconds)}
	if r.Spurious > 0 {
		end = append(end, fmt.Sprintf("%d points did not survive the replay", r.Spurious))
	}
	if c := r.Certificate; c != nil {
		end = append(end, fmt.Sprintf("certificate %s: %s; %s leaves, %.2f s (hyfair check verifies it)", c.File, c.Claim, view.Count(c.Leaves), c.Seconds))
	}
	d.Add(end)
	d.Add(r.Blocks()...)
	return d
}

// WitnessTable shows the witness's two copies. There must be a witness.
func (r *Result) WitnessTable() *view.Table {
	return r.Witness.table(r.Class != nil, r.notion() == fairness.Logit)
}

// question states the question in words.
func (r *Result) question() string {
	names, cut := strings.Join(r.Protected, " × "), ""
	if r.Where != "" {
		cut = " where " + r.Where
	}
	if near := r.WhichAre(); near != "" {
		cut += ", among individuals" + near
	}
	if len(r.Relax) > 0 {
		names += ", which may also differ by " + strings.Join(r.Relax, ", ") + ","
	}
	notion := r.notion()
	if bands := r.Decision.Banded(); len(bands) > 0 {
		return fmt.Sprintf("are anybody's counterfactuals in %s in %d or more of the bands %s%s?", names, max(2, r.AskedK), strings.Join(bands, ", "), cut)
	}
	if r.AskedK > 0 {
		return fmt.Sprintf("do anybody's counterfactuals in %s reach %d or more bins of width %s%s?", names, r.AskedK, r.Epsilon, cut)
	}
	if unit := notion.Unit(); unit != "" {
		return fmt.Sprintf("do counterfactuals in %s get %ss more than ε = %s apart%s?", names, unit, r.Epsilon, cut)
	}
	if r.Class != nil {
		return fmt.Sprintf("does class %d win for one but not the other of two counterfactuals in %s (%s)%s?", *r.Class, names, notion, cut)
	}
	return fmt.Sprintf("do counterfactuals in %s get different decisions (%s)%s?", names, notion, cut)
}

func (r *Result) notion() fairness.Notion {
	n, _ := fairness.ParseNotion(r.Notion)
	return n
}

// effort states which method decided, and its cost.
func (r *Result) effort() string {
	switch {
	case r.Solves == 1:
		return fmt.Sprintf("solver asked once, %d nodes", r.Nodes)
	case r.Solves > 0:
		return fmt.Sprintf("solver asked %d times, %d nodes", r.Solves, r.Nodes)
	case r.Partitions == nil && r.Regions[string(engine.BySampling)] > 0:
		return "found by local search: the solver was not needed"
	case r.Verdict == engine.Undecided.String():
		return "the solver was not asked"
	}
	return "the solver was not needed"
}

// Conclusion states the verdict in words.
func (r *Result) Conclusion() view.Paragraph {
	what, outcomes := r.notion().Quantity(), "bins"
	banded := len(r.Decision.Banded()) > 0
	if banded {
		outcomes = "bands"
	}
	if r.Nobody {
		why := "the constraints leave no individual in the question's space"
		if r.Near != "" {
			why += " that is near a row"
		}
		return view.Paragraph{fmt.Sprintf("FAIR, grade %s, vacuously: %s", r.Grade, why)}
	}
	var out view.Paragraph
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch undecided, unfair := r.Verdict == engine.Undecided.String(), r.Verdict == engine.Unfair.String(); {
	case undecided:
		say("UNDECIDED: %s", r.Reason)
	case r.AskedK > 0 && unfair:
		say("REACHED: this person's counterfactuals get %s (k = %d), evaluated exactly", view.Outcomes(r.K), r.K)
	case r.AskedK > 0:
		say("NOT REACHED, grade %s: no individual's counterfactuals fall into %d %s", r.Grade, r.AskedK, outcomes)
		if r.Tolerance > 0 {
			say("(tolerance %.2g: %s)", r.Tolerance, r.ToleranceFormula)
		}
	case banded && unfair:
		say("UNFAIR: this person's counterfactuals are in %d bands (k = %d), evaluated exactly", r.K, r.K)
	case unfair:
		k := ""
		if r.K > 0 && len(r.Relax) == 0 { // relaxed, the copies are two people
			k = fmt.Sprintf("; this person's counterfactuals get %s (k = %d)", view.Outcomes(r.K), r.K)
		}
		if k != "" && r.K == 1 {
			k += ": their scores are in the first bin, which is wider than ε by 2⁻²⁴"
		}
		say("UNFAIR: %s %s, replayed in exact arithmetic%s", what, r.gap(6), k)
	case banded && r.Tolerance > 0:
		say("FAIR, grade %s: nobody's counterfactuals are in two bands", r.Grade)
		say("(tolerance %.2g: %s)", r.Tolerance, r.ToleranceFormula)
	case r.Tolerance > 0:
		limit := "0"
		if r.Epsilon != "" {
			limit = r.Epsilon
		}
		say("FAIR, grade %s: no %s exceeds %s + %.2g", r.Grade, what, limit, r.Tolerance)
		say("(tolerance: %s)", r.ToleranceFormula)
	default:
		say("FAIR, grade %s", r.Grade)
	}
	if r.AskedK == 0 && !banded && (r.Verdict != engine.Fair.String() || r.Maximise) {
		out = append(out, r.bound(what)...)
	}
	return out
}

// atMost formats a bound with nine digits, rounded up.
func atMost(v float64) string {
	up, _ := roundUp(v).Float64()
	return fmt.Sprintf("%.9g", up)
}

// bound states the proved bound of the largest gap or margin.
func (r *Result) bound(what string) view.Paragraph {
	best, above := r.gap(9), ""
	if r.BoundTolerance > 0 {
		above = fmt.Sprintf(" + %.2g", r.BoundTolerance)
	}
	open := r.Maximise || r.Verdict == engine.Undecided.String()
	if !r.Closed {
		if best = "best known " + best; r.Gap == nil {
			best = "none is known"
		}
	}
	var text string
	switch {
	case r.Bound == nil && r.Closed && r.InfiniteBound < 0:
		text = fmt.Sprintf("proved (%s): no individual has two counterfactuals with a %s", r.BoundGrade, what)
	case r.Bound == nil && r.InfiniteBound != 0 && (r.Closed || open):
		text = fmt.Sprintf("largest %s: %s, and no bound that float64 can hold", what, best)
	case r.Bound == nil:
		return nil
	case r.Closed && r.Gap == nil:
		text = fmt.Sprintf("proved (%s): no %s exceeds %s%s", r.BoundGrade, what, atMost(*r.Bound), above)
	case r.Closed:
		text = fmt.Sprintf("largest %s: %s, proved (%s): none exceeds %s%s", what, best, r.BoundGrade, atMost(*r.Bound), above)
	case open:
		bound := fmt.Sprintf("bound %.6g", *r.Bound)
		if r.notion().Binned() && *r.Bound >= 1 { // trivial for scores
			bound = "and no bound"
		}
		text = fmt.Sprintf("largest %s: %s, %s (not closed: %s)", what, best, bound, r.Reason)
	default:
		return nil
	}
	return view.Paragraph{text}
}

// table shows the two copies side by side: equal features once, then the features that
// differ, and their scores, logits or classes.
func (w *Witness) table(classes, logits bool) *view.Table {
	t := &view.Table{Plain: true, Indented: true, Columns: []view.Column{{}, {Title: "one copy"}, {Title: "the other"}}}
	add := func(one, other map[string]string, mark string) {
		for _, name := range w.Features {
			a, known := one[name]
			switch b := other[name]; {
			case !known:
			case a == b:
				t.Add(name, a, "same")
			default:
				t.Rows = append(t.Rows, []view.Cell{{Text: name + mark}, {Text: a, Alarm: true}, {Text: b, Alarm: true}})
			}
		}
	}
	add(w.Labels.X1, w.Labels.X2, "")
	add(w.Labels.Z1, w.Labels.Z2, "*")
	switch {
	case logits:
		t.Add("logit", fmt.Sprintf("%.6g", w.Logit1), fmt.Sprintf("%.6g", w.Logit2))
		return t
	case !classes:
		t.Add("score", view.Score(w.Score1), view.Score(w.Score2))
		if w.Band1 != "" {
			t.Rows = append(t.Rows, []view.Cell{{Text: "band"}, {Text: w.Band1, Alarm: true}, {Text: w.Band2, Alarm: true}})
		}
		return t
	}
	name := func(class *int) string {
		if class == nil {
			return "a tie"
		}
		return strconv.Itoa(*class)
	}
	t.Rows = append(t.Rows, []view.Cell{{Text: "class"}, {Text: name(w.Class1), Alarm: true}, {Text: name(w.Class2), Alarm: true}})
	return t
}

// Asks returns the question's protected attributes and, if it is about one class, that class; for
// asked.Answers.
func (r *Result) Asks() []string {
	if r.Class != nil {
		return append(slices.Clone(r.Protected), fmt.Sprintf("class %d", *r.Class))
	}
	return r.Protected
}

// Overview shows several answers, one per line, for asked.Answers.
func (*Result) Overview(all []*Result) view.Block {
	var lines view.Paragraph
	for _, q := range all {
		gap := ""
		if q.Gap != nil {
			gap = ", " + q.gap(6)
		}
		lines = append(lines, fmt.Sprintf("%-40s %s%s", strings.Join(q.Asks(), " × "), q.Verdict, gap))
	}
	return lines
}

// String states the enclosure of Max.K in a sentence.
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

// parts states how many parts each method decided.
func (r *Result) parts() view.Paragraph {
	p := r.Partitions
	text := fmt.Sprintf("%d partitions: %d fair, %d unfair, %d undecided", p.Total, p.Fair, p.Unfair, p.Undecided)
	if p.Resumed > 0 {
		text += fmt.Sprintf("; %d results are from the interrupted run", p.Resumed)
	}
	out := view.Paragraph{text}
	var by []string
	for _, m := range []engine.Method{engine.ByBounds, engine.BySampling, engine.BySolver, engine.ByEnumeration} {
		if n := p.By[m]; n > 0 {
			by = append(by, fmt.Sprintf("%d by %s", n, m))
		}
	}
	if len(by) > 0 {
		out = append(out, "decided: "+strings.Join(by, ", "))
	}
	return out
}

// gap formats the gap or margin with the given number of digits, or with more if fewer hide
// that it exceeds ε. Gap is ±MaxFloat64 for a value beyond float64; the text then says
// "beyond".
func (r *Result) gap(digits int) string {
	switch {
	case r.Gap == nil:
		return "none"
	case math.Abs(*r.Gap) == math.MaxFloat64:
		return fmt.Sprintf("beyond %.4g", *r.Gap)
	}
	text := strconv.FormatFloat(*r.Gap, 'g', digits, 64)
	if eps, ok := new(big.Rat).SetString(r.Epsilon); ok && r.notion().UsesEpsilon() && r.Verdict == engine.Unfair.String() && r.AskedK == 0 {
		for ; digits < 17; digits++ {
			if shown, ok := new(big.Rat).SetString(text); !ok || shown.Cmp(eps) > 0 {
				break
			}
			text = strconv.FormatFloat(*r.Gap, 'g', digits+1, 64)
		}
	}
	return text
}
