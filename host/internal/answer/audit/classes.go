package audit

import (
	"cmp"
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

// Classes says whose class changes, of a model of several classes of which the one with the largest output wins.
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
	// The class, from 0 in the order of the model's outputs; the number of classes stands for a tie.
	Class int `json:"class"`
	// The number of people of this class.
	People int `json:"people"`
	// The number of them with a copy in another class.
	Leave int `json:"leave"`
	// Their share of the people of this class, 0 to 1.
	LeaveShare float64 `json:"leave_share"`
	// For each class, and last for a tie, the number of people of this class with a copy that enters it.
	Enter []int `json:"enter"`
	// With --groups: rates of people who get this class, by group. It stands for the favourable decision; there are no
	// scoring and error rates and no proxies.
	Rates *Rates `json:"groups,omitempty"`
}

// config returns the audit's configuration. For a model of several classes it refuses the flags
// that need a single score, and adds one model per class.
func (r *Request) config(q *question.Question) (c Config, err error) {
	if !q.Study.ModelFile.OneOfMany {
		return ConfigOf(q)
	}
	rated := slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return g.Name == MinImpactRatio })
	for _, flag := range []struct {
		given     bool
		name, why string
	}{
		{q.Spec.Notion != "" && q.Spec.Notion != fairness.Decision.String(), "notion", "the only one is decision: whether the class changes"},
		{q.Spec.Epsilon != "", "epsilon", "classes have no ε"},
		{r.Thresholds != "", "thresholds", "the decision is the class with the largest output"},
		{r.Baseline != "", "baseline", "two models are compared by a score"},
		{r.Favourable != "", "favourable", "the decision is one of several classes"},
		{rated, MinImpactRatio, "no class is the favourable one; --groups has the ratios of each"},
	} {
		if flag.given {
			return c, fmt.Errorf("--%s: %s tells several classes: %s: leave it out", flag.name, q.Study.ModelPath, flag.why)
		}
	}
	c = Config{Model: q.Study.Model, Space: q.Space, Region: q.Region, Epsilon: study.DefaultEpsilon()}
	classes, err := q.Study.Classes()
	if err != nil {
		return c, err
	}
	for _, of := range classes {
		c.Classes = append(c.Classes, of.Model)
	}
	return c, c.restrict(q)
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

// classified is person for a model of several classes. High is a copy in another class, if there is
// one; Low is the person.
func (b *bench) classified(i, row int) Person {
	x := b.points[i]
	own := Copy{Z: b.protectedOf(x)}
	p := Person{Index: row, N: b.outcomes[i].N, Class: b.class(x), High: own, Low: own, Effects: make([]Effect, len(b.each))}
	enters := func(e *evaluate.Evaluator) (others []int, first Copy) {
		for _, c := range e.Copies(x).Combinations {
			point := e.Point(x, c)
			if class := b.class(point); class != p.Class && !slices.Contains(others, class) {
				if others = append(others, class); len(others) == 1 {
					first.Z = b.protectedOf(point)
				}
			}
		}
		slices.Sort(others)
		return others, first
	}
	var other Copy
	if p.Enters, other = enters(b.whole); len(p.Enters) > 0 {
		p.High = other
	}
	p.K, p.Unfair, p.Flips = 1+len(p.Enters), len(p.Enters) > 0, len(p.Enters) > 0
	for n, line := range b.each {
		e, at := &p.Effects[n], x[b.protected[n]]
		e.Enters, _ = enters(line)
		e.N, e.K, e.Unfair, e.Flips, e.Best, e.Worst = b.effects[n][i].N, 1+len(e.Enters), len(e.Enters) > 0, len(e.Enters) > 0, at, at
	}
	return p
}

