package modelfile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hyfair/hyfair/host/internal/question/modelfile"
	"github.com/hyfair/hyfair/host/internal/question/modelfile/libraries"
	"github.com/hyfair/hyfair/internal/tier"
	"github.com/hyfair/hyfair/sdk/fairness"
	"github.com/hyfair/hyfair/sdk/model"
)

// modelCase is a model that testdata/libraries.py exported.
type modelCase struct {
	Name, File, Output, Kind, Refused string
	Class                             *int
	Rows                              string
	Columns                           []string
	Scores                            []float64
}

// TestLibraries: models as the libraries export them give the scores that ONNX Runtime, or
// the library itself, gives on 10,000 rows, or are refused in a sentence that helps.
func TestLibraries(t *testing.T) {
	tier.NeedLong(t)
	for library, packages := range map[string]string{"sklearn": libraries.Sklearn, "torch": libraries.Torch, "keras": libraries.Keras, "tensorflow": libraries.TF} {
		t.Run(library, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			var stderr bytes.Buffer
			cmd := libraries.Command(t, packages, "testdata/libraries.py", folder, library)
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			checkAll(t, folder, out, 10, 10_000)
		})
	}
}

// TestModels: files that the libraries wrote, with what they said of a few rows.
func TestModels(t *testing.T) {
	made, err := os.ReadFile("testdata/models/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	checkAll(t, "testdata/models", made, 5, 20)
}

// checkAll checks a number of cases, and rows of each, at least.
func checkAll(t *testing.T, folder string, text []byte, cases, rows int) {
	var made struct {
		Versions map[string]string
		Tables   map[string][][]any
		Cases    []modelCase
	}
	if err := json.Unmarshal(text, &made); err != nil || len(made.Cases) < cases {
		t.Fatalf("%d cases, %v", len(made.Cases), err)
	}
	t.Log(made.Versions)
	for _, c := range made.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Refused == "" && len(made.Tables[c.Rows]) < rows {
				t.Fatalf("%d rows", len(made.Tables[c.Rows]))
			}
			c.check(t, filepath.Join(folder, c.File), made.Tables[c.Rows])
		})
	}
}

func (c *modelCase) check(t *testing.T, path string, rows [][]any) {
	m, info, err := modelfile.Read(path, modelfile.Choice{Output: c.Output, Class: c.Class})
	if c.Refused != "" {
		if err == nil || !strings.Contains(err.Error(), c.Refused) {
			t.Fatalf("error %v; want %q", err, c.Refused)
		}
		t.Log(strings.TrimPrefix(err.Error(), "model "+path+": "))
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if info.OneOfMany != (c.Kind == "class") || info.Linear != (c.Kind == "logit") {
		t.Errorf("one of many %v, linear %v; the case is of %s", info.OneOfMany, info.Linear, c.Kind)
	}
	if len(rows) != len(c.Scores) {
		t.Fatalf("%d rows, %d scores", len(rows), len(c.Scores))
	}
	worst, close := 0.0, 0
	for i, row := range rows {
		inputs := c.inputs(t, m, info, row)
		logit := m.Logit(inputs)
		// What rounding every step to float32 can make, 2²⁹ times that of float64.
		single := m.LogitError(magnitudes(inputs), make([]float64, len(inputs))) * (1 << 29)
		got, most := fairness.Sigmoid(logit), single/4+3e-7
		switch c.Kind {
		case "logit":
			got, most = logit, single
		case "class":
			if wins := logit > 0; math.Abs(logit) > single && wins != (c.Scores[i] == 1) {
				t.Fatalf("row %d: margin %v, the class wins: %v", i, logit, c.Scores[i])
			}
			continue
		case "score":
			if near := math.Abs(logit) < single; near {
				close++
			} else if (c.Scores[i] > 0.5) != (logit > 0) {
				t.Errorf("row %d: the label differs, at the logit %v", i, logit)
			}
		}
		worst = max(worst, math.Abs(got-c.Scores[i]))
		if math.Abs(got-c.Scores[i]) > most {
			t.Fatalf("row %d: %v, the library says %v", i, got, c.Scores[i])
		}
	}
	if close > 1+len(rows)/100 {
		t.Errorf("%d rows too close to tell the label", close)
	}
	t.Logf("largest difference %.2g", worst)
}

func magnitudes(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Abs(v)
	}
	return out
}

// inputs of a row: its numbers, or of categories one input each.
func (c *modelCase) inputs(t *testing.T, m model.Model, info modelfile.Info, row []any) []float64 {
	var out []float64
	if c.Columns == nil || len(info.InputNames) == 0 {
		for _, v := range row {
			out = append(out, v.(float64))
		}
	}
	for _, name := range info.InputNames {
		column, category, isOne := strings.Cut(name, "=")
		v := row[slices.Index(c.Columns, column)]
		switch {
		case !isOne:
			out = append(out, v.(float64))
		case fmt.Sprint(v) == category:
			out = append(out, 1)
		default:
			out = append(out, 0)
		}
	}
	if len(out) != m.Inputs() {
		t.Fatalf("%d inputs for %d: %q", len(out), m.Inputs(), info.InputNames)
	}
	return out
}
