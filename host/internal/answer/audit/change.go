package audit

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/question/people"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/space"
)

// MaxWorse is the name of the gate that bounds the share of people whom the new model alone treats unfairly.
const MaxWorse = "max-worse"

// Change is what a new model changes for the people audited with both models.
type Change struct {
	// The old model.
	Old OfModel `json:"old"`
	// The column of the weights by which shares and the mean count; absent where each row counts once.
	Weight string `json:"weight,omitempty"`
	// The number of people audited with both models.
	People int `json:"people"`
	// The number of positive decisions of the old model; 0 with bands.
	OldPositive int `json:"old_positive"`
	// The number of positive decisions of the new model; 0 with bands.
	NewPositive int `json:"new_positive"`
	Moves
	// With bands: the people by their band with the old model; those who leave it enter the band that they have with the new
	// model.
	Bands []Class `json:"bands,omitempty"`
	// The number of people that the old model treats unfairly.
	OldUnfair int `json:"old_unfair"`
	// The number of people that the new model treats unfairly.
	NewUnfair int `json:"new_unfair"`
	// The share of the people that the new model alone treats unfairly.
	WorseShare float64 `json:"worse_share"`
	// The mean size of the change of scores.
	MeanScore float64 `json:"mean_score_change"`
	// The person with the largest change of score; absent if no score changes.
	Most *Moved `json:"largest_score_change,omitempty"`
	// The protected attributes, with the changes of each group.
	Attributes []ChangedAttribute `json:"attributes"`
}

// OfModel names a model.
type OfModel struct {
	// The study's name.
	Study string `json:"study"`
	// The file name of the model.
	Model string `json:"model"`
	question.Grounds
}

// Moves counts people whose decision or treatment changed.
type Moves struct {
	// The number of people whose decision changes.
	Changed int `json:"changed"`
	// Their share of the people.
	ChangedShare float64 `json:"changed_share"`
	// The number of those whose decision becomes positive; with bands, of those who get a band of higher scores.
	ToYes int `json:"to_yes"`
	// The number of those whose decision becomes negative; with bands, of those who get a band of lower scores.
	ToNo int `json:"to_no"`
	// The number of people that the new model alone treats unfairly.
	Worse int `json:"worse"`
	// The number of people that the old model alone treats unfairly.
	Better int `json:"better"`
}

// add counts a person, as audited with the old model (was) and with the new one (now). Until sum is
// called, ChangedShare holds a weight.
func (m *Moves) add(weight float64, was, now *Person, o *Outcome) {
	up, down := now.Positive && !was.Positive, was.Positive && !now.Positive
	if o.Bands != nil {
		up, down = now.Class != was.Class && now.Class < was.Class != o.Rule.Low, now.Class != was.Class && now.Class > was.Class != o.Rule.Low
	}
	if up || down {
		m.ChangedShare += weight
	}
	m.ToYes += one(up)
	m.ToNo += one(down)
	m.Worse += one(now.Unfair && !was.Unfair)
	m.Better += one(was.Unfair && !now.Unfair)
}

func (m *Moves) sum(all float64) {
	m.Changed = m.ToYes + m.ToNo
	m.ChangedShare = part(m.ChangedShare, all)
}

// Moved is a person whose score changed.
type Moved struct {
	// The file of the row.
	File string `json:"file"`
	// The line on which the row begins.
	Line int `json:"line"`
	// The score by the old model.
	Old float64 `json:"old_score"`
	// The score by the new model.
	New float64 `json:"new_score"`
}

// ChangedAttribute groups the people by their own values of an attribute.
type ChangedAttribute struct {
	// The attribute.
	Name string `json:"name"`
	// The groups by value.
	Groups []ChangedGroup `json:"groups"`
}

// ChangedGroup counts the changes of people with one value, or a range of values, of an attribute.
type ChangedGroup struct {
	// The value, or the range of values.
	Label string `json:"label"`
	// The number of people with such a value.
	People int `json:"people"`
	Moves
}

// NameOf names a question's model for results.
func NameOf(q *question.Question) OfModel {
	return OfModel{q.Study.Name, filepath.Base(q.Study.ModelPath), question.GroundsOf(q.Study)}
}

// Compare compares two audits of the same rows, for the people in both. s and region are the new
// audit's.
func Compare(old, new *Outcome, s *space.Space, region space.Region, data *people.Data) *Change {
	before := make(map[int]*Person, len(old.People))
	for i := range old.People {
		before[old.People[i].Index] = &old.People[i]
	}
	c, most, sum, all := &Change{}, 0.0, 0.0, 0.0
	if new.Weights != nil {
		c.Weight = data.Spec().Weight
	}
	var both [][2]*Person
	for i := range new.People {
		now := &new.People[i]
		was := before[now.Index]
		if was == nil {
			continue
		}
		both = append(both, [2]*Person{was, now})
	}
	var moves *movers
	if new.Bands != nil {
		moves = new.movers()
	}
	slices.SortFunc(both, func(a, b [2]*Person) int { return a[1].Index - b[1].Index })
	for _, p := range both {
		was, now := p[0], p[1]
		c.People++
		c.OldPositive, c.NewPositive = c.OldPositive+one(was.Positive && moves == nil), c.NewPositive+one(now.Positive && moves == nil)
		c.OldUnfair, c.NewUnfair = c.OldUnfair+one(was.Unfair), c.NewUnfair+one(now.Unfair)
		weight := new.weight(now)
		c.add(weight, was, now, new)
		if moves != nil && was.Class != now.Class {
			moves.add(weight, was.Class, []int{now.Class})
		} else if moves != nil {
			moves.add(weight, was.Class, nil)
		}
		if all += weight; now.Unfair && !was.Unfair {
			c.WorseShare += weight
		}
		change := math.Abs(now.Score - was.Score)
		if sum += weight * change; change > most {
			file, line := data.Where(now.Index)
			most, c.Most = change, &Moved{filepath.Base(file), line, was.Score, now.Score}
		}
	}
	if c.sum(all); moves != nil {
		c.Bands = moves.close()
	}
	c.WorseShare, c.MeanScore = part(c.WorseShare, all), part(sum, all)
	for _, f := range s.Protected() {
		c.Attributes = append(c.Attributes, new.changedBy(both, f, s, region, data.Points))
	}
	return c
}

