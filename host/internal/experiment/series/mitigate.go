package series

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/gate"
	"github.com/hyfair/hyfair/host/internal/answer/mitigate"
	"github.com/hyfair/hyfair/host/internal/experiment"
	"github.com/hyfair/hyfair/host/internal/question"
	"github.com/hyfair/hyfair/host/internal/view"
)

// Mitigate is the kind of a series of mitigations.
var Mitigate = &Kind[mitigate.Request, mitigate.Result]{
	Command: "mitigate",
	Spec:    func(r *mitigate.Request) *question.Spec { return &r.Search.Spec },
	Uses:    func(r *mitigate.Request) (strategy, solver string) { return r.Search.Strategy, r.Search.Solver },
	Writes:  func(r *mitigate.Request) bool { return r.Out != "" },
	Asked: func(r *mitigate.Request, epsilon string) (outcomes, budget string, seed int64) {
		return "notion score, ε " + epsilon, fmt.Sprintf("%s a search (%s), %s", r.Search.Budget, r.Search.Mode, english.Plural(r.Search.Runs, "search an arm", "searches an arm")), r.Search.Seed
	},
	Rows: func(r *mitigate.Result) (rows []view.Record) {
		for i := range r.Arms {
			asked := view.Record{{Name: "way", Of: r.Arms[i].Name}, {Name: "epsilon", Of: r.Epsilon}, {Name: "strategy", Of: r.Strategy}, {Name: "mode", Of: r.Mode},
				{Name: "budget", Of: r.Budget}, {Name: "searches", Of: r.Searches}}
			rows = append(rows, append(asked, experiment.Fields(r.Arms[i])[1:]...))
		}
		return rows
	},
	Table: func(p *Plan[mitigate.Request, mitigate.Result], cells []Cell[mitigate.Result]) experiment.Table {
		m := &Mitigations{Name: p.Name, Networks: []*mitigate.Result{}, Total: total(p, cells)}
		for i := range cells {
			r := cells[i].Result
			if r == nil {
				m.lost = append(m.lost, p.name(i))
				continue
			}
			m.Networks = append(m.Networks, r)
			m.named = append(m.named, mitigate.Network{Name: p.name(i), Result: r})
		}
		return m
	},
}

// Mitigations is the JSON object of hyfair mitigate with a file of studies.
type Mitigations struct {
	// The name of the file.
	Name string `json:"name"`
	// One entry for each network, as for a single study.
	Networks []*mitigate.Result `json:"networks"`
	Total
	gate.Checks

	named []mitigate.Network
	lost  []string // without a result
}

// HoldEach compares each network's result with the gates. A network without a result leaves its
// gates undecided.
func (m *Mitigations) HoldEach(gates []gate.Gate) {
	for i := range m.named {
		for _, c := range m.named[i].Result.Held(gates) {
			c.Of = strings.TrimSuffix(m.named[i].Name+", "+c.Of, ", ")
			m.Hold(c)
		}
	}
	for _, name := range m.lost {
		for _, g := range gates {
			m.Hold(g.Is(name, gate.Undecided, "the network has no result"))
		}
	}
}

// Unchecked names the first network whose inputs were not checked, and says why; empty if all were
// checked.
func (m *Mitigations) Unchecked() string {
	for i := range m.named {
		if why := m.named[i].Result.Unchecked(); why != "" {
			return m.named[i].Name + ": " + why
		}
	}
	return ""
}

// Document shows the networks in the order of the file.
func (m *Mitigations) Document() *view.Document {
	d := &view.Document{}
	for _, r := range m.Networks {
		d.Add(r.Document().Blocks...)
	}
	d.Add(view.Paragraph(m.Notes()))
	d.Add(m.Blocks()...)
	return d
}

// Failure implements experiment.Table.
func (m *Mitigations) Failure() error { return m.failure("mitigated") }

// WriteTables writes the table of all networks into a folder.
func (m *Mitigations) WriteTables(folder string) error {
	if len(m.named) == 0 {
		return nil
	}
	t := mitigate.Table(m.named...)
	t.Notes = append(t.Notes, m.Notes()...)
	d := view.Of(t)
	d.Data = m.data(t)
	return mitigate.WriteTables(folder, d)
}

// Page shows the networks in the order of the file, with their figures.
func (m *Mitigations) Page() *view.Document {
	d := &view.Document{}
	for i, r := range m.Networks {
		d.Add(view.Heading(m.named[i].Name))
		d.Add(r.Page().Blocks...)
	}
	d.Add(view.Paragraph(m.Notes()))
	d.Add(m.Blocks()...)
	return d
}
