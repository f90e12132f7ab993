package experiment

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/statistics"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Standings are the results of all arms by some measures over all networks.
type Standings struct {
	// The arm that every other one is tested against; absent: all pairs are tested.
	Control string `json:"control,omitempty"`
	// One entry per measure and arm, the best first; empty with a single arm.
	Ranking []Rank `json:"ranking"`
	// The comparisons of the arms over the networks, one per measure.
	Overall []Overall `json:"overall"`
	// The effects of the keys of full grids, per measure.
	Effects []Effects `json:"effects,omitempty"`
}

// Rank is one arm's result by one measure over all networks on which every arm has a run.
type Rank struct {
	// The measure's name.
	Measure string `json:"measure"`
	// The arm's name.
	Arm string `json:"arm"`
	// The mean of the arm's ranks over the networks, 1 being the best; null without a network. On each
	// network the runs of all arms are ranked, and arms are ranked by the mean rank of their runs; ties
	// share their mean rank.
	MeanRank *float64 `json:"mean_rank"`
	// The number of networks that count: those on which every arm has a run. For the measure certified,
	// those on which no proof was refuted.
	Networks int `json:"networks"`
	// The number of other arms that this one is significantly better than, summed over the networks:
	// Mann-Whitney U, p < 0.05 after Holm, on networks on which every arm has at least five runs.
	Wins int `json:"wins"`
	// The number of other arms that it is significantly worse than, summed over the networks.
	Losses int `json:"losses"`
	// The mean effect size against the other arms; null without another arm.
	A12 *float64 `json:"a12"`
}

// match holds the arms' results by a measure on one network: the ranks of each arm's runs among
// all runs, larger being better, and the cells that were tested.
type match struct {
	study, model string
	runs         [][]float64
	cells        []*statistics.Cell
	values       [][]float64 // the runs' values in means over grids
}

// control is the index of the control among the arms; -1 if there is none.
func (t *Tests[Row, Run]) control() int { return slices.Index(t.Arms, t.Control) }

// Standings ranks the arms; a single arm is not ranked.
func (t *Tests[Row, Run]) Standings() Standings {
	s, arms, grids := Standings{Control: t.Control, Ranking: []Rank{}, Overall: []Overall{}}, t.Arms, t.grids()
	for _, name := range t.Ranked {
		if len(arms) < 2 || t.matches[name] == nil {
			continue
		}
		lines := make([]Rank, len(arms))
		ranks, effects := make([][]float64, len(arms)), make([][]float64, len(arms))
		for i := range lines {
			lines[i] = Rank{Measure: name, Arm: arms[i]}
		}
		var networks [][][]float64
		marked, runs := []Mark(nil), math.MaxInt
		for _, on := range t.matches[name] {
			fewest := len(slices.MinFunc(on.runs, func(a, b []float64) int { return len(a) - len(b) }))
			if fewest == 0 {
				continue
			}
			means := make([]float64, len(arms))
			networks, runs = append(networks, on.runs), min(runs, fewest)
			for i, places := range on.runs {
				means[i] = statistics.Mean(places)
			}
			for i, r := range statistics.Ranks(means) {
				// Ranks grow with worth; the best arm gets rank 1.
				ranks[i] = append(ranks[i], float64(len(arms)+1)-r)
				if c := on.cells[i]; c.Bold || c.Worse {
					marked = append(marked, Mark{on.study, on.model, arms[i], c.Bold})
				}
				for _, against := range on.cells[i].Against {
					effects[i] = append(effects[i], against.A12)
					if against.Better() && fewest >= statistics.MinRunsForBold {
						lines[i].Wins++
					}
					if against.Worse() && fewest >= statistics.MinRunsForBold {
						lines[i].Losses++
					}
				}
			}
		}
		for i := range lines {
			lines[i].Networks = len(ranks[i])
			lines[i].MeanRank, lines[i].A12 = statistics.Finite(statistics.Mean(ranks[i])), statistics.Finite(statistics.Mean(effects[i]))
		}
		if len(networks) > 0 {
			slices.SortStableFunc(lines, func(x, y Rank) int { return cmp.Compare(*x.MeanRank, *y.MeanRank) })
		}
		s.Ranking = append(s.Ranking, lines...)
		o := overall(name, arms, networks, t.control())
		o.Control, o.Marked = t.Control, marked
		if len(networks) > 0 {
			o.Runs = runs
		}
		s.Overall = append(s.Overall, o)
		for _, g := range grids {
			if e, ok := t.effects(g, name); ok {
				s.Effects = append(s.Effects, e)
			}
		}
	}
	return s
}

