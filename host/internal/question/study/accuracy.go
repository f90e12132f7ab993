package study

import (
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/answer/individual"
)

// ErrNoInput tells of a value outside the domain of a feature that feeds the
// network by a table: the table has no entry for it.
var ErrNoInput = errors.New("outside the domain, so that the feature's table has no network input for it")

// Accuracy is the share, in per cent, of the given rows of the data set whose
// label the network gets right, deciding 1 where the exact score is above ½.
// nil rows are all rows. It is an error to
// ask without a network, data, labels or rows; ErrNoInput (wrapped) tells of a
// row that the network cannot be fed.
func (s *Study) Accuracy(rows []int) (float64, error) {
	d, err := s.Data()
	if err != nil {
		return 0, err
	}
	switch {
	case s.Network == nil:
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
	decider := individual.New(s.Network, s.Space)
	for _, i := range rows {
		if f := s.unfed(d.Points[i]); f >= 0 {
			path, line := d.Where(i)
			return 0, fmt.Errorf("%s:%d: %s is %v: %w", path, line, s.Space.Features[f].Name, d.Points[i][f], ErrNoInput)
		}
		if _, positive := decider.At(d.Points[i]); positive == (d.Labels[i] == 1) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(rows)), nil
}

// unfed is a feature whose value at the point no table has an entry for, or −1.
func (s *Study) unfed(point []float64) int {
	for i := range s.Space.Features {
		f := &s.Space.Features[i]
		for k := range f.Inputs {
			if f.Inputs[k].Table != nil && !f.Contains(point[i]) {
				return i
			}
		}
	}
	return -1
}
