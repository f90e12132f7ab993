package cli

import (
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hyfair/hyfair/host/internal/answer/check"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/certificate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// newCheckReport fills in what the certificate says of itself.
func newCheckReport(path string, r *certificate.Reader) *checkReport {
	st := r.Statement()
	out := &checkReport{
		Certificate: path, Producer: st.Producer, Study: st.Study,
		Notion: st.Notion.String(), Claims: []string{claimSentence(st)},
		Claim: claimJSON{Kind: st.Claim.Kind.String(), K: st.Claim.K},
	}
	out.Sums.Network, out.Sums.Space = r.Fingerprints()
	if st.Claim.Bound != nil {
		out.Claim.Bound = fairness.FormatRat(st.Claim.Bound)
	}
	if st.Epsilon != nil {
		out.Epsilon = fairness.FormatRat(st.Epsilon)
	}
	region := st.RegionOrWhole()
	out.Region = checkRegion{
		Protected: append([]string{}, question.Protected(st.Space)...), Combinations: region.Count(),
		Where: cutText(st.Space, region), Require: predicateTexts(st.Space, st.Require), Forbid: predicateTexts(st.Space, st.Forbid),
	}
	if !st.Space.HasReals() {
		out.Region.Points = check.Points(st.Space, region.Box).String()
	}
	return out
}

// claimSentence says what is claimed of every individual.
func claimSentence(st *certificate.Statement) string {
	c := st.Claim
	measure := map[bool]string{true: "gap", false: "margin"}[st.Notion.UsesEpsilon()]
	switch c.Kind {
	case certificate.Gap:
		return fmt.Sprintf("every individual's %s (%s) is at most %s", measure, st.Notion, readable(c.Bound))
	case certificate.MaxK:
		return fmt.Sprintf("no individual's scores fall into more than %d bins of width %s", c.K, fairness.FormatRat(st.Epsilon))
	}
	if st.Notion.UsesEpsilon() {
		return fmt.Sprintf("every individual is treated fairly: the gap (%s) is at most %s", st.Notion, fairness.FormatRat(st.Epsilon))
	}
	return fmt.Sprintf("every individual is treated fairly: no counterfactual changes the outcome (%s)", st.Notion)
}

// readable is r for a sentence: a long fraction has a decimal beside it.
func readable(r *big.Rat) string {
	text := fairness.FormatRat(r)
	if len(text) > 20 {
		about, _ := r.Float64()
		text += fmt.Sprintf(" (about %.6g)", about)
	}
	return text
}

// cutText is the region as a predicate, empty for the whole space.
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

func (out *checkReport) print(w io.Writer, refusal *check.Refusal) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer t.Flush()
	if refusal == nil {
		fmt.Fprintf(t, "accepted\t%s\n", out.Claims[0])
	} else {
		fmt.Fprintf(t, "refused\t%s\n", refusal)
		fmt.Fprintf(t, "claim\t%s\n", out.Claims[0])
	}
	about := fmt.Sprintf("network %.12s, space %.12s", out.Sums.Network, out.Sums.Space)
	if out.Study != "" {
		about = out.Study + ": " + about
	}
	fmt.Fprintf(t, "about\t%s\n", about)
	if len(out.Compared) > 0 && refusal == nil {
		fmt.Fprintf(t, "\tthe very ones of the %s given\n", strings.Join(out.Compared, " and the "))
	}
	fmt.Fprintf(t, "protected\t%s, %s combinations\n", strings.Join(out.Region.Protected, ", "), view.Count(out.Region.Combinations))
	region := out.Region.Where
	if region == "" {
		region = "the whole space"
	}
	if out.Region.Points != "" {
		region += fmt.Sprintf(", %s points", out.Region.Points)
	}
	fmt.Fprintf(t, "region\t%s\n", region)
	for _, p := range out.Region.Require {
		fmt.Fprintf(t, "\tonly where %s\n", p)
	}
	for _, p := range out.Region.Forbid {
		fmt.Fprintf(t, "\tnot where %s\n", p)
	}
	l := out.Leaves
	fmt.Fprintf(t, "leaves\t%s checked: %s by bounds, %s enumerated, %s empty\n",
		view.Count(l.Checked), view.Count(l.Bounds), view.Count(l.Enumerated), view.Count(l.Void))
	if out.Producer != "" {
		fmt.Fprintf(t, "written by\t%s\n", out.Producer)
	}
	fmt.Fprintf(t, "seconds\t%.2f\n", out.Seconds)
}