// Overall compares the arms by one measure over the networks of the ranking.
type Overall struct {
	// The measure's name.
	Measure string `json:"measure"`
	// The number of networks.
	Networks int `json:"networks"`
	// The fewest runs of an arm on one of the networks.
	Runs int `json:"runs"`
	// The arm that the others are tested against; absent: all pairs are tested.
	Control string `json:"control,omitempty"`
	// The significant cells of single networks.
	Marked []Mark `json:"marked,omitempty"`
	// χ² of Friedman's test for any difference between the arms; null below three arms or two networks.
	Friedman *float64 `json:"friedman"`
	// The p of that test; null in the same cases.
	P *float64 `json:"p"`
	// The critical difference of mean ranks at 0.05: Nemenyi's, or Dunn's with a control; null below two
	// networks.
	CriticalDifference *float64 `json:"critical_difference"`
	// All pairs of arms, or those with the control.
	Pairs []Pair `json:"pairs"`
}

// Mark is a significant cell: better than every other arm on the network, or better or worse than
// the control.
type Mark struct {
	// The study's name.
	Study string `json:"study"`
	// The model's name.
	Model string `json:"model"`
	// The arm's name.
	Arm string `json:"arm"`
	// Whether the cell is better than every other arm's, or than the control's; otherwise it is worse
	// than the control's.
	Better bool `json:"better"`
}

// Pair is the comparison of two arms.
type Pair struct {
	// The first arm's name.
	Arm string `json:"arm"`
	// The second arm's name.
	Other string `json:"other"`
	// The number of networks on which the first arm does better.
	Ahead int `json:"ahead"`
	// The number of networks on which it does worse.
	Behind int `json:"behind"`
	// The mean effect size.
	A12 float64 `json:"a12"`
	// The p of Wilcoxon's signed-rank test of the networks' effect sizes; with one network, of the
	// Mann-Whitney test.
	P float64 `json:"p"`
	// That p, corrected by Holm's method for the number of pairs.
	PHolm float64 `json:"p_holm"`
}

// against is the comparison as a test of the first arm against the second.
func (p *Pair) against() *statistics.Against { return &statistics.Against{PHolm: p.PHolm, A12: p.A12} }

// overall compares arms over networks. networks holds the ranks of runs, larger being better, by
// network, arm and run. control is the index of the control, negative if there is none.
func overall(measure string, arms []string, networks [][][]float64, control int) Overall {
	o := Overall{Measure: measure, Networks: len(networks), Pairs: []Pair{}}
	if len(networks) == 0 {
		return o
	}
	if len(networks) > 1 && len(arms) > 1 {
		if o.CriticalDifference = new(statistics.CriticalDifference(len(arms), len(networks))); control >= 0 {
			*o.CriticalDifference = statistics.ControlDifference(len(arms), len(networks))
		}
		if len(arms) > 2 {
			means := make([][]float64, len(networks))
			for n := range networks {
				for _, runs := range networks[n] {
					means[n] = append(means[n], statistics.Mean(runs))
				}
			}
			chi2, p := statistics.Friedman(means)
			o.Friedman, o.P = &chi2, &p
		}
	}
	var ps []float64
	for i := range arms {
		for k := i + 1; k < len(arms); k++ {
			if control >= 0 && i != control && k != control {
				continue
			}
			pair := Pair{Arm: arms[i], Other: arms[k]}
			var effects, differences []float64
			for n := range networks {
				x, y := networks[n][i], networks[n][k]
				a, b := statistics.A12(x, y), statistics.A12(y, x)
				effects, differences = append(effects, a), append(differences, a-b)
				switch {
				case a > b:
					pair.Ahead++
				case a < b:
					pair.Behind++
				}
			}
			pair.A12 = statistics.Mean(effects)
			if pair.P = statistics.Wilcoxon(differences); len(networks) == 1 {
				pair.P = statistics.MannWhitney(networks[0][i], networks[0][k])
			}
			o.Pairs, ps = append(o.Pairs, pair), append(ps, pair.P)
		}
	}
	for i, adjusted := range statistics.Holm(ps) {
		o.Pairs[i].PHolm = adjusted
	}
	return o
}

