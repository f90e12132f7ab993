// Package trees reads the files of tree libraries: XGBoost and LightGBM.
package trees

import (
	"math"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// maxFile is the maximum size of a file of trees, in bytes.
const maxFile = 64 << 20

// chosen applies the choice to a model of one score, and drops names of inputs that the library generated.
func chosen(c reader.Choice, m *reader.Model) *reader.Model {
	c.OnlyOutput()
	forest.OneScore(c)
	if names := m.InputNames; len(names) == 0 || len(names) != m.Inputs() || names[0] == "Column_0" {
		m.InputNames = nil
	}
	m.Linear = m.Link() == fairness.LinkLinear
	return m
}

// among turns n into a comparison that goes left outside the categories. Categories are increasing
// integers, and inputs are truncated to integers. border returns the least input of a category.
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
