package check

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/check/checker"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/internal/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Document shows the result.
func (r *Result) Document() *view.Document {
	f := &view.Facts{}
	if r.Accepted {
		f.Add("accepted", r.Claims[0])
	} else {
		refusal := checker.Refusal{Leaf: r.Refusal.Leaf, Line: r.Refusal.Line, Reason: r.Refusal.Reason}
		f.Add("refused", refusal.String())
		f.Add("claim", r.Claims[0])
	}
	about := fmt.Sprintf("model %.12s, space %.12s", r.Sums.Network, r.Sums.Space)
	if r.Study != "" {
		about = r.Study + ": " + about
	}
	f.Add("about", about)
	if len(r.Compared) > 0 && r.Accepted {
		f.Add("", fmt.Sprintf("identical to those of the given %s", strings.Join(r.Compared, " and the ")))
	}
	if r.Decision != nil {
		f.Add("", r.Decision.Text())
	}
	f.Add("protected", fmt.Sprintf("%s, %s combinations", strings.Join(r.Region.Protected, ", "), view.Count(r.Region.Combinations)))
	region := cmp.Or(r.Region.Where, "the entire space")
	if r.Region.Points != "" {
		region += fmt.Sprintf(", %s points", r.Region.Points)
	}
	f.Add("region", region)
	for _, p := range r.Region.Require {
		f.Add("", "only where "+p)
	}
	for _, p := range r.Region.Forbid {
		f.Add("", "not where "+p)
	}
	l := r.Leaves
	f.Add("leaves", fmt.Sprintf("%s checked: %s by bounds, %s enumerated, %s empty",
		view.Count(l.Checked), view.Count(l.Bounds), view.Count(l.Enumerated), view.Count(l.Void)))
	if r.Producer != "" {
		f.Add("written by", r.Producer)
	}
	f.Add("seconds", view.Number(&r.Seconds, 2))
	return view.Of(f)
}

// Sentence states the claim in words.
func Sentence(st *certificate.Statement) string {
	c := st.Claim
	measure := map[bool]string{true: "gap", false: "margin"}[st.Notion.UsesEpsilon()]
	notion := st.Notion.String()
	if !st.Rule.IsDefault() {
		notion += ", a score " + st.Rule.String()
	}
	switch c.Kind {
	case certificate.Gap:
		return fmt.Sprintf("every individual's %s (%s) is at most %s", measure, notion, readable(c.Bound))
	case certificate.MaxK:
		if st.Bands != nil {
			return fmt.Sprintf("no individual's scores fall into more than %d of the bands %s", c.K, st.Bands)
		}
		return fmt.Sprintf("no individual's scores fall into more than %d bins of width %s", c.K, fairness.FormatRat(st.Epsilon))
	}
	if st.Notion.UsesEpsilon() {
		return fmt.Sprintf("no individual violates the notion: the gap (%s) is at most %s", st.Notion, fairness.FormatRat(st.Epsilon))
	}
	return fmt.Sprintf("no individual violates the notion: no counterfactual changes the outcome (%s)", notion)
}

// readable formats r for a sentence: a long fraction is followed by its decimal value.
func readable(r *big.Rat) string {
	text := fairness.FormatRat(r)
	if len(text) > 20 {
		about, _ := r.Float64()
		text += fmt.Sprintf(" (about %.6g)", about)
	}
	return text
}

// cutText formats the region as a predicate; empty for the entire space.
func cutText(s *space.Space, r space.Region) string {
	whole := s.Whole()
	var parts []string
	for i := range s.Features {
		f := &s.Features[i]
		switch {
		case !f.IsProtected() && r.Box[i] != whole.Box[i]:
			parts = append(parts, space.Predicate{{Feature: i, Interval: r.Box[i]}}.Format(s))
		case f.IsProtected() && !slices.Equal(r.Values[i], whole.Values[i]):
			var labels []string
			for _, v := range r.Values[i] {
				labels = append(labels, f.Label(v))
			}
			parts = append(parts, f.Name+"="+strings.Join(labels, "|"))
		}
	}
	return strings.Join(parts, ",")
}

func predicateTexts(s *space.Space, list []space.Predicate) []string {
	var out []string
	for _, p := range list {
		out = append(out, p.Format(s))
	}
	return out
}