// of returns the pair of two arms, seen from the first.
func (o *Overall) of(arm, other string) Pair {
	at := slices.IndexFunc(o.Pairs, func(p Pair) bool {
		return p.Arm == arm && p.Other == other || p.Arm == other && p.Other == arm
	})
	p := o.Pairs[at]
	if p.Arm != arm {
		p.Arm, p.Other, p.Ahead, p.Behind, p.A12 = arm, other, p.Behind, p.Ahead, 1-p.A12
	}
	return p
}

// sentence says which arm is best by the measure, and by how much, or compares each arm with the
// control; empty with fewer than two arms. If the networks or runs are too few for the test, it
// says so, and what single networks show. The first argument is the word for an arm, ranking is
// that of the measure, and label names networks.
func (o *Overall) sentence(one string, ranking []Rank, label func(study, model string) string) string {
	if o.Networks == 0 || len(ranking) < 2 {
		return ""
	}
	tests, few := statistics.Tests(len(ranking), o.Control != ""), ""
	if need := statistics.EnoughNetworks(tests); o.Networks > 1 && o.Networks < need {
		few = fmt.Sprintf("; %d networks are too few for a test over them, which needs %d", o.Networks, need)
	} else if need := statistics.EnoughRuns(tests); o.Networks == 1 && o.Runs < need {
		few = fmt.Sprintf("; %s too few for a test, which needs %d", english.Plural(o.Runs, "run is", "runs are"), need)
	}
	shown := ""
	if few != "" && o.Networks > 1 {
		shown = "; " + o.single(one, label)
	}
	if o.Control != "" {
		return o.compared(ranking, few != "") + few + shown
	}
	first, second := ranking[0], ranking[1]
	if *first.MeanRank == *second.MeanRank {
		equal := slices.DeleteFunc(slices.Clone(ranking), func(r Rank) bool { return *r.MeanRank != *first.MeanRank })
		if len(equal) == len(ranking) {
			return fmt.Sprintf("no %s is ahead of another on %s", one, o.Measure) + shown
		}
		return fmt.Sprintf("%s share the first place on %s", english.OxfordWordSeries(Each(equal, func(r *Rank) string { return r.Arm }), "and"), o.Measure) + few + shown
	}
	wins, differ, others := true, 0, 0
	for _, p := range o.Pairs {
		switch {
		case p.Arm == first.Arm:
			wins = wins && p.against().Better()
		case p.Other == first.Arm:
			wins = wins && p.against().Worse()
		case p.PHolm < statistics.Significance:
			differ++
			fallthrough
		default:
			others++
		}
	}
	p := o.of(first.Arm, second.Arm)
	ahead := fmt.Sprintf("ahead of %s on %d of %d networks, A12 %.2f", second.Arm, p.Ahead, o.Networks, p.A12)
	if few != "" {
		return fmt.Sprintf("%s comes first on %s: %s", first.Arm, o.Measure, ahead) + few + shown
	}
	text := fmt.Sprintf("%s comes first on %s, but is not significantly better than every other", first.Arm, o.Measure)
	if wins {
		text = fmt.Sprintf("%s is best on %s", first.Arm, o.Measure)
	}
	text += fmt.Sprintf(": %s, %s", ahead, pText(p.PHolm))
	switch {
	case others == 1 && differ == 0:
		text += "; the other two do not differ significantly"
	case others == 1:
		text += "; the other two differ significantly"
	case others > 0 && differ == 0:
		text += "; no pair of others differs significantly"
	case others > 0:
		text += fmt.Sprintf("; %d of the %d pairs of others differ significantly", differ, others)
	}
	return text
}

