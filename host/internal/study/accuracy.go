package study

import "fmt"

// Accuracy is the share, in per cent, of the given rows of the data set whose
// label the network gets right, deciding 1 where the score is above ½: where
// the logit, in float64, is above 0. nil rows are all rows. It is an error to
// ask without a network, data, labels or rows.
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
	var inputs []float64
	for _, i := range rows {
		inputs = s.Space.NetworkInputs(inputs, d.Points[i])
		if positive := s.Network.Logit(inputs) > 0; positive == (d.Labels[i] == 1) {
			right++
		}
	}
	return 100 * float64(right) / float64(len(rows)), nil
}
