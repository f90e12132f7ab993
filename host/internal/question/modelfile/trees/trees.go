// Package trees reads the files of tree libraries: XGBoost and LightGBM.
package trees

import (
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
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