// compared compares the other arms with the control; untested leaves out the test's results.
func (o *Overall) compared(ranking []Rank, untested bool) string {
	kinds := [...]string{"significantly better: ", "significantly worse: ", "not significantly different: ", ""}
	var arms [len(kinds)][]string
	for _, r := range ranking {
		if r.Arm == o.Control {
			continue
		}
		p := o.of(r.Arm, o.Control)
		text, kind := fmt.Sprintf("%s (ahead on %d of %d networks, A12 %.2f", r.Arm, p.Ahead, o.Networks, p.A12), 2
		switch against := p.against(); {
		case untested:
			kind = 3
		case against.Better():
			kind = 0
		case against.Worse():
			kind = 1
		}
		if !untested {
			text += ", " + pText(p.PHolm)
		}
		arms[kind] = append(arms[kind], text+")")
	}
	var parts []string
	for kind, all := range arms {
		if all != nil {
			parts = append(parts, kinds[kind]+strings.Join(all, ", "))
		}
	}
	return fmt.Sprintf("compared with %s on %s: %s", o.Control, o.Measure, strings.Join(parts, "; "))
}

// single lists the significant cells of single networks.
func (o *Overall) single(one string, label func(study, model string) string) string {
	at := func(better bool) string {
		marked := slices.DeleteFunc(slices.Clone(o.Marked), func(m Mark) bool { return m.Better != better })
		arms, networks := Grouped(marked, func(m Mark) string { return m.Arm })
		for i, arm := range arms {
			arms[i] = arm + " on " + english.WordSeries(Each(networks[arm], func(m *Mark) string { return label(m.Study, m.Model) }), "and")
		}
		return strings.Join(arms, ", ")
	}
	rival := "every other"
	if o.Control != "" {
		rival = o.Control
	}
	better, worse := at(true), at(false)
	switch {
	case better == "" && worse == "":
		return fmt.Sprintf("on no single network a %s is significantly better than %s", one, rival)
	case worse == "":
		return fmt.Sprintf("on single networks significantly better than %s: %s", rival, better)
	case better == "":
		return fmt.Sprintf("on single networks significantly worse than %s: %s", rival, worse)
	}
	return fmt.Sprintf("on single networks significantly better than %s: %s, and worse: %s", rival, better, worse)
}

