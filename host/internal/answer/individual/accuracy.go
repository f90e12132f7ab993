package individual

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/study"
)

// ErrNoInput tells of a value outside the domain of a feature that feeds the
// network by a table: the table has no entry for it.
var ErrNoInput = errors.New("outside the domain, so that the feature's table has no network input for it")

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
		return 0, fmt.Errorf("%s: accuracy needs a network", s.Path)
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
