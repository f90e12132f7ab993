package mitigate

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize/english"

	"github.com/hyfair/hyfair/host/internal/answer/search"
	"github.com/hyfair/hyfair/host/internal/view"
)

// muchRefused is the least share of refused rows at which an arm is not a success, whatever its
// other measures.
const muchRefused = 0.5

// Network is one of several compared networks.
type Network struct {
	Name string
	*Result
}

// Table returns the paper's mitigation table with further columns: rows refused by
// guardrails, accuracy on answered rows, and group measures. With several networks, one
// column names the network.
func Table(networks ...Network) *view.Table {
	t := &view.Table{}
	if len(networks) > 1 {
		t.Columns = append(t.Columns, view.Column{Title: "network"})
	}
	t.Columns = append(t.Columns, view.Column{Title: "arm"})
	for _, title := range []string{
		"Acc (%)", "Acc.ans (%)", "Refused (%)", "Unfair (%)", "Iter", "Max.K", "Avg.K", "#ID", "Succ.rate (%)", "#ID.maxK", "F1", "DPD", "EOD",
	} {
		t.Columns = append(t.Columns, view.Column{Title: title, Right: true})
	}
	var proved []string // populations
	for _, n := range networks {
		for i := range n.Arms {
			if p := n.Arms[i].Proved; p != nil && !slices.Contains(proved, p.of()) {
				proved = append(proved, p.of())
			}
		}
	}
	if proved != nil {
		t.Columns = append(t.Columns, view.Column{Title: "Proved (%)", Right: true})
	}
	marked, rates := false, []*float64{}
	for n := range networks {
		if n > 0 {
			t.Rows = append(t.Rows, nil)
		}
		for i := range networks[n].Arms {
			a := &networks[n].Arms[i]
			marked, rates = marked || a.Quality.refusesMany(), append(rates, a.SuccRate)
			row := a.cells()
			if proved != nil {
				row = append(row, view.Cell{Text: a.Proved.cell()})
			}
			if len(networks) > 1 {
				row = append(view.Texts(networks[n].Name), row...)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	apart := "' scores lie more than ε apart"
	if slices.ContainsFunc(networks, func(n Network) bool { return n.banded() }) {
		apart = " are in different bands"
	}
	t.Notes = append(t.Notes,
		"Acc counts a refusal as wrong. Acc.ans, F1, DPD (demographic parity difference) and EOD (equal opportunity difference) are over the answered rows.",
		"Unfair: people in these rows whose copies"+apart+", all evaluated; the columns after it are what a search met.")
	if proved != nil {
		t.Notes = append(t.Notes, "Proved: of "+english.WordSeries(proved, "or")+" whom an arm answers, the share whose copies"+apart+", as a proved lower and a proved upper bound.")
	}
	t.Notes = append(t.Notes, search.RateNotes(rates...)...)
	if marked {
		t.Notes = append(t.Notes, "! refuses half of the rows or more: no success, whatever the other columns say.")
	}
	return t
}

// refusesMany reports whether guardrails refuse too many rows for a success.
func (q *Quality) refusesMany() bool {
	return q != nil && q.Refused != nil && *q.Refused >= muchRefused
}

func (a *ArmResult) cells() []view.Cell {
	if a.Skipped != "" {
		return view.Texts(a.Name, "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–", "–")
	}
	q, sd := a.Quality, a.SD
	if sd == nil {
		sd = &search.Measures{}
	}
	cells := view.Texts(a.Name, percent(q.Accuracy), percent(q.AccuracyAnswered), percent(q.Refused), percent(q.Unfair))
	for _, c := range []struct {
		mean, sd *float64
		digits   int // of one run
	}{
		{a.Iter, sd.Iter, 0}, {a.MaxK, sd.MaxK, 0}, {a.AvgK, sd.AvgK, 2}, {a.ID, sd.ID, 0},
		{a.SuccRate, sd.SuccRate, 2}, {a.IDMaxK, sd.IDMaxK, 0},
	} {
		digits := c.digits
		if c.sd != nil {
			if digits = max(1, digits); *c.mean >= 1000 {
				digits = 0
			}
		}
		cells = append(cells, view.Cell{Text: view.MeanSD(c.mean, c.sd, digits)})
	}
	if a.TooFewRounds {
		cells[largestCell].Text = "too few rounds to tell"
	}
	cells = append(cells, view.Texts(view.Number(q.F1, 3), view.Number(q.Parity, 3), view.Number(q.Opportunity, 3))...)
	if q.refusesMany() {
		cells[refusedCell].Text += " !"
		cells[refusedCell].Alarm = true
	}
	return cells
}

// refusedCell is the index of the share of refused rows among an arm's cells.
const refusedCell = 3

// largestCell is the index of the largest k.
const largestCell = 6

func percent(share *float64) string {
	if share == nil {
		return view.NA
	}
	return fmt.Sprintf("%.2f", 100**share)
}
