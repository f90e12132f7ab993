package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// rates shows, for each attribute, the tables of its rates, twins and proxies.
func (r *Result) rates() (out []view.Block) {
	side, right, wrong := "above", 1, 0
	if r.Rule().Low {
		side, right, wrong = "below", 0, 1
	}
	for i := range r.Rates.Attributes {
		a := &r.Rates.Attributes[i]
		t := &view.Table{Title: "Rates by " + a.Name, Columns: view.Columns(a.Name, "people", "selection rate", "95 %", "impact ratio", "95 %", "scoring rate", "ratio")}
		labels := slices.ContainsFunc(a.Groups, func(g GroupRates) bool { return g.TruePositive != nil })
		if labels {
			t.Columns = append(t.Columns, view.Column{Title: "true pos.", Right: true}, view.Column{Title: "false pos.", Right: true}, view.Column{Title: "precision", Right: true})
		}
		for j := range a.Groups {
			g := &a.Groups[j]
			if !g.Judged {
				continue
			}
			cells := []string{
				g.Label, view.Count(g.People), g.Selection.text(), g.Selection.wilson(),
				ratio(g.ImpactRatio), cmp.Or(interval(g.Low, g.High), "–"), g.Scoring.text(), ratio(g.ScoringRatio),
			}
			if labels {
				cells = append(cells, g.TruePositive.text(), g.FalsePositive.text(), g.Precision.text())
			}
			t.Add(cells...)
		}
		t.Notes = append(t.Notes, fmt.Sprintf("selection rate: people with %s. scoring rate: people with a score %s the median of all, %.4f. impact ratio: the rate over the highest rate. –: undefined, as 0/0 is; a rate of 0 or 100 %% leaves the interval of its ratio undefined.", r.selected(), side, r.Rates.Median))
		if labels {
			t.Notes = append(t.Notes, fmt.Sprintf("true pos., false pos.: %s, of people with the label %d, and %d. precision: the label %[2]d of people with %[1]s.", r.chosen(), right, wrong))
		}
		if why := r.Rates.Unlabelled; why != "" {
			t.Notes = append(t.Notes, "no error rates: "+why)
		}
		t.Notes = append(t.Notes, a.unjudged(r.Rates.MinShare, r.weighted())...)
		if out = append(out, t); r.banded() {
			out = append(out, r.bandRates(i))
		}
		if twins := a.twins(); twins != nil {
			out = append(out, twins)
		}
		if proxies := a.proxies(); proxies != nil {
			out = append(out, proxies)
		}
	}
	return out
}

// unjudged names the groups that are not judged.
func (r *Rated) unjudged(minShare float64, weighted bool) (out []string) {
	var small, unknown []string
	for i := range r.Groups {
		g := &r.Groups[i]
		if left := fmt.Sprintf("%s (%s)", g.Label, view.Count(g.People)); g.Judged {
			continue
		} else if strings.Contains(g.Label, space.MissingName) {
			unknown = append(unknown, left)
		} else {
			small = append(small, left)
		}
	}
	if len(small) > 0 {
		by := map[bool]string{true: " by weight"}[weighted]
		out = append(out, fmt.Sprintf("not judged, fewer than %s of all people%s: %s", view.Percent(minShare, 1), by, strings.Join(small, ", ")))
	}
	if len(unknown) > 0 {
		out = append(out, "not judged, attribute unknown: "+strings.Join(unknown, ", "))
	}
	return out
}

// ratio formats a ratio of rates for tables.
func ratio(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", *v)
}

// wilson formats the interval for tables, in per cent.
func (r *Rate) wilson() string { return fmt.Sprintf("%.1f–%.1f", 100*r.Low, 100*r.High) }

func (r *Rate) text() string {
	if r == nil || r.Rate == nil {
		return "–"
	}
	return view.Percent(*r.Rate, 1)
}

func interval(low, high *float64) string {
	if low == nil || high == nil {
		return ""
	}
	return fmt.Sprintf("%.3f–%.3f", *low, *high)
}

// twins shows how much of the impact ratios depends on the attribute itself; nil if no group has twins.
func (r *Rated) twins() *view.Table {
	t := &view.Table{Title: "How much of the impact ratio depends on " + r.Name + " itself", Columns: []view.Column{
		{Title: r.Name}, {Title: "against"}, {Title: "impact ratio", Right: true}, {Title: "direct", Right: true}, {Title: "rest", Right: true}, {Title: "remainder", Right: true}, {Title: "direct, back", Right: true}, {Title: "twins", Right: true},
	}}
	for i := range r.Groups {
		g := &r.Groups[i]
		if w := g.Twins; w != nil && g.Judged {
			t.Add(g.Label, w.Of, ratio(g.ImpactRatio), ratio(w.Direct), ratio(w.Rest), ratio(w.Remainder), ratio(w.Back), view.Count(w.People)+" and "+view.Count(w.BackOf))
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Notes = []string{
		"impact ratio = direct × rest × remainder. direct: the group's rate over that of the same people as members of the other group, all else being kept. rest: that over the rate of the other group's people who could be members of this one.",
		"remainder: the impact ratio over that of people who have such a twin. direct, back: the rate of the other group's people as members of this one over their own. twins: people who could be switched.",
	}
	return t
}

// chosen names the favourable decision, as in "people with".
func (r *Result) chosen() string {
	if r.banded() {
		return r.Rates.Favourable
	}
	return "a " + r.Rates.Favourable + " decision"
}

// selected is chosen with the meaning of a positive decision, if known.
func (r *Result) selected() string {
	if r.banded() {
		return r.chosen()
	}
	return r.chosen() + r.standsFor()
}

// standsFor returns what a positive decision means by the study's label, in brackets; empty if unknown.
func (r *Result) standsFor() string {
	if r.Positive == "" {
		return ""
	}
	return " (positive: " + r.Positive + ")"
}
