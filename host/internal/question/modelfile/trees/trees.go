// Package trees reads the files of tree libraries: XGBoost, LightGBM and CatBoost.
package trees

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hyfair/hyfair/host/internal/question/modelfile/fault"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/forest"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/reader"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model/trees"
)

// maxFile is the maximum size of a file of trees, in bytes.
const maxFile = 64 << 20

// chosen applies the choice to a model of one score or of several classes, and drops names of inputs that the library generated.
func chosen(c reader.Choice, m *reader.Model) *reader.Model {
	c.OnlyOutput()
	if of, ok := m.Model.(*trees.Classes); ok {
		forest.OneOfMany(m, of, c)
	} else {
		forest.OneScore(c)
	}
	if names := m.InputNames; len(names) == 0 || len(names) != m.Inputs() || names[0] == "Column_0" {
		m.InputNames = nil
	}
	m.Linear = m.Link() == fairness.LinkLinear
	return m
}

// elements decodes a JSON list element by element, so that take can refuse a file of many small elements, which would need
// many times its size in memory. what names an element in errors. A nil text is an empty list.
func elements[T any](text []byte, what string, take func(i int, v *T) error) error {
	if text == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return fmt.Errorf("got %.40q, want a list", text)
	}
	for i := 0; d.More(); i++ {
		v := new(T)
		if err := d.Decode(v); err != nil {
			return fmt.Errorf("%s %d: %w", what, i, err)
		}
		if err := take(i, v); err != nil {
			return err
		}
	}
	return nil
}

// decode reads JSON; a syntax error names its line.
func decode(text []byte, to any) {
	err := json.Unmarshal(text, to)
	var wrong *json.SyntaxError
	if errors.As(err, &wrong) {
		panic(fault.New("line %d: %w", 1+bytes.Count(text[:min(wrong.Offset, int64(len(text)))], []byte("\n")), err))
	}
	fault.Check(err)
}