func (o *Outcome) changedBy(both [][2]*Person, f int, s *space.Space, region space.Region, rows [][]float64) ChangedAttribute {
	out := ChangedAttribute{Name: s.Features[f].Name, Groups: []ChangedGroup{}}
	for _, c := range cohorts(s, region, []int{f}, len(both), func(i int) []float64 { return rows[both[i][1].Index] }) {
		g, all := ChangedGroup{Label: labelOf(&s.Features[f], c.ends[0]), People: len(c.people)}, 0.0
		for _, i := range c.people {
			was, now := both[i][0], both[i][1]
			all += o.weight(now)
			g.add(o.weight(now), was, now, o)
		}
		g.sum(all)
		out.Groups = append(out.Groups, g)
	}
	return out
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Blocks shows the change. unfair says what counts as unfair treatment; number: the models predict numbers.
func (c *Change) Blocks(unfair string, number bool) []view.Block {
	of := fmt.Sprintf("%s people were audited with %s (%s) as well.", view.Count(c.People), c.Old.Study, c.Old.Model)
	text, rule := view.Paragraph{of}, c.Old.Rule() // the favourable decision is the same with both
	good, bad := waysOf(c.Old.Decision)
	to := turns(c.ToYes, c.ToNo, rule)
	if len(c.Bands) > 0 {
		text = append(text, fmt.Sprintf("The band of %s of them (%s) changes: %s to %s, %s to %s.", view.Count(c.Changed), view.Percent(c.ChangedShare, 2), view.Count(to.Gain), good, view.Count(to.Lose), bad))
	} else if !number {
		text = append(text, fmt.Sprintf("The decision about %s of them (%s) changes: %s to %s, %s to %s; %s are %s with the new model, %s with the old one.",
			view.Count(c.Changed), view.Percent(c.ChangedShare, 2), view.Count(to.Gain), good, view.Count(to.Lose), bad,
			view.Count(favoured(c.NewPositive, c.People, rule)), good, view.Count(favoured(c.OldPositive, c.People, rule))))
	}
	if c.Weight != "" {
		text = append(text, "Shares and the mean count rows by "+c.Weight+".")
	}
	text = append(text, fmt.Sprintf("%s are treated unfairly (%s) with the new model, %s with the old one: %s (%s) with the new one alone, %s with the old one alone.",
		view.Count(c.NewUnfair), unfair, view.Count(c.OldUnfair), view.Count(c.Worse), view.Percent(c.WorseShare, 2), view.Count(c.Better)))
	if m := c.Most; m == nil && c.People > 0 {
		text = append(text, "No score changes.")
	} else if m != nil {
		text = append(text, fmt.Sprintf("The score changes by %s on average, and most at %s:%d, from %s to %s.", view.Score(c.MeanScore), m.File, m.Line, view.Score(m.Old), view.Score(m.New)))
	}
	t := &view.Table{Title: "What changes, by group", Columns: []view.Column{{Title: "attribute"}, {Title: "group"}, {Title: "people", Right: true}}}
	if !number {
		t.Columns = append(t.Columns, view.Column{Title: "decision changes", Right: true}, view.Column{Title: "to " + good, Right: true}, view.Column{Title: "to " + bad, Right: true})
	}
	t.Columns = append(t.Columns, view.Column{Title: "unfair only now", Right: true}, view.Column{Title: "only before", Right: true})
	if len(c.Bands) > 0 {
		t.Columns[3].Title = "band changes"
	}
	for _, a := range c.Attributes {
		for _, g := range a.Groups {
			row := []string{a.Name, g.Label, view.Count(g.People)}
			if to := turns(g.ToYes, g.ToNo, rule); !number {
				row = append(row, view.Percent(g.ChangedShare, 2), view.Count(to.Gain), view.Count(to.Lose))
			}
			t.Add(append(row, view.Count(g.Worse), view.Count(g.Better))...)
		}
	}
	if len(c.Bands) == 0 {
		return []view.Block{text, t}
	}
	bands := moves("Bands that people leave and enter with the new model", "band", c.Bands, c.ChangedShare, nil)
	bands.Columns[0].Title, bands.Columns[2].Title = "old band", "leave"
	return []view.Block{text, bands, t}
}

// Hold checks a gate on the share of people whom the new model alone treats unfairly. complete: all people were
// audited with both models.
func (c *Change) Hold(g gate.Gate, complete bool) gate.Check {
	switch {
	case c.People == 0:
		return g.Is("", gate.Undecided, "nobody was audited with both models")
	case !complete:
		return g.Is("", gate.Undecided, "interrupted before everybody was audited with both models")
	}
	by := map[bool]string{true: " by " + c.Weight}[c.Weight != ""]
	worse := exactly(c.Worse, c.People, c.WorseShare, c.Weight != "")
	return g.Within("", worse, worse, fmt.Sprintf("%s of %s people (%s%s) are treated unfairly by the new model alone", view.Count(c.Worse), view.Count(c.People), view.Percent(c.WorseShare, 2), by))
}
