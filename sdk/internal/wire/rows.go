package wire

import (
	"fmt"

	"github.com/hyfair/hyfair/sdk"
	"github.com/hyfair/hyfair/sdk/internal/pb/modelv1"
)

// ToRows packs rows of equal length, at least one.
func ToRows(rows [][]float64) *modelv1.ScoreRequest {
	m := &modelv1.ScoreRequest{Width: int32(len(rows[0])), Values: make([]float64, 0, len(rows)*len(rows[0]))}
	for _, row := range rows {
		m.Values = append(m.Values, row...)
	}
	return m
}

// Rows is the inverse of ToRows. It refuses values that do not fill rows, and numbers that are not finite.
func Rows(m *modelv1.ScoreRequest) ([][]float64, error) {
	width := int(m.Width)
	if width < 1 || len(m.Values) == 0 || len(m.Values)%width != 0 {
		return nil, fmt.Errorf("%w: %d values in rows of %d; want one or more full rows", sdk.ErrInvalidProblem, len(m.Values), width)
	}
	for i, v := range m.Values {
		if v-v != 0 {
			return nil, fmt.Errorf("%w: row %d, value %d is %v; want a finite number", sdk.ErrInvalidProblem, i/width, i%width, v)
		}
	}
	rows := make([][]float64, len(m.Values)/width)
	for i := range rows {
		rows[i] = m.Values[i*width : (i+1)*width : (i+1)*width]
	}
	return rows, nil
}
