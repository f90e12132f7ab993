package audit

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/hyfair/hyfair/sdk/evaluate"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
	"github.com/hyfair/hyfair/sdk/space"
)

// group is the people whose own protected values add the same values to the
// question's lists, so that one evaluator serves them all.
type group struct {
	// own has, for each protected feature, the value to add to its list, or
	// listed.
	own  []float64
	rows []int
}

// listed stands for a person's own value that the list already has. No feature has
// an infinite value.
var listed = math.Inf(-1)

// sort selects the rows to audit and groups them, ordered by the values that
// they add.
func (a *auditor) sort() []group {
	own := make([]float64, len(a.rows)*len(a.protected))
	ownOf := func(i int) []float64 { return own[i*len(a.protected):][:len(a.protected)] }
	var rows []int
	for i, row := range a.rows {
		if !a.Where.Holds(row) {
			a.result.Excluded++
			continue
		}
		if feature, ok := a.place(row); !ok {
			a.result.Skipped = append(a.result.Skipped, Skipped{i, feature})
			continue
		}
		for n, f := range a.protected {
			if ownOf(i)[n] = row[f]; slices.Contains(a.Region.Values[f], row[f]) {
				ownOf(i)[n] = listed
			}
		}
		rows = append(rows, i)
	}
	slices.SortFunc(rows, func(i, j int) int { return cmp.Or(slices.Compare(ownOf(i), ownOf(j)), cmp.Compare(i, j)) })
	var groups []group
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && slices.Equal(ownOf(rows[n]), ownOf(rows[0])) {
			n++
		}
		groups = append(groups, group{ownOf(rows[0]), rows[:n]})
		rows = rows[n:]
	}
	return groups
}

// place reports whether a row is in the space: every value in its feature's
// domain or among its protected values, and no constraint against it. If not,
// feature is the first at fault, or −1 for a constraint.
func (a *auditor) place(row []float64) (feature int, ok bool) {
	for i := range a.Space.Features {
		if f := &a.Space.Features[i]; !f.Contains(row[i]) && !slices.Contains(f.Protected, row[i]) {
			return i, false
		}
	}
	return -1, a.Space.Allowed(row)
}

// joined returns the ascending values with own inserted.
func joined(values []float64, own float64) []float64 {
	if own == listed {
		return values
	}
	at, _ := slices.BinarySearch(values, own)
	return slices.Insert(slices.Clone(values), at, own)
}

// line evaluates what one protected feature does by itself: in its space the
// other protected ones are ordinary features, which keep a person's values.
type line struct {
	feature int
	model   model.Model
	space   *space.Space
	values  []float64
	epsilon *big.Rat
	bands   fairness.Bands

	// base is for people whose own value is listed. latest is for people whose own value is in the field own;
	// nil before the first such person. Copies of a line share base; each sets its own latest.
	base, latest *evaluate.Evaluator
	own          float64
}

func newLine(c *Config, feature int) (l line, err error) {
	s, err := c.Space.Protect(c.Space.Features[feature].Name)
	if err != nil {
		return l, err
	}
	l = line{feature: feature, model: c.Model, space: s, values: c.Region.Values[feature], epsilon: c.Epsilon, bands: c.counted()}
	l.base, err = l.evaluator(listed)
	return l, err
}

func (l *line) evaluator(own float64) (*evaluate.Evaluator, error) {
	region := l.space.Whole()
	region.Values[l.feature] = joined(l.values, own)
	return evaluate.NewBanded(l.model, l.space, region, l.epsilon, l.bands)
}

// with returns the evaluator for people whose own value is the given one. It keeps the
// latest only: groups are sorted, so earlier values seldom return.
func (l *line) with(own float64) (_ *evaluate.Evaluator, err error) {
	if own == listed {
		return l.base, nil
	}
	if l.latest == nil || l.own != own {
		if l.latest, err = l.evaluator(own); err != nil {
			return nil, err
		}
		l.own = own
	}
	return l.latest, nil
}
