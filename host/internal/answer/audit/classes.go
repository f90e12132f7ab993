package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/individual"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/study"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/space"
)

// Classes says whose class changes. A person's class is the one with the largest output, for a model of several classes, or the
// person's band, for a decision with bands.
type Classes struct {
	// The people by their own class, with copies that differ in any protected attributes.
	Classes []Class `json:"classes"`
	// The same with copies that differ in one attribute only.
	Attributes []ClassesBy `json:"attributes"`
}

// ClassesBy is one attribute.
type ClassesBy struct {
	// The protected attribute.
	Name string `json:"name"`
	// The people by their own class.
	Classes []Class `json:"classes"`
}

// Class is the people of one class.
type Class struct {
	// The class, from 0 in the order of the model's outputs; the number of classes stands for a tie. A band has its place,
	// 0 for the best.
	Class int `json:"class"`
	// The name of the band; absent for classes of a model.
	Name string `json:"name,omitempty"`
	// The number of people of this class.
	People int `json:"people"`
	// The number of them with a copy in another class.
	Leave int `json:"leave"`
	// Their share of the people of this class, 0 to 1.
	LeaveShare float64 `json:"leave_share"`
	// The number of people of this class with a copy in class 0, in class 1, …, and last with a tie; or in each band.
	Enter []int `json:"enter"`
	// With --groups: rates of people who get this class or band, by group. It stands for the favourable decision; there are
	// no scoring and error rates and no proxies.
	Rates *Rates `json:"groups,omitempty"`
}

// config returns the audit's configuration. For bands it refuses thresholds and sets Best. For a model
// of several classes it refuses the flags that need a single score, and adds one model per class.
func (r *Request) config(q *question.Question) (c Config, err error) {
	if !q.Study.ModelFile.OneOfMany {
		if c, err = ConfigOf(q); err != nil || c.Bands == nil {
			return c, err
		}
		if r.Thresholds != "" {
			return c, errors.New("--thresholds: the decision has bands, whose borders are its thresholds: leave --thresholds out, or the bands")
		}
		if r.Favourable != "" {
			if c.Best, err = q.Study.Favourable(r.Favourable); err != nil {
				err = fmt.Errorf("--favourable %w", err)
			}
		}
		return c, err
	}
	rated := slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return g.Name == MinImpactRatio })
	for _, flag := range []struct {
		given     bool
		name, why string
	}{
		{q.Spec.Notion != "" && q.Spec.Notion != fairness.Decision.String(), "notion", "its only notion is decision: whether the class changes"},
		{q.Spec.Epsilon != "", "epsilon", "classes have no ε"},
		{r.Thresholds != "", "thresholds", "the decision is the class with the largest output"},
		{r.Baseline != "", "baseline", "two models are compared by a score"},
		{r.Favourable != "", "favourable", "the decision is one of several classes"},
		{rated, MinImpactRatio, "no class is the favourable one; --groups has the ratios of each"},
	} {
		if flag.given {
			return c, fmt.Errorf("--%s: leave it out: %s has several classes, and %s", flag.name, q.Study.ModelPath, flag.why)
		}
	}
	c = Config{Model: q.Study.Model, Space: q.Space, Region: q.Region, Where: q.Where, Epsilon: study.DefaultEpsilon()}
	classes, err := q.Study.Classes()
	if err != nil {
		return c, err
	}
	for _, of := range classes {
		c.Classes = append(c.Classes, of.Model)
	}
	return c, nil
}

// class returns the class that wins at a point, by exact outputs; the number of classes if there is
// a tie.
func (b *bench) class(point []float64) int {
	at := slices.IndexFunc(b.classes, func(d *individual.Decider) bool {
		_, wins := d.At(point)
		return wins
	})
	if at < 0 {
		return len(b.classes)
	}
	return at
}

// classified audits the i-th of the points with a model of several classes. High is a copy in another
// class, if there is one; Low is the person.
func (b *bench) classified(i, row int) Person {
	x := b.points[i]
	own := Copy{Z: b.protectedOf(x)}
	p := Person{Index: row, N: b.outcomes[i].N, Class: b.class(x), High: own, Low: own, Effects: make([]Effect, len(b.each))}
	class := func(point []float64, _ float64) int { return b.class(point) }
	var other Copy
	if p.Enters, other = b.enters(b.whole, x, p.Class, class); len(p.Enters) > 0 {
		p.High = other
	}
	p.K, p.Unfair, p.Flips = 1+len(p.Enters), len(p.Enters) > 0, len(p.Enters) > 0
	for n, line := range b.each {
		e, at := &p.Effects[n], x[b.protected[n]]
		e.Enters, _ = b.enters(line, x, p.Class, class)
		e.N, e.K, e.Unfair, e.Flips, e.Best, e.Worst = b.effects[n][i].N, 1+len(e.Enters), len(e.Enters) > 0, len(e.Enters) > 0, at, at
	}
	return p
}

