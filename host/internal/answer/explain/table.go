package explain

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Network is one of several explained networks.
type Network struct {
	// The study's file.
	Study string `json:"study"`
	// The network's file; empty for the study's own.
	Model string `json:"model"`
	// The combination of the file's grid; absent without a grid.
	Arm string `json:"arm,omitempty"`
	// The reason why there is no report, or why its bounds are incomplete.
	Error string `json:"error,omitempty"`
	// The explanation, as for a single study; null without one.
	Report *Result `json:"report"`
}

// Name is the network's file name without its extension, or the study's name for its own
// network, followed by the arm.
func (n *Network) Name() string {
	name := n.Study
	switch {
	case n.Model != "":
		name = strings.TrimSuffix(n.Model, filepath.Ext(n.Model))
	case n.Report != nil:
		name = n.Report.Study
	}
	return strings.TrimSpace(name + " " + n.Arm)
}

// Table is the paper's Table 3: one row per network, with LIME on the left if it was requested
// and the first kept predicate on the right.
func Table(name string, networks []Network) *view.Table {
	lime, bounded := false, false
	for i := range networks {
		if r := networks[i].Report; r != nil {
			lime, bounded = lime || r.LIME != nil, bounded || r.Prover != nil
		}
	}
	t := &view.Table{
		Title:   name,
		Columns: view.Columns("network", "Init.K"),
		Groups:  []view.Group{{Span: 2}},
		Notes: []string{
			"Size, K, Pert.K, Diff, Cov: of the kept predicate that holds for most high neighbours. kept: the number of predicates kept.",
			"K, Pert.K: mean k (± standard deviation) of fresh neighbours for whom it holds, and for whom it does not.",
			"Cov: the predicate's share of the space, and its individuals; rows: share of the people in the data for whom it holds.",
		},
	}
	measures := []string{"Size", "K", "Pert.K", "Diff", "Cov"}
	right := func(prefix string, titles ...string) {
		for _, title := range titles {
			t.Columns = append(t.Columns, view.Column{Title: prefix + title, Right: true})
		}
	}
	if lime {
		right("LIME ", measures...)
		t.Groups = append(t.Groups, view.Group{Title: "LIME", Span: len(measures)})
		t.Notes = append(t.Notes, "LIME: Size counts the features in the union of the strongest three of each explanation; an explanation covers one individual.")
	}
	right("", append(measures, "individuals", "rows", "kept")...)
	t.Groups = append(t.Groups, view.Group{Title: "predicate", Span: len(measures) + 3})
	if bounded {
		right("", "k inside", "k outside")
		t.Groups = append(t.Groups, view.Group{Title: "proved", Span: 2})
		t.Notes = append(t.Notes, "proved: a solver's floor of k for every individual inside this predicate, and ceiling for every individual outside all kept predicates; in brackets the nearest value found, = if they are equal.")
	}
	for i := range networks {
		n := &networks[i]
		name := n.Name()
		if n.Report == nil {
			row := view.Texts(name)
			for range t.Columns[1:] {
				row = append(row, view.Cell{Text: view.NA})
			}
			t.Rows, t.Notes = append(t.Rows, row), append(t.Notes, name+": "+n.Error)
			continue
		}
		row := []string{name, strconv.Itoa(n.Report.InitK)}
		if lime {
			row = append(row, n.Report.LIME.cells()...)
		}
		row = append(row, n.Report.cells()...)
		if bounded {
			row = append(row, n.Report.provedCells()...)
		}
		t.Rows = append(t.Rows, view.Texts(row...))
		for _, note := range []string{n.Report.Nothing, n.Error} {
			if note != "" {
				t.Notes = append(t.Notes, name+": "+note)
			}
		}
	}
	return t
}

// cells returns the cells of the first predicate.
func (r *Result) cells() []string {
	if len(r.Predicates) == 0 {
		return []string{view.NA, view.NA, view.NA, view.NA, view.NA, view.NA, view.NA, "0"}
	}
	p := &r.Predicates[0]
	rows := "–"
	if p.Support != nil {
		rows = view.SmallShare(p.Support.Share)
	}
	return []string{
		strconv.Itoa(p.Size), view.MeanSD(&p.Inside.Mean, &p.Inside.SD, 1), view.MeanSD(&p.Outside.Mean, &p.Outside.SD, 1), fmt.Sprintf("%.1f", p.Diff),
		view.SmallShare(p.Coverage.Share), counted(&p.Coverage), rows, strconv.Itoa(len(r.Predicates)),
	}
}
