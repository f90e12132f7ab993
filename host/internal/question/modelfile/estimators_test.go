package modelfile_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/sdk/fairness"
)

// TestEstimators: files that the readers of the Python package made of estimators give the
// estimators' own scores. make wheels-fixtures writes testdata/estimators.jsonl.
func TestEstimators(t *testing.T) {
	file, err := os.Open("testdata/estimators.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cases := 0
	for d := json.NewDecoder(bufio.NewReader(file)); d.More(); cases++ {
		var c struct {
			Name, File, Content, Output string
			Missing                     *float64
			Rounding                    float64
			Inputs                      [][]*float64
			Scores                      []float64
		}
		if err := d.Decode(&c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.File)
			if err := os.WriteFile(path, []byte(c.Content), 0o600); err != nil {
				t.Fatal(err)
			}
			m, _, err := modelfile.Read(path, modelfile.Choice{Missing: c.Missing})
			if err != nil {
				t.Fatal(err)
			}
			if (m.Link() == fairness.LinkShare) != (c.Output == "share") || m.Link() == fairness.LinkLinear {
				t.Fatalf("link %v; the reader says %s", m.Link(), c.Output)
			}
			if len(c.Scores) < 10 || len(c.Inputs) != len(c.Scores) {
				t.Fatalf("%d rows, %d scores", len(c.Inputs), len(c.Scores))
			}
			for i, row := range c.Inputs {
				inputs := make([]float64, len(row))
				for j, v := range row {
					if inputs[j] = math.NaN(); v != nil {
						inputs[j] = *v
					}
				}
				if got := m.Link().Score(m.Logit(inputs)); !(math.Abs(got-c.Scores[i]) <= c.Rounding) {
					t.Fatalf("row %d: %v, the estimator says %v", i, got, c.Scores[i])
				}
			}
		})
	}
	if cases < 75 {
		t.Errorf("%d cases", cases)
	}
}
