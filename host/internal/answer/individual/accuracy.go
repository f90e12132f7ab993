package individual

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hyfair/hyfair/host/internal/question/study"
)

// ErrNoInput tells of a value outside the domain of a feature that feeds the
// network by a table: the table has no entry for it.
var ErrNoInput = errors.New("outside the domain, so that the feature's table has no input of the model for it")

// Accuracy is the share, in per cent, of the given rows of a study's data set
// whose label its network gets right, deciding 1 where the exact score is above ½.
// nil rows are all rows. It is an error to ask without a network, data, labels or
// rows; ErrNoInput (wrapped) tells of a row that the network cannot be fed.
func Accuracy(s *study.Study, rows []int) (float64, error) {
	d, err := s.Data()
	if err != nil {
		return 0, err
	}
	switch {
	case s.Model == nil:
		return 0, fmt.Errorf("%s: accuracy needs a model", s.Path)
	case d.Labels == nil:
		return 0, fmt.Errorf("%s: accuracy needs labels, and the data has none", s.Path)
	}
	if rows == nil {
		rows = make([]int, len(d.Points))
		for i := range rows {
			rows[i] = i
		}
	}
	if len(rows) == 0 {
		return 0, fmt.Errorf("%s: accuracy of no rows", s.Path)
	}
	right := 0
	decider := New(s.Model, s.Space)
	for _, row := range rows {
		point := d.Points[row]
		for i := range s.Space.Features {
			if f := &s.Space.Features[i]; f.HasTable() && !f.Contains(point[i]) {
				path, line := d.Where(row)
				return 0, fmt.Errorf("%s:%d: %s is %v: %w", path, line, f.Name, point[i], ErrNoInput)
			}
		}
		if _, positive := decider.At(point); positive == (d.Labels[row] == 1) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(rows)), nil
}

// AUC is how often the network scores a row labelled 1 above one labelled 0, ties by
// half: the area under the ROC curve, 0.5 for scores that know nothing of the labels. ok is
// unset where all labels are the same. Accuracy must not fail on the study.
func AUC(s *study.Study) (auc float64, ok bool, err error) {
	d, err := s.Data()
	if err != nil {
		return 0, false, err
	}
	type scored struct {
		score float64
		label int
	}
	decider := New(s.Model, s.Space)
	all, ones := make([]scored, len(d.Points)), 0
	for i, point := range d.Points {
		all[i].score, _ = decider.At(point)
		if all[i].label = d.Labels[i]; all[i].label == 1 {
			ones++
		}
	}
	zeros := len(all) - ones
	if ones == 0 || zeros == 0 {
		return 0, false, nil
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	above, below := 0.0, 0.0 // pairs in order, and rows labelled 0 so far
	for from := 0; from < len(all); {
		to, tied := from, [2]float64{}
		for ; to < len(all) && all[to].score == all[from].score; to++ {
			tied[min(all[to].label, 1)]++
		}
		above += tied[1] * (below + tied[0]/2)
		below, from = below+tied[0], to
	}
	return above / (float64(ones) * float64(zeros)), true, nil
}