// enters lists the classes of the copies of x in e, except the person's own, and returns the first copy of another class.
// class returns the class of a point, given its score by e.
func (b *bench) enters(e *evaluate.Evaluator, x []float64, own int, class func([]float64, float64) int) (others []int, first Copy) {
	copies := e.Copies(x)
	for i, c := range copies.Combinations {
		point := e.Point(x, c)
		if class := class(point, copies.Scores[i]); class != own && !slices.Contains(others, class) {
			if others = append(others, class); len(others) == 1 {
				first.Z = b.protectedOf(point)
			}
		}
	}
	slices.Sort(others)
	return others, first
}

// band sets the person's band, the other bands of the copies, and the decision.
func (b *bench) band(x []float64, p *Person) {
	p.Class = b.bander.Of(x, p.Score)
	if b.counted() == nil || p.K > 1 {
		p.Enters, _ = b.enters(b.whole, x, p.Class, b.bander.Of)
	}
	p.Flips, p.Positive = len(p.Enters) > 0, p.Class <= b.Best != b.Rule.Low
}

// ranks is the number of bands, or of classes plus one for ties; 0 if there are neither.
func (o *Outcome) ranks() int {
	if o.Bands != nil {
		return len(o.Bands)
	}
	return o.Classes + min(o.Classes, 1)
}

// movers counts people by their own class or band.
type movers struct {
	of  []Class
	all []float64 // their weight
}

func (o *Outcome) movers() *movers {
	n := o.ranks()
	m := &movers{make([]Class, n), make([]float64, n)}
	for i := range m.of {
		if m.of[i] = (Class{Class: i, Enter: make([]int, n)}); o.Bands != nil {
			m.of[i].Name = o.bandsAt(i)
		}
	}
	return m
}

// add counts a person of a class; others are the other classes of the person's copies.
func (m *movers) add(weight float64, class int, others []int) {
	c := &m.of[class]
	c.People++
	m.all[class] += weight
	if len(others) > 0 {
		c.Leave++
		c.LeaveShare += weight
	}
	for _, to := range others {
		c.Enter[to]++
	}
}

// close computes the shares and returns the classes, that of ties only if it has people.
func (m *movers) close() []Class {
	for i := range m.of {
		m.of[i].LeaveShare = part(m.of[i].LeaveShare, m.all[i])
	}
	if last := len(m.of) - 1; m.of[last].Name == "" && m.of[last].People == 0 {
		return m.of[:last]
	}
	return m.of
}

// classes counts the people by their own class or band; nil if there are none.
func (o *Outcome) classes(s *space.Space) *Classes {
	if o.ranks() == 0 {
		return nil
	}
	count := func(enters func(p *Person) []int) []Class {
		m := o.movers()
		for i := range o.People {
			p := &o.People[i]
			m.add(o.weight(p), p.Class, enters(p))
		}
		return m.close()
	}
	out := &Classes{Classes: count(func(p *Person) []int { return p.Enters }), Attributes: []ClassesBy{}}
	for n, f := range s.Protected() {
		out.Attributes = append(out.Attributes, ClassesBy{s.Features[f].Name, count(func(p *Person) []int { return p.Effects[n].Enters })})
	}
	return out
}

// rateClasses computes the rates of groups for each class or band in turn as the favourable decision.
func (o *Outcome) rateClasses(to *Classes, c *Config, by RateBy) {
	for class := range max(o.Classes, len(o.Bands)) {
		one := *o
		one.People, one.Classes, one.Rule = slices.Clone(o.People), o.ranks(), fairness.Rule{}
		for i := range one.People {
			one.People[i].Positive = one.People[i].Class == class
		}
		if c.Bands != nil {
			by.Decider = inBands{individual.New(c.Model, c.Space, c.Rule).Bander(c.Bands, c.Rule.Low), class, class, true}
		} else {
			by.Decider = individual.New(c.Classes[class], c.Space, fairness.Rule{})
		}
		to.Classes[class].Rates = one.Rates(by)
		to.Classes[class].Rates.Favourable = cmp.Or(to.Classes[class].Name, nameOfClass(class, o.Classes))
	}
}

// inBands decides by bands. If yes is set, the decision is positive for the bands at the places [from, to]
// and negative for all others; else the reverse.
type inBands struct {
	*individual.Bander
	from, to int
	yes      bool
}

// At returns the score of a point, and whether the decision is yes.
func (b inBands) At(point []float64) (score float64, positive bool) {
	score, place := b.Bander.At(point)
	return score, (b.from <= place && place <= b.to) == b.yes
}

