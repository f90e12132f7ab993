package series

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/answer/explain"
	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// Explain is the kind of a series of explanations.
var Explain = &Kind[explain.Request, explain.Result]{
	Command: "explain",
	Spec:    func(r *explain.Request) *question.Spec { return &r.Spec },
	Uses: func(r *explain.Request) (strategy, solver string) {
		if r.Bound == 0 {
			solver = search.NoSolver
		}
		return cmp.Or(r.Strategy, "climb"), solver
	},
	Asked: func(r *explain.Request, epsilon string) (outcomes, budget string, seed int64) {
		if budget = r.Budget + " a search"; r.From != "" || r.Rows != "" || len(r.Row) > 0 {
			budget = "none: the people are given"
		}
		if r.Notion == fairness.Decision.String() {
			return "notion decision", budget, r.Seed
		}
		return "notion score, ε " + epsilon, budget, r.Seed
	},
	Rows: func(r *explain.Result) []view.Record {
		row := slices.DeleteFunc(experiment.Fields(*r), func(v view.Value) bool { return strings.HasPrefix(v.Name, "tree.") })
		if len(r.Predicates) > 0 {
			for _, v := range experiment.Fields(r.Predicates[0]) {
				row = append(row, view.Value{Name: "predicate." + v.Name, Of: v.Of})
			}
		}
		return []view.Record{row}
	},
	Table: func(p *Plan[explain.Request, explain.Result], cells []Cell[explain.Result]) experiment.Table {
		e := &Explanations{Name: p.Name, Networks: []explain.Network{}, Total: total(p, cells)}
		for i := range cells {
			if c := &cells[i]; c.Result != nil || c.Error != "" {
				e.Networks = append(e.Networks, explain.Network{Study: p.source(i).Study, Model: p.source(i).Model, Arm: p.Networks[i].Point.Called(""), Error: c.Error, Report: c.Result})
			}
		}
		return e
	},
}

// Explanations is the JSON object of hyfair explain with a file of studies.
type Explanations struct {
	// The name of the file.
	Name string `json:"name"`
	// One entry for each network.
	Networks []explain.Network `json:"networks"`
	Total
}

// Document shows the paper's table.
func (e *Explanations) Document() *view.Document {
	t := explain.Table(e.Name, e.Networks)
	t.Notes = append(t.Notes, e.Notes()...)
	d := &view.Document{}
	for i := range e.Networks {
		if n := &e.Networks[i]; n.Report != nil && n.Report.Unchecked() != "" {
			d.Add(view.Warning{n.Name() + ": " + n.Report.Unchecked()})
		}
	}
	d.Add(t)
	d.Data = e.data(t)
	return d
}

// Failure implements experiment.Table.
func (e *Explanations) Failure() error {
	return e.failure("explained, or the bounds of --bound could not be proved")
}

// Page shows the table and each network's explanation.
func (e *Explanations) Page() *view.Document {
	d := e.Document()
	for i := range e.Networks {
		if n := &e.Networks[i]; n.Report != nil {
			d.Add(view.Heading(n.Name()))
			d.Add(n.Report.Page().Blocks...)
		}
	}
	return d
}
