package mitigate

import (
	"slices"
	"strings"

	"github.com/hyfair/hyfair/host/internal/view"
)

// Page shows the result with its figures.
func (r *Result) Page() *view.Document {
	d := r.Document()
	for _, f := range r.Figures() {
		d.Add(f)
	}
	return d
}

// unfair names the share of unfairly treated people.
func (r *Result) unfair() string { return strings.TrimPrefix(unfair(r.banded()), "a ") }

// meaning says what unfair treatment is.
func (r *Result) meaning() string {
	if r.banded() {
		return "Bands are those of the decision."
	}
	return "Gap above ε: the scores of the person's copies lie more than ε apart."
}

// Figures draws the costs and effects of each arm tried.
func (r *Result) Figures() []*view.Figure {
	var arms []*ArmResult
	for i := range slices.Backward(r.Arms) {
		if a := &r.Arms[i]; a.Skipped == "" && a.Quality != nil {
			arms = append(arms, a)
		}
	}
	if len(arms) == 0 {
		return nil
	}
	shares := &view.Figure{
		Name: "arms", Title: "What each mitigation costs and brings", X: view.Axis{Label: "per cent of the rows held back", Max: 100},
		Y: view.Axis{Min: 0.5, Max: float64(len(arms)) + 0.5}, Caption: "A refusal is not a right answer. " + r.meaning(),
	}
	largest := &view.Figure{
		Name: "arms-k", Title: "Largest k that a search found after each mitigation", X: view.Axis{Label: "largest k", Whole: true, Max: 2},
		Y: view.Axis{Min: 0.5, Max: float64(len(arms)) + 0.5}, Caption: "Each arm is searched in the same way, " + r.Budget + " a search. No bar: nobody was found.",
	}
	series := []view.Series{{Name: "right answers", Look: 1}, {Name: "refused", Look: 4}, {Name: r.unfair(), Look: 2}}
	bars := view.Series{Name: "k", Look: 1, Bars: []view.Point{}}
	for i, a := range arms {
		shares.Y.Names, largest.Y.Names = append(shares.Y.Names, a.Name), append(largest.Y.Names, a.Name)
		at := float64(i + 1)
		for k, share := range []*float64{a.Quality.Accuracy, a.Quality.Refused, a.Quality.Unfair} {
			if share != nil {
				series[k].Dots = append(series[k].Dots, view.Point{X: 100 * *share, Y: at})
			}
		}
		if a.MaxK != nil && *a.MaxK > 0 {
			bars.Bars = append(bars.Bars, view.Point{X: *a.MaxK, Y: at})
			largest.X.Max = max(largest.X.Max, 1.05**a.MaxK)
		}
	}
	shares.Series, largest.Series = series, []view.Series{bars}
	return []*view.Figure{shares, largest}
}

// Summary shows each arm's costs and effects in plain words.
func (r *Result) Summary() *view.Table {
	t := &view.Table{
		Columns: view.Columns("mitigation", "right answers", "refused", r.unfair(), "largest k found", "unequal positive rates", "individuals met"),
		Notes: []string{
			"Shares are of the rows that the study holds back, or of all rows if it holds none back; a refusal is not a right answer. " + r.meaning(),
			"Unequal positive rates: the largest difference between groups in the share of positive decisions. The largest k and the individuals are what a search of " + r.Budget + " met.",
		},
	}
	share := func(v *float64) string {
		if v == nil {
			return view.NA
		}
		return view.Percent(*v, 2)
	}
	for i := range r.Arms {
		a := &r.Arms[i]
		if a.Skipped != "" || a.Quality == nil {
			t.Add(a.Name, "–", "–", "–", "–", "–", "–")
			continue
		}
		largest := view.Number(a.MaxK, 0)
		if a.TooFewRounds {
			largest = "too few rounds to tell"
		}
		q := a.Quality
		t.Add(a.Name, share(q.Accuracy), share(q.Refused), share(q.Unfair), largest, share(q.Parity), view.Number(a.ID, 0))
	}
	return t
}