func pText(p float64) string {
	if p < 0.001 {
		return "p < 0.001"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// note states the results of the tests over networks.
func (o *Overall) note() string {
	if o.CriticalDifference == nil {
		return ""
	}
	text := o.Measure + ": "
	if o.Friedman != nil {
		text += fmt.Sprintf("Friedman's χ² %.2f, %s; ", *o.Friedman, pText(*o.P))
	}
	return text + fmt.Sprintf("%s critical difference of mean ranks %.2f", o.criterion(), *o.CriticalDifference)
}

// criterion names the author of the critical difference.
func (o *Overall) criterion() string {
	if o.Control != "" {
		return "Dunn's"
	}
	return "Nemenyi's"
}

// only restricts the standings to the measures with these names; no names: all measures.
func (s *Standings) only(names []string) *Standings {
	if len(names) == 0 {
		return s
	}
	return &Standings{
		s.Control,
		slices.DeleteFunc(slices.Clone(s.Ranking), func(r Rank) bool { return !slices.Contains(names, r.Measure) }),
		slices.DeleteFunc(slices.Clone(s.Overall), func(o Overall) bool { return !slices.Contains(names, o.Measure) }),
		slices.DeleteFunc(slices.Clone(s.Effects), func(e Effects) bool { return !slices.Contains(names, e.Measure) }),
	}
}

// Blocks are the ranking and the sentences about it; none if nothing is ranked. The second argument
// is the word for an arm, and label names networks.
func (s *Standings) Blocks(title, one string, label func(study, model string) string) (out []view.Block) {
	if len(s.Ranking) > 0 {
		out = append(out, s.table(title, one))
	}
	var sentences view.Paragraph
	for i := range s.Overall {
		if text := s.Overall[i].sentence(one, s.by(s.Overall[i].Measure), label); text != "" {
			sentences = append(sentences, text)
		}
	}
	if sentences != nil {
		out = append(out, sentences)
	}
	return out
}

// by returns the ranking by a measure.
func (s *Standings) by(measure string) []Rank {
	return slices.DeleteFunc(slices.Clone(s.Ranking), func(r Rank) bool { return r.Measure != measure })
}

// table is the ranking as a table.
func (s *Standings) table(title, one string) *view.Table {
	many := one + "s"
	if strings.HasSuffix(one, "ch") {
		many = one + "es"
	}
	t := &view.Table{
		Title: title,
		Columns: []view.Column{
			{Title: "by"}, {Title: one}, {Title: "mean rank", Right: true}, {Title: "wins", Right: true},
			{Title: "losses", Right: true}, {Title: "A12", Right: true}, {Title: "networks", Right: true},
		},
		Notes: []string{
			fmt.Sprintf("mean rank: over the networks on which every %s has a run, by the mean rank of its runs among all runs; 1 is the best", one),
			fmt.Sprintf("wins, losses: other %s that it is significantly better or worse than, over networks with %d runs of each; A12: mean probability of doing better than another", many, statistics.MinRunsForBold),
		},
	}
	networks, arms, control := 0, 0, ""
	for i := range s.Overall {
		o := &s.Overall[i]
		networks, arms, control = max(networks, o.Networks), len(s.by(o.Measure)), o.Control
		if text := o.note(); text != "" {
			t.Notes = append(t.Notes, text)
		}
	}
	if control != "" {
		t.Notes[1] = fmt.Sprintf("wins, losses: networks with %d runs of each on which it is significantly better or worse than %s (for %[2]s, the number of %s that it beats or loses to); A12: mean probability of doing better", statistics.MinRunsForBold, control, many)
	}
	if networks > 1 && arms > 1 {
		t.Notes = append(t.Notes, "p of pairs over networks: Wilcoxon's signed ranks of A12, corrected by Holm's method; "+statistics.PowerOver(arms, networks, statistics.Tests(arms, control != "")))
	}
	for i := range s.Ranking {
		r := &s.Ranking[i]
		if i > 0 && r.Measure != s.Ranking[i-1].Measure {
			t.Rows = append(t.Rows, nil)
		}
		t.Add(r.Measure, r.Arm, view.Number(r.MeanRank, 2), strconv.Itoa(r.Wins), strconv.Itoa(r.Losses), view.Number(r.A12, 2), strconv.Itoa(r.Networks))
	}
	return t
}

// CriticalDifferences are figures of the mean ranks, one per measure. Each arm has a line, the best
// on top, as long as the critical difference: arms whose lines do not overlap differ significantly.
// The axis goes from the best rank to the worst. arms are in the order of the tables.
func (s *Standings) CriticalDifferences(title func(what string) string, arms []string) (figures []*view.Figure) {
	for i := range s.Overall {
		o := &s.Overall[i]
		if o.CriticalDifference == nil {
			continue
		}
		half := *o.CriticalDifference / 2
		ranking := s.by(o.Measure)
		f := &view.Figure{
			Name:  "critical-difference-" + strings.TrimPrefix(o.Measure, "#"),
			Title: title(fmt.Sprintf("%s over %d networks", o.Measure, o.Networks)),
			X:     view.Axis{Label: fmt.Sprintf("mean rank, with %s critical difference (0.05) around it", o.criterion()), Min: 1, Max: float64(len(ranking))},
			Y:     view.Axis{Min: 0.5, Max: float64(len(ranking)) + 0.7},
		}
		slices.Reverse(ranking)
		for at, r := range ranking {
			y, lo, hi := float64(at+1), *r.MeanRank-half, *r.MeanRank+half
			look := 1 + slices.Index(arms, r.Arm)
			f.Y.Names = append(f.Y.Names, r.Arm)
			f.Series = append(f.Series, view.Series{Name: r.Arm, Look: look, Steps: []view.Point{{X: lo, Y: y}, {X: hi, Y: y}}, Dots: []view.Point{{X: *r.MeanRank, Y: y}}})
		}
		figures = append(figures, f)
	}
	return figures
}