// nameOfClass names the class with this index. The index that equals the number of classes stands
// for a tie.
func nameOfClass(class, of int) string {
	if class == of {
		return "a tie"
	}
	return "class " + strconv.Itoa(class)
}

// kind is what people get: a class or a band.
func (r *Result) kind() string {
	if r.banded() {
		return "band"
	}
	return "class"
}

// classSentences states whose class or band changes. names are the attributes; have completes "people have" for those
// treated unfairly.
func (r *Result) classSentences(names, have string) []string {
	sum := &r.Summary
	first := fmt.Sprintf("%s of them (%s) would get another %s with another %s", view.Count(sum.Flips), view.Percent(sum.FlipsShare, 1), r.kind(), names)
	if !r.banded() {
		return []string{
			first + ".", "The class is the one with the largest output of the model; of a tie there is none.",
			fmt.Sprintf("The copies of a person get %.2f different classes on average, and %d at most.", sum.MeanK, sum.MaxK),
		}
	}
	if sum.Flips > 0 {
		first += fmt.Sprintf(": %s a better one, %s a worse one", view.Count(sum.Gain), view.Count(sum.Lose))
	}
	out, outcomes := []string{first + ".", "A" + r.Decision.Text()[1:] + "."}, "bands"
	if r.Epsilon != "" {
		out, outcomes = append(out, fmt.Sprintf("%s of them (%s) have %s.", view.Count(sum.Unfair), view.Percent(sum.UnfairShare, 1), have)), "outcomes"
	}
	return append(out, fmt.Sprintf("The copies of a person get %.2f different %s on average, and %d at most.", sum.MeanK, outcomes, sum.MaxK))
}

// classes shows whose class or band changes; for classes, also the people by group and the rates of groups.
func (r *Result) classes() (out []view.Block) {
	c := r.Classes
	var names []string
	for i := range c.Attributes {
		names = append(names, c.Attributes[i].Name)
	}
	plural := map[string]string{"class": "Classes", "band": "Bands"}[r.kind()]
	out = append(out, r.left(plural+" that people leave and enter with another "+english.WordSeries(names, "or"), c.Classes, r.Summary.FlipsShare, nil))
	for i := range c.Attributes {
		a := &r.Summary.Attributes[i]
		out = append(out, r.left("The same with another "+a.Name+", all else being kept, by their own "+a.Name, c.Attributes[i].Classes, a.FlipsShare, a))
	}
	if r.banded() {
		return out
	}
	for i := range r.Summary.Attributes {
		a := &r.Summary.Attributes[i]
		t := &view.Table{Title: "People by their own " + a.Name, Columns: view.Columns(a.Name, "people", "class changes", "with another "+a.Name, "mean k"),
			Notes: []string{"class changes: with any other protected attributes. k: the number of different classes of a person's copies."}}
		for j := range a.Groups {
			g := &a.Groups[j]
			t.Add(g.Label, view.Count(g.People), r.count(g.Unfair, g.UnfairShare, g.Weight), r.count(g.Flips, g.FlipsShare, g.Weight), r.mean("%.2f", g.MeanK, g.Weight))
		}
		out = append(out, t)
	}
	return append(out, r.classRates()...)
}

// nameIn names the i-th of the classes or bands, or a tie.
func nameIn(classes []Class, i int) string {
	if classes[0].Name != "" {
		return classes[i].Name
	}
	return nameOfClass(i, len(classes[0].Enter)-1)
}

// left tabulates, by class or band, how many people would leave it, and how many would enter each other one; share is the
// share over all. With an attribute, the rows are by group, too.
func (r *Result) left(title string, classes []Class, share float64, by *Attribute) *view.Table {
	t := moves(title, r.kind(), classes, share, by)
	example, in := nameIn(classes, 0), map[string]string{"class": "of that class", "band": "in that band"}[r.kind()]
	t.Notes = append([]string{fmt.Sprintf("to %s, …: people with a copy %s; a person may have copies of several.", example, in)}, t.Notes...)
	return t
}