// classes counts the people by their own class.
func (o *Outcome) classes(s *space.Space) *Classes {
	count := func(enters func(p *Person) []int) []Class {
		out, all := make([]Class, o.Classes+1), make([]float64, o.Classes+1)
		for i := range out {
			out[i] = Class{Class: i, Enter: make([]int, o.Classes+1)}
		}
		for i := range o.People {
			p := &o.People[i]
			c, others := &out[p.Class], enters(p)
			c.People++
			all[p.Class] += o.weight(p)
			if len(others) > 0 {
				c.Leave++
				c.LeaveShare += o.weight(p)
			}
			for _, class := range others {
				c.Enter[class]++
			}
		}
		for i := range out {
			out[i].LeaveShare = part(out[i].LeaveShare, all[i])
		}
		if out[o.Classes].People == 0 {
			out = out[:o.Classes]
		}
		return out
	}
	out := &Classes{Classes: count(func(p *Person) []int { return p.Enters }), Attributes: []ClassesBy{}}
	for n, f := range s.Protected() {
		out.Attributes = append(out.Attributes, ClassesBy{s.Features[f].Name, count(func(p *Person) []int { return p.Effects[n].Enters })})
	}
	return out
}

// rateClasses computes the rates of groups for each class, with that class as the favourable
// decision.
func (o *Outcome) rateClasses(to *Classes, c *Config, by RateBy) {
	for class, m := range c.Classes {
		one := *o
		one.People = slices.Clone(o.People)
		for i := range one.People {
			one.People[i].Positive = one.People[i].Class == class
		}
		by.Decider = individual.New(m, c.Space, fairness.Rule{})
		to.Classes[class].Rates = one.Rates(by)
		to.Classes[class].Rates.Favourable = nameOfClass(class, o.Classes)
	}
}

// nameOfClass names the class with this index. The index that equals the number of classes stands
// for a tie.
func nameOfClass(class, of int) string {
	if class == of {
		return "a tie"
	}
	return "class " + strconv.Itoa(class)
}

// classSentences states whose class changes. names are the attributes.
func (r *Result) classSentences(names string) []string {
	sum := &r.Summary
	return []string{
		fmt.Sprintf("%s of them (%s) would get another class with another %s.", view.Count(sum.Flips), view.Percent(sum.FlipsShare, 1), names),
		"The class is the one with the largest output of the model; of a tie there is none.",
		fmt.Sprintf("The copies of a person get %.2f different classes on average, and %d at most.", sum.MeanK, sum.MaxK),
	}
}

// classes shows whose class changes, and the rates of groups.
func (r *Result) classes() (out []view.Block) {
	c := r.Classes
	var names []string
	for i := range c.Attributes {
		names = append(names, c.Attributes[i].Name)
	}
	out = append(out, left("Classes that people leave and enter with another "+english.WordSeries(names, "or"), c.Classes, r.Summary.FlipsShare))
	if len(c.Attributes) > 1 {
		for i := range c.Attributes {
			out = append(out, left("The same with another "+c.Attributes[i].Name+", all else being kept", c.Attributes[i].Classes, r.Summary.Attributes[i].FlipsShare))
		}
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

// left tabulates, by class, how many people would leave it, and how many would enter each other
// class. share is the share over all classes.
func left(title string, classes []Class, share float64) *view.Table {
	n := len(classes[0].Enter) - 1
	all, enter := Class{LeaveShare: share}, make([]int, n+1)
	for i := range classes {
		all.People, all.Leave = all.People+classes[i].People, all.Leave+classes[i].Leave
		for class, people := range classes[i].Enter {
			enter[class] += people
		}
	}
	if enter[n] == 0 {
		enter = enter[:n] // no ties
	}
	t := &view.Table{Title: title, Columns: view.Columns("own class", "people", "would leave"),
		Notes: []string{"to class 0, …: people with a copy of that class; a person may have copies of several."}}
	for class := range enter {
		t.Columns = append(t.Columns, view.Column{Title: "to " + nameOfClass(class, n), Right: true})
	}
	add := func(name string, of *Class, enter []int) {
		cells := []string{name, view.Count(of.People), count(of.Leave, of.LeaveShare)}
		for class, people := range enter {
			if name == nameOfClass(class, n) {
				cells = append(cells, "–")
			} else {
				cells = append(cells, view.Count(people))
			}
		}
		t.Add(cells...)
	}
	for i := range classes {
		add(nameOfClass(classes[i].Class, n), &classes[i], classes[i].Enter[:len(enter)])
	}
	add("all", &all, enter)
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

// worstClasses is worst for a model of several classes.
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
