// Package trees reads the files of libraries of trees: XGBoost and LightGBM.
package trees

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// maxFile bounds a file of trees, in bytes.
const maxFile = 64 << 20

// chosen is a model of one score, with the choice applied. Names of inputs that the library generated are left out.
func chosen(c reader.Choice, m *reader.Model) *reader.Model {
	c.OnlyOutput()
	forest.OneScore(c)
	if names := m.InputNames; len(names) == 0 || len(names) != m.Inputs() || names[0] == "Column_0" {
		m.InputNames = nil
	}
	m.Linear = m.Link() == fairness.LinkLinear
	return m
}

// among makes n a comparison that goes left outside the categories. Categories are
// increasing integers, and inputs are truncated to integers. border is the least input of a
// category.
func among(n *trees.Node, categories []int, border func(category int) float64) {
	var borders []float64
	for i, c := range categories {
		if i == 0 || categories[i-1] != c-1 {
			borders = append(borders, border(c))
		}
		if i == len(categories)-1 || categories[i+1] != c+1 {
			borders = append(borders, border(c+1))
		}
	}
	n.Value, n.More = math.MaxFloat64, nil
	if len(borders) > 0 {
		n.Value, n.More = borders[0], borders[1:]
	}
	n.Closed = false
}