// moves tabulates, by class or band, how many people leave it, and how many enter each other one.
func moves(title, kind string, classes []Class, share float64, by *Attribute) *view.Table {
	all := Class{LeaveShare: share, Enter: make([]int, len(classes[0].Enter))}
	for i := range classes {
		all.People, all.Leave = all.People+classes[i].People, all.Leave+classes[i].Leave
		for class, people := range classes[i].Enter {
			all.Enter[class] += people
		}
	}
	n := len(all.Enter)
	if n > len(classes) && all.Enter[n-1] == 0 {
		n-- // no ties
	}
	t := &view.Table{Title: title, Columns: view.Columns("own "+kind, "people", "would leave")}
	for class := range n {
		t.Columns = append(t.Columns, view.Column{Title: "to " + nameIn(classes, class), Right: true})
	}
	if by != nil {
		t.Columns = slices.Insert(t.Columns, 0, view.Column{Title: by.Name})
	}
	add := func(group, name string, own int, of *Class) {
		cells := []string{name, view.Count(of.People), count(of.Leave, of.LeaveShare)}
		for class, people := range of.Enter[:n] {
			if class == own {
				cells = append(cells, "–")
			} else {
				cells = append(cells, view.Count(people))
			}
		}
		if by != nil {
			cells = slices.Insert(cells, 0, group)
		}
		t.Add(cells...)
	}
	if by != nil {
		t.Notes = append(t.Notes, "Rows that nobody would leave are left out.")
		for i := range by.Groups {
			g := &by.Groups[i]
			for j := range g.Classes {
				if g.Classes[j].Leave > 0 {
					add(g.Label, nameIn(classes, g.Classes[j].Class), j, &g.Classes[j])
				}
			}
		}
	}
	for i := range classes {
		if by == nil || classes[i].Leave > 0 {
			add("all", nameIn(classes, classes[i].Class), i, &classes[i])
		}
	}
	add("all", "all", -1, &all)
	return t
}

// classRates shows the rates of groups for each class.
func (r *Result) classRates() (out []view.Block) {
	c := r.Classes
	if c.Classes[0].Rates == nil {
		return nil
	}
	for i := range c.Classes[0].Rates.Attributes {
		name := c.Classes[0].Rates.Attributes[i].Name
		t := &view.Table{Title: "Classes by " + name, Columns: []view.Column{
			{Title: "class"}, {Title: name}, {Title: "people", Right: true}, {Title: "rate", Right: true}, {Title: "95 %", Right: true}, {Title: "ratio", Right: true}, {Title: "95 %", Right: true},
		}, Notes: []string{"rate: people who get the class. ratio: over the highest rate of the class; it says nothing of which class is better."}}
		for j := range c.Classes {
			if c.Classes[j].Rates == nil {
				continue // a tie
			}
			a := &c.Classes[j].Rates.Attributes[i]
			for k := range a.Groups {
				if g := &a.Groups[k]; g.Judged {
					t.Add(strconv.Itoa(c.Classes[j].Class), g.Label, view.Count(g.People), g.Selection.text(), g.Selection.wilson(), ratio(g.ImpactRatio), cmp.Or(interval(g.Low, g.High), "–"))
				}
			}
		}
		t.Notes = append(t.Notes, c.Classes[0].Rates.Attributes[i].unjudged(c.Classes[0].Rates.MinShare, r.weighted())...)
		out = append(out, t)
	}
	return out
}

// bandRates shows the rates of each band for the groups of the i-th entry of Rates.
func (r *Result) bandRates(i int) *view.Table {
	name, bands := r.Rates.Attributes[i].Name, r.Classes.Classes
	t := &view.Table{Title: "Bands by " + name, Columns: view.Columns(name, "people"), Notes: []string{"the share of the group's people in each band; --json has intervals and ratios."}}
	for k := range r.Rates.Attributes[i].Groups {
		g := &r.Rates.Attributes[i].Groups[k]
		cells := []string{g.Label, view.Count(g.People)}
		for j := range bands {
			cells = append(cells, bands[j].Rates.Attributes[i].Groups[k].Selection.text())
		}
		if g.Judged {
			t.Add(cells...)
		}
	}
	for j := range bands {
		t.Columns = append(t.Columns, view.Column{Title: bands[j].Name, Right: true})
	}
	return t
}

// worstClasses lists the people whose copies get the most classes, for a model of several classes.
func (r *Result) worstClasses() *view.Table {
	t := &view.Table{
		Title: "The people whose copies get the most different classes",
		Columns: []view.Column{
			{Title: "row"}, {Title: "k", Right: true}, {Title: "class", Right: true}, {Title: strings.Join(r.Protected, ", ")}, {Title: "others", Right: true}, {Title: "one of them with"},
		},
		Notes: []string{"row: file and line. class: the person's own. others: those of the copies."},
	}
	if r.Rows == nil {
		return t
	}
	n := len(r.Classes.Classes[0].Enter) - 1
	for row := range r.Rows {
		if !row.Flips {
			break // k descends
		}
		var others []string
		for _, class := range row.Enters {
			others = append(others, strings.TrimPrefix(nameOfClass(class, n), "class "))
		}
		t.Add(fmt.Sprintf("%s:%d", row.File, row.Line), strconv.Itoa(row.K), strings.TrimPrefix(nameOfClass(*row.Class, n), "class "), r.combination(row.Labels),
			strings.Join(others, ", "), r.combination(row.High.Labels))
	}
	return t
}
